//! How a collector is reached.

use std::time::Duration;

use opentelemetry_sdk::metrics::Temporality;

use crate::{
    Headers, Protocol, Settings, SettingsError, StartError,
    settings::{ENDPOINT, Environment, HEADERS, MILLISECONDS, PROTOCOL},
    worker::Sink,
};

/// The time that one export may take, unless the environment says otherwise.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// A kind of telemetry, with its path at a collector and the variables that are for it alone.
#[derive(Debug)]
pub(crate) struct Signal {
    path: &'static str,
    endpoint: &'static str,
    protocol: &'static str,
    headers: &'static str,
    timeout: &'static str,
}

pub(crate) const METRICS: Signal = Signal {
    path: "/v1/metrics",
    endpoint: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    headers: "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    timeout: "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT",
};

#[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
pub(crate) const TRACES: Signal = Signal {
    path: "/v1/traces",
    endpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    protocol: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
    headers: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    timeout: "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT",
};

/// A collector and the way to speak to it.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    protocol: Protocol,
    endpoint: String,
    headers: Headers,
    pub(crate) timeout: Duration,
}

/// Makes a signal's exporter in the protocol of a target.
#[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
macro_rules! build {
    ($target:expr, $exporter:ident) => {
        match $target.protocol {
            #[cfg(feature = "otlp-grpc")]
            Protocol::Grpc => $target.grpc(opentelemetry_otlp::$exporter::builder().with_tonic()).build(),
            #[cfg(feature = "otlp-http")]
            Protocol::HttpProtobuf => $target.http(opentelemetry_otlp::$exporter::builder().with_http()).build(),
            #[cfg(not(all(feature = "otlp-grpc", feature = "otlp-http")))]
            protocol => return Err(missing(protocol)),
        }
        .map_err(|error| StartError::Exporter(error.into()))
    };
}

impl Target {
    /// Reads the variables that are for this signal alone, and falls back on the settings.
    pub(crate) fn resolve(
        signal: &Signal,
        settings: &Settings,
        environment: &Environment<'_>,
    ) -> Result<Self, SettingsError> {
        let protocol = environment.read(&[signal.protocol], &PROTOCOL)?.unwrap_or(settings.otlp_protocol);
        let headers = environment.read(&[signal.headers], &HEADERS)?;
        let timeout = environment.read(&[signal.timeout, "OTEL_EXPORTER_OTLP_TIMEOUT"], &MILLISECONDS)?;
        Ok(Self {
            protocol,
            endpoint: endpoint(signal, settings, protocol, environment)?,
            headers: headers.unwrap_or_else(|| settings.otlp_headers.clone()),
            timeout: timeout.map_or(DEFAULT_TIMEOUT, |ms| Duration::from_millis(ms.into())),
        })
    }

    /// Opens the way for metrics. It takes a runtime, and connects when there is something to send.
    #[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
    pub(crate) fn open(self) -> Result<Sink, StartError> {
        build!(self, MetricExporter).map(|exporter| Sink::Otlp(Box::new(exporter)))
    }

    #[cfg(not(any(feature = "otlp-grpc", feature = "otlp-http")))]
    pub(crate) fn open(self) -> Result<Sink, StartError> {
        Err(missing(self.protocol))
    }

    /// Likewise for spans.
    #[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
    pub(crate) fn open_for_spans(self) -> Result<opentelemetry_otlp::SpanExporter, StartError> {
        build!(self, SpanExporter)
    }

    #[cfg(feature = "otlp-grpc")]
    fn grpc<B>(self, exporter: B) -> B
    where
        B: opentelemetry_otlp::WithExportConfig + opentelemetry_otlp::WithTonicConfig,
    {
        use opentelemetry_otlp::tonic_types::metadata::MetadataMap;

        let headers = self.headers.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
        let metadata = MetadataMap::from_headers(headers.collect());
        exporter.with_endpoint(self.endpoint).with_timeout(self.timeout).with_metadata(metadata)
    }

    #[cfg(feature = "otlp-http")]
    fn http<B>(self, exporter: B) -> B
    where
        B: opentelemetry_otlp::WithExportConfig + opentelemetry_otlp::WithHttpConfig,
    {
        use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

        // The builder decodes what it is given.
        let encoded = |value| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
        let headers = self.headers.iter().map(|(name, value)| (name.to_owned(), encoded(value)));
        let exporter = exporter.with_protocol(opentelemetry_otlp::Protocol::HttpBinary).with_headers(headers.collect());
        exporter.with_endpoint(self.endpoint).with_timeout(self.timeout)
    }
}

#[cfg(not(all(feature = "otlp-grpc", feature = "otlp-http")))]
fn missing(protocol: Protocol) -> StartError {
    let feature = if protocol == Protocol::Grpc { "otlp-grpc" } else { "otlp-http" };
    StartError::ProtocolMissing { protocol, feature }
}

/// Where to send: what is for one signal alone is used as it is, what is shared gets its path over HTTP.
fn endpoint(
    signal: &Signal,
    settings: &Settings,
    protocol: Protocol,
    environment: &Environment<'_>,
) -> Result<String, SettingsError> {
    if let Some(endpoint) = environment.read(&[signal.endpoint], &ENDPOINT)? {
        return Ok(endpoint);
    }
    let base = match (environment.read(&["OTEL_EXPORTER_OTLP_ENDPOINT"], &ENDPOINT)?, &settings.otlp_endpoint) {
        (Some(endpoint), _) => endpoint,
        (None, Some(endpoint)) => ENDPOINT.read("otlp_endpoint", endpoint)?,
        (None, None) if protocol == Protocol::Grpc => "http://localhost:4317".to_owned(),
        (None, None) => "http://localhost:4318".to_owned(),
    };
    Ok(match protocol {
        Protocol::Grpc => base,
        Protocol::HttpProtobuf => format!("{}{}", base.trim_end_matches('/'), signal.path),
    })
}

/// The temporality that a backend prefers. Junk is said in the log, and is no reason not to start.
pub(crate) fn temporality(environment: &Environment<'_>) -> Temporality {
    let preference = environment.first(&["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"]);
    let Some((name, value)) = preference else { return Temporality::Cumulative };
    value.parse().unwrap_or_else(|()| {
        let accepted = "`cumulative`, `delta` or `lowmemory`";
        tracing::warn!("{}; cumulative is used", SettingsError::new(name, value, accepted));
        Temporality::Cumulative
    })
}
