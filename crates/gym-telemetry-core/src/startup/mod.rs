//! How long a server takes to start, stage by stage.

mod finished;
mod origin;
#[cfg(test)]
mod tests;
mod timeline;

pub use finished::Startup;
pub use timeline::StartupTimeline;
