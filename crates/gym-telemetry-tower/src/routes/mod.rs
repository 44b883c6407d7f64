//! The routes of a server, as templates such as `/items/{id}`.

#[cfg(feature = "axum")]
mod metered_router;
mod prefixes;
mod templates;

#[cfg(feature = "axum")]
pub use metered_router::{MeteredRouter, MeteredService};
pub(crate) use prefixes::Prefixes;
pub use prefixes::ROLLOUT_PREFIXES;
pub use templates::{RouteTemplates, TemplateError};
