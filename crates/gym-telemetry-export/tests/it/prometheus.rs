//! Prometheus' text over every instrument of the contract, and the service that answers scrapes.

use std::{
    env, fs,
    io::Write,
    process::{Command, Stdio},
};

use axum::{Router, body::Body};
use gym_telemetry_conventions::metrics;
use gym_telemetry_export::{Exporter, Telemetry};
use http::{Method, Request, Response, StatusCode};
use opentelemetry::KeyValue;
use tower::ServiceExt;

use crate::support::{LONG, Logs, builder, missing, record_all, settings};

/// Telemetry that waits to be scraped.
fn scraped(variables: &[(&str, &str)]) -> Telemetry {
    builder(settings(Exporter::Prometheus), variables).server("math", "resources_servers").start().unwrap()
}

/// A request to the service as it is mounted.
fn ask(telemetry: &Telemetry, method: Method) -> (Response<()>, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let routes = Router::<()>::new().route_service("/metrics", telemetry.prometheus().unwrap());
        let request = Request::builder().method(method).uri("/metrics").body(Body::empty()).unwrap();
        let (head, body) = routes.oneshot(request).await.unwrap().into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        (Response::from_parts(head, ()), String::from_utf8(body.to_vec()).unwrap())
    })
}

fn text(telemetry: &Telemetry) -> String {
    ask(telemetry, Method::GET).1
}

/// The text without what differs from process to process, and without the descriptions.
fn comparable(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.contains("target_info") && !line.starts_with("# HELP"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn x10_all_instruments_have_the_names_that_a_collector_gives_them() {
    let telemetry = scraped(&[]);
    record_all(&telemetry);
    let text = text(&telemetry);
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/prometheus.golden.txt");
    if env::var_os("GYM_TELEMETRY_BLESS").is_some() {
        fs::write(golden, comparable(&text)).unwrap();
    }
    assert_eq!(comparable(&text), fs::read_to_string(golden).unwrap(), "GYM_TELEMETRY_BLESS=1 accepts the new text");

    for odd in ["_total_total", "_bytes_bytes", "{request}", "_request ", "otel_scope", "__"] {
        assert!(!text.lines().filter(|line| !line.starts_with('#')).any(|line| line.contains(odd)), "{odd}");
    }
    assert_eq!(text.matches("# TYPE").count(), metrics::ALL.len() + 1, "each metric once, and target_info");
    for instrument in metrics::ALL {
        assert!(text.contains(&instrument.description.replace('\\', r"\\")), "{} has no description", instrument.name);
    }
    let target = text.lines().find(|line| line.starts_with("target_info{")).unwrap();
    for label in
        ["service_name=\"nemo-gym/math\"", "nemo_gym_server_type=\"resources_servers\"", "service_instance_id="]
    {
        assert!(target.contains(label), "{target}");
    }
}

#[test]
fn x10_promtool_can_read_the_text() {
    let Ok(mut promtool) = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
    else {
        return missing("promtool");
    };
    let telemetry = scraped(&[]);
    record_all(&telemetry);
    promtool.stdin.take().unwrap().write_all(text(&telemetry).as_bytes()).unwrap();
    let output = promtool.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    // 3 stands for advice; what cannot be read is 1. Names and units are the contract's, so advice on them is no fault.
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
    let taste = ["abbreviated units", "use base unit", "\"_count\" suffix"];
    let faults: Vec<_> = said.lines().filter(|line| !taste.iter().any(|taste| line.contains(taste))).collect();
    assert_eq!(faults, Vec::<&str>::new());
}

#[test]
fn get_and_head_are_answered_and_nothing_else() {
    let telemetry = scraped(&[]);
    telemetry.meter("test").u64_counter("counted").build().add(3, &[]);
    let (got, body) = ask(&telemetry, Method::GET);
    assert_eq!(got.status(), StatusCode::OK);
    assert_eq!(got.headers()["content-type"], "text/plain; version=0.0.4");
    assert!(body.contains("counted_total 3\n"), "{body}");
    assert_eq!(got.headers()["content-length"], body.len().to_string());

    let (head, nothing) = ask(&telemetry, Method::HEAD);
    assert_eq!((head.status(), head.headers(), nothing.as_str()), (got.status(), got.headers(), ""));

    let (refused, _) = ask(&telemetry, Method::POST);
    assert_eq!(refused.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(refused.headers()["allow"], "GET, HEAD");

    telemetry.flush(LONG).unwrap();
    telemetry.shutdown(LONG).unwrap();
    assert_eq!(ask(&telemetry, Method::GET).0.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[test]
fn scope_labels_are_a_setting() {
    let telemetry = scraped(&[("NEMO_GYM_OTEL_PROMETHEUS_SCOPE_LABELS", "on")]);
    telemetry.meter("a.crate").u64_counter("counted").build().add(3, &[]);
    let text = text(&telemetry);
    assert!(text.contains("counted_total{otel_scope_name=\"a.crate\"} 3"), "{text}");
}

#[test]
fn x10_one_name_with_two_descriptions_is_one_metric() {
    let telemetry = scraped(&[]);
    let meter = |name| telemetry.meter(name);
    for (scope, description, side) in [("one", "First", "a"), ("two", "Second", "b")] {
        let counter = meter(scope).u64_counter("counted").with_description(description).build();
        counter.add(1, &[KeyValue::new("side", side)]);
    }
    let text = text(&telemetry);
    assert_eq!((text.matches("# HELP counted_total").count(), text.matches("# TYPE counted_total").count()), (1, 1));
    assert_eq!(text.lines().filter(|line| line.starts_with("counted_total{")).count(), 2, "{text}");
}

#[test]
fn x10_one_series_from_two_scopes_does_not_spoil_the_text() {
    let logs = Logs::keep();
    let telemetry = scraped(&[]);
    for (scope, side) in [("one", "a"), ("one", "b"), ("two", "a")] {
        let counter = telemetry.meter(scope).u64_counter("x10.twice").build();
        counter.add(1, &[KeyValue::new("side", side)]);
    }
    for _ in 0..2 {
        let text = text(&telemetry);
        assert_eq!(text.matches("x10_twice_total{side=").count(), 2, "{text}");
    }
    assert_eq!(logs.with("x10_twice_total").len(), 1);
}

#[test]
fn x3_going_over_the_limit_is_said_once_on_scrapes_too() {
    let logs = Logs::keep();
    let telemetry = scraped(&[("NEMO_GYM_OTEL_CARDINALITY_LIMIT", "2")]);
    let counter = telemetry.meter("test").u64_counter("x3.scraped").build();
    (0..3).for_each(|route| counter.add(1, &[KeyValue::new("route", route)]));
    for _ in 0..2 {
        assert!(text(&telemetry).contains("otel_metric_overflow=\"true\""));
    }
    assert_eq!(logs.with("x3_scraped_total").len(), 1);
}

#[test]
fn only_the_prometheus_exporter_is_scraped() {
    assert!(builder(settings(Exporter::Console), &[]).start().unwrap().prometheus().is_none());
}
