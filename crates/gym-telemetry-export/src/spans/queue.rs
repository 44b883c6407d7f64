use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use opentelemetry::Context;
use opentelemetry_sdk::{
    error::OTelSdkResult,
    trace::{Span, SpanData, SpanProcessor},
};

/// How many spans may wait. What ends beyond is lost, and the log says so.
const MOST: usize = 2_048;

/// Spans that have ended and wait to be sent.
#[derive(Debug, Clone, Default)]
pub(super) struct SpanQueue(Arc<Mutex<Waiting>>);

#[derive(Debug, Default)]
struct Waiting {
    spans: Vec<SpanData>,
    /// Whether spans were lost since the last that were taken.
    full: bool,
}

impl SpanQueue {
    /// Takes all of them.
    pub(super) fn take(&self) -> Vec<SpanData> {
        mem::take(&mut *self.lock()).spans
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SpanProcessor for SpanQueue {
    fn on_start(&self, _: &mut Span, _: &Context) {}

    fn on_end(&self, span: SpanData) {
        if !span.span_context.is_sampled() {
            return;
        }
        let mut waiting = self.lock();
        if waiting.spans.len() < MOST {
            waiting.spans.push(span);
        } else if !mem::replace(&mut waiting.full, true) {
            tracing::warn!(most = MOST, "spans end faster than they are exported; some are lost");
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        Ok(())
    }

    fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{Tracer as _, TracerProvider as _};
    use opentelemetry_sdk::trace::SdkTracerProvider;

    use super::*;

    #[test]
    fn only_so_many_spans_wait() {
        let queue = SpanQueue::default();
        let provider = SdkTracerProvider::builder().with_span_processor(queue.clone()).build();
        let tracer = provider.tracer("test");
        (0..MOST + 5).for_each(|_| drop(tracer.start("work")));
        assert_eq!(queue.take().len(), MOST);
        drop(tracer.start("work"));
        assert_eq!(queue.take().len(), 1);
    }
}
