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

/// A collector and the way to speak to it.
#[derive(Debug, PartialEq)]
pub(crate) struct Target {
    protocol: Protocol,
    endpoint: String,
    headers: Headers,
    pub(crate) timeout: Duration,
}

impl Target {
    /// Reads the variables that are for metrics alone, and falls back on the settings.
    pub(crate) fn resolve(settings: &Settings, environment: &Environment<'_>) -> Result<Self, SettingsError> {
        let protocol = environment.read(&["OTEL_EXPORTER_OTLP_METRICS_PROTOCOL"], &PROTOCOL)?;
        let protocol = protocol.unwrap_or(settings.otlp_protocol);
        let headers = environment.read(&["OTEL_EXPORTER_OTLP_METRICS_HEADERS"], &HEADERS)?;
        let timeout = ["OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"];
        let timeout = environment.read(&timeout, &MILLISECONDS)?;
        Ok(Self {
            protocol,
            endpoint: endpoint(settings, protocol, environment)?,
            headers: headers.unwrap_or_else(|| settings.otlp_headers.clone()),
            timeout: timeout.map_or(DEFAULT_TIMEOUT, |ms| Duration::from_millis(ms.into())),
        })
    }

    /// Opens the way. It takes a runtime, and connects when there is something to send.
    pub(crate) fn open(self) -> Result<Sink, StartError> {
        match self.protocol {
            #[cfg(feature = "otlp-grpc")]
            Protocol::Grpc => self.open_grpc(),
            #[cfg(feature = "otlp-http")]
            Protocol::HttpProtobuf => self.open_http(),
            #[cfg(not(all(feature = "otlp-grpc", feature = "otlp-http")))]
            protocol => {
                let feature = if protocol == Protocol::Grpc { "otlp-grpc" } else { "otlp-http" };
                Err(StartError::ProtocolMissing { protocol, feature })
            }
        }
    }

    #[cfg(feature = "otlp-grpc")]
    fn open_grpc(self) -> Result<Sink, StartError> {
        use opentelemetry_otlp::{
            MetricExporter, WithExportConfig, WithTonicConfig, tonic_types::metadata::MetadataMap,
        };

        let headers = self.headers.iter().filter_map(|(name, value)| Some((name.parse().ok()?, value.parse().ok()?)));
        let metadata = MetadataMap::from_headers(headers.collect());
        let exporter = MetricExporter::builder()
            .with_tonic()
            .with_endpoint(self.endpoint)
            .with_timeout(self.timeout)
            .with_metadata(metadata)
            .build();
        exporter.map(|exporter| Sink::Otlp(Box::new(exporter))).map_err(|error| StartError::Exporter(error.into()))
    }

    #[cfg(feature = "otlp-http")]
    fn open_http(self) -> Result<Sink, StartError> {
        use opentelemetry_otlp::{MetricExporter, WithExportConfig, WithHttpConfig};
        use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

        // The builder decodes what it is given.
        let encoded = |value| utf8_percent_encode(value, NON_ALPHANUMERIC).to_string();
        let headers = self.headers.iter().map(|(name, value)| (name.to_owned(), encoded(value)));
        let exporter = MetricExporter::builder()
            .with_http()
            .with_protocol(opentelemetry_otlp::Protocol::HttpBinary)
            .with_headers(headers.collect())
            .with_endpoint(self.endpoint)
            .with_timeout(self.timeout)
            .build();
        exporter.map(|exporter| Sink::Otlp(Box::new(exporter))).map_err(|error| StartError::Exporter(error.into()))
    }
}

/// Where to send: what is for metrics alone is used as it is, what is shared gets the path of the signal over HTTP.
fn endpoint(settings: &Settings, protocol: Protocol, environment: &Environment<'_>) -> Result<String, SettingsError> {
    if let Some(endpoint) = environment.read(&["OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"], &ENDPOINT)? {
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
        Protocol::HttpProtobuf => format!("{}/v1/metrics", base.trim_end_matches('/')),
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
