//! How long a server takes to start, stage by stage.

mod origin;
mod timeline;

pub use timeline::StartupTimeline;
