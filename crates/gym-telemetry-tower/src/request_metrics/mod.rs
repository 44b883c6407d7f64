//! The layer that counts requests.
//!
//! `layer`, `service`, `future` and `body` pass things on. What they see goes to the `exchange`, which asks `progress`
//! how the request ends and tells the recorder.

mod body;
mod disconnect;
mod exchange;
mod future;
mod head;
mod layer;
mod progress;
mod request_bodies;
mod request_body;
mod service;
mod settings;
mod under_way;

pub use body::ResponseBody;
pub use future::ResponseFuture;
pub use layer::RequestMetricsLayer;
#[cfg(feature = "axum")]
pub use request_bodies::CountedInAxum;
pub use request_bodies::{Counted, RequestBodies, Untouched};
pub use request_body::RequestBody;
pub use service::RequestMetricsService;
