//! What the fleet's processes do with their metrics.

use std::{
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result, bail};
use gym_telemetry::{Exporter, Protocol, Settings, Telemetry, conventions::ServerType};
use gym_telemetry_collector::{Collector, Snapshot};
use serde::Deserialize;

use crate::cli::Options;

/// How often the fleet exports unless told otherwise: often enough to watch.
const EXPORT_INTERVAL_MS: u32 = 1_000;

/// The settings of a process of the fleet: the configuration's `telemetry:` block, or telemetry switched on.
pub(crate) fn settings(config: Option<&Path>) -> Result<Settings> {
    let Some(path) = config else {
        let mut settings = Settings::default();
        settings.enabled = true;
        settings.export_interval_ms = EXPORT_INTERVAL_MS;
        return Ok(settings);
    };
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let bad = || format!("{} is no configuration", path.display());
    serde_yaml_ng::from_str(&text).map(|config: Config| config.telemetry).with_context(bad)
}

/// A configuration file, as far as the fleet reads it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Config {
    telemetry: Settings,
}

/// Whether and how the fleet exports is its configuration's to say, not that of whoever starts it: its summary is made
/// of what arrives, and its servers report on their standard output.
pub(crate) const NOT_FROM_OUTSIDE: [&str; 4] =
    ["NEMO_GYM_OTEL_ENABLED", "NEMO_LENS_ENABLED", "NEMO_GYM_OTEL_EXPORTER", "NEMO_LENS_EXPORTER"];

/// A variable of the environment, as far as it is heeded.
fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)
        .filter(|_| !NOT_FROM_OUTSIDE.contains(&name))
        .map(|value| value.to_string_lossy().into_owned())
}

/// Starts the telemetry of this process, which is the supervisor's and the driver's, towards the built-in collector
/// unless another one is named.
pub(crate) fn start(options: &Options, collector: &Collector) -> Result<Telemetry> {
    let mut settings = settings(options.config.as_deref())?.resolve(variable)?;
    if settings.enabled && settings.exporter == Exporter::Console {
        bail!("telemetry.exporter: `console` writes to standard output, where the summary goes; choose another");
    }
    let elsewhere = options.otlp_endpoint.clone().or(settings.otlp_endpoint);
    settings.otlp_endpoint = elsewhere.or_else(|| Some(endpoint(collector, settings.otlp_protocol)));
    let telemetry = Telemetry::builder(settings).environment(variable);
    let telemetry = telemetry.server("rollout_driver", ServerType::Orchestrator.as_str()).start()?;
    if options.metrics_json.is_some() && !reaches(&telemetry, collector) {
        bail!(
            "--metrics-json needs the built-in collector: telemetry enabled, exporter `otlp`, no endpoint or protocol"
        );
    }
    Ok(telemetry)
}

/// Whether what is exported comes to the built-in collector.
pub(crate) fn reaches(telemetry: &Telemetry, collector: &Collector) -> bool {
    let settings = telemetry.settings();
    // What is for metrics alone goes before everything else.
    let own = ["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"];
    telemetry.is_enabled()
        && own.iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty()))
        && settings.exporter == Exporter::Otlp
        && settings.otlp_endpoint == Some(endpoint(collector, settings.otlp_protocol))
}

/// Where the built-in collector takes a protocol.
fn endpoint(collector: &Collector, protocol: Protocol) -> String {
    match protocol {
        Protocol::Grpc => collector.grpc_endpoint(),
        _ => collector.http_endpoint(),
    }
}

/// Where the final state of every series goes; open from the beginning, so that the run does not end in vain.
#[derive(Debug)]
pub(crate) struct MetricsFile<'a> {
    path: &'a Path,
    file: BufWriter<File>,
}

impl<'a> MetricsFile<'a> {
    pub(crate) fn create(path: &'a Path) -> Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self { path, file: BufWriter::new(file) })
    }

    pub(crate) fn write(mut self, state: &Snapshot) -> Result<()> {
        let written = state.write_json(&mut self.file).and_then(|()| self.file.flush());
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}
