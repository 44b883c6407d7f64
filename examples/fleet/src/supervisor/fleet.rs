use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Result;
use futures_util::future::join_all;
use gym_telemetry::{
    ServersMetrics, Telemetry,
    procfs::{MemoryWatch, WatchError},
};
use tokio::{process::Command, sync::watch};

use super::{
    Ended, ServerError,
    server::{Ending, Server},
};
use crate::{cli::Options, servers::Role, telemetry::NOT_FROM_OUTSIDE, tell};

/// The servers of a run.
#[derive(Debug)]
pub(crate) struct Fleet {
    servers: Vec<Server>,
    agent_url: String,
    active: Active,
}

/// How many servers are up, kept where the metric reads it.
#[derive(Debug, Clone)]
struct Active {
    servers: Arc<AtomicU64>,
    metrics: Arc<ServersMetrics>,
    /// Whether one has ended by itself.
    dead: watch::Sender<bool>,
}

impl Fleet {
    /// Starts the model and the resources server, then the agent that calls both.
    pub(crate) async fn start(
        options: &Options,
        rows: &Path,
        telemetry: &Telemetry,
        metrics: Arc<ServersMetrics>,
    ) -> Result<Self> {
        let active = Active { servers: Arc::default(), metrics, dead: watch::Sender::default() };
        let start = |role: Role, arguments: Vec<String>| {
            let startup = telemetry.server_startup(role.server_name(), role.server_type().as_str());
            let command = command(options, rows, telemetry, role, arguments);
            let active = active.clone();
            async move {
                let mut command = command?;
                command.envs(startup.env());
                let server = Server::start(role, command, move |ended| active.died(ended)).await?;
                startup.ready();
                anyhow::Ok(server)
            }
        };
        let real_model = options.model_url.iter().flat_map(|url| ["--model-url".to_owned(), url.clone()]).collect();
        let sandbox = if options.no_sandbox { Vec::new() } else { vec!["--sandbox".to_owned()] };
        let (model, resources) = tokio::try_join!(start(Role::Model, real_model), start(Role::Resources, sandbox))?;
        let urls = ["--model-url".to_owned(), url(&model), "--resources-url".to_owned(), url(&resources)];
        let agent = start(Role::Agent, urls.into()).await?;
        let agent_url = url(&agent);
        let servers = vec![model, resources, agent];
        active.set(servers.len() as u64);
        Ok(Self { servers, agent_url, active })
    }

    /// Where rollouts are run.
    pub(crate) fn agent_url(&self) -> &str {
        &self.agent_url
    }

    /// Waits until a server has ended by itself.
    pub(crate) async fn server_died(&self) {
        // The sender lives as long as `self`, so there is no error to wait for.
        let _ = self.active.dead.subscribe().wait_for(|dead| *dead).await;
    }

    /// Samples the memory of every server, as often as the settings say.
    pub(crate) fn watch_memory(&self, telemetry: &Telemetry) -> Result<MemoryWatch, WatchError> {
        let interval = Duration::try_from_secs_f64(telemetry.settings().memory_profiling.interval_seconds);
        let watch = MemoryWatch::builder(telemetry.memory().clone()).interval(interval.unwrap_or(Duration::ZERO));
        let watch = self.servers.iter().fold(watch, |watch, Server { role, pid, .. }| {
            watch.watch(role.server_name(), role.server_type().as_str(), *pid)
        });
        watch.start()
    }

    /// Tells every server to end and waits for all of them.
    pub(crate) async fn stop(self) -> Vec<Ended> {
        let ending: Vec<Ending> = self.servers.into_iter().map(Server::tell_to_end).collect();
        let ended = join_all(ending.into_iter().map(Ending::wait)).await;
        self.active.set(0);
        ended
    }
}

impl Active {
    fn set(&self, servers: u64) {
        self.servers.store(servers, Ordering::Release);
        self.metrics.set_active(servers);
    }

    /// A server ended by itself: says so, with what it said last.
    fn died(&self, ended: &Ended) {
        let left = self.servers.load(Ordering::Acquire).saturating_sub(1);
        self.set(left);
        let lines = if ended.last_lines.is_empty() { "" } else { "; its last lines:" };
        tell(&format!("error: the {} server died ({}){lines}", ended.role.as_str(), ended.status));
        ended.last_lines.iter().for_each(|line| tell(&format!("  {line}")));
        self.dead.send_replace(true);
    }
}

/// The command that starts one server of this run.
fn command(
    options: &Options,
    rows: &Path,
    telemetry: &Telemetry,
    role: Role,
    arguments: Vec<String>,
) -> Result<Command, ServerError> {
    let program = std::env::current_exe().map_err(|source| ServerError::Spawn { role: role.as_str(), source })?;
    let mut command = Command::new(program);
    command.args(["serve", role.as_str(), "--name", role.server_name()]);
    command.arg("--chaos").arg(options.chaos.to_string());
    command.arg("--verifiers").arg(options.verifiers.to_string());
    command.arg("--rows").arg(rows).args(options.replay.is_some().then_some("--replay"));
    command.args(options.config.iter().flat_map(|config| ["--config".as_ref(), config.as_os_str()]));
    command.arg("--connections").arg(options.connections.to_string());
    NOT_FROM_OUTSIDE.iter().for_each(|name| _ = command.env_remove(name));
    command.args(arguments).envs(telemetry.child_env());
    // Ctrl-C at the terminal is for the supervisor, which drains; the servers end when it tells them to.
    #[cfg(unix)]
    command.process_group(0);
    Ok(command)
}

fn url(server: &Server) -> String {
    format!("http://{}", server.address)
}
