//! One run from its input to its summary.

use std::{
    path::Path,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use gym_telemetry::{
    LimitName, Supervisor, Telemetry,
    conventions::EventLoop,
    driver::{AdaptiveLimit, Admission, HealthChecks, Materialized, MeteredSemaphore, materialize},
};
use gym_telemetry_collector::Collector;
use gym_telemetry_dashboard::history::History;

use crate::{
    cli::Options,
    client::Client,
    driver::{Cut, Driver, Files, Progress, Tally, new_folder},
    page::RunPage,
    servers::Dice,
    summary::{self, Summary},
    supervisor::{Ended, Fleet},
    tasks,
    telemetry::{self, MetricsFile},
    tell,
};

/// How long the last export may take.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// Where runs go that name no output.
const OUTPUT_FOLDER: &str = "fleet-output";

/// Runs the fleet over its input.
pub(crate) async fn run(options: Options) -> Result<ExitCode> {
    let began = Instant::now();
    let output = match &options.output {
        Some(output) => output.clone(),
        None => new_folder(Path::new(OUTPUT_FOLDER))?.join("rollouts.jsonl"),
    };
    let rows_file = tasks::file(&options, output.parent().unwrap_or(Path::new(".")))?;
    let history = History::new(Default::default());
    let collector = Collector::start_observed(Default::default(), history.observer());
    let collector = collector.await.context("cannot start the built-in collector")?;
    let telemetry = telemetry::start(&options, &collector)?;
    let shows = !options.no_page && telemetry::reaches(&telemetry, &collector);
    let page = if shows { Some(RunPage::start(&options, history, &collector).await?) } else { None };
    telemetry.watch_runtime(EventLoop::Driver.as_str())?;
    let metrics = telemetry.driver().clone();
    let materialized = output.with_extension("materialized.jsonl");
    let rows = materialize(&rows_file, options.repeats, options.limit, Some(&materialized), &metrics)?;
    tasks::check(&rows, options.replay.is_some(), &rows_file)?;
    let files = Files::open(&output, &metrics)?;
    let metrics_file = options.metrics_json.as_deref().map(MetricsFile::create).transpose()?;
    let (done, rows): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| files.has(row));
    if !done.is_empty() {
        tell(&format!("{} of {} rollouts are in {} already", done.len(), done.len() + rows.len(), output.display()));
    }

    let supervisor = Supervisor::claim().context("this process supervises a fleet already")?;
    // It outlives the fleet: the last export says that no server is left.
    let servers = Arc::new(telemetry.servers(supervisor));
    let fleet = Fleet::start(&options, &rows_file, &telemetry, Arc::clone(&servers)).await?;
    let watches = options.memory || telemetry.settings().memory_profiling.enabled;
    let memory = watches.then(|| fleet.watch_memory(&telemetry)).transpose()?;
    // Like the servers' number, it is in the last export.
    let admission = admission(&options, &telemetry);
    let tally = drive(&options, &telemetry, &fleet, admission.clone(), files, rows).await;
    // From here on there is nothing to drain.
    let stops = tokio::spawn(stop_on_signal());
    // The last look at the servers is the one before they end.
    let memory = memory.map(|watch| watch.stop());
    let ended = fleet.stop().await;
    let telemetry_ended = tokio::task::spawn_blocking(move || telemetry.shutdown(LAST_EXPORT)).await?;
    drop((servers, admission));

    let state = collector.shutdown().await;
    if let Some(file) = metrics_file {
        file.write(&state)?;
    }
    let faults = faults(&options, &tally, &ended, telemetry_ended);
    if !options.quiet {
        let took = began.elapsed();
        let memory = memory.as_deref();
        summary::print(&Summary { state: &state, ended: &ended, memory, took, output: &output, options: &options });
    }
    faults.iter().for_each(|fault| tell(&format!("error: {fault}")));
    if let Some(page) = page {
        // Ctrl-C is the page's now.
        stops.abort();
        page.end(&options, &output).await?;
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Dispatches every row; Ctrl-C drains, and a second one ends the process at once.
async fn drive(
    options: &Options,
    telemetry: &Telemetry,
    fleet: &Fleet,
    admission: Admission,
    files: Files,
    rows: Vec<Materialized>,
) -> Result<Tally> {
    let metrics = telemetry.driver().clone();
    let driver = Arc::new(Driver {
        client: Client::new(telemetry, options.connections),
        agent_url: fleet.agent_url()?,
        admission,
        progress: Progress::new(rows.len(), options.quiet, metrics.clone()),
        metrics,
        rollouts: telemetry.rollouts().clone(),
        checks: HealthChecks::new(),
        health: telemetry.health().clone(),
        files,
        dice: Dice::new(options.chaos),
        cut: Cut::default(),
    });
    let signals = tokio::spawn(drain_on_signal(Arc::clone(&driver), Duration::from_secs(options.grace)));
    let tally = driver.run(rows).await;
    signals.abort();
    tally
}

/// How many rollouts run at a time.
fn admission(options: &Options, telemetry: &Telemetry) -> Admission {
    let recorder = telemetry.concurrency().limit(LimitName::new("driver", "rollouts"));
    let limit = MeteredSemaphore::new(options.concurrency, recorder);
    let admission = Admission::with_limit(limit, telemetry.driver().clone());
    match options.adaptive {
        Some(most) => admission.adaptive(AdaptiveLimit::between(1, most)),
        None => admission,
    }
}

async fn drain_on_signal(driver: Arc<Driver>, grace: Duration) {
    if tokio::signal::ctrl_c().await.is_err() {
        return;
    }
    driver.admission.close();
    driver.progress.say(&format!("draining: running rollouts have {grace:?} to end; Ctrl-C again stops at once"));
    tokio::select! {
        () = tokio::time::sleep(grace) => driver.cut.now(),
        () = stop_on_signal() => {}
    }
}

/// Ends the process at the next Ctrl-C; its servers end with it.
async fn stop_on_signal() {
    /// What a shell reports of a process that an interrupt ended.
    const INTERRUPTED: i32 = 130;
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(INTERRUPTED);
    }
}

/// What went wrong that should not have.
fn faults(
    options: &Options,
    tally: &Result<Tally>,
    ended: &[Ended],
    last_export: Result<(), gym_telemetry::ExportError>,
) -> Vec<String> {
    let mut faults = Vec::new();
    match tally {
        Err(error) => faults.push(format!("the run was stopped: {error:#}")),
        Ok(tally) if !options.chaos.is_some() && tally.failed > 0 => {
            faults.push(format!("{} rollouts failed", tally.failed));
        }
        Ok(_) => {}
    }
    for server in ended {
        let name = server.role.as_str();
        match server.account {
            None => faults.push(format!("the {name} server did not end well: {}", server.status)),
            Some(account) if !account.is_settled() => faults.push(format!("the {name} server lost count: {account:?}")),
            Some(_) => {}
        }
    }
    faults.extend(last_export.err().map(|error| format!("the last export failed: {error}")));
    faults
}
