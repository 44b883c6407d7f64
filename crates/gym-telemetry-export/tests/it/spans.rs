//! Spans, and where they are sent.

use std::{
    sync::{Arc, Mutex},
    thread,
};

use axum::{Router, body::Bytes, extract::State, http::StatusCode};
use gym_telemetry_export::Exporter;
use opentelemetry::trace::{Span as _, Tracer as _};
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTraceServiceRequest, ExportTraceServiceResponse,
    trace_service_server::{TraceService, TraceServiceServer},
};
use prost::Message as _;
use tokio::{net::TcpListener, runtime};
use tonic::transport::{Server, server::TcpIncoming};

use crate::support::{Form, LONG, Logs, Receiver, attribute, builder, settings};

/// The spans that have arrived, by the name of the service and their own.
type Arrived = Arc<Mutex<Vec<(String, String)>>>;

/// Listens for spans, and for nothing else.
fn listen(form: Form) -> (String, Arrived) {
    let arrived = Arrived::default();
    let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let state = Arc::clone(&arrived);
    thread::spawn(move || {
        runtime.block_on(async move {
            match form {
                Form::Grpc => {
                    let server = Server::builder().add_service(TraceServiceServer::new(Grpc(state)));
                    server.serve_with_incoming(TcpIncoming::from(listener)).await.unwrap();
                }
                Form::Http => axum::serve(listener, Router::new().fallback(http).with_state(state)).await.unwrap(),
            }
        });
    });
    (url, arrived)
}

struct Grpc(Arrived);

#[tonic::async_trait]
impl TraceService for Grpc {
    async fn export(
        &self,
        request: tonic::Request<ExportTraceServiceRequest>,
    ) -> Result<tonic::Response<ExportTraceServiceResponse>, tonic::Status> {
        keep(&self.0, request.into_inner());
        Ok(tonic::Response::new(ExportTraceServiceResponse::default()))
    }
}

async fn http(State(arrived): State<Arrived>, body: Bytes) {
    keep(&arrived, ExportTraceServiceRequest::decode(body).unwrap());
}

fn keep(arrived: &Arrived, request: ExportTraceServiceRequest) {
    for from in request.resource_spans {
        let service = attribute(&from.resource.unwrap().attributes, "service.name").unwrap();
        let spans = from.scope_spans.into_iter().flat_map(|scope| scope.spans);
        arrived.lock().unwrap().extend(spans.map(|span| (service.clone(), span.name)));
    }
}

#[test]
fn spans_go_out_with_the_metrics_or_where_they_alone_are_wanted() {
    for form in Form::ALL {
        let (metrics, (url, arrived)) = (Receiver::start(form), listen(form));
        let mut settings = settings(Exporter::Otlp);
        settings.otlp_endpoint = Some(metrics.url.clone());
        settings.otlp_protocol = form.protocol();
        let telemetry = builder(settings, &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &url)]).start().unwrap();
        let tracer = telemetry.tracer("test").unwrap();
        telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
        tracer.start("first").end();
        let open = tracer.start("second");
        telemetry.flush(LONG).unwrap();
        let sent = |name: &str| ("nemo-gym".to_owned(), name.to_owned());
        assert_eq!(*arrived.lock().unwrap(), [sent("first")], "{form:?}");
        drop(open);
        telemetry.shutdown(LONG).unwrap();
        assert_eq!(*arrived.lock().unwrap(), ["first", "second"].map(sent), "{form:?}");
        assert_eq!(metrics.latest("counted"), Some(1));
    }
}

#[test]
fn spans_go_out_without_metrics_too() {
    let (url, arrived) = listen(Form::Grpc);
    let mut settings = settings(Exporter::Otlp);
    settings.metrics_enabled = false;
    settings.otlp_endpoint = Some(url);
    let telemetry = builder(settings, &[]).start().unwrap();
    assert!(!telemetry.is_enabled(), "nothing that meters record");
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    telemetry.tracer("test").unwrap().start("alone").end();
    telemetry.shutdown(LONG).unwrap();
    assert_eq!(arrived.lock().unwrap().len(), 1);
}

#[test]
fn where_nobody_gets_them_there_is_nothing_that_makes_spans() {
    let traces_off = [("NEMO_GYM_OTEL_TRACES_ENABLED", "0")];
    let off = [("NEMO_GYM_OTEL_ENABLED", "0")];
    for (exporter, variables) in [
        (Exporter::Otlp, traces_off.as_slice()),
        (Exporter::Otlp, &off),
        (Exporter::Console, &[]),
        (Exporter::Prometheus, &[]),
    ] {
        let telemetry = builder(settings(exporter), variables).start().unwrap();
        assert!(telemetry.tracer("test").is_none(), "{exporter} {variables:?}");
    }
    let host = builder(settings(Exporter::Otlp), &[]);
    let host = host.meter_provider(opentelemetry::metrics::NoopMeterProvider::new()).start().unwrap();
    assert!(host.tracer("test").is_none());
}

#[test]
fn spans_that_nobody_takes_are_told_and_cost_no_metric() {
    let logs = Logs::keep();
    let refuse = Router::new().fallback(async || StatusCode::NOT_FOUND);
    let runtime = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    runtime.spawn(async { axum::serve(listener, refuse).await });

    let metrics = Receiver::start(Form::Http);
    let mut settings = settings(Exporter::Otlp);
    settings.otlp_endpoint = Some(metrics.url.clone());
    settings.otlp_protocol = Form::Http.protocol();
    let telemetry = builder(settings, &[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &nobody)]).start().unwrap();
    telemetry.meter("test").u64_counter("counted").build().add(1, &[]);
    for _ in 0..3 {
        telemetry.tracer("test").unwrap().start("lost").end();
        telemetry.flush(LONG).unwrap();
    }
    assert_eq!((telemetry.status().failures, metrics.latest("counted")), (0, Some(1)));
    assert_eq!(logs.with("spans are not exported").len(), 1);
    telemetry.shutdown(LONG).unwrap();
}
