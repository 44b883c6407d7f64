use std::{fmt, sync::Arc, time::Duration};

use opentelemetry::{
    Context, InstrumentationScope,
    global::BoxedTracer,
    metrics::{Meter, MeterProvider},
    trace::TracerProvider as _,
};
use opentelemetry_sdk::trace::SdkTracerProvider;

use super::Builder;
use crate::{ExportError, Settings, StartError, Status, meter, worker::Control};

/// The telemetry of a process: it gives out meters, and takes their metrics to where the settings say.
///
/// Clones are handles on the same telemetry. When the last one is dropped the exporter makes a last export in the
/// background, but nobody waits for it: a program that is about to end calls [`shutdown`](Self::shutdown).
///
/// It is a [`MeterProvider`], so it fits wherever a library asks for one. The meters survive what the SDK's do not: a
/// callback that panics is caught and logged, and an instrument that is created inside a callback stays silent instead
/// of blocking the exporter for ever.
#[derive(Clone)]
#[must_use = "when the last handle is dropped, telemetry ends"]
pub struct Telemetry {
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) settings: Settings,
    pub(super) child_env: Vec<(&'static str, String)>,
    pub(super) enabled: bool,
    pub(super) meters: Box<dyn MeterProvider + Send + Sync>,
    /// What makes spans, where they are exported.
    pub(super) tracers: Option<SdkTracerProvider>,
    pub(super) parent: Context,
    /// The exporter, unless there is none or the host has its own.
    pub(super) control: Option<Control>,
}

impl Telemetry {
    pub(super) fn new(inner: Inner) -> Self {
        Self { inner: Arc::new(inner) }
    }

    /// Starts telemetry with these settings and this process's environment, which wins over them.
    ///
    /// # Errors
    /// When a setting cannot be used, or the exporter cannot be set up. A collector that is not there is no error: it
    /// may come later.
    pub fn start(settings: Settings) -> Result<Self, StartError> {
        Self::builder(settings).start()
    }

    /// Begins with these settings, and leaves room to say more.
    pub fn builder(settings: Settings) -> Builder {
        Builder::new(settings)
    }

    /// A meter, named after the library that measures with it. It is silent when telemetry is off.
    #[must_use]
    pub fn meter(&self, name: &'static str) -> Meter {
        MeterProvider::meter(self, name)
    }

    /// What makes spans, named after the library that makes them; none when nobody would get them: traces are off, the
    /// exporter is not OTLP, or the host exports.
    #[must_use]
    pub fn tracer(&self, name: &'static str) -> Option<BoxedTracer> {
        let tracers = self.inner.tracers.as_ref()?;
        Some(BoxedTracer::new(Box::new(tracers.tracer(name))))
    }

    /// The context in which this process was started: that of the span in its environment's `TRACEPARENT`, if there is
    /// one. [`context_env`](crate::context_env) is the other end.
    #[must_use]
    pub fn inherited_context(&self) -> &Context {
        &self.inner.parent
    }

    /// Whether what meters record goes anywhere.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.inner.enabled
    }

    /// The settings in force: with the environment laid over them, and with the id of the run.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The variables that give a child process the same settings, for [`Command::envs`](std::process::Command::envs).
    ///
    /// One that this process's environment has is left out, as the child inherits it.
    pub fn child_env(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.inner.child_env.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// How the exporter is doing. There is none when telemetry is off, and none of ours when the host has a provider.
    #[must_use]
    pub fn status(&self) -> Status {
        self.inner.control.as_ref().map(Control::status).unwrap_or_default()
    }

    /// Exports what has been recorded until now, and waits for it no longer than `timeout`.
    ///
    /// It blocks the calling thread, on any runtime or none. A program whose collector runs on the same runtime calls
    /// it from a thread that may block.
    ///
    /// # Errors
    /// When the export fails, takes longer, or telemetry has been shut down.
    pub fn flush(&self, timeout: Duration) -> Result<(), ExportError> {
        self.inner.control.as_ref().map_or(Ok(()), |control| control.flush(timeout))
    }

    /// Makes a last export and ends the exporter, waiting no longer than `timeout`. Meters are silent from then on.
    ///
    /// An export that is under way gets half of that time to finish. A second call does nothing, and a provider of
    /// the host is left alone. It blocks the calling thread, as [`flush`](Self::flush) does.
    ///
    /// # Errors
    /// When the last export fails or takes longer. Telemetry has ended nevertheless.
    pub fn shutdown(&self, timeout: Duration) -> Result<(), ExportError> {
        self.inner.control.as_ref().map_or(Ok(()), |control| control.shutdown(timeout))
    }

    /// The service that answers scrapes, when the settings chose [`Exporter::Prometheus`](crate::Exporter).
    #[cfg(feature = "prometheus")]
    #[must_use]
    pub fn prometheus(&self) -> Option<crate::MetricsService> {
        let control = self.inner.control.as_ref()?;
        let scraped = self.inner.settings.exporter == crate::Exporter::Prometheus;
        scraped.then(|| crate::MetricsService::new(control.commands()))
    }
}

impl MeterProvider for Telemetry {
    fn meter_with_scope(&self, scope: InstrumentationScope) -> Meter {
        meter::guarded(self.inner.meters.meter_with_scope(scope))
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { settings, enabled, .. } = &*self.inner;
        f.debug_struct("Telemetry").field("settings", settings).field("enabled", enabled).finish_non_exhaustive()
    }
}
