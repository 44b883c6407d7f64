//! What the tests share: settings, receivers, and a look at the log.

mod gate;
mod instruments;
mod logs;
mod receiver;

use gym_telemetry_export::{Builder, Exporter, Settings, Telemetry};

pub(crate) use gate::Gate;
pub(crate) use gym_telemetry_tests::{LONG, eventually, missing};
pub(crate) use instruments::{expected_lines, lines, record_all};
pub(crate) use logs::Logs;
pub(crate) use receiver::{Form, Receiver, attribute};

/// Settings that are on, with an interval that no test waits for.
pub(crate) fn settings(exporter: Exporter) -> Settings {
    let mut settings = Settings::default();
    settings.enabled = true;
    settings.exporter = exporter;
    settings.export_interval_ms = 3_600_000;
    settings
}

/// Telemetry with these settings and these variables alone.
pub(crate) fn builder(settings: Settings, variables: &[(&str, &str)]) -> Builder {
    let variables: Vec<_> = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Telemetry::builder(settings)
        .environment(move |name| variables.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone()))
}

/// Telemetry that exports to a receiver whenever it is told to.
pub(crate) fn telemetry(receiver: &Receiver) -> Telemetry {
    every(receiver, 3_600_000)
}

/// Telemetry that exports to a receiver every so many milliseconds.
pub(crate) fn every(receiver: &Receiver, interval_ms: u32) -> Telemetry {
    to(&receiver.url, receiver.form, interval_ms)
}

/// Telemetry that exports to an address every so many milliseconds.
pub(crate) fn to(url: &str, form: Form, interval_ms: u32) -> Telemetry {
    let mut settings = settings(Exporter::Otlp);
    settings.otlp_endpoint = Some(url.to_owned());
    settings.otlp_protocol = form.protocol();
    settings.export_interval_ms = interval_ms;
    builder(settings, &[]).start().unwrap()
}
