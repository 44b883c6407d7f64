use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use opentelemetry_sdk::{
    error::OTelSdkResult,
    metrics::{InstrumentKind, ManualReader, Pipeline, Temporality, data::ResourceMetrics, reader::MetricReader},
};

/// A reader that the SDK and the exporter's thread share: it collects when the thread says so.
#[derive(Debug, Clone)]
pub(crate) struct Reader(Arc<ManualReader>);

impl Reader {
    pub(crate) fn new(temporality: Temporality) -> Self {
        Self(Arc::new(ManualReader::builder().with_temporality(temporality).build()))
    }
}

impl MetricReader for Reader {
    fn register_pipeline(&self, pipeline: Weak<Pipeline>) {
        self.0.register_pipeline(pipeline);
    }

    fn collect(&self, metrics: &mut ResourceMetrics) -> OTelSdkResult {
        self.0.collect(metrics)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn temporality(&self, kind: InstrumentKind) -> Temporality {
        self.0.temporality(kind)
    }
}
