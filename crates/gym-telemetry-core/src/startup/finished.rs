use std::time::{Duration, SystemTime};

use gym_telemetry_conventions::{attributes, metrics, spans};
use opentelemetry::{
    Context, KeyValue,
    metrics::Meter,
    trace::{Span as _, TraceContextExt as _, Tracer},
};

use crate::histogram::{Measure as _, Millis};

/// A start-up that has come to its end: stages that follow each other without a gap.
#[derive(Debug)]
#[must_use = "a start-up that is not reported was timed for nothing"]
pub struct Startup {
    began: SystemTime,
    stages: Vec<(&'static str, Duration)>,
    /// What every stage has in common.
    server: [KeyValue; 3],
}

impl Startup {
    pub(super) fn new(
        began: SystemTime,
        stages: Vec<(&'static str, Duration)>,
        [server_name, server_type]: [String; 2],
        worker: bool,
    ) -> Self {
        let server = [
            KeyValue::new(attributes::SERVER_NAME.key, server_name),
            KeyValue::new(attributes::SERVER_TYPE.key, server_type),
            KeyValue::new(attributes::SERVER_WORKER.key, worker),
        ];
        Self { began, stages, server }
    }

    /// The stages in order, the last one included.
    #[must_use]
    pub fn stages(&self) -> &[(&'static str, Duration)] {
        &self.stages
    }

    /// The sum of the stages: the time that the server took to be ready.
    #[must_use]
    pub fn took(&self) -> Duration {
        self.stages.iter().map(|(_, took)| *took).sum()
    }

    /// Records every stage through `meter`: `gym.server.startup_stage_duration_ms`.
    pub fn record(&self, meter: &Meter) {
        let histogram = Millis::build(meter, &metrics::SERVER_STARTUP_STAGE_DURATION_MS);
        for (stage, took) in &self.stages {
            histogram.record(took.as_secs_f64() * 1e3, &self.attributes(stage));
        }
    }

    /// Makes a span of the start-up, `gym.server.startup`, under `parent`, and one of each stage under that.
    pub fn trace<T: Tracer>(&self, tracer: &T, parent: &Context)
    where
        T::Span: Send + Sync + 'static,
    {
        let whole = tracer.span_builder(spans::SERVER_STARTUP).with_start_time(self.began);
        let whole = whole.with_attributes(self.server.clone()).start_with_context(tracer, parent);
        let context = parent.with_span(whole);
        let mut begin = self.began;
        for (stage, took) in &self.stages {
            let end = begin + *took;
            let name = format!("{}.{stage}", spans::SERVER_STARTUP);
            let span = tracer.span_builder(name).with_start_time(begin).with_attributes(self.attributes(stage));
            span.start_with_context(tracer, &context).end_with_timestamp(end);
            begin = end;
        }
        context.span().end_with_timestamp(begin);
    }

    fn attributes(&self, stage: &'static str) -> [KeyValue; 4] {
        let [name, server_type, worker] = self.server.clone();
        [name, server_type, worker, KeyValue::new(attributes::STARTUP_STAGE.key, stage)]
    }
}
