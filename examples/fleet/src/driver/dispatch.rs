use std::{sync::Arc, time::Duration};

use anyhow::Result;
use gym_telemetry::{
    Completed, Failure, HealthMetrics, Resident, RolloutMetrics,
    conventions::{Outcome, attributes::AGENT_REQUEST_FAILED},
    driver::{Admission, HealthChecks, Materialized, rollout_size},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{Cut, Files, Progress, Reason, Reasons};
use crate::{
    client::{CallError, Client},
    servers::{Dice, Role},
    tasks::{self, Row},
};

/// Within this time a rollout that chaos cancels is hung up on.
const HANG_UP_WITHIN: Duration = Duration::from_millis(4);

/// Everything that a run needs to dispatch its rows.
#[derive(Debug)]
pub(crate) struct Driver {
    pub(crate) client: Client,
    pub(crate) agent_url: String,
    pub(crate) admission: Admission,
    pub(crate) metrics: gym_telemetry::DriverMetrics,
    pub(crate) rollouts: RolloutMetrics,
    pub(crate) checks: HealthChecks,
    pub(crate) health: HealthMetrics,
    pub(crate) files: Files,
    pub(crate) progress: Progress,
    pub(crate) reasons: Reasons,
    pub(crate) dice: Dice,
    pub(crate) cut: Cut,
}

/// How the rows of a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) failed: u64,
    /// Those that were never dispatched, or were cut off.
    pub(crate) not_run: u64,
    /// Why most of these failed.
    pub(crate) reason: Option<Reason>,
}

/// How one call of the agent ended.
enum Ended {
    Answered(Value),
    Failed { error_type: &'static str, message: String },
    Cut,
}

impl Driver {
    /// Dispatches every row, and returns once each has ended.
    ///
    /// # Errors
    ///
    /// When a row cannot be written: nothing more is dispatched then, and what was written before is whole.
    pub(crate) async fn run(self: Arc<Self>, rows: Vec<Materialized>) -> Result<Tally> {
        let offered = rows.len() as u64;
        let mut tasks = JoinSet::new();
        for row in rows {
            let resident = self.metrics.offer();
            tasks.spawn(Arc::clone(&self).rollout(row, resident));
        }
        let mut fault = None;
        while let Some(ended) = tasks.join_next().await {
            if let Err(error) = ended.map_err(anyhow::Error::from).flatten() {
                self.admission.close();
                fault.get_or_insert(error);
            }
        }
        self.progress.finish();
        let [scored, failed] = [Outcome::Scored, Outcome::Failed].map(|outcome| self.progress.count(outcome));
        let not_run = offered.saturating_sub(scored + failed);
        fault.map_or(Ok(Tally { failed, not_run, reason: self.reasons.most_frequent() }), Err)
    }

    /// One row: waits for admission, runs, is written. It is resident until all of that is done.
    async fn rollout(self: Arc<Self>, row: Materialized, resident: Resident) -> Result<()> {
        // Not admitted any more: it was never dispatched.
        let Ok(permit) = self.admission.admit().await else { return Ok(()) };
        let row = tasks::fresh(row.row());
        let ended = self.call(&row).await;
        match &ended {
            Ended::Answered(_) => permit.succeed(),
            Ended::Failed { .. } => permit.fail(),
            Ended::Cut => drop(permit),
        }
        let (outcome, completed) = match ended {
            Ended::Answered(result) => {
                self.files.rollouts.write(result.to_string()).await?;
                self.metrics.rollout_completed(rollout_size(&result));
                self.health.evaluated(Outcome::Scored, &self.checks.evaluate(&result));
                let masked = result["mask_sample"].as_bool().unwrap_or_default();
                let scored = Completed::scored(dispatch_name()).reward(result["reward"].as_f64()).masked(masked);
                (Outcome::Scored, scored)
            }
            Ended::Failed { error_type, message } => {
                self.reasons.add(&message);
                self.files.failures.write(failure(row, error_type, &message)).await?;
                let failure = Failure::new(AGENT_REQUEST_FAILED).error_type(error_type);
                (Outcome::Failed, Completed::failed(dispatch_name(), failure))
            }
            Ended::Cut => (Outcome::Omitted, Completed::omitted(dispatch_name())),
        };
        self.rollouts.completed(completed);
        self.progress.ended(outcome);
        drop(resident);
        Ok(())
    }

    /// Has the agent run one rollout, unless the run or chaos cuts it off.
    async fn call(&self, row: &Row) -> Ended {
        let url = format!("{}/run", self.agent_url);
        let hang_up = async {
            match self.dice.cancels() {
                Some(moment) => tokio::time::sleep(HANG_UP_WITHIN.mul_f64(moment)).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            answer = self.client.post(Role::Agent.server_name(), &url, row) => answer.map_or_else(Ended::failed, Ended::Answered),
            () = hang_up => Ended::Failed { error_type: "Cancelled", message: "chaos hung up".to_owned() },
            () = self.cut.happened() => Ended::Cut,
        }
    }
}

impl Ended {
    fn failed(error: CallError) -> Self {
        Self::Failed { error_type: error.type_name(), message: format!("{:#}", anyhow::Error::from(error)) }
    }
}

/// The environment server's name: every row of this fleet goes to the same one.
fn dispatch_name() -> &'static str {
    Role::Resources.server_name()
}

impl Tally {
    /// How many failed and why most of them, if any did.
    pub(crate) fn failures(&self) -> Option<String> {
        let Reason { message, count } = self.reason.as_ref()?;
        Some(format!("{} rollouts failed, {count} of them like this: {message}", self.failed))
    }
}

/// A line of the failures file: the row and why there is no result.
fn failure(mut row: Row, error_type: &str, message: &str) -> String {
    let failure = json!({"class": AGENT_REQUEST_FAILED, "type": error_type, "message": message});
    row.insert("failure".to_owned(), failure);
    Value::Object(row).to_string()
}
