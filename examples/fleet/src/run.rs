//! One run from its input to its summary.

use std::{
    io::ErrorKind,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use gym_telemetry::{Supervisor, conventions::EventLoop};
use gym_telemetry_collector::Collector;
use gym_telemetry_dashboard::history::History;

use crate::{
    cli::Options,
    drive::{INTERRUPTED, admission, drive, stop_on_signal},
    driver::{Done, Files, Tally},
    page::RunPage,
    paths::Paths,
    summary::{self, Summary},
    supervisor::{Ended, Fleet},
    tasks,
    telemetry::{self, MetricsFile},
    tell,
};

/// How long the last export may take.
const LAST_EXPORT: Duration = Duration::from_secs(5);

/// Runs the fleet over its input.
pub(crate) async fn run(options: Options) -> Result<ExitCode> {
    let began = Instant::now();
    let mut paths = Paths::of(&options)?;
    let input = tasks::input(&options, &paths.rows)?;
    let done = Done::read(&paths, input.rows())?;
    let history = History::new(Default::default());
    let collector = Collector::start_observed(Default::default(), history.observer());
    let collector = collector.await.context("cannot start the built-in collector")?;
    let telemetry = telemetry::start(&options, &collector)?;
    let shows = !options.no_page && telemetry::reaches(&telemetry, &collector);
    let page = if shows { Some(RunPage::start(&options, history, &collector).await?) } else { None };
    telemetry.watch_runtime(EventLoop::Driver.as_str())?;
    let metrics = telemetry.driver().clone();
    // Before anything is written: while another run writes there, this one is refused.
    let files = Files::open(&paths, &metrics)?;
    let rows = input.materialize(Some(&paths.materialized), &metrics)?;
    done.keep_other_rows(&paths)?;
    let metrics_file = options.metrics_json.as_deref().map(MetricsFile::create).transpose()?;
    let all = rows.len();
    let rows: Vec<_> = rows.into_iter().filter(|row| !done.has(row)).collect();
    if rows.len() < all {
        tell(&format!("{} of {all} rollouts are in {} already", all - rows.len(), paths.output.display()));
    }

    let supervisor = Supervisor::claim().context("this process supervises a fleet already")?;
    // It outlives the fleet: the last export says that no server is left.
    let servers = Arc::new(telemetry.servers(supervisor));
    let fleet = Fleet::start(&options, &paths.rows, &telemetry, Arc::clone(&servers)).await?;
    let watches = options.memory || telemetry.settings().memory_profiling.enabled;
    let memory = watches.then(|| fleet.watch_memory(&telemetry)).transpose()?;
    // Like the servers' number, it is in the last export.
    let admission = admission(&options, &telemetry);
    paths.begin();
    let (tally, interrupted) = drive(&options, &telemetry, &fleet, admission.clone(), files, rows).await;
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
    let mut faults = faults(&options, &tally, &ended, telemetry_ended);
    if !options.quiet {
        let took = began.elapsed();
        let memory = memory.as_deref();
        let failed = tally.as_ref().ok().and_then(Tally::failures);
        let summary = Summary { state: &state, ended: &ended, memory, took, paths: &paths, failed, options: &options };
        match summary::print(&summary, &mut std::io::stdout().lock()) {
            // Who closed the pipe has read enough.
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                faults.push(format!("cannot write the summary: {error}"));
            }
            _ => {}
        }
    }
    let not_run = tally.map_or(0, |tally| tally.not_run);
    if not_run > 0 {
        let output = paths.output.display();
        let goes_on = format!("the same command with --output {output} goes on with them");
        faults.push(format!("stopped early: {not_run} of {all} rollouts were not run; {goes_on}"));
    }
    faults.iter().for_each(|fault| tell(&format!("error: {fault}")));
    if let Some(page) = page {
        // Ctrl-C is the page's now.
        stops.abort();
        page.end(&options, &paths.page).await?;
    }
    Ok(match faults.is_empty() {
        true => ExitCode::SUCCESS,
        false if interrupted => INTERRUPTED.into(),
        false => ExitCode::FAILURE,
    })
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
        Ok(tally) if !options.chaos.is_some() => faults.extend(tally.failures()),
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
