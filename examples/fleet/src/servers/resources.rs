//! The resources server: verifies answers within a limit, and offers a calculator.

use std::{path::Path, sync::Arc};

use anyhow::Result;
use axum::{Json, extract::State, http::StatusCode, routing::post};
use gym_telemetry::{
    OperationMetrics, Telemetry, VerifyMetrics,
    conventions::{Executor, Operation},
    driver::operation,
    tower::MeteredRouter,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::responses::output_text;
use crate::{
    tasks::{self, Row},
    verifier::{Task, evaluate, score},
};

/// What a verifier knows and counts.
#[derive(Debug)]
pub(crate) struct Resources {
    recording: Option<Vec<Row>>,
    limit: Semaphore,
    verify: VerifyMetrics,
    operations: OperationMetrics,
}

type Refusal = (StatusCode, String);

impl Resources {
    /// A verifier that does `limit` verifications at a time; with a recording, its rewards are the recorded ones.
    pub(crate) fn new(recording: Option<&Path>, limit: usize, telemetry: &Telemetry) -> Result<Self> {
        let recording = recording.map(tasks::read).transpose()?;
        let (verify, operations) = (telemetry.verify().clone(), telemetry.operations().clone());
        Ok(Self { recording, limit: Semaphore::new(limit), verify, operations })
    }

    /// What is added to a row by verifying it.
    fn score(&self, row: &Row) -> Result<Row, Refusal> {
        if let Some(recording) = &self.recording {
            let recorded = row.get("_ng_task_index").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
            let recorded = recorded.and_then(|at| recording.get(at));
            let reward = recorded.ok_or_else(|| refuse("there is no recording of that rollout"))?.get("reward");
            return Ok(reward.map(|reward| ("reward".to_owned(), reward.clone())).into_iter().collect());
        }
        let task = Task::of(row).map_err(refuse)?;
        let text = output_text(row.get("response").ok_or_else(|| refuse("field `response` is missing"))?);
        let (answer, reward) = score(&task, &text);
        Ok([("reward".to_owned(), json!(reward)), ("extracted_answer".to_owned(), json!(answer))].into_iter().collect())
    }
}

/// The routes of a resources server.
pub(crate) fn routes(resources: Resources) -> MeteredRouter {
    let tools = MeteredRouter::new().route("/calculate", post(calculate));
    let resources = Arc::new(resources);
    MeteredRouter::new().route("/verify", post(verify)).nest("/tools", tools).map(|router| router.with_state(resources))
}

async fn verify(State(resources): State<Arc<Resources>>, Json(mut row): Json<Row>) -> Result<Json<Row>, Refusal> {
    let verification = resources.verify.start();
    let slot = operation(&resources.operations, &resources.limit, Operation::Verify, Executor::Inline).await;
    let slot = slot.map_err(|_| refuse("the verifier is closed"))?;
    row.extend(slot.run(async { resources.score(&row) }).await?);
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
