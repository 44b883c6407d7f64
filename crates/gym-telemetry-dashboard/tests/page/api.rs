//! The numbers, as programs read them.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Stage, at_present, number};

const RESPONSES: &str = "gym.server.responses_total";

#[tokio::test]
async fn views_show_what_was_exported() {
    let stage = Stage::new().await;
    stage.export("gym.rollout.completed_total", 3, &[("nemo.gym.rollout.outcome", "scored")]).await;
    stage.export("gym.rollout.completed_total", 2, &[("nemo.gym.rollout.outcome", "failed")]).await;
    let view = stage.json("/api/v1/views/fleet").await;
    assert_eq!((&view["reporting"], &view["gone"], &view["refused"]), (&1.into(), &0.into(), &0.into()));
    assert_eq!(number(&view, "rollouts completed")["value"], 5.0);

    let query = number(&view, "rollouts completed")["query"].as_str().unwrap().to_owned();
    let metric = stage.json(&format!("/api/v1/views/metric?{query}&by=nemo.gym.rollout.outcome")).await;
    let series = metric["panels"][0]["series"].as_array().unwrap();
    let last = |at: usize| series[at]["values"].as_array().unwrap().last().unwrap().as_f64();
    assert_eq!(series[0]["label"], "failed");
    assert_eq!((last(0), last(1)), (Some(2.0), Some(3.0)));
}

