//! Runs whose metrics go to a collector of the tests' own.

use std::fs;

use gym_telemetry::conventions::resource;
use gym_telemetry_collector::Collector;

use crate::support::{Books, CALCULATIONS, Fleet, Folder, RUNTIME, TASKS, collector, tasks};

/// What a collector holds when a fleet has exported there.
fn settled(folder: &Folder, collector: Collector) -> Books {
    let books = Books::with(folder, RUNTIME.block_on(collector.shutdown()));
    books.settle_flawless(TASKS, CALCULATIONS);
    books
}

#[test]
fn every_process_exports_to_the_collector_that_is_given() {
    let (folder, collector) = (Folder::new(&tasks()), collector());
    Fleet::on(&folder).option("--otlp-endpoint", collector.grpc_endpoint()).run().assert_success();
    settled(&folder, collector);
}

#[test]
fn the_environment_chooses_collector_and_protocol() {
    let (folder, collector) = (Folder::new(&tasks()), collector());
    let fleet = Fleet::on(&folder).env("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.http_endpoint());
    fleet.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf").run().assert_success();
    settled(&folder, collector);
}

#[test]
fn a_configuration_says_who_reports_and_where_to() {
    let (folder, collector) = (Folder::new(&tasks()), collector());
    let config = folder.path().join("config.yaml");
    let block = [
        "enabled: true",
        "otlp_protocol: http/protobuf",
        &format!("otlp_endpoint: '{}'", collector.http_endpoint()),
        "service_name: evening",
        "service_name_per_server: false",
        "run_id: run-7",
    ];
    fs::write(&config, format!("telemetry:\n  {}\n", block.join("\n  "))).unwrap();
    Fleet::on(&folder).option("--config", &config).run().assert_success();
    let books = settled(&folder, collector);
    for process in books.state.resources() {
        let text = |key| process.attributes().str(key);
        assert_eq!(text(resource::SERVICE_NAME), Some("evening"));
        assert_eq!(text(resource::RUN_ID), Some("run-7"));
    }
}

#[test]
fn the_built_in_collector_is_spoken_to_in_any_protocol() {
    let folder = Folder::new(&tasks());
    let fleet = Fleet::on(&folder).option("--metrics-json", folder.metrics());
    fleet.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf").run().assert_success();
    Books::of(&folder).settle_flawless(TASKS, CALCULATIONS);
}

#[test]
fn whoever_starts_a_fleet_does_not_decide_how_it_exports() {
    for (name, value) in [
        ("NEMO_GYM_OTEL_EXPORTER", "console"),
        ("NEMO_LENS_EXPORTER", "prometheus"),
        ("NEMO_GYM_OTEL_ENABLED", "0"),
        ("NEMO_LENS_ENABLED", "0"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", " "),
    ] {
        let folder = Folder::new(&tasks());
        let ended = Fleet::on(&folder).option("--metrics-json", folder.metrics()).env(name, value).run();
        ended.assert_success();
        assert!(!ended.stderr.contains("no report"), "{name}: {}", ended.stderr);
        Books::of(&folder).settle_flawless(TASKS, CALCULATIONS);
    }
    let folder = Folder::new(&tasks());
    let config = folder.path().join("config.yaml");
    fs::write(&config, "telemetry: {enabled: false}\n").unwrap();
    Fleet::on(&folder).option("--config", &config).env("NEMO_GYM_OTEL_ENABLED", "1").run().assert_success();
}

#[test]
fn a_collector_that_is_not_there_is_told_and_loses_no_rollout() {
    let folder = Folder::new(&tasks());
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ended = Fleet::on(&folder).option("--otlp-endpoint", format!("http://{nobody}")).run();
    ended.assert_refused("the last export failed");
    assert_eq!(crate::support::rows(&folder.output()).len(), TASKS);
}
