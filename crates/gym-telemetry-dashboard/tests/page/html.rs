//! A finished run in one file.

use gym_telemetry_collector::{
    Limits, Store,
    decode::{Format, decode},
};
use gym_telemetry_dashboard::{
    history::History,
    page::{Source, write_html},
};
use serde_json::json;

use crate::support::{Stage, at_present};

#[tokio::test]
async fn a_file_holds_all_of_the_page() {
    let stage = Stage::new().await;
    stage.export("gym.rollout.completed_total", 3, &[("nemo.gym.rollout.outcome", "</script><script>evil()")]).await;
    let mut file = Vec::new();
    write_html(&stage.source, &mut file).unwrap();
    let file = String::from_utf8(file).unwrap();
    assert!(!file.contains("</script><script>evil"), "markup that was sent is markup");
    for part in ["default-src 'none'", "rollouts completed", "metric=gym.rollout.completed_total", "uPlot"] {
        assert!(file.contains(part), "{part} is missing");
    }
    assert!(!file.contains("src=\"") && !file.contains("rel=\"stylesheet\""), "it fetches something");
    // Only the data is no script of ours; all others carry the nonce that the policy asks for.
    let nonce = file.split("script-src 'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    assert!(nonce.len() >= 32, "{nonce}");
    assert_eq!(file.matches("<script ").count(), file.matches(&format!("<script nonce=\"{nonce}\"")).count() + 1);
}

#[test]
fn every_metric_has_room_for_an_answer() {
    let history = History::new(Default::default());
    let mut store = Store::observed(Limits::default(), history.observer());
    for server in 0..99 {
        let name = json!({ "key": "nemo.gym.server.name", "value": { "stringValue": format!("server {server}") } });
        let metrics = ["gym.server.responses_total", "zzz"].map(|name| {
            let point = at_present(json!({ "asInt": "1" }));
            let sum = json!({ "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [point] });
            json!({ "name": name, "sum": sum })
        });
        let request = json!({ "resourceMetrics": [{
            "resource": { "attributes": [name] }, "scopeMetrics": [{ "metrics": metrics }],
        }] });
        let request = request.to_string();
        store.apply(decode(request.as_bytes(), Format::Json, request.len()).unwrap());
    }
    let mut file = Vec::new();
    write_html(&Source::new(history), &mut file).unwrap();
    let file = String::from_utf8(file).unwrap();
    assert!(file.contains("\"metric=zzz\":{"));
}

#[tokio::test]
async fn two_files_have_two_nonces() {
    let stage = Stage::new().await;
    let mut files = [Vec::new(), Vec::new()];
    files.iter_mut().for_each(|file| write_html(&stage.source, file).unwrap());
    assert_ne!(files[0], files[1]);
}

/// Takes nothing.
struct Full;

impl std::io::Write for Full {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_full_disk_is_told() {
    let stage = Stage::new().await;
    assert_eq!(write_html(&stage.source, Full).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}
