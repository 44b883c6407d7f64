use std::{
    thread,
    time::{Duration, Instant},
};

use opentelemetry::{
    Context,
    trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TracerProvider as _},
};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};

use super::*;
use crate::testing::Reader;

const METRIC: &str = "gym.server.startup_stage_duration_ms";

fn attributes<'a>(stage: &'a str, worker: &'a str) -> [(&'static str, &'a str); 4] {
    [
        ("nemo.gym.server.name", "policy"),
        ("nemo.gym.server.type", "responses_api_models"),
        ("nemo.gym.startup.stage", stage),
        ("nemo.gym.server.worker", worker),
    ]
}

#[test]
fn stages_add_up_to_the_time_to_ready() {
    let reader = Reader::new();
    let began = Instant::now();
    let mut startup = StartupTimeline::begin();
    // Longer than what the test itself takes, so that a stage that counts twice does not go unseen.
    thread::sleep(Duration::from_millis(50));
    startup.mark("load_config");
    startup.mark("bind");
    assert_eq!(startup.stages().len(), 3);
    let before_main = startup.stages()[0].1;
    let ready = startup.report(&reader.meter(), "policy", "responses_api_models");
    assert!(ready <= before_main + began.elapsed());
    let seen = reader.collect();
    let stage = |stage| seen.histogram(METRIC, &attributes(stage, "false")).unwrap().1;
    let sum = stage("process_start") + stage("load_config") + stage("bind") + stage("accept");
    assert!((sum - ready.as_secs_f64() * 1e3).abs() < 1e-6);
}

#[test]
fn a_worker_says_that_it_is_one() {
    let reader = Reader::new();
    StartupTimeline::begin_worker().report(&reader.meter(), "policy", "responses_api_models");
    let seen = reader.collect();
    assert_eq!(seen.histogram(METRIC, &attributes("worker_start", "true")).map(|seen| seen.0), Some(1));
}

#[test]
fn spans_of_the_stages_fill_the_span_of_the_start_up() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
    let (trace, supervisor) = (TraceId::from(7_u128), SpanId::from(8_u64));
    let parent = SpanContext::new(trace, supervisor, TraceFlags::SAMPLED, true, Default::default());
    let parent = Context::new().with_remote_span_context(parent);

    let mut startup = StartupTimeline::begin();
    startup.mark("load_config");
    let startup = startup.finish("policy", "responses_api_models");
    startup.trace(&provider.tracer("test"), &parent);

    let spans = exporter.get_finished_spans().unwrap();
    let [stages @ .., whole] = &*spans else { panic!("no spans") };
    assert!(spans.iter().all(|span| span.span_context.trace_id() == trace));
    assert_eq!((&*whole.name, whole.parent_span_id), ("gym.server.startup", supervisor));
    let names: Vec<_> = stages.iter().map(|span| span.name.rsplit_once('.').unwrap()).collect();
    assert_eq!(names, ["process_start", "load_config", "accept"].map(|stage| ("gym.server.startup", stage)));
    assert!(stages.iter().all(|span| span.parent_span_id == whole.span_context.span_id()));
    assert_eq!(stages[0].start_time, whole.start_time);
    assert!(stages.windows(2).all(|two| two[0].end_time == two[1].start_time));
    assert_eq!(stages[2].end_time, whole.end_time);
    assert_eq!(whole.end_time.duration_since(whole.start_time).unwrap(), startup.took());
}
