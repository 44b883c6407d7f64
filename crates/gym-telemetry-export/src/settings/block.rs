use serde::{Deserialize, Serialize};

use super::{Exporter, Headers, Protocol, SettingsError, environment, form};

/// The settings of a process: the `telemetry:` block of a configuration file, or the same with what the environment
/// says laid over it ([`resolve`](Self::resolve)).
///
/// A field that a block does not name keeps its default, and one that does not exist is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The master switch. Off, every meter is silent and nothing else of the environment is looked at.
    ///
    /// `NEMO_GYM_OTEL_ENABLED`, `NEMO_LENS_ENABLED`; `OTEL_SDK_DISABLED` switches off whatever they say.
    pub enabled: bool,
    /// Whether metrics are recorded and exported.
    ///
    /// `NEMO_GYM_OTEL_METRICS_ENABLED`, `NEMO_LENS_METRICS_ENABLED`.
    pub metrics_enabled: bool,
    /// Whether spans are made and exported. They go where OTLP goes; the other exporters know metrics alone.
    ///
    /// `NEMO_GYM_OTEL_TRACES_ENABLED`, `NEMO_LENS_TRACES_ENABLED`.
    pub traces_enabled: bool,
    /// The name that the processes of a fleet share.
    ///
    /// `OTEL_SERVICE_NAME`, or `service.name` in `OTEL_RESOURCE_ATTRIBUTES`.
    pub service_name: String,
    /// Whether a server appends its own name to it: `nemo-gym/math`.
    ///
    /// `NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER`.
    pub service_name_per_server: bool,
    /// Where the metrics go.
    ///
    /// `NEMO_GYM_OTEL_EXPORTER`, `NEMO_LENS_EXPORTER`.
    pub exporter: Exporter,
    /// The collector, such as `http://localhost:4317`. Over HTTP, `/v1/metrics` is appended. Unset, it is the local
    /// one at the protocol's usual port.
    ///
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`; `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` goes before it and is used as it is.
    pub otlp_endpoint: Option<String>,
    /// The protocol that the collector speaks.
    ///
    /// `OTEL_EXPORTER_OTLP_METRICS_PROTOCOL`, `OTEL_EXPORTER_OTLP_PROTOCOL`.
    pub otlp_protocol: Protocol,
    /// What to send along with every request.
    ///
    /// `OTEL_EXPORTER_OTLP_METRICS_HEADERS`, `OTEL_EXPORTER_OTLP_HEADERS`.
    pub otlp_headers: Headers,
    /// Whether and how often a supervisor samples the memory of its servers.
    pub memory_profiling: MemoryProfiling,
    /// Whether a server reports how many tasks live on its runtime.
    ///
    /// `NEMO_GYM_OTEL_EVENT_LOOP_TASK_COUNT`.
    pub event_loop_task_count: bool,
    /// What the processes of one run have in common. Whoever starts without one makes one up and hands it on.
    ///
    /// `NEMO_GYM_OTEL_RUN_ID`, `NEMO_LENS_RUN_ID`.
    pub run_id: Option<String>,
    /// The time from one export to the next, in milliseconds.
    ///
    /// `OTEL_METRIC_EXPORT_INTERVAL`.
    pub export_interval_ms: u32,
    /// How many attribute sets one instrument may have; further ones are added up in a series of their own, marked
    /// `otel.metric.overflow`, and the log says so once. Room for them is set aside when an instrument is created.
    ///
    /// `NEMO_GYM_OTEL_CARDINALITY_LIMIT`.
    pub cardinality_limit: usize,
    /// Whether Prometheus' text has the labels `otel_scope_name` and `otel_scope_version`.
    ///
    /// `NEMO_GYM_OTEL_PROMETHEUS_SCOPE_LABELS`.
    pub prometheus_scope_labels: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            enabled: false,
            metrics_enabled: true,
            traces_enabled: true,
            service_name: "nemo-gym".to_owned(),
            service_name_per_server: true,
            exporter: Exporter::default(),
            otlp_endpoint: None,
            otlp_protocol: Protocol::default(),
            otlp_headers: Headers::default(),
            memory_profiling: MemoryProfiling::default(),
            event_loop_task_count: false,
            run_id: None,
            export_interval_ms: 10_000,
            cardinality_limit: 2_000,
            prometheus_scope_labels: false,
        }
    }
}

impl Settings {
    /// The default settings with this process's environment laid over them.
    ///
    /// # Errors
    /// When a variable holds something that its setting cannot be.
    pub fn from_env() -> Result<Self, SettingsError> {
        Self::default().resolve(environment::of_the_process)
    }

    /// Refuses values that no field may have.
    pub(super) fn check(&self) -> Result<(), SettingsError> {
        let Self { memory_profiling, export_interval_ms, cardinality_limit, service_name, .. } = self;
        form::SECONDS.check("memory_profiling.interval_seconds", memory_profiling.interval_seconds)?;
        form::MILLISECONDS.check("export_interval_ms", export_interval_ms)?;
        form::COUNT.check("cardinality_limit", cardinality_limit)?;
        form::TEXT.check("service_name", service_name)
    }
}

/// Sampling of the memory of a supervisor's servers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct MemoryProfiling {
    /// Whether it is done at all.
    ///
    /// `NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED`.
    pub enabled: bool,
    /// The time from one sample to the next, in seconds.
    ///
    /// `NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS`.
    pub interval_seconds: f64,
}

impl Default for MemoryProfiling {
    fn default() -> Self {
        Self { enabled: false, interval_seconds: 1.0 }
    }
}
