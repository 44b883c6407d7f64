use std::{io::Write, sync::Arc, time::Duration};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_sdk::metrics::{data::ResourceMetrics, reader::MetricReader};

use super::Reader;
use crate::{ExportError, overflow::Overflow, spans::Outlet};

/// What becomes of the telemetry of a process.
pub(crate) enum Output {
    /// The exporter's thread collects and sends them, and the spans with them where there are any.
    Push { reader: Reader, sink: Sink, spans: Option<Outlet> },
    /// They wait to be scraped.
    #[cfg(feature = "prometheus")]
    Pull(crate::prometheus::Scraped),
}

impl Output {
    /// Whether it exports by itself, at an interval.
    pub(super) fn is_push(&self) -> bool {
        matches!(self, Self::Push { .. })
    }

    /// Collects, and sends what there is, for which there is so much time.
    pub(super) async fn export(&mut self, overflow: &mut Overflow, limit: Duration) -> Result<(), ExportError> {
        match self {
            Self::Push { reader, sink, spans: Some(spans) } => {
                // Spans never keep metrics from being in time.
                tokio::join!(export_metrics(reader, sink, overflow), spans.export(limit / 2)).0
            }
            Self::Push { reader, sink, spans: None } => export_metrics(reader, sink, overflow).await,
            #[cfg(feature = "prometheus")]
            Self::Pull(_) => Ok(()),
        }
    }
}

async fn export_metrics(reader: &Reader, sink: &mut Sink, overflow: &mut Overflow) -> Result<(), ExportError> {
    let mut metrics = ResourceMetrics::default();
    reader.collect(&mut metrics).map_err(|error| ExportError::Collect(Arc::new(error)))?;
    overflow.watch(&metrics);
    if metrics.scope_metrics().next().is_none() {
        return Ok(());
    }
    sink.send(&metrics).await
}

/// Where collected metrics are sent.
pub(crate) enum Sink {
    /// A collector.
    #[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
    Otlp(Box<opentelemetry_otlp::MetricExporter>),
    /// One OTLP-JSON object a line.
    Lines(Box<dyn Write + Send>),
}

impl Sink {
    async fn send(&mut self, metrics: &ResourceMetrics) -> Result<(), ExportError> {
        match self {
            #[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
            Self::Otlp(exporter) => {
                use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
                exporter.export(metrics).await.map_err(|error| ExportError::Send(Arc::new(error)))
            }
            Self::Lines(writer) => {
                let mut line = serde_json::to_vec(&ExportMetricsServiceRequest::from(metrics))
                    .map_err(|error| ExportError::Write(Arc::new(error.into())))?;
                line.push(b'\n');
                let written = writer.write_all(&line).and_then(|()| writer.flush());
                written.map_err(|error| ExportError::Write(Arc::new(error)))
            }
        }
    }
}
