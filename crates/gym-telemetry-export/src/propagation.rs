//! How a span of one process becomes the parent of a span of another: W3C trace context in the environment.

use std::collections::HashMap;

use opentelemetry::{Context, propagation::TextMapPropagator};
use opentelemetry_sdk::propagation::TraceContextPropagator;

/// The context in which this process was started, as its environment says.
pub(crate) fn inherited(lookup: &dyn Fn(&str) -> Option<String>) -> Context {
    let propagator = TraceContextPropagator::new();
    let fields = propagator.fields().map(ToOwned::to_owned);
    let carrier: HashMap<_, _> = fields.filter_map(|field| Some((field.clone(), lookup(&variable(&field))?))).collect();
    propagator.extract_with_context(&Context::new(), &carrier)
}

/// The variables that hand this context on to a child process: `TRACEPARENT`, and `TRACESTATE` where there is one.
///
/// A context without a span hands on nothing.
pub fn context_env(context: &Context) -> impl Iterator<Item = (String, String)> + use<> {
    let mut carrier = HashMap::new();
    TraceContextPropagator::new().inject_context(context, &mut carrier);
    let said = carrier.into_iter().filter(|(_, value)| !value.is_empty());
    said.map(|(field, value)| (variable(&field), value))
}

/// The environment's way to write a header.
fn variable(field: &str) -> String {
    field.to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId};

    use super::*;

    #[test]
    fn a_context_survives_the_environment() {
        let span = SpanContext::new(
            TraceId::from(1_u128 << 100),
            SpanId::from(5_u64),
            TraceFlags::SAMPLED,
            false,
            Default::default(),
        );
        let context = Context::new().with_remote_span_context(span);
        let variables: HashMap<_, _> = context_env(&context).collect();
        let traceparent = "00-00000010000000000000000000000000-0000000000000005-01";
        assert_eq!(variables, HashMap::from([("TRACEPARENT".to_owned(), traceparent.to_owned())]));

        let inherited = inherited(&|name| variables.get(name).cloned());
        let (span, of) = (inherited.span(), context.span());
        assert_eq!(span.span_context().span_id(), of.span_context().span_id());
        assert_eq!(span.span_context().trace_id(), of.span_context().trace_id());
        assert!(span.span_context().is_sampled() && span.span_context().is_remote());
    }

    #[test]
    fn nothing_and_nonsense_are_no_context() {
        assert_eq!(context_env(&Context::new()).count(), 0);
        for traceparent in [None, Some(""), Some("here"), Some("00-0-0-01")] {
            let inherited = inherited(&|_| traceparent.map(ToOwned::to_owned));
            assert!(!inherited.span().span_context().is_valid(), "{traceparent:?}");
        }
    }
}
