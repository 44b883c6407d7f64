//! What other libraries have for it.

pub(super) mod metrics;
pub(super) mod prometheus;
pub(super) mod prometheus_client;