#[tokio::test]
async fn a_process_that_is_gone_has_no_rates() {
    let stage = Stage::new().await;
    stage.export(RESPONSES, 3, &[("http.response.status_code", "500")]).await;
    let rates = async || {
        let view = stage.json("/api/v1/views/fleet").await;
        let servers = view["panels"].as_array().unwrap().iter().find(|panel| panel["title"] == "Servers").unwrap();
        let columns = servers["columns"].as_array().unwrap();
        let at = |label| columns.iter().position(|column| column["label"] == label).unwrap();
        ["responses", "errors"].map(|label| servers["rows"][0]["cells"][at(label)]["value"].as_f64())
    };
    assert_eq!(rates().await, [Some(0.0); 2]);
    stage.history.end(stage.history.processes()[0].id);
    while rates().await[0].is_some() {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(rates().await, [None; 2]);
}

#[tokio::test]
async fn those_who_report_come_before_those_who_are_gone() {
    let stage = Stage::new().await;
    for server in ["old", "new"] {
        let gauge = json!({ "dataPoints": [at_present(json!({ "asInt": "3" }))] });
        stage.export_of(server, json!({ "name": "heat", "gauge": gauge })).await;
    }
    stage.history.end(stage.history.processes()[0].id);
    let view = stage.json("/api/v1/views/fleet").await;
    let servers = view["panels"].as_array().unwrap().iter().find(|panel| panel["title"] == "Servers").unwrap();
    let rows = servers["rows"].as_array().unwrap().iter();
    let seen: Vec<_> = rows.map(|row| (row["cells"][0]["text"].as_str().unwrap(), row["gone"] == true)).collect();
    assert_eq!(seen, [("new", false), ("old", true)]);
}

#[tokio::test]
async fn a_query_answers_with_what_was_sent() {
    let stage = Stage::new().await;
    stage.export(RESPONSES, 7, &[("http.response.status_code", "<b>")]).await;
    stage.export(RESPONSES, 1, &[("http.response.status_code", "500")]).await;
    let path = format!("/api/v1/query?metric={RESPONSES}&by=http.response.status_code&since=1m");
    let answer = stage.json(&path).await;
    let lines = answer["lines"].as_array().unwrap();
    let of = |status| lines.iter().find(|line| line["labels"]["http.response.status_code"] == status).unwrap();
    assert_eq!(of("<b>")["values"].as_array().unwrap().last().unwrap(), 7.0);
    let chosen = stage.json(&format!("{path}&where=http.response.status_code:500")).await;
    assert_eq!(chosen["lines"].as_array().unwrap().len(), 1);
    assert_eq!(chosen["lines"][0]["values"].as_array().unwrap().len(), chosen["times"].as_array().unwrap().len());
}

#[tokio::test]
async fn units_are_never_mixed() {
    let stage = Stage::new().await;
    stage.export_in("{response}", RESPONSES, 7, &[]).await;
    for route in ["/a", "/b"] {
        stage.export_in("1", RESPONSES, 100, &[("http.route", route)]).await;
    }
    let metric = stage.json(&format!("/api/v1/views/metric?metric={RESPONSES}")).await;
    let panels = metric["panels"].as_array().unwrap();
    let charts = panels.iter().filter(|panel| panel["kind"] == "lines");
    let last = |panel: &Value| panel["series"][0]["values"].as_array().unwrap().last().unwrap().as_f64();
    let charts: Vec<_> = charts.map(|panel| (panel["unit"].as_str().unwrap(), last(panel))).collect();
    assert_eq!(charts, [("1", Some(200.0)), ("{response}", Some(7.0))]);
    let chosen = stage.json(&format!("/api/v1/query?metric={RESPONSES}&unit=%7Bresponse%7D&since=1m")).await;
    assert_eq!(chosen["unit"], "{response}");
    let findings = stage.json("/api/v1/findings").await;
    let said = findings.as_array().unwrap().iter().find(|finding| finding["rule"] == "metric-has-two-forms").unwrap();
    let expected = "gym.server.responses_total is reported as counter in 1 and as counter in {response}: they are not \
                    added up.";
    assert_eq!(said["sentence"], expected);
}

#[tokio::test]
async fn kinds_are_never_mixed() {
    let stage = Stage::new().await;
    stage.export("tasks", 7, &[]).await;
    let gauge = json!({ "dataPoints": [at_present(json!({ "asInt": "3" }))] });
    stage.export_metric(json!({ "name": "tasks", "gauge": gauge })).await;
    let shown = async |query: &str| {
        let view = stage.json(&format!("/api/v1/views/metric?{query}")).await;
        let charts: Vec<_> =
            view["panels"].as_array().unwrap().iter().filter(|panel| panel["kind"] == "lines").collect();
        let last = |chart: &Value| chart["series"][0]["values"].as_array().unwrap().last().unwrap().as_f64().unwrap();
        charts.iter().map(|chart| (chart["title"].as_str().unwrap().to_owned(), last(chart))).collect::<Vec<_>>()
    };
    let [gauge, counter] = [("tasks, gauge without a unit", 3.0), ("tasks, counter without a unit", 7.0)]
        .map(|(title, value)| (title.to_owned(), value));
    assert_eq!(shown("metric=tasks").await, [gauge.clone(), counter.clone()]);
    assert_eq!(shown("metric=tasks&unit=&kind=counter").await, [counter]);

    // The list of metrics leads to each of them.
    let list = stage.json("/api/v1/views/metric").await;
    let query = list["panels"][0]["rows"][0]["cells"][0]["query"].as_str().unwrap();
    assert_eq!(shown(query).await, [gauge]);
}

#[tokio::test]
async fn a_gauge_has_a_spread() {
    let stage = Stage::new().await;
    let points = ["2", "3", "7"].map(|value| {
        let key = json!({ "key": "room", "value": { "stringValue": value } });
        at_present(json!({ "asInt": value, "attributes": [key] }))
    });
    stage.export_metric(json!({ "name": "heat", "gauge": { "dataPoints": points } })).await;
    stage.export("counted", 1, &[]).await;
    let view = stage.json("/api/v1/views/metric?metric=heat&by=room").await;
    let spread = ["minimum", "median", "maximum"].map(|label| number(&view, label)["value"].as_f64());
    assert_eq!(spread, [Some(2.0), Some(3.0), Some(7.0)]);
    let query = number(&view, "median")["query"].as_str().unwrap();
    let answer = stage.json(&format!("/api/v1/query?{query}")).await;
    assert_eq!(answer["lines"][0]["values"].as_array().unwrap().last().unwrap(), 3.0);
    let counter = stage.json("/api/v1/views/metric?metric=counted").await;
    assert!(!counter.to_string().contains("median"), "{counter}");
}

#[tokio::test]
async fn processes_that_nothing_tells_apart_are_a_finding() {
    let stage = Stage::new().await;
    for start in ["2", "1"] {
        let mut point = at_present(json!({ "asInt": "5" }));
        point["startTimeUnixNano"] = start.into();
        let sum = json!({ "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [point] });
        stage.export_metric(json!({ "name": "counted", "sum": sum })).await;
    }
    let findings = stage.json("/api/v1/findings").await;
    assert_eq!((&findings[0]["rule"], &findings[0]["severity"]), (&"processes-are-mixed".into(), &"bad".into()));
    assert!(findings[0]["sentence"].as_str().unwrap().contains("report as policy_model,"), "{findings}");
}

#[tokio::test]
async fn a_heat_map_is_in_the_unit_of_its_metric() {
    let stage = Stage::new().await;
    let point = at_present(json!({ "count": "1", "sum": 7, "bucketCounts": ["1", "0"], "explicitBounds": [10] }));
    let histogram = json!({ "aggregationTemporality": 2, "dataPoints": [point] });
    stage.export_metric(json!({ "name": "wait", "unit": "ms", "histogram": histogram })).await;
    let view = stage.json("/api/v1/views/metric?metric=wait&select=buckets").await;
    assert_eq!((&view["panels"][0]["kind"], &view["panels"][0]["unit"]), (&"heat".into(), &"ms".into()));
}

#[tokio::test]
async fn what_makes_no_sense_is_refused() {
    let stage = Stage::new().await;
    for (path, status) in [
        ("/api/v1/query?metric=nobody.knows", 400),
        ("/api/v1/query?metric=a&select=most", 400),
        ("/api/v1/query?colour=red", 400),
        ("/api/v1/views/nothing", 404),
        ("/api/v1/views/fleet?since=never", 400),
        ("/api/v1/events/nothing", 404),
        ("/nothing", 404),
        ("/assets/..%2fCargo.toml", 404),
        ("/a/b/c", 404),
    ] {
        assert_eq!(stage.get(path).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn the_state_is_that_of_the_collector() {
    let stage = Stage::new().await;
    stage.export(RESPONSES, 7, &[]).await;
    let mut state = Vec::new();
    stage.collector.state().write_json(&mut state).unwrap();
    assert_eq!(stage.get("/api/v1/otlp").await.body.as_bytes(), state);
}

#[tokio::test]
async fn processes_and_metrics_are_listed() {
    let stage = Stage::new().await;
    stage.export(RESPONSES, 7, &[("http.response.status_code", "200")]).await;
    let processes = stage.json("/api/v1/processes").await;
    assert_eq!(processes[0]["name"], "policy_model");
    assert_eq!(processes[0]["resource"]["service.name"], "model");
    assert_eq!(processes[0]["reporting"], true);
    let metrics = stage.json("/api/v1/metrics").await;
    assert_eq!((&metrics[0]["name"], &metrics[0]["kind"]), (&RESPONSES.into(), &"counter".into()));
    assert_eq!(metrics[0]["attributes"][0], "http.response.status_code");
    assert_eq!(stage.json("/api/v1/findings").await, json!([]));

    let own = stage.get("/metrics").await;
    assert!(own.body.contains("\ngym_dashboard_series 1\n"), "{}", own.body);
    assert!(own.body.contains("\ngym_dashboard_processes{state=\"reporting\"} 1\n"), "{}", own.body);
    for line in ["requests_total 1", "refused_requests_total 0", "points_total{outcome=\"accepted\"} 1"] {
        assert!(own.body.contains(&format!("\ngym_dashboard_{line}\n")), "{line} is not in {}", own.body);
    }
    assert_eq!(stage.get("/healthz").await.body, "ok\n");
}

#[tokio::test]
async fn every_page_and_asset_is_there() {
    let stage = Stage::new().await;
    for path in ["/", "/fleet", "/driver", "/memory", "/startup", "/findings", "/metric"] {
        let page = stage.get(path).await;
        assert_eq!((page.status, page.header("content-type")), (200, Some("text/html; charset=utf-8")), "{path}");
        let assets = page.body.split('"').filter(|part| part.starts_with("/assets/"));
        for asset in assets.collect::<Vec<_>>() {
            assert_eq!(stage.get(asset).await.status, 200, "{asset}");
        }
        assert!(!page.body.contains("http://") && !page.body.contains("https://"), "{path}");
    }
}
