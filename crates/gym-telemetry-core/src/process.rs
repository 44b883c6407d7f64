//! The process itself: processor time, memory, threads, open files.

use std::{fmt, sync::Arc, time::Duration};

use gym_telemetry_conventions::{CpuMode, attributes, metrics};
use opentelemetry::{KeyValue, metrics::Meter};

use crate::report::Report;

/// Where the figures of this process come from. Each is read when an export asks for it, on the exporter's thread; one
/// that cannot be had is absent from that export, and the others still come.
pub trait ProcessSource: Send + Sync + 'static {
    /// Processor time that the process has used.
    fn cpu_time(&self) -> Option<CpuTime>;

    /// Resident memory in bytes.
    fn resident_memory(&self) -> Option<u64>;

    /// The number of threads.
    fn threads(&self) -> Option<u64>;

    /// The number of open file descriptors.
    fn open_file_descriptors(&self) -> Option<u64>;
}

/// Processor time of all threads, those that ended included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there are these two modes")]
pub struct CpuTime {
    /// In the program.
    pub user: Duration,
    /// In the kernel on its behalf.
    pub system: Duration,
}

/// Reports this process: `process.cpu.time`, `process.memory.usage`, `process.thread.count` and
/// `process.open_file_descriptor.count`.
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use gym_telemetry_core::{CpuTime, ProcessMetrics, ProcessSource};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// struct Fixed;
///
/// impl ProcessSource for Fixed {
///     fn cpu_time(&self) -> Option<CpuTime> {
///         Some(CpuTime { user: Duration::from_secs(3), system: Duration::from_secs(1) })
///     }
///     fn resident_memory(&self) -> Option<u64> {
///         Some(64 << 20)
///     }
///     fn threads(&self) -> Option<u64> {
///         Some(4)
///     }
///     fn open_file_descriptors(&self) -> Option<u64> {
///         None // not on this platform: the metric is absent
///     }
/// }
///
/// let process = ProcessMetrics::new(&meter, Fixed);
/// # drop(process);
/// ```
#[must_use = "dropping it ends its series"]
pub struct ProcessMetrics {
    _source: Arc<dyn ProcessSource>,
}

impl ProcessMetrics {
    /// A recorder whose series are reported through `meter`, read from `source`.
    pub fn new(meter: &Meter, source: impl ProcessSource) -> Self {
        let source = Arc::new(source);
        let report = Report::new(meter, &source);
        report.counter_f64(&metrics::PROCESS_CPU_TIME, |source, observer| {
            let Some(CpuTime { user, system }) = source.cpu_time() else { return };
            for (mode, spent) in [(CpuMode::User, user), (CpuMode::System, system)] {
                observer.observe(spent.as_secs_f64(), &[KeyValue::new(attributes::CPU_MODE.key, mode.as_str())]);
            }
        });
        let gauge = |instrument, read: fn(&_) -> Option<u64>| {
            report.gauge(instrument, move |source, observer| {
                if let Some(value) = read(source) {
                    observer.observe(value, &[]);
                }
            });
        };
        gauge(&metrics::PROCESS_MEMORY_USAGE, ProcessSource::resident_memory);
        gauge(&metrics::PROCESS_THREAD_COUNT, ProcessSource::threads);
        gauge(&metrics::PROCESS_OPEN_FILE_DESCRIPTOR_COUNT, ProcessSource::open_file_descriptors);
        Self { _source: source }
    }
}

impl fmt::Debug for ProcessMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessMetrics").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Reader;

    /// A process that tells some things, and breaks at one.
    struct Partial;

    impl ProcessSource for Partial {
        fn cpu_time(&self) -> Option<CpuTime> {
            Some(CpuTime { user: Duration::from_millis(1_500), system: Duration::from_millis(250) })
        }

        fn resident_memory(&self) -> Option<u64> {
            panic!("a reading that breaks")
        }

        fn threads(&self) -> Option<u64> {
            Some(7)
        }

        fn open_file_descriptors(&self) -> Option<u64> {
            None
        }
    }

    #[test]
    fn what_cannot_be_read_is_absent_and_the_rest_still_comes() {
        let reader = Reader::new();
        let process = ProcessMetrics::new(&reader.meter(), Partial);
        for _ in 0..2 {
            let seen = reader.collect();
            assert_eq!(seen.value("process.cpu.time", &[("cpu.mode", "user")]), Some(1.5));
            assert_eq!(seen.value("process.cpu.time", &[("cpu.mode", "system")]), Some(0.25));
            assert_eq!(seen.value("process.thread.count", &[]), Some(7.0));
            assert_eq!(seen.series("process.memory.usage"), 0);
            assert_eq!(seen.series("process.open_file_descriptor.count"), 0);
        }
        drop(process);
        assert!(reader.collect().is_empty());
    }
}
