use std::{mem, time::Duration};

use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracerProvider, SpanExporter as _},
};
use tokio::time::timeout;

use super::queue::SpanQueue;
use crate::{
    Settings, SettingsError, StartError,
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
    failing: bool,
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
        Ok(Outlet { queue: self.queue, exporter, failing: false })
    }
}

impl Outlet {
    /// Sends every span that has ended. What cannot be sent in time is lost: the log says when that begins and ends.
    pub(crate) async fn export(&mut self, limit: Duration) {
        let spans = self.queue.take();
        if spans.is_empty() {
            return;
        }
        let sent = timeout(limit, self.exporter.export(spans)).await;
        let error = match &sent {
            Ok(Ok(())) => None,
            Ok(Err(error)) => Some(error as &(dyn std::error::Error + 'static)),
            Err(late) => Some(late as _),
        };
        match (mem::replace(&mut self.failing, error.is_some()), error) {
            (false, Some(error)) => tracing::warn!(error, "spans are not exported, and lost"),
            (true, None) => tracing::info!("spans are exported again"),
            _ => {}
        }
    }
}
