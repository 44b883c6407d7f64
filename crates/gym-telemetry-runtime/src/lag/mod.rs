//! The watcher stands outside what it watches: a thread wakes a task on each runtime and times when it runs.

mod episode;
#[cfg(feature = "tokio-metrics")]
mod scheduler;
mod settings;
mod thread;
mod watched;
mod watcher;
mod workers;

pub use settings::LagSettings;
pub use watcher::LagWatcher;
