use std::{io::Write as _, net::Ipv4Addr, sync::Arc, time::Duration};

use anyhow::{Context as _, Result, anyhow};
use axum::middleware;
use gym_telemetry::{
    StartupTimeline, Telemetry,
    tower::{MeteredRouter, RequestMetricsLayer},
};
use tokio::{io::AsyncReadExt as _, net::TcpListener};

use super::{
    Account, Report, Role,
    agent::{self, Agent},
    chaos::{self, Dice},
    model::{self, Model},
    resources::{self, Resources},
};
use crate::{cli::Serve, client::Client, sandbox::Sandboxes, telemetry::settings};

/// How long the last export may take.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// Runs one server until its supervisor closes its standard input.
pub(crate) async fn serve(server: Serve, mut startup: StartupTimeline) -> Result<()> {
    let settings = settings(server.config.as_deref())?;
    startup.mark("load_config");
    let role = server.role;
    let telemetry = Telemetry::builder(settings).server(&server.name, role.server_type().as_str()).start()?;
    startup.mark("init_telemetry");
    let resources = resources(&server, &telemetry)?;
    let app = app(&server, &telemetry, resources.clone())?;
    startup.mark("init_server");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.context("cannot listen on loopback")?;
    startup.mark("bind");
    let app = app.metered(RequestMetricsLayer::new(telemetry.request_recorder()))?;
    let ready = Report::Ready { address: listener.local_addr()? };
    // Who does not hear of it is gone, and so the server ends.
    let server = telemetry.serve(listener, app).startup(startup).ready(move || drop(say(&ready)));
    server.graceful_shutdown(stopped()).await?;
    // It outlives its routes: the last export tells of its limit, and that it holds no sandbox any more.
    if let Some(resources) = &resources {
        resources.release();
    }
    let account = Account::from(telemetry.requests().snapshot());
    tokio::task::spawn_blocking(move || telemetry.shutdown(LAST_EXPORT)).await?.context("the last export failed")?;
    say(&Report::Done(account))
}

/// The routes of a server, in which requests may go wrong.
fn app(server: &Serve, telemetry: &Telemetry, resources: Option<Arc<Resources>>) -> Result<MeteredRouter> {
    let client = Client::new(telemetry, server.connections);
    let app = match server.role {
        Role::Model => {
            let rows = server.rows.as_deref().context("a model server needs --rows");
            let model = match &server.model_url {
                Some(url) => Model::remote(url, client),
                None if server.replay => Model::recording(rows?)?,
                None => Model::rule(rows?)?,
            };
            model::routes(model, telemetry.model_calls().clone())
        }
        Role::Resources => resources::routes(resources.context("there is nothing to verify with")?),
        Role::Agent => {
            let url = |url: &Option<String>, name| url.clone().ok_or_else(|| anyhow!("an agent server needs {name}"));
            agent::routes(Agent {
                client,
                model_url: url(&server.model_url, "--model-url")?,
                resources_url: url(&server.resources_url, "--resources-url")?,
                metrics: telemetry.rollouts().clone(),
            })
        }
    };
    let chaos = middleware::from_fn_with_state(Dice::new(server.chaos), chaos::unsettle);
    Ok(app.map(|router| router.layer(chaos)))
}

/// What a resources server verifies with.
fn resources(server: &Serve, telemetry: &Telemetry) -> Result<Option<Arc<Resources>>> {
    if server.role != Role::Resources {
        return Ok(None);
    }
    let program = server.sandbox.then(std::env::current_exe).transpose().context("cannot find this program's file")?;
    let sandboxes = program.map(|program| Sandboxes::new(program, telemetry.sandboxes()));
    let recording = server.rows.as_deref().filter(|_| server.replay);
    Resources::new(recording, server.verifiers, sandboxes, telemetry).map(|resources| Some(Arc::new(resources)))
}

/// Ends when standard input does: the supervisor closed it, or is gone.
async fn stopped() {
    let mut ignored = [0; 64];
    let mut input = tokio::io::stdin();
    while input.read(&mut ignored).await.is_ok_and(|read| read > 0) {}
}

fn say(report: &Report) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer(&mut out, report)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(())
}
