//! What a process says of itself, and what its children inherit.

use std::{collections::HashMap, env, process::Command};

use gym_telemetry_export::{Exporter, Telemetry};
use serde_json::Value;

use crate::{
    console::{Kept, console},
    support::{LONG, builder, settings},
};

/// The resource attributes of the first line in a text, ignoring what is no JSON.
fn attributes(text: &str) -> HashMap<String, String> {
    let line: Value = text.lines().find_map(|line| serde_json::from_str(line).ok()).expect("no line of JSON");
    let attributes = line["resourceMetrics"][0]["resource"]["attributes"].as_array().unwrap();
    let text = |value: &Value| value.as_object().unwrap().values().next().unwrap().as_str().unwrap().to_owned();
    attributes.iter().map(|one| (one["key"].as_str().unwrap().to_owned(), text(&one["value"]))).collect()
}

fn export(telemetry: &Telemetry) {
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    telemetry.shutdown(LONG).unwrap();
}

/// What a server with these variables says of itself.
fn server(variables: &[(&str, &str)]) -> HashMap<String, String> {
    let kept = Kept::default();
    let builder = builder(settings(Exporter::Console), variables).server("math", "resources_servers");
    export(&builder.console(kept.clone()).start().unwrap());
    attributes(&kept.text())
}

#[test]
fn a_server_describes_itself() {
    let said = server(&[("NEMO_GYM_OTEL_RUN_ID", "r1")]);
    for (key, value) in [
        ("service.name", "nemo-gym/math"),
        ("nemo.gym.service_group", "nemo-gym"),
        ("nemo.gym.server.name", "math"),
        ("nemo.gym.server.type", "resources_servers"),
        ("nemo.gym.version", env!("CARGO_PKG_VERSION")),
        ("nemo.run.id", "r1"),
        ("process.pid", &std::process::id().to_string()),
        ("telemetry.sdk.language", "rust"),
    ] {
        assert_eq!(said.get(key).map(String::as_str), Some(value), "{key}");
    }
    assert!(!said["host.name"].is_empty() && !said["service.instance.id"].is_empty());
}

#[test]
fn the_service_name_is_suffixed_for_a_server_unless_that_is_off() {
    let name = |variables: &[(&str, &str)]| {
        let said = server(variables);
        (said["service.name"].clone(), said["nemo.gym.service_group"].clone())
    };
    let own = ("OTEL_SERVICE_NAME", "fleet");
    let both = |name: &str, group: &str| (name.to_owned(), group.to_owned());
    assert_eq!(name(&[own]), both("fleet/math", "fleet"));
    assert_eq!(name(&[own, ("NEMO_GYM_OTEL_SERVICE_NAME_PER_SERVER", "no")]), both("fleet", "fleet"));
    assert_eq!(name(&[("OTEL_RESOURCE_ATTRIBUTES", "service.name=given")]), both("given/math", "given"));

    let (telemetry, kept) = console(&[]);
    export(&telemetry);
    let said = attributes(&kept.text());
    assert_eq!(said["service.name"], "nemo-gym");
    assert!(!said.contains_key("nemo.gym.server.name") && !said.contains_key("nemo.gym.server.type"));
}

#[test]
fn x9_an_instance_is_stable_in_a_process_and_the_environment_wins() {
    let own = server(&[])["service.instance.id"].clone();
    assert_eq!(server(&[])["service.instance.id"], own);
    let said = server(&[("OTEL_RESOURCE_ATTRIBUTES", "service.instance.id=mine,team=a%20b,host.name=h")]);
    assert_eq!(
        (said["service.instance.id"].as_str(), said["team"].as_str(), said["host.name"].as_str()),
        ("mine", "a b", "h")
    );
}

#[test]
fn x9_processes_differ_and_a_child_inherits_the_settings_and_the_run() {
    let mut block = settings(Exporter::Console);
    block.service_name = "fleet".to_owned();
    let kept = Kept::default();
    let parent = builder(block, &[]).console(kept.clone()).start().unwrap();
    let child = || {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "identity::a_child_exports_as_its_environment_says", "--nocapture"]);
        let output = command.envs(parent.child_env()).output().unwrap();
        attributes(&String::from_utf8(output.stdout).unwrap())
    };
    let children = [child(), child()];
    export(&parent);
    let parent = attributes(&kept.text());
    for child in &children {
        assert_eq!((child["service.name"].as_str(), &child["nemo.run.id"]), ("fleet/child", &parent["nemo.run.id"]));
    }
    let mut instances = [&children[0], &children[1], &parent].map(|said| &said["service.instance.id"]).to_vec();
    instances.sort();
    instances.dedup();
    assert_eq!(instances.len(), 3);
}

/// By itself it finds telemetry off; the test above runs it as a process of its own, with its parent's settings.
#[test]
fn a_child_exports_as_its_environment_says() {
    let telemetry = Telemetry::builder(gym_telemetry_export::Settings::default()).server("child", "tests").start();
    export(&telemetry.unwrap());
}

#[test]
fn a_run_without_an_id_gets_one_that_is_handed_on() {
    let (telemetry, _kept) = console(&[]);
    let id = telemetry.settings().run_id.clone().unwrap();
    let handed_on: HashMap<_, _> = telemetry.child_env().collect();
    assert_eq!(handed_on["NEMO_GYM_OTEL_RUN_ID"], id);
    assert_ne!(console(&[]).0.settings().run_id, Some(id));
}
