use std::{
    cmp::Reverse,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, extract::State, http::Uri};
use opentelemetry_proto::tonic::{
    collector::trace::v1::ExportTraceServiceRequest,
    common::v1::{KeyValue, any_value::Value},
    trace::v1::Span,
};
use prost::Message as _;
use tokio::net::TcpListener;

use super::RUNTIME;

/// Keeps the spans that are sent to it over HTTP.
#[derive(Debug, Clone, Default)]
pub(crate) struct Spans(Arc<Mutex<Vec<Sent>>>);

/// A span, and the name of the server whose process it is from.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) server: String,
    pub(crate) span: Span,
}

impl Spans {
    /// Starts to listen, and says where spans are taken.
    pub(crate) fn listen(&self) -> String {
        let routes = Router::new().fallback(keep).with_state(self.clone());
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}/v1/traces", listener.local_addr().unwrap());
        RUNTIME.spawn(async { axum::serve(listener, routes).await });
        url
    }

    /// All that there are, in the order of their beginnings; of two that begin together, the longer one first.
    pub(crate) fn all(&self) -> Vec<Sent> {
        let mut all = self.0.lock().unwrap().clone();
        all.sort_by_key(|sent| (sent.times().0, Reverse(sent.times().1)));
        all
    }
}

impl Sent {
    /// An attribute that is a text.
    pub(crate) fn attribute(&self, key: &str) -> Option<&str> {
        text(&self.span.attributes, key)
    }

    /// When it began and ended, in nanoseconds.
    pub(crate) fn times(&self) -> (u64, u64) {
        (self.span.start_time_unix_nano, self.span.end_time_unix_nano)
    }
}

async fn keep(State(Spans(spans)): State<Spans>, uri: Uri, body: Bytes) {
    assert_eq!(uri.path(), "/v1/traces");
    for from in ExportTraceServiceRequest::decode(body).unwrap().resource_spans {
        let process = from.resource.unwrap_or_default();
        let server = text(&process.attributes, "nemo.gym.server.name").unwrap_or_default().to_owned();
        let sent = from.scope_spans.into_iter().flat_map(|scope| scope.spans);
        spans.lock().unwrap().extend(sent.map(|span| Sent { server: server.clone(), span }));
    }
}

fn text<'a>(attributes: &'a [KeyValue], key: &str) -> Option<&'a str> {
    match attributes.iter().find(|attribute| attribute.key == key)?.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text),
        _ => None,
    }
}
