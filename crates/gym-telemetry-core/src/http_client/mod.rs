//! Outbound calls by the HTTP semantic conventions, for those who switch them on.

mod call;
mod key;
mod recorder;
#[cfg(test)]
mod tests;

pub use call::HttpClientCall;
pub use recorder::{HttpClientMetrics, HttpClientRecorder};
