use std::collections::HashMap;

use super::*;

/// An environment of these variables and no others.
fn environment<'a>(variables: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
    |name| variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
}

/// Settings that are on, resolved with these variables.
fn resolve(variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings { enabled: true, ..Settings::default() }.resolve(environment(variables))
}

fn block(yaml: &str) -> Result<Settings, serde_yaml_ng::Error> {
    serde_yaml_ng::from_str(yaml)
}

#[test]
fn defaults_are_those_of_the_contract() {
    let settings = block("{}").unwrap();
    assert_eq!(settings, Settings::default());
    assert!(!settings.enabled && settings.metrics_enabled && settings.traces_enabled);
    assert_eq!((settings.service_name.as_str(), settings.service_name_per_server), ("nemo-gym", true));
    assert_eq!((settings.exporter, settings.otlp_protocol), (Exporter::Otlp, Protocol::Grpc));
    assert_eq!((settings.otlp_endpoint, settings.otlp_headers.is_empty()), (None, true));
    assert_eq!(settings.memory_profiling, MemoryProfiling { enabled: false, interval_seconds: 1.0 });
    assert_eq!((settings.event_loop_task_count, settings.run_id, settings.export_interval_ms), (false, None, 10_000));
}

#[test]
fn a_block_sets_every_field() {
    let settings = block(
        "{enabled: true, metrics_enabled: false, traces_enabled: false, service_name: fleet,
          service_name_per_server: false, exporter: prometheus, otlp_endpoint: 'http://there:1',
          otlp_protocol: http/protobuf, otlp_headers: 'api-key=a%2Cb', run_id: r1, export_interval_ms: 500,
          memory_profiling: {enabled: true, interval_seconds: 2.5}, event_loop_task_count: true,
          cardinality_limit: 7, prometheus_scope_labels: true}",
    );
    let settings = settings.unwrap();
    let expected = Settings {
        enabled: true,
        metrics_enabled: false,
        traces_enabled: false,
        service_name: "fleet".to_owned(),
        service_name_per_server: false,
        exporter: Exporter::Prometheus,
        otlp_endpoint: Some("http://there:1".to_owned()),
        otlp_protocol: Protocol::HttpProtobuf,
        otlp_headers: Headers::parse("api-key=a%2Cb").unwrap(),
        memory_profiling: MemoryProfiling { enabled: true, interval_seconds: 2.5 },
        event_loop_task_count: true,
        run_id: Some("r1".to_owned()),
        export_interval_ms: 500,
        cardinality_limit: 7,
        prometheus_scope_labels: true,
    };
    assert_eq!(settings, expected);
    assert_eq!(block(&serde_yaml_ng::to_string(&settings).unwrap()).unwrap(), expected);
}

#[test]
fn a_block_with_an_unknown_field_or_word_is_refused() {
    for (yaml, named) in [
        ("{enabeld: true}", "enabeld"),
        ("{memory_profiling: {interval: 1}}", "interval"),
        ("{exporter: jaeger}", "jaeger"),
        ("{otlp_headers: 'no value'}", "otlp_headers"),
    ] {
        let error = block(yaml).unwrap_err().to_string();
        assert!(error.contains(named), "{yaml}: {error}");
    }
}

#[test]
fn the_first_variable_wins_over_the_second_and_both_over_the_block() {
    let from = |variables: &[(&str, &str)]| {
        let block = Settings { run_id: Some("block".to_owned()), enabled: true, ..Settings::default() };
        block.resolve(environment(variables)).unwrap().run_id
    };
    assert_eq!(from(&[]).as_deref(), Some("block"));
    assert_eq!(from(&[("NEMO_LENS_RUN_ID", "lens")]).as_deref(), Some("lens"));
    assert_eq!(from(&[("NEMO_LENS_RUN_ID", "lens"), ("NEMO_GYM_OTEL_RUN_ID", "gym")]).as_deref(), Some("gym"));
    assert_eq!(from(&[("NEMO_LENS_RUN_ID", "lens"), ("NEMO_GYM_OTEL_RUN_ID", " ")]).as_deref(), Some("lens"));
}

#[test]
fn a_blank_text_is_an_unset_one() {
    let settings = block("{enabled: true, run_id: '', otlp_endpoint: ' '}").unwrap().resolve(|_| None).unwrap();
    assert_eq!((settings.run_id, settings.otlp_endpoint), (None, None));
}

#[test]
fn every_fallback_variable_is_read() {
    let settings = Settings::default().resolve(environment(&[
        ("NEMO_LENS_ENABLED", "on"),
        ("NEMO_LENS_METRICS_ENABLED", "no"),
        ("NEMO_LENS_TRACES_ENABLED", "0"),
        ("NEMO_LENS_EXPORTER", "Console"),
    ]));
    let settings = settings.unwrap();
    assert!(settings.enabled && !settings.metrics_enabled && !settings.traces_enabled);
    assert_eq!(settings.exporter, Exporter::Console);
}

