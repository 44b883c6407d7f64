//! A server's start, as the server sees it and as its supervisor does.

use std::time::Duration;

use gym_telemetry_conventions::{attributes, spans};
use gym_telemetry_core::StartupTimeline;
use gym_telemetry_export::context_env;
use opentelemetry::{
    Context, KeyValue,
    trace::{Status, TraceContextExt as _, Tracer as _},
};

use crate::{
    Telemetry,
    telemetry::{SCOPE, Server},
};

/// The start of one server as its supervisor sees it: the span `gym.startup.server`, where traces are on.
///
/// It begins before the server is spawned and ends when it is [`ready`](Self::ready). Dropped before, it failed.
#[derive(Debug)]
#[must_use = "dropping it says that the server did not start"]
pub struct ServerStartup {
    /// Holds the span; none where nobody would get it.
    context: Option<Context>,
}

impl Telemetry {
    /// Reports how long this server took to start, and returns it: call it when the server begins to accept. A process
    /// that is no server has no start-up to report.
    ///
    /// Each stage is a sample of `gym.server.startup_stage_duration_ms` and, where traces are on, a span under
    /// `gym.server.startup`, which is under the [`ServerStartup`] of the supervisor that spawned this process.
    pub fn report_startup(&self, startup: StartupTimeline) -> Option<Duration> {
        let Server { name, server_type } = self.server()?;
        let startup = startup.finish(name, server_type);
        startup.record(self.meter());
        if let Some(tracer) = self.export().tracer(SCOPE) {
            startup.trace(&tracer, self.export().inherited_context());
        }
        Some(startup.took())
    }

    /// A supervisor is about to spawn the server with this name and type.
    ///
    /// # Example
    ///
    /// ```
    /// use std::process::Command;
    ///
    /// use gym_telemetry::{Settings, Telemetry, conventions::ServerType};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let telemetry = Telemetry::start(Settings::default())?;
    /// let startup = telemetry.server_startup("math", ServerType::Resources.as_str());
    /// let mut server = Command::new("math-server");
    /// server.envs(telemetry.child_env()).envs(startup.env());
    /// // … spawn it, and wait until it says that it is ready …
    /// startup.ready();
    /// # Ok(())
    /// # }
    /// ```
    pub fn server_startup(&self, name: &str, server_type: &str) -> ServerStartup {
        let begin = |tracer: opentelemetry::global::BoxedTracer| {
            let attributes = [
                KeyValue::new(attributes::SERVER_NAME.key, name.to_owned()),
                KeyValue::new(attributes::SERVER_TYPE.key, server_type.to_owned()),
            ];
            let parent = self.export().inherited_context();
            let span = tracer.span_builder(spans::STARTUP_SERVER).with_attributes(attributes);
            parent.with_span(span.start_with_context(&tracer, parent))
        };
        ServerStartup { context: self.export().tracer(SCOPE).map(begin) }
    }
}

impl ServerStartup {
    /// What belongs into the environment of the server, right before it is spawned: the time, and the span.
    pub fn env(&self) -> impl Iterator<Item = (String, String)> + use<> {
        let (variable, now) = StartupTimeline::spawn_stamp();
        let span = self.context.iter().flat_map(context_env);
        [(variable.to_owned(), now)].into_iter().chain(span.collect::<Vec<_>>())
    }

    /// The server said that it is ready.
    pub fn ready(mut self) {
        if let Some(context) = self.context.take() {
            context.span().end();
        }
    }
}

impl Drop for ServerStartup {
    fn drop(&mut self) {
        if let Some(context) = self.context.take() {
            context.span().set_status(Status::error("the server did not become ready"));
            context.span().end();
        }
    }
}
