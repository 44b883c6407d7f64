#[cfg(feature = "runtime")]
use std::sync::OnceLock;
use std::{sync::Arc, time::Duration};

use gym_telemetry_conventions::ServerType;
#[cfg(feature = "runtime")]
use gym_telemetry_core::{EventLoopMetrics, ProcessMetrics};
use gym_telemetry_core::{RequestRecorder, RequestSettings, RolloutSettings, ServersMetrics, Supervisor};
#[cfg(feature = "prometheus")]
use gym_telemetry_export::MetricsService;
use gym_telemetry_export::{ExportError, Settings, StartError, Status};
#[cfg(feature = "runtime")]
use gym_telemetry_runtime::{LagSettings, LagWatcher, ThisProcess};
use opentelemetry::metrics::{Meter, MeterProvider};

use crate::recorders::Recorders;

/// The scope under which every recorder reports and every span is made.
pub(crate) const SCOPE: &str = "gym-telemetry";

/// The telemetry of a process: one handle that hands out the recorders.
///
/// There is one recorder of each kind, made when it is first asked for. Clones are handles on the same telemetry, and
/// the recorders report for as long as one of them lives.
#[derive(Debug, Clone)]
#[must_use = "when the last handle is dropped, telemetry ends"]
pub struct Telemetry {
    inner: Arc<Inner>,
}

/// What telemetry needs to know before it starts.
#[derive(Debug)]
#[must_use = "nothing starts until `start` is called"]
pub struct Builder {
    export: gym_telemetry_export::Builder,
    server: Option<Server>,
    requests: RequestSettings,
    rollouts: RolloutSettings,
}

/// Which server of the fleet a process is.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) name: String,
    pub(crate) server_type: String,
}

impl Server {
    /// Whether it is one of those that a supervisor starts and counts.
    fn is_supervised(&self) -> bool {
        self.server_type != ServerType::Orchestrator.as_str()
    }
}

/// The lag of a runtime, and the process that it is in.
#[cfg(feature = "runtime")]
#[derive(Debug)]
struct Watch {
    _lag: LagWatcher,
    _process: ProcessMetrics,
}

#[derive(Debug)]
struct Inner {
    export: gym_telemetry_export::Telemetry,
    meter: Meter,
    server: Option<Server>,
    requests: RequestSettings,
    rollouts: RolloutSettings,
    recorders: Recorders,
    /// What watches the runtime and the process, once it was asked for.
    #[cfg(feature = "runtime")]
    watch: OnceLock<Watch>,
}

impl Telemetry {
    /// Starts telemetry with these settings, over which the environment is laid.
    ///
    /// # Errors
    ///
    /// When a setting cannot be used, or the exporter cannot be set up.
    pub fn start(settings: Settings) -> Result<Self, StartError> {
        Self::builder(settings).start()
    }

    /// Begins with these settings, and leaves room to say more.
    pub fn builder(settings: Settings) -> Builder {
        let export = gym_telemetry_export::Telemetry::builder(settings);
        Builder { export, server: None, requests: RequestSettings::default(), rollouts: RolloutSettings::default() }
    }

    /// What a request layer counts with; it costs next to nothing when telemetry is off.
    #[must_use]
    pub fn request_recorder(&self) -> RequestRecorder {
        if self.is_enabled() { self.requests().recorder() } else { RequestRecorder::disabled() }
    }

    /// The size of the fleet, `gym.servers.active`: for the one who holds the right to speak for it.
    pub fn servers(&self, supervisor: Supervisor) -> ServersMetrics {
        ServersMetrics::new(&self.inner.meter, supervisor)
    }

    /// Watches the runtime of the caller under this name, and the process itself, for as long as telemetry lives:
    /// `gym.event_loop.*`, `process.*`. Does nothing when telemetry is off, or a second time.
    ///
    /// # Errors
    ///
    /// When the watching thread cannot be started.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    #[cfg(feature = "runtime")]
    pub fn watch_runtime(&self, name: &str) -> std::io::Result<()> {
        if self.is_enabled() && self.inner.watch.get().is_none() {
            let settings = LagSettings::new().tasks(self.settings().event_loop_task_count);
            let lag = LagWatcher::with_settings(EventLoopMetrics::new(&self.inner.meter), settings)?;
            lag.watch(name, &tokio::runtime::Handle::current());
            let process = ProcessMetrics::new(&self.inner.meter, ThisProcess::new());
            self.inner.watch.get_or_init(|| Watch { _lag: lag, _process: process });
        }
        Ok(())
    }

    pub(crate) fn export(&self) -> &gym_telemetry_export::Telemetry {
        &self.inner.export
    }

    pub(crate) fn server(&self) -> Option<&Server> {
        self.inner.server.as_ref()
    }