#[test]
fn booleans_are_read_in_any_case() {
    for (word, on) in [("1", true), ("TRUE", true), ("Yes", true), ("oN", true), (" true ", true)].into_iter().chain([
        ("0", false),
        ("False", false),
        ("NO", false),
        ("off", false),
    ]) {
        let settings = resolve(&[("NEMO_GYM_OTEL_EVENT_LOOP_TASK_COUNT", word)]).unwrap();
        assert_eq!(settings.event_loop_task_count, on, "{word}");
    }
}

#[test]
fn a_bad_value_names_its_variable_and_what_is_accepted() {
    for (name, value, accepted) in [
        ("NEMO_GYM_OTEL_ENABLED", "maybe", "`true`"),
        ("NEMO_GYM_OTEL_METRICS_ENABLED", "2", "`off`"),
        ("NEMO_LENS_TRACES_ENABLED", "ja", "`yes`"),
        ("OTEL_SDK_DISABLED", "perhaps", "`true`"),
        ("NEMO_GYM_OTEL_EXPORTER", "jaeger", "`otlp`, `console` or `prometheus`"),
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "`grpc` or `http/protobuf`"),
        ("NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS", "0", "above 0"),
        ("NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS", "nan", "above 0"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "0", "milliseconds"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "-5", "milliseconds"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "10s", "milliseconds"),
        ("NEMO_GYM_OTEL_CARDINALITY_LIMIT", "0", "10000000"),
        ("OTEL_RESOURCE_ATTRIBUTES", "novalue", "key=value"),
    ] {
        let error = resolve(&[(name, value)]).unwrap_err();
        assert_eq!(error.name(), name);
        let text = error.to_string();
        assert!(text.contains(name) && text.contains(value) && text.contains(accepted), "{text}");
    }
}

#[test]
fn a_bad_field_of_the_block_is_named() {
    for (yaml, name) in [
        ("{export_interval_ms: 0}", "export_interval_ms"),
        ("{memory_profiling: {interval_seconds: -1}}", "memory_profiling.interval_seconds"),
        ("{cardinality_limit: 0}", "cardinality_limit"),
        ("{service_name: ''}", "service_name"),
    ] {
        let error = block(yaml).unwrap().resolve(|_| None).unwrap_err();
        assert_eq!(error.name(), name);
    }
}

#[test]
fn headers_are_never_shown() {
    let error = resolve(&[("OTEL_EXPORTER_OTLP_HEADERS", "authorization Bearer s3cret")]).unwrap_err();
    assert!(!error.to_string().contains("s3cret"), "{error}");
    let settings = resolve(&[("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20s3cret")]).unwrap();
    assert!(!format!("{settings:?}").contains("s3cret"));
    assert!(format!("{settings:?}").contains("authorization"));
}

#[test]
fn off_means_that_nothing_else_is_looked_at() {
    for off in [("NEMO_GYM_OTEL_ENABLED", "0"), ("OTEL_SDK_DISABLED", "true")] {
        let settings = resolve(&[off, ("OTEL_EXPORTER_OTLP_PROTOCOL", "smoke signals")]).unwrap();
        assert!(!settings.enabled);
    }
}

#[test]
fn a_service_name_among_the_resource_attributes_is_the_shared_name() {
    let attributes = ("OTEL_RESOURCE_ATTRIBUTES", "service.name=from%20attributes,team=a");
    assert_eq!(resolve(&[attributes]).unwrap().service_name, "from attributes");
    assert_eq!(resolve(&[attributes, ("OTEL_SERVICE_NAME", "own")]).unwrap().service_name, "own");
}

#[test]
fn a_child_resolves_the_same_settings() {
    let parent = Settings {
        enabled: true,
        traces_enabled: false,
        service_name: "fleet".to_owned(),
        exporter: Exporter::Console,
        otlp_endpoint: Some("http://there:1".to_owned()),
        otlp_protocol: Protocol::HttpProtobuf,
        otlp_headers: Headers::parse("a=1,b=%2C").unwrap(),
        memory_profiling: MemoryProfiling { enabled: true, interval_seconds: 0.25 },
        run_id: Some("r1".to_owned()),
        export_interval_ms: 1,
        prometheus_scope_labels: true,
        ..Settings::default()
    };
    let variables: HashMap<_, _> = parent.child_env(|_| None).into_iter().collect();
    let child = Settings::default().resolve(|name| variables.get(name).cloned());
    assert_eq!(child.unwrap(), parent);
}

#[test]
fn a_variable_that_is_set_is_not_handed_on() {
    let set = [("NEMO_GYM_OTEL_RUN_ID", "mine"), ("OTEL_SERVICE_NAME", " ")];
    let settings = Settings { enabled: true, run_id: Some("theirs".to_owned()), ..Settings::default() };
    let variables: HashMap<_, _> = settings.child_env(environment(&set)).into_iter().collect();
    assert_eq!(variables.get("NEMO_GYM_OTEL_RUN_ID"), None);
    assert_eq!(variables.get("OTEL_SERVICE_NAME").map(String::as_str), Some("nemo-gym"));
    assert_eq!(variables.get("OTEL_EXPORTER_OTLP_ENDPOINT"), None, "an unset field has no variable");
}

#[test]
fn settings_that_are_off_hand_on_nothing() {
    assert_eq!(Settings::default().child_env(|_| None), []);
}
