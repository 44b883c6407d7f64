//! The agent server: runs one rollout, turn by turn, and has it verified.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode, routing::post};
use gym_telemetry::{RolloutMetrics, tower::MeteredRouter};
use serde_json::{Value, json};

use super::{Role, responses};
use crate::{
    client::{CallError, Client},
    tasks::Row,
};

/// A rollout that has not come to an end after this many turns is verified as it is.
const MAX_TURNS: u64 = 16;

/// The tools that the resources server offers.
const TOOLS: [&str; 1] = ["calculate"];

/// Whom an agent asks, and what it counts.
#[derive(Debug)]
pub(crate) struct Agent {
    pub(crate) client: Client,
    pub(crate) model_url: String,
    pub(crate) resources_url: String,
    pub(crate) metrics: RolloutMetrics,
}

/// The routes of an agent server.
pub(crate) fn routes(agent: Agent) -> MeteredRouter {
    MeteredRouter::new().route("/run", post(run)).map(|router| router.with_state(Arc::new(agent)))
}

async fn run(State(agent): State<Arc<Agent>>, Json(row): Json<Row>) -> Result<Json<Value>, (StatusCode, String)> {
    // Recorded when it is dropped: when the rollout fails, and when its client goes away, too.
    let _timer = agent.metrics.start();
    agent.run(row).await.map(Json).map_err(|error| (StatusCode::BAD_GATEWAY, error.to_string()))
}

impl Agent {
    async fn run(&self, mut row: Row) -> Result<Value, CallError> {
        let index = |field| row.get(field).and_then(Value::as_u64).unwrap_or_default();
        let rollout = format!("{}-{}", index("_ng_task_index"), index("_ng_rollout_index"));
        let model_url = format!("{}/ng-rollout/{rollout}/v1/responses", self.model_url);
        let mut request = row.get("responses_create_params").cloned().unwrap_or_default();
        if let Some(text) = request["input"].as_str().map(str::to_owned) {
            request["input"] = json!([{"role": "user", "content": text}]);
        }

        let mut output = Vec::new();
        let mut turns = 0;
        let mut response = loop {
            let mut response = self.client.post(Role::Model.server_name(), &model_url, &request).await?;
            turns += 1;
            let before = output.len();
            if let Value::Array(items) = response["output"].take() {
                output.extend(items);
            }
            let results = self.call_tools(&output).await?;
            if results.is_empty() || turns == MAX_TURNS {
                break response;
            }
            output.extend(results);
            if let Value::Array(input) = &mut request["input"] {
                input.extend(output[before..].iter().cloned());
            }
        };
        let calls = output.iter().filter(|item| responses::is_call(item)).count();
        response["output"] = Value::Array(output);
        row.insert("response".to_owned(), response);
        row.insert("ng_perf".to_owned(), json!({"turns": turns, "tool_calls": calls}));
        let url = format!("{}/verify", self.resources_url);
        self.client.post(Role::Resources.server_name(), &url, &row).await
    }

    /// Calls the tools that the model asked for, as far as there are such tools.
    async fn call_tools(&self, output: &[Value]) -> Result<Vec<Value>, CallError> {
        let mut results = Vec::new();
        for call in responses::pending_calls(output) {
            let Some(tool) = TOOLS.iter().find(|tool| call["name"] == **tool) else { continue };
            let arguments = call["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
            let url = format!("{}/tools/{tool}", self.resources_url);
            let result =
                self.client.post(Role::Resources.server_name(), &url, &arguments.unwrap_or_else(|| json!({}))).await?;
            results.push(responses::function_call_output(&call["call_id"], &result));
        }
        Ok(results)
    }
}