    pub(crate) fn request_settings(&self) -> RequestSettings {
        self.inner.requests
    }

    pub(crate) fn rollout_settings(&self) -> RolloutSettings {
        self.inner.rollouts.clone()
    }

    pub(crate) fn recorders(&self) -> (&Recorders, &Meter) {
        (&self.inner.recorders, &self.inner.meter)
    }

    /// The meter through which the recorders report, for those that are made by hand.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.inner.meter
    }

    /// Whether what is recorded goes anywhere.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.inner.export.is_enabled()
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.inner.export.settings()
    }

    /// The variables that give a child process the same settings, for [`Command::envs`](std::process::Command::envs).
    pub fn child_env(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.inner.export.child_env()
    }

    /// What answers scrapes, for a route such as `/metrics`; nothing unless the settings chose
    /// [`Exporter::Prometheus`](crate::Exporter).
    #[cfg(feature = "prometheus")]
    #[must_use]
    pub fn prometheus(&self) -> Option<MetricsService> {
        self.inner.export.prometheus()
    }

    /// How the exporter is doing.
    #[must_use]
    pub fn status(&self) -> Status {
        self.inner.export.status()
    }

    /// Exports what has been recorded until now. It blocks the calling thread, no longer than `timeout`.
    ///
    /// # Errors
    ///
    /// When the export fails, takes longer, or telemetry has been shut down.
    pub fn flush(&self, timeout: Duration) -> Result<(), ExportError> {
        self.inner.export.flush(timeout)
    }

    /// Makes a last export and ends the exporter. It blocks the calling thread, no longer than `timeout`.
    ///
    /// # Errors
    ///
    /// When the last export fails or takes longer. Telemetry has ended nevertheless.
    pub fn shutdown(&self, timeout: Duration) -> Result<(), ExportError> {
        self.inner.export.shutdown(timeout)
    }
}

impl Builder {
    /// Says which server of the fleet this process is: its configured name and its type.
    pub fn server(mut self, name: impl Into<String>, server_type: impl Into<String>) -> Self {
        let (name, server_type) = (name.into(), server_type.into());
        self.export = self.export.server(&name, &server_type);
        self.server = Some(Server { name, server_type });
        self
    }

    /// How the requests of this process's server are counted, such as by the HTTP semantic conventions too.
    ///
    /// # Example
    ///
    /// ```
    /// use gym_telemetry::{HttpConventions, RequestSettings, Settings, Telemetry};
    ///
    /// let requests = RequestSettings::default().http(HttpConventions::Stable);
    /// let telemetry = Telemetry::builder(Settings::default()).requests(requests).start()?;
    /// # drop(telemetry);
    /// # Ok::<_, gym_telemetry::StartError>(())
    /// ```
    pub fn requests(mut self, settings: RequestSettings) -> Self {
        self.requests = settings;
        self
    }

    /// How rollouts are told apart, such as by kinds of failures of one's own.
    ///
    /// # Example
    ///
    /// ```
    /// use gym_telemetry::{RolloutSettings, Settings, Telemetry};
    ///
    /// let rollouts = RolloutSettings::default().failure_kinds(["out_of_memory"]);
    /// let telemetry = Telemetry::builder(Settings::default()).rollouts(rollouts).start()?;
    /// # drop(telemetry);
    /// # Ok::<_, gym_telemetry::StartError>(())
    /// ```
    pub fn rollouts(mut self, settings: RolloutSettings) -> Self {
        self.rollouts = settings;
        self
    }

    /// Takes environment variables from this function instead of the process, as far as telemetry reads them itself.
    pub fn environment(mut self, lookup: impl Fn(&str) -> Option<String> + Send + 'static) -> Self {
        self.export = self.export.environment(lookup);
        self
    }

    /// Uses a provider that the host has set up; it is never shut down from here.
    pub fn meter_provider(mut self, provider: impl MeterProvider + Send + Sync + 'static) -> Self {
        self.export = self.export.meter_provider(provider);
        self
    }

    /// Starts telemetry. From then on a server cannot become a [`Supervisor`]; an orchestrator is no server.
    ///
    /// # Errors
    ///
    /// As [`Telemetry::start`].
    pub fn start(self) -> Result<Telemetry, StartError> {
        let export = self.export.start()?;
        if self.server.as_ref().is_some_and(Server::is_supervised) {
            Supervisor::rule_out();
        }
        let meter = export.meter(SCOPE);
        let inner = Inner {
            export,
            meter,
            server: self.server,
            requests: self.requests,
            rollouts: self.rollouts,
            recorders: Recorders::default(),
            #[cfg(feature = "runtime")]
            watch: OnceLock::new(),
        };
        Ok(Telemetry { inner: Arc::new(inner) })
    }
}
