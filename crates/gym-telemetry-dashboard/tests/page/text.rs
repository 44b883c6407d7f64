//! What processes send is text, short, and visible.

use serde_json::Value;

use crate::support::Stage;

const COMPLETED: &str = "gym.rollout.completed_total";

/// The labels of the outcomes on the driver's view.
async fn labels(stage: &Stage) -> Vec<String> {
    let view = stage.json("/api/v1/views/driver").await;
    let panels = view["panels"].as_array().unwrap();
    let outcomes = panels.iter().find(|panel| panel["title"] == "Outcomes").unwrap();
    let label = |series: &Value| series["label"].as_str().unwrap().to_owned();
    outcomes["series"].as_array().unwrap().iter().map(label).collect()
}

#[tokio::test]
async fn hidden_characters_are_spelt_out_and_markup_stays_text() {
    let stage = Stage::new().await;
    let sent = "<script>alert(1)</script>\u{202e}\u{0}\n";
    stage.export(COMPLETED, 1, &[("nemo.gym.rollout.outcome", sent)]).await;
    assert_eq!(labels(&stage).await, ["<script>alert(1)</script>\\u{202e}\\u{0}\\n"]);
    let reply = stage.get("/api/v1/views/driver").await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_megabyte_is_cut() {
    let stage = Stage::new().await;
    let long = "ü".repeat(1 << 19);
    stage.export(COMPLETED, 1, &[("nemo.gym.rollout.outcome", &long)]).await;
    let labels = labels(&stage).await;
    assert_eq!(labels.len(), 1);
    assert!(labels[0].chars().count() < 200 && labels[0].ends_with('…'), "{} bytes", labels[0].len());
    for view in ["fleet", "driver", "findings"] {
        let bytes = stage.get(&format!("/api/v1/views/{view}")).await.body.len();
        assert!(bytes < 100_000, "{view} has {bytes} bytes");
    }
}

#[tokio::test]
async fn many_series_do_not_make_a_chart_of_many_lines() {
    let stage = Stage::new().await;
    for at in 0..40 {
        stage.export(COMPLETED, at, &[("nemo.gym.rollout.outcome", &format!("outcome {at:02}"))]).await;
    }
    let view = stage.json("/api/v1/views/driver").await;
    let outcomes = view["panels"].as_array().unwrap().iter().find(|panel| panel["title"] == "Outcomes").unwrap();
    assert_eq!((outcomes["series"].as_array().unwrap().len(), &outcomes["more"]), (12, &28.into()));
}
