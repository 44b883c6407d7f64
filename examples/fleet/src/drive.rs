//! The part of a run in which rollouts go on, and how it is stopped early.

use std::{pin::pin, sync::Arc, time::Duration};

use anyhow::Result;
use gym_telemetry::{
    LimitName, Telemetry,
    driver::{AdaptiveLimit, Admission, HealthChecks, Materialized, MeteredSemaphore},
};

use crate::{
    cli::Options,
    client::Client,
    driver::{Cut, Driver, Files, Progress, Reasons, Tally},
    servers::Dice,
    signals,
    supervisor::Fleet,
};

/// What a shell reports of a process that an interrupt ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Dispatches every row, and says whether Ctrl-C ended that. Ctrl-C drains, and a second one ends the process at once;
/// the death of a server drains too.
pub(crate) async fn drive(
    options: &Options,
    telemetry: &Telemetry,
    fleet: &Fleet,
    admission: Admission,
    files: Files,
    rows: Vec<Materialized>,
) -> (Result<Tally>, bool) {
    let metrics = telemetry.driver().clone();
    let driver = Arc::new(Driver {
        client: Client::new(telemetry, options.connections),
        agent_url: fleet.agent_url().to_owned(),
        admission,
        progress: Progress::new(rows.len(), options.quiet, metrics.clone()),
        metrics,
        rollouts: telemetry.rollouts().clone(),
        checks: HealthChecks::new(),
        health: telemetry.health().clone(),
        files,
        dice: Dice::new(options.chaos),
        cut: Cut::default(),
        reasons: Reasons::default(),
    });
    let mut run = pin!(Arc::clone(&driver).run(rows));
    let (interrupted, why) = tokio::select! {
        tally = &mut run => return (tally, false),
        Ok(()) = signals::asked_to_end() => (true, "draining"),
        () = fleet.server_died() => (false, "draining for want of a server"),
    };
    driver.admission.close();
    let grace = options.grace;
    driver.progress.say(&format!("{why}: running rollouts have {grace} s to end; Ctrl-C stops at once"));
    let stops = tokio::spawn(stop_on_signal());
    let tally = match tokio::time::timeout(Duration::from_secs(grace), &mut run).await {
        Ok(tally) => tally,
        Err(_) => {
            driver.cut.now();
            run.await
        }
    };
    stops.abort();
    (tally, interrupted)
}

/// How many rollouts run at a time.
pub(crate) fn admission(options: &Options, telemetry: &Telemetry) -> Admission {
    let recorder = telemetry.concurrency().limit(LimitName::new("driver", "rollouts"));
    let limit = MeteredSemaphore::new(options.concurrency, recorder);
    let admission = Admission::with_limit(limit, telemetry.driver().clone());
    match options.adaptive {
        Some(most) => admission.adaptive(AdaptiveLimit::between(1, most)),
        None => admission,
    }
}

/// Ends the process when it is asked once more to end; its servers end with it.
pub(crate) async fn stop_on_signal() {
    if signals::asked_to_end().await.is_ok() {
        std::process::exit(INTERRUPTED.into());
    }
}
