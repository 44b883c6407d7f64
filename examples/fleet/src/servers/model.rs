//! The model server: answers by rule, from a recording, or by asking a real model.

use std::{convert::Infallible, path::Path, sync::Arc};

use anyhow::Result;
use axum::{
    Json,
    extract::{self, State},
    http::StatusCode,
    response::{
        IntoResponse, Response,
        sse::{Event, Sse},
    },
    routing::post,
};
use futures_util::stream;
use gym_telemetry::{
    ModelCall, ModelCallMetrics,
    conventions::{Dialect, TokenType, attributes::EXTERNAL_DESTINATION},
    tower::MeteredRouter,
};
use serde_json::{Value, json};

use super::{chaos::spread, responses};
use crate::{
    client::Client,
    tasks::{self, Row},
    verifier::Task,
};

/// The share of rows that the rule gets right.
const RIGHT: f64 = 0.8;

/// What the model knows.
#[derive(Debug)]
pub(crate) enum Model {
    /// The rows of the run: four of five are answered right.
    Rule(Vec<Row>),
    /// Finished rollouts: each is answered as recorded.
    Recording(Vec<Row>),
    /// A real model is asked.
    Remote(Box<Remote>),
}

/// Where a real model is, and how it is asked.
#[derive(Debug)]
pub(crate) struct Remote {
    url: String,
    client: Client,
}

impl Model {
    /// A model elsewhere; `url` is the base of its responses API.
    pub(crate) fn remote(url: &str, client: Client) -> Self {
        let url = format!("{}/v1/responses", url.trim_end_matches('/'));
        Self::Remote(Box::new(Remote { url, client }))
    }

    pub(crate) fn rule(rows: &Path) -> Result<Self> {
        Ok(Self::Rule(tasks::read(rows)?))
    }

    pub(crate) fn recording(rollouts: &Path) -> Result<Self> {
        Ok(Self::Recording(tasks::read(rollouts)?))
    }

    /// Answers one request; `rollout` says which row and which repetition of it asks.
    async fn answer(&self, rollout: Option<(usize, u64)>, request: &Value) -> Result<Value, (StatusCode, String)> {
        let row = |rows: &'_ [Row]| rollout.and_then(|(task, _)| rows.get(task).cloned());
        match self {
            Self::Rule(rows) => Ok(by_rule(row(rows).as_ref(), rollout.unwrap_or_default(), request)),
            Self::Recording(rows) => row(rows)
                .and_then(|mut row| row.remove("response"))
                .ok_or_else(|| (StatusCode::NOT_FOUND, "there is no recording of that rollout".to_owned())),
            Self::Remote(remote) => {
                let answer = remote.client.post(EXTERNAL_DESTINATION, &remote.url, request).await;
                answer.map_err(|error| (StatusCode::BAD_GATEWAY, error.to_string()))
            }
        }
    }
}

/// A model and what is counted of its calls.
#[derive(Debug)]
struct Served {
    model: Model,
    calls: ModelCallMetrics,
}

/// The routes of a model server.
pub(crate) fn routes(model: Model, calls: ModelCallMetrics) -> MeteredRouter {
    let own = MeteredRouter::new().route("/v1/responses", post(respond));
    let served = Arc::new(Served { model, calls });
    MeteredRouter::new().nest("/ng-rollout/{rollout}", own.clone()).merge(own).map(|router| router.with_state(served))
}

async fn respond(
    State(served): State<Arc<Served>>,
    rollout: Option<extract::Path<String>>,
    Json(request): Json<Value>,
) -> Result<Response, (StatusCode, String)> {
    let rollout = rollout.and_then(|extract::Path(id)| {
        let (task, rollout) = id.split_once('-')?;
        Some((task.parse().ok()?, rollout.parse().ok()?))
    });
    let mut call = served.calls.start(Dialect::Responses);
    let response = match served.model.answer(rollout, &request).await {
        Ok(response) => response,
        Err((status, message)) => {
            call.fail("upstream_error");
            return Err((status, message));
        }
    };
    if request["stream"] == true {
        call.chunk();
    }
    tell(&mut call, &response);
    call.succeed();
    if request["stream"] != true {
        return Ok(Json(response).into_response());
    }
    let events = responses::events(&response).into_iter().map(|event| {
        let name = event["type"].as_str().unwrap_or_default();
        Ok::<_, Infallible>(Event::default().event(name).data(event.to_string()))
    });
    Ok(Sse::new(stream::iter(events)).into_response())
}

/// What a response says of the call that brought it.
fn tell(call: &mut ModelCall, response: &Value) {
    let usage = &response["usage"];
    let counts = [
        (TokenType::Input, &usage["input_tokens"]),
        (TokenType::Output, &usage["output_tokens"]),
        (TokenType::Reasoning, &usage["output_tokens_details"]["reasoning_tokens"]),
    ];
    for (token, count) in counts {
        count.as_u64().into_iter().for_each(|count| call.tokens(token, count));
    }
    // One that is incomplete says why.
    let reason = response["incomplete_details"]["reason"].as_str().or(response["status"].as_str());
    reason.into_iter().for_each(|reason| call.finish_reason(reason));
}

/// The right answer to four rows out of five, a wrong one to the rest; a calculation is left to the tool first.
fn by_rule(row: Option<&Row>, (task, rollout): (usize, u64), request: &Value) -> Value {
    let id = format!("{task}_{rollout}");
    let input = request["input"].as_array().map_or(&[][..], Vec::as_slice);
    let words = request["input"].to_string().split_whitespace().count();
    let expression = row.and_then(|row| row.get("expression")).filter(|_| offers(request, "calculate"));
    let item = match (expression, input.last()) {
        (Some(expression), Some(last)) if last["type"] != "function_call_output" => {
            responses::function_call(&id, "calculate", &json!({"expression": expression}))
        }
        _ => responses::message(&id, &say(row, task, rollout)),
    };
    responses::response(&id, vec![item], words)
}

fn say(row: Option<&Row>, task: usize, rollout: u64) -> String {
    match row.map(Task::of) {
        Some(Ok(task_of_row)) => {
            let right = spread(hash(task as u64, rollout)) < RIGHT;
            if right { task_of_row.right_answer() } else { r"I think that it is \boxed{something else}.".to_owned() }
        }
        _ => "I do not know what this is about.".to_owned(),
    }
}

fn hash(task: u64, rollout: u64) -> u64 {
    task.wrapping_mul(0x1_0000_01B3).wrapping_add(rollout)
}

fn offers(request: &Value, tool: &str) -> bool {
    request["tools"].as_array().is_some_and(|tools| tools.iter().any(|offered| offered["name"] == tool))
}
