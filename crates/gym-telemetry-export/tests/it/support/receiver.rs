use std::{
    io::Read,
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, Uri},
};
use flate2::read::GzDecoder;
use gym_telemetry_export::Protocol;
use opentelemetry_proto::tonic::{
    collector::metrics::v1::{
        ExportMetricsPartialSuccess, ExportMetricsServiceRequest, ExportMetricsServiceResponse,
        metrics_service_server::{MetricsService, MetricsServiceServer},
    },
    common::v1::{KeyValue, any_value::Value},
    metrics::v1::{metric::Data, number_data_point::Value as Number},
};
use prost::Message;
use tokio::{net::TcpListener, runtime};
use tonic::transport::{Server, server::TcpIncoming};

use super::LONG;

/// How a receiver is spoken to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    Grpc,
    Http,
}

impl Form {
    pub(crate) const ALL: [Self; 2] = [Self::Grpc, Self::Http];

    pub(crate) fn protocol(self) -> Protocol {
        match self {
            Self::Grpc => Protocol::Grpc,
            Self::Http => Protocol::HttpProtobuf,
        }
    }
}

/// One request as it arrived.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    pub(crate) path: String,
    /// The body of a request over HTTP, uncompressed.
    pub(crate) body: Bytes,
    pub(crate) headers: HeaderMap,
    pub(crate) request: ExportMetricsServiceRequest,
}

/// A collector on a thread and a runtime of its own, which keeps what it gets.
pub(crate) struct Receiver {
    pub(crate) form: Form,
    pub(crate) url: String,
    kept: Arc<Kept>,
}

#[derive(Default)]
struct Kept {
    arrivals: Mutex<Vec<Arrival>>,
    arrived: Condvar,
    ignore_next: AtomicBool,
}

impl Kept {
    fn keep(&self, arrival: Arrival) {
        self.arrivals.lock().unwrap().push(arrival);
        self.arrived.notify_all();
    }
}

impl Receiver {
    pub(crate) fn start(form: Form) -> Self {
        let kept = Arc::new(Kept::default());
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::clone(&kept);
        thread::spawn(move || {
            runtime.block_on(async move {
                match form {
                    Form::Grpc => {
                        let service = MetricsServiceServer::new(Grpc(state));
                        let incoming = TcpIncoming::from(listener);
                        Server::builder().add_service(service).serve_with_incoming(incoming).await.unwrap();
                    }
                    Form::Http => {
                        let routes = Router::new().fallback(http).with_state(state);
                        axum::serve(listener, routes).await.unwrap();
                    }
                }
            });
        });
        Self { form, url, kept }
    }

    /// Never answers the next request over HTTP, nor keeps it.
    pub(crate) fn ignore_next(&self) {
        self.kept.ignore_next.store(true, Relaxed);
    }

    /// Whether that request has come.
    pub(crate) fn ignored(&self) -> bool {
        !self.kept.ignore_next.load(Relaxed)
    }

    pub(crate) fn arrivals(&self) -> Vec<Arrival> {
        self.kept.arrivals.lock().unwrap().clone()
    }

    /// Waits until at least this many requests have arrived.
    pub(crate) fn wait_for(&self, count: usize) {
        let arrivals = self.kept.arrivals.lock().unwrap();
        let (arrivals, _) = self.kept.arrived.wait_timeout_while(arrivals, LONG, |all| all.len() < count).unwrap();
        assert!(arrivals.len() >= count, "{} of {count} exports arrived", arrivals.len());
    }

    /// The value of an attribute-less sum in the latest request that has it.
    pub(crate) fn latest(&self, metric: &str) -> Option<i64> {
        self.arrivals().iter().rev().find_map(|arrival| sum(&arrival.request, metric))
    }
}

struct Grpc(Arc<Kept>);

#[tonic::async_trait]
impl MetricsService for Grpc {
    async fn export(
        &self,
        request: tonic::Request<ExportMetricsServiceRequest>,
    ) -> Result<tonic::Response<ExportMetricsServiceResponse>, tonic::Status> {
        let headers = request.metadata().clone().into_headers();
        let request = request.into_inner();
        let response = answer(&request);
        self.0.keep(Arrival { path: String::new(), body: Bytes::new(), headers, request });
        Ok(tonic::Response::new(response))
    }
}

async fn http(State(kept): State<Arc<Kept>>, uri: Uri, headers: HeaderMap, body: Bytes) -> Vec<u8> {
    if kept.ignore_next.swap(false, Relaxed) {
        std::future::pending::<()>().await;
    }
    let body = if headers.contains_key("content-encoding") { unzip(&body) } else { body };
    let request = ExportMetricsServiceRequest::decode(body.clone()).unwrap();
    let response = answer(&request);
    kept.keep(Arrival { path: uri.path().to_owned(), body, headers, request });
    response.encode_to_vec()
}

/// Refuses a metric called `refused`.
fn answer(request: &ExportMetricsServiceRequest) -> ExportMetricsServiceResponse {
    let partial_success = sum(request, "refused").map(|_| ExportMetricsPartialSuccess {
        rejected_data_points: 1,
        error_message: "the receiver has no room".to_owned(),
    });
    ExportMetricsServiceResponse { partial_success }
}

/// Foreign collectors compress, whatever they are told.
fn unzip(body: &[u8]) -> Bytes {
    let mut plain = Vec::new();
    GzDecoder::new(body).read_to_end(&mut plain).unwrap();
    plain.into()
}

/// The first point of a sum.
pub(crate) fn sum(request: &ExportMetricsServiceRequest, metric: &str) -> Option<i64> {
    let scopes = request.resource_metrics.iter().flat_map(|resource| &resource.scope_metrics);
    let metric = scopes.flat_map(|scope| &scope.metrics).find(|other| other.name == metric)?;
    let Some(Data::Sum(sum)) = &metric.data else { return None };
    match sum.data_points.first()?.value? {
        Number::AsInt(value) => Some(value),
        Number::AsDouble(_) => None,
    }
}

/// An attribute as text.
pub(crate) fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let attribute = attributes.iter().find(|attribute| attribute.key == key)?;
    match attribute.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some(text.clone()),
        Value::IntValue(number) => Some(number.to_string()),
        Value::BoolValue(on) => Some(on.to_string()),
        _ => None,
    }
}
