//! The resources server: verifies answers within a limit and in sandboxes, and offers a calculator.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::Result;
use axum::{Json, extract::State, http::StatusCode, routing::post};
use gym_telemetry::{
    LimitName, OperationMetrics, Telemetry, VerifyMetrics,
    conventions::{Executor, Operation},
    driver::{MeteredSemaphore, operation},
    tower::MeteredRouter,
};
use serde_json::{Value, json};

use super::responses::output_text;
use crate::{
    sandbox::{SandboxError, Sandboxes},
    tasks::{self, Row},
    verifier::{Question, Task, evaluate},
};

/// How long one verification may take.
const VERIFIED_WITHIN: Duration = Duration::from_secs(10);

/// What a verifier knows and counts.
#[derive(Debug)]
pub(crate) struct Resources {
    recording: Option<Vec<Row>>,
    limit: MeteredSemaphore,
    sandboxes: Option<Sandboxes>,
    verify: VerifyMetrics,
    operations: OperationMetrics,
}

type Refusal = (StatusCode, String);

impl Resources {
    /// A verifier that does `limit` verifications at a time, in sandboxes if it has any; with a recording, its rewards
    /// are the recorded ones.
    pub(crate) fn new(
        recording: Option<&Path>,
        limit: usize,
        sandboxes: Option<Sandboxes>,
        telemetry: &Telemetry,
    ) -> Result<Self> {
        let recording = recording.map(tasks::read).transpose()?;
        let recorder = telemetry.concurrency().limit(LimitName::new("verifier", "verifications"));
        let (verify, operations) = (telemetry.verify().clone(), telemetry.operations().clone());
        Ok(Self { recording, limit: MeteredSemaphore::new(limit, recorder), sandboxes, verify, operations })
    }

    /// Ends the sandboxes that nobody uses.
    pub(crate) fn release(&self) {
        if let Some(sandboxes) = &self.sandboxes {
            sandboxes.release();
        }
    }

    /// What verifying a row asks.
    fn question(&self, row: &Row) -> Result<Question, Refusal> {
        if let Some(recording) = &self.recording {
            let recorded = row.get("_ng_task_index").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
            let recorded = recorded.and_then(|at| recording.get(at));
            let reward = recorded.ok_or_else(|| refuse("there is no recording of that rollout"))?.get("reward");
            return Ok(Question::Recorded { reward: reward.cloned() });
        }
        let task = Task::of(row).map_err(refuse)?;
        let text = output_text(row.get("response").ok_or_else(|| refuse("field `response` is missing"))?);
        Ok(Question::Score { task, text })
    }

    /// Answers a question, in a sandbox if there are any.
    async fn answer(&self, question: Question) -> Result<Row, SandboxError> {
        match &self.sandboxes {
            Some(sandboxes) => sandboxes.ask(&question).await,
            None => Ok(question.answer()),
        }
    }

    fn executor(&self) -> Executor {
        if self.sandboxes.is_some() { Executor::Subprocess } else { Executor::Inline }
    }
}

/// The routes of a resources server.
pub(crate) fn routes(resources: Arc<Resources>) -> MeteredRouter {
    let tools = MeteredRouter::new().route("/calculate", post(calculate));
    MeteredRouter::new().route("/verify", post(verify)).nest("/tools", tools).map(|router| router.with_state(resources))
}

async fn verify(State(resources): State<Arc<Resources>>, Json(mut row): Json<Row>) -> Result<Json<Row>, Refusal> {
    let verification = resources.verify.start();
    let question = resources.question(&row)?;
    let slot = operation(&resources.operations, &resources.limit, Operation::Verify, resources.executor()).await;
    let slot = slot.map_err(|_| refuse("the verifier is closed"))?;
    let answer = slot.run_within(VERIFIED_WITHIN, resources.answer(question)).await;
    let answer = answer.map_err(|_| broken(format!("not verified within {VERIFIED_WITHIN:?}")))?;
    row.extend(answer.map_err(|error| broken(format!("{:#}", anyhow::Error::from(error))))?);
    verification.succeed();
    Ok(Json(row))
}

async fn calculate(Json(arguments): Json<Value>) -> Result<Json<Value>, Refusal> {
    let expression = arguments["expression"].as_str().ok_or_else(|| refuse("field `expression` must be a string"))?;
    let result = evaluate(expression).ok_or_else(|| refuse("field `expression` is not arithmetic"))?;
    Ok(Json(json!({"result": result})))
}

fn refuse(why: impl Into<String>) -> Refusal {
    (StatusCode::UNPROCESSABLE_ENTITY, why.into())
}

fn broken(why: String) -> Refusal {
    (StatusCode::INTERNAL_SERVER_ERROR, why)
}
