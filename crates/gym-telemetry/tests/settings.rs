//! What is asked for before telemetry starts is what its recorders do.
#![cfg(test)]

use gym_telemetry::{Completed, Failure, RolloutSettings, Settings, Telemetry};
use opentelemetry_sdk::metrics::{InMemoryMetricExporter, PeriodicReader, SdkMeterProvider};

#[test]
fn kinds_of_failures_are_registered() {
    let exporter = InMemoryMetricExporter::default();
    let provider = SdkMeterProvider::builder().with_reader(PeriodicReader::builder(exporter.clone()).build()).build();
    let mut settings = Settings::default();
    settings.enabled = true;
    let telemetry = Telemetry::builder(settings)
        .meter_provider(provider.clone())
        .rollouts(RolloutSettings::default().failure_kinds(["out_of_memory"]))
        .start()
        .unwrap();
    for kind in ["out_of_memory", "out of luck"] {
        telemetry.rollouts().completed(Completed::failed("math", Failure::new("agent_request_failed").kind(kind)));
    }
    provider.force_flush().unwrap();
    let exported = format!("{:?}", exporter.get_finished_metrics().unwrap());
    assert!(["\"out_of_memory\"", "\"unregistered\""].iter().all(|kind| exported.contains(kind)), "{exported}");
    assert!(!exported.contains("out of luck"), "{exported}");
}
