use std::{fmt, io, time::Duration};

use opentelemetry::metrics::{MeterProvider, NoopMeterProvider};
use opentelemetry_sdk::{
    metrics::{Instrument, MeterProviderBuilder, SdkMeterProvider, Stream},
    trace::SdkTracerProvider,
};

use super::{Telemetry, handle::Inner};
use crate::{
    Exporter, Settings, StartError,
    otlp::{self, METRICS, Target},
    overflow::Overflow,
    prometheus, propagation,
    resource::{self, Server},
    settings::{Environment, of_the_process},
    spans::{Outlet, Tracing},
    worker::{self, Control, Output, Plan, Reader, Sink},
};

type Lookup = Box<dyn Fn(&str) -> Option<String> + Send>;

/// What telemetry needs to know before it starts.
#[must_use = "nothing starts until `start` is called"]
pub struct Builder {
    settings: Settings,
    server: Option<Server>,
    environment: Lookup,
    meters: Option<Box<dyn MeterProvider + Send + Sync>>,
    console: Box<dyn io::Write + Send>,
}

impl Builder {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            server: None,
            environment: Box::new(of_the_process),
            meters: None,
            console: Box::new(io::stdout()),
        }
    }

    /// Says which server of the fleet this process is: its configured name, and its type such as
    /// `resources_servers`.
    pub fn server(mut self, name: impl Into<String>, kind: impl Into<String>) -> Self {
        self.server = Some(Server { name: name.into(), kind: kind.into() });
        self
    }

    /// Takes environment variables from this function instead of the process.
    ///
    /// What `opentelemetry-otlp` reads by itself, it reads from the process: compression, and headers beside those of
    /// the settings.
    pub fn environment(mut self, lookup: impl Fn(&str) -> Option<String> + Send + 'static) -> Self {
        self.environment = Box::new(lookup);
        self
    }

    /// Uses a provider that the host has set up. Meters come from it, the host exports, and it is never shut down
    /// from here. Spans are the host's matter then, too.
    pub fn meter_provider(mut self, provider: impl MeterProvider + Send + Sync + 'static) -> Self {
        self.meters = Some(Box::new(provider));
        self
    }

    /// Sends the lines of [`Exporter::Console`] elsewhere than to standard output.
    pub fn console(mut self, writer: impl io::Write + Send + 'static) -> Self {
        self.console = Box::new(writer);
        self
    }

    /// Starts telemetry.
    ///
    /// # Errors
    /// As [`Telemetry::start`].
    pub fn start(mut self) -> Result<Telemetry, StartError> {
        let mut settings = std::mem::take(&mut self.settings).resolve(&self.environment)?;
        settings.run_id.get_or_insert_with(resource::new_run_id);
        let child_env = settings.child_env(&self.environment);
        let parent = propagation::inherited(&self.environment);
        let enabled = settings.enabled && settings.metrics_enabled;
        let traces = settings.enabled && settings.traces_enabled && settings.exporter == Exporter::Otlp;
        let (meters, exporting): (Box<dyn MeterProvider + Send + Sync>, _) = match self.meters.take() {
            Some(provider) if enabled => (provider, None),
            None if enabled => {
                let exporting = self.export(&settings)?;
                (Box::new(exporting.meters.clone()), Some(exporting))
            }
            None if traces => (Box::new(NoopMeterProvider::new()), Some(self.export(&settings)?)),
            _ => (Box::new(NoopMeterProvider::new()), None),
        };
        let (control, tracers) = exporting.map_or((None, None), |it| (Some(it.control), it.tracers));
        Ok(Telemetry::new(Inner { settings, child_env, enabled, meters, tracers, parent, control }))
    }

    /// Makes providers of our own and starts their exporter.
    fn export(self, settings: &Settings) -> Result<Exporting, StartError> {
        let environment = Environment::new(&self.environment);
        let resource = resource::describe(settings, self.server.as_ref(), &environment)?;
        let provider = SdkMeterProvider::builder().with_resource(resource.clone()).with_view(view(settings));
        let reader = Reader::new(otlp::temporality(&environment));
        match settings.exporter {
            Exporter::Otlp => {
                let target = Target::resolve(&METRICS, settings, &environment)?;
                let tracing = Tracing::resolve(resource, settings, &environment)?;
                let (limit, tracers) = (target.timeout, tracing.as_ref().map(Tracing::provider));
                let open = || Ok((target.open()?, tracing.map(Tracing::open).transpose()?));
                Ok(Exporting { tracers, ..push(provider, settings, reader, limit, open)? })
            }
            Exporter::Console => {
                let console = self.console;
                push(provider, settings, reader, otlp::DEFAULT_TIMEOUT, || Ok((Sink::Lines(console), None)))
            }
            Exporter::Prometheus => pull(provider, settings),
        }
    }
}

/// Providers of our own, and the end of the exporter's thread that is ours.
struct Exporting {
    meters: SdkMeterProvider,
    tracers: Option<SdkTracerProvider>,
    control: Control,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, server, .. } = self;
        f.debug_struct("Builder").field("settings", settings).field("server", server).finish_non_exhaustive()
    }
}

/// An exporter that sends.
fn push<F>(
    builder: MeterProviderBuilder,
    settings: &Settings,
    reader: Reader,
    limit: Duration,
    open: F,
) -> Result<Exporting, StartError>
where
    F: FnOnce() -> Result<(Sink, Option<Outlet>), StartError> + Send + 'static,
{
    let meters = builder.with_reader(reader.clone()).build();
    let open = || open().map(|(sink, spans)| Output::Push { reader, sink, spans });
    let control = worker::spawn(plan(&meters, settings, limit), open)?;
    Ok(Exporting { meters, tracers: None, control })
}

/// An exporter that waits to be scraped.
#[cfg(feature = "prometheus")]
fn pull(builder: MeterProviderBuilder, settings: &Settings) -> Result<Exporting, StartError> {
    let scraped = prometheus::Scraped::new(settings.prometheus_scope_labels);
    let (scraped, reader) = scraped.map_err(|error| StartError::Exporter(error.into()))?;
    let meters = builder.with_reader(reader).build();
    let control = worker::spawn(plan(&meters, settings, otlp::DEFAULT_TIMEOUT), || Ok(Output::Pull(scraped)))?;
    Ok(Exporting { meters, tracers: None, control })
}

#[cfg(not(feature = "prometheus"))]
fn pull(_: MeterProviderBuilder, settings: &Settings) -> Result<Exporting, StartError> {
    Err(StartError::ExporterMissing { exporter: settings.exporter, feature: "prometheus" })
}

/// What the exporter's thread is to do by these settings.
fn plan(provider: &SdkMeterProvider, settings: &Settings, limit: Duration) -> Plan {
    Plan {
        provider: provider.clone(),
        interval: Duration::from_millis(settings.export_interval_ms.into()),
        limit,
        overflow: Overflow::new(settings.cardinality_limit),
    }
}

/// Bounds the series of every instrument, and gives each its Prometheus name when that is where it goes.
fn view(settings: &Settings) -> impl Fn(&Instrument) -> Option<Stream> + Send + Sync + 'static {
    let limit = settings.cardinality_limit;
    let scraped = settings.exporter == Exporter::Prometheus;
    move |instrument| {
        let stream = Stream::builder().with_cardinality_limit(limit);
        let stream = if scraped {
            stream.with_name(prometheus::name(instrument.name(), instrument.unit(), instrument.kind()))
        } else {
            stream
        };
        stream.build().ok()
    }
}
