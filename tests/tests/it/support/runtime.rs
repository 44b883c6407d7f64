use std::sync::LazyLock;

use gym_telemetry_collector::Collector;
use tokio::runtime::{Builder, Runtime};

/// Where the tests' own servers run.
pub(crate) static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap());

/// A collector for a fleet that is told not to use its own.
pub(crate) fn collector() -> Collector {
    RUNTIME.block_on(Collector::start(Default::default())).unwrap()
}
