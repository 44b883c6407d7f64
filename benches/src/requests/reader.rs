//! What collects, when it is asked to.

use std::{
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use anyhow::Result;
use opentelemetry_sdk::{
    error::OTelSdkResult,
    metrics::{
        Instrument, InstrumentKind, ManualReader, Pipeline, SdkMeterProvider, Stream, Temporality,
        data::ResourceMetrics, reader::MetricReader,
    },
};

use super::series::SERIES;

/// A provider of as many series as the benchmark makes.
pub(super) fn provider(reader: &Reader) -> SdkMeterProvider {
    let bounds = |_: &Instrument| Stream::builder().with_cardinality_limit(2 * SERIES).build().ok();
    SdkMeterProvider::builder().with_reader(reader.clone()).with_view(bounds).build()
}

/// A reader that the provider has, and we too.
#[derive(Debug, Clone, Default)]
pub(super) struct Reader(Arc<ManualReader>);

impl Reader {
    pub(super) fn collected(&self) -> Result<ResourceMetrics> {
        let mut metrics = ResourceMetrics::default();
        self.collect(&mut metrics)?;
        Ok(metrics)
    }

    /// Milliseconds that a collection takes.
    pub(super) fn time(&self) -> Result<f64> {
        let since = Instant::now();
        let collected = self.collected()?;
        let took = since.elapsed();
        drop(collected);
        Ok(took.as_secs_f64() * 1e3)
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
