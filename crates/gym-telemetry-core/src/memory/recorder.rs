use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use gym_telemetry_conventions::{Instrument, MemoryType, PressureShare, PressureWindow, attributes, metrics};
use opentelemetry::{
    KeyValue,
    metrics::{AsyncInstrument, Meter},
};

use super::sample::{MemorySample, MemoryUsage, Pressure, ServerMemory, Stall};
use crate::{
    count::Count,
    histogram::{Buckets, Handover, Measure as _, Millis},
    report::Report,
};

/// Reports the latest sample of a fleet's memory: `gym.server.memory.*`, `gym.server.processes`, `gym.host.memory.*`.
///
/// Whoever samples hands over each sample whole, so a server that is no longer in it has no point in the next export.
/// All points of one export come from one sample.
///
/// Beyond the contract it reports
///
/// | metric | unit | what |
/// | --- | --- | --- |
/// | `container.memory.usage` | By | what the control group holds whose limit binds, page cache included |
/// | `container.memory.limit` | By | that limit; absent where none is below the host's memory |
/// | `container.memory.peak` | By | the most that the kernel saw the group hold |
/// | `container.memory.oom_kills_total` | {process} | processes of the group killed for want of memory |
/// | `container.memory.pressure` | 1 | share of the time in which tasks of the group waited for memory |
/// | `gym.telemetry.host.memory.pressure` | 1 | the same for tasks of the host |
/// | `gym.telemetry.memory.pss_age_ms` | ms | age of the oldest reading in a server's PSS |
/// | `gym.telemetry.memory.sample_duration_ms` | ms | what one sample took |
/// | `gym.telemetry.memory.samples_skipped_total` | {sample} | samples left out because the one before was late |
///
/// Pressure has the attributes `memory.pressure.share` (`some`, `full`) and `memory.pressure.window` (`10s`, `60s`,
/// `300s`); the age has those of `gym.server.processes`. Each is absent where the kernel does not tell it.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{MemoryMetrics, MemorySample, ServerMemory};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let memory = MemoryMetrics::new(&meter);
/// let mut server = ServerMemory::new("policy", "responses_api_models", 4242);
/// server.processes = 1;
/// server.rss.see(Some(30 << 20));
/// let mut sample = MemorySample::default();
/// sample.servers.push(server);
/// memory.record(sample);
/// assert_eq!(memory.latest().servers[0].rss.peak, Some(30 << 20));
/// ```
#[derive(Debug, Clone)]
#[must_use = "dropping it ends its series"]
pub struct MemoryMetrics {
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    latest: Mutex<Arc<MemorySample>>,
    /// The sample that the running collection reports.
    exported: Mutex<Arc<MemorySample>>,
    duration: Buckets<Millis>,
    skipped: Count,
}

impl MemoryMetrics {
    /// A recorder whose series are reported through `meter`.
    pub fn new(meter: &Meter) -> Self {
        let state = Arc::new(State {
            latest: Mutex::default(),
            exported: Mutex::default(),
            duration: Buckets::new(&metrics::MEMORY_SAMPLE_DURATION_MS),
            skipped: Count::default(),
        });
        let report = Report::new(meter, &state);
        // First, because collections run callbacks in the order of their making.
        report.on_collection(|state| *lock(&state.exported) = state.latest());
        report_servers(&report);
        report_host(&report);
        report_container(&report);
        report_sampling(meter, &report);
        Self { state }
    }

    /// The next exports report this sample, and nothing of those before it.
    pub fn record(&self, sample: MemorySample) {
        *lock(&self.state.latest) = Arc::new(sample);
    }

    /// The latest sample.
    #[must_use]
    pub fn latest(&self) -> Arc<MemorySample> {
        self.state.latest()
    }

    /// One sample took this long.
    pub fn sampled(&self, took: Duration) {
        self.state.duration.record_duration(took);
    }

    /// So many samples were left out because the one before them took longer than the interval.
    pub fn skipped(&self, samples: u64) {
        self.state.skipped.add(samples);
    }

    /// How many samples were left out so far.
    #[must_use]
    pub fn samples_skipped(&self) -> u64 {
        self.state.skipped.get()
    }
}

impl State {
    fn latest(&self) -> Arc<MemorySample> {
        Arc::clone(&lock(&self.latest))
    }

    /// What to report now, without a lock that a call into the SDK would run under.
    fn exported(&self) -> Arc<MemorySample> {
        Arc::clone(&lock(&self.exported))
    }
}

fn report_servers(report: &Report<'_, State>) {
    servers(report, &metrics::SERVER_MEMORY_USAGE, |server, observe| {
        usages(server).for_each(|(kind, usage)| observe(usage.current, Some(kind)));
    });
    servers(report, &metrics::SERVER_MEMORY_SAMPLED_PEAK, |server, observe| {
        usages(server).for_each(|(kind, usage)| observe(usage.peak, Some(kind)));
    });
    servers(report, &metrics::SERVER_PROCESSES, |server, observe| observe(Some(server.processes), None));
    servers(report, &metrics::MEMORY_PSS_AGE_MS, |server, observe| {
        observe(server.pss_age.map(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX)), None);
    });
}

