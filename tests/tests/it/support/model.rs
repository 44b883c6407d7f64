use axum::{Json, Router, extract::State, routing::post};
use gym_telemetry_tests::LONG;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch, time::timeout};

use super::RUNTIME;

/// A model that answers nobody until it is told to.
#[derive(Debug)]
pub(crate) struct HeldModel {
    pub(crate) url: String,
    gate: Gate,
}

#[derive(Debug, Clone, Default)]
struct Gate {
    asked: watch::Sender<usize>,
    open: watch::Sender<bool>,
}

impl HeldModel {
    pub(crate) fn start() -> Self {
        let gate = Gate::default();
        let routes = Router::new().route("/v1/responses", post(respond)).with_state(gate.clone());
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        RUNTIME.spawn(async { axum::serve(listener, routes).await });
        Self { url, gate }
    }

    /// Waits until it has been asked so often.
    pub(crate) fn wait_until_asked(&self, times: usize) {
        let mut asked = self.gate.asked.subscribe();
        let enough = async { timeout(LONG, asked.wait_for(|asked| *asked >= times)).await.map(drop) };
        assert!(RUNTIME.block_on(enough).is_ok(), "the model is not asked {times} times");
    }

    /// How often it has been asked.
    pub(crate) fn asked(&self) -> usize {
        *self.gate.asked.borrow()
    }

    /// From now on it answers, those that wait and those that come.
    pub(crate) fn answer(&self) {
        self.gate.open.send_replace(true);
    }
}

async fn respond(State(gate): State<Gate>) -> Json<Value> {
    gate.asked.send_modify(|asked| *asked += 1);
    // The sender is in the same gate.
    let _ = gate.open.subscribe().wait_for(|open| *open).await;
    let text = json!([{"type": "output_text", "text": r"It is \boxed{4}.", "annotations": []}]);
    let message = json!({"type": "message", "role": "assistant", "status": "completed", "content": text});
    Json(json!({"object": "response", "status": "completed", "output": [message]}))
}
