use std::sync::Arc;

use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracerProvider, SpanExporter as _},
};

use super::queue::SpanQueue;
use crate::{
    ExportError, Settings, SettingsError, StartError,
    otlp::{TRACES, Target},
    settings::Environment,
};

/// What makes spans, and a way to a collector that is still to be opened.
pub(crate) struct Tracing {
    provider: SdkTracerProvider,
    queue: SpanQueue,
    resource: Resource,
    target: Target,
}

/// The open way.
pub(crate) struct Outlet {
    queue: SpanQueue,
    exporter: Box<SpanExporter>,
}

impl Tracing {
    /// What the settings ask for; nothing where spans are not wanted.
    pub(crate) fn resolve(
        resource: Resource,
        settings: &Settings,
        environment: &Environment<'_>,
    ) -> Result<Option<Self>, SettingsError> {
        if !settings.traces_enabled {
            return Ok(None);
        }
        let target = Target::resolve(&TRACES, settings, environment)?;
        let queue = SpanQueue::default();
        let provider = SdkTracerProvider::builder().with_resource(resource.clone()).with_span_processor(queue.clone());
        Ok(Some(Self { provider: provider.build(), queue, resource, target }))
    }

    pub(crate) fn provider(&self) -> SdkTracerProvider {
        self.provider.clone()
    }

    /// Opens the way, within the runtime that it is to use.
    pub(crate) fn open(self) -> Result<Outlet, StartError> {
        let mut exporter = Box::new(self.target.open_for_spans()?);
        exporter.set_resource(&self.resource);
        Ok(Outlet { queue: self.queue, exporter })
    }
}

impl Outlet {
    /// Sends every span that has ended. One that cannot be sent is lost.
    pub(crate) async fn export(&mut self) -> Result<(), ExportError> {
        let spans = self.queue.take();
        if spans.is_empty() {
            return Ok(());
        }
        self.exporter.export(spans).await.map_err(|error| ExportError::Send(Arc::new(error)))
    }
}