fn report_host(report: &Report<'_, State>) {
    gauge(report, &metrics::HOST_MEMORY_USAGE, |sample| sample.host.used.current);
    gauge(report, &metrics::HOST_MEMORY_AVAILABLE, |sample| sample.host.available);
    gauge(report, &metrics::HOST_MEMORY_TOTAL, |sample| sample.host.total);
    gauge(report, &metrics::HOST_MEMORY_SAMPLED_PEAK, |sample| sample.host.used.peak);
    pressure(report, &metrics::HOST_MEMORY_PRESSURE, |sample| sample.host.pressure);
}

fn report_container(report: &Report<'_, State>) {
    gauge(report, &metrics::CONTAINER_MEMORY_USAGE, |sample| sample.container.used.current);
    gauge(report, &metrics::CONTAINER_MEMORY_LIMIT, |sample| sample.container.limit);
    gauge(report, &metrics::CONTAINER_MEMORY_PEAK, |sample| sample.container.used.peak);
    pressure(report, &metrics::CONTAINER_MEMORY_PRESSURE, |sample| sample.container.pressure);
    report.counter(&metrics::CONTAINER_MEMORY_OOM_KILLS_TOTAL, |state, observer| {
        if let Some(kills) = state.exported().container.oom_kills {
            observer.observe(kills, &[]);
        }
    });
}

fn report_sampling(meter: &Meter, report: &Report<'_, State>) {
    let handover = Handover::new(Millis::build(meter, &metrics::MEMORY_SAMPLE_DURATION_MS), Vec::new());
    report.on_collection(move |state| handover.run([&state.duration].into_iter()));
    report
        .counter(&metrics::MEMORY_SAMPLES_SKIPPED_TOTAL, |state, observer| observer.observe(state.skipped.get(), &[]));
}

/// A value to export, and which memory it is of where that is an attribute.
type Observe<'a> = &'a dyn Fn(Option<u64>, Option<MemoryType>);

/// A gauge with points for each server.
fn servers(
    report: &Report<'_, State>,
    instrument: &'static Instrument,
    read: impl Fn(&ServerMemory, Observe<'_>) + Send + Sync + 'static,
) {
    report.gauge(instrument, move |state, observer| {
        for server in &state.exported().servers {
            let of_server = [
                KeyValue::new(attributes::SERVER_NAME.key, Arc::clone(&server.name)),
                KeyValue::new(attributes::SERVER_TYPE.key, Arc::clone(&server.server_type)),
                KeyValue::new(attributes::PROCESS_PID.key, i64::from(server.pid)),
            ];
            read(server, &|value, kind| {
                let Some(value) = value else { return };
                match kind {
                    None => observer.observe(value, &of_server),
                    Some(kind) => {
                        let [name, server_type, pid] = of_server.clone();
                        let kind = KeyValue::new(attributes::MEMORY_TYPE.key, kind.as_str());
                        observer.observe(value, &[name, server_type, pid, kind]);
                    }
                }
            });
        }
    });
}

/// A gauge without attributes.
fn gauge(report: &Report<'_, State>, instrument: &'static Instrument, read: fn(&MemorySample) -> Option<u64>) {
    report.gauge(instrument, move |state, observer| {
        if let Some(value) = read(&state.exported()) {
            observer.observe(value, &[]);
        }
    });
}

/// A gauge of the fraction of the time, by who waited and over which window.
fn pressure(report: &Report<'_, State>, instrument: &'static Instrument, read: fn(&MemorySample) -> Pressure) {
    report.gauge_f64(instrument, move |state, observer| {
        let Pressure { some, full } = read(&state.exported());
        stall(observer, PressureShare::Some, some);
        stall(observer, PressureShare::Full, full);
    });
}

fn stall(observer: &dyn AsyncInstrument<f64>, share: PressureShare, stall: Option<Stall>) {
    let Some(Stall { avg10, avg60, avg300 }) = stall else { return };
    let windows = [PressureWindow::TenSeconds, PressureWindow::Minute, PressureWindow::FiveMinutes];
    for (window, average) in windows.into_iter().zip([avg10, avg60, avg300]) {
        let attributes = [
            KeyValue::new(attributes::MEMORY_PRESSURE_SHARE.key, share.as_str()),
            KeyValue::new(attributes::MEMORY_PRESSURE_WINDOW.key, window.as_str()),
        ];
        observer.observe(average, &attributes);
    }
}

/// The two kinds of memory that a server is seen by.
fn usages(server: &ServerMemory) -> impl Iterator<Item = (MemoryType, MemoryUsage)> {
    [(MemoryType::Rss, server.rss), (MemoryType::Pss, server.pss)].into_iter()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
