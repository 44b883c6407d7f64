use std::{fmt, io, time::Duration};

use opentelemetry::metrics::{MeterProvider, NoopMeterProvider};
use opentelemetry_sdk::metrics::{Instrument, MeterProviderBuilder, SdkMeterProvider, Stream};

use super::{Telemetry, handle::Inner};
use crate::{
    Exporter, Settings, StartError,
    otlp::{self, Target},
    overflow::Overflow,
    prometheus,
    resource::{self, Server},
    settings::{Environment, of_the_process},
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
    /// from here.
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
        let enabled = settings.enabled && settings.metrics_enabled;
        let (meters, control): (Box<dyn MeterProvider + Send + Sync>, _) = match self.meters.take() {
            _ if !enabled => (Box::new(NoopMeterProvider::new()), None),
            Some(provider) => (provider, None),
            None => {
                let (provider, control) = self.export(&settings)?;
                (Box::new(provider), Some(control))
            }
        };
        Ok(Telemetry::new(Inner { settings, child_env, enabled, meters, control }))
    }

    /// Makes a provider of our own and starts its exporter.
    fn export(self, settings: &Settings) -> Result<(SdkMeterProvider, Control), StartError> {
        let environment = Environment::new(&self.environment);
        let provider = SdkMeterProvider::builder()
            .with_resource(resource::describe(settings, self.server.as_ref(), &environment)?)
            .with_view(view(settings));
        let temporality = otlp::temporality(&environment);
        match settings.exporter {
            Exporter::Otlp => {
                let target = Target::resolve(settings, &environment)?;
                let limit = target.timeout;
                push(provider, settings, Reader::new(temporality), limit, || target.open())
            }
            Exporter::Console => {
                let console = self.console;
                push(provider, settings, Reader::new(temporality), otlp::DEFAULT_TIMEOUT, || Ok(Sink::Lines(console)))
            }
            Exporter::Prometheus => pull(provider, settings),
        }
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { settings, server, .. } = self;
        f.debug_struct("Builder").field("settings", settings).field("server", server).finish_non_exhaustive()
    }
}

/// The provider of an exporter that sends.
fn push<F>(
    builder: MeterProviderBuilder,
    settings: &Settings,
    reader: Reader,
    limit: Duration,
    open: F,
) -> Result<(SdkMeterProvider, Control), StartError>
where
    F: FnOnce() -> Result<Sink, StartError> + Send + 'static,
{
    let provider = builder.with_reader(reader.clone()).build();
    let plan = plan(&provider, settings, limit);
    let control = worker::spawn(plan, || Ok(Output::Push { reader, sink: open()? }))?;
    Ok((provider, control))
}

/// The provider of an exporter that waits to be scraped.
#[cfg(feature = "prometheus")]
fn pull(builder: MeterProviderBuilder, settings: &Settings) -> Result<(SdkMeterProvider, Control), StartError> {
    let scraped = prometheus::Scraped::new(settings.prometheus_scope_labels);
    let (scraped, reader) = scraped.map_err(|error| StartError::Exporter(error.into()))?;
    let provider = builder.with_reader(reader).build();
    let control = worker::spawn(plan(&provider, settings, otlp::DEFAULT_TIMEOUT), || Ok(Output::Pull(scraped)))?;
    Ok((provider, control))
}

#[cfg(not(feature = "prometheus"))]
fn pull(_: MeterProviderBuilder, settings: &Settings) -> Result<(SdkMeterProvider, Control), StartError> {
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
