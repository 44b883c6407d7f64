//! The layer around services that no server would make.

use std::{
    convert::Infallible,
    future::{Ready, pending, ready},
    pin::{Pin, pin},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    thread,
};

use axum::body::Body;
use bytes::Bytes;
use futures_util::{FutureExt as _, stream};
use gym_telemetry_conventions::RequestPhase::{BeforeResponseStart, ResponseStarted};
use gym_telemetry_core::RequestRecorder;
use gym_telemetry_tower::{RequestMetricsLayer, ResponseBody};
use http::{HeaderMap, Method, Request, Response, header::CONTENT_LENGTH};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt as _, Empty, Full};
use tower::{Layer as _, Service, ServiceExt as _, service_fn};

use crate::support::{Observed, frames};

/// Sends one request with a method, and gives the response that the layer makes of the service's.
fn answer(observed: &Observed, method: Method, response: Response<Body>) -> Response<ResponseBody<Body>> {
    let mut response = Some(response);
    let mut service = observed.layer().layer(service_fn(move |_| ready(Ok::<_, Infallible>(response.take().unwrap()))));
    let request = Request::builder().method(method).body(()).unwrap();
    service.call(request).now_or_never().unwrap().unwrap()
}

fn endless() -> Body {
    frames(stream::repeat_with(|| Frame::data(Bytes::from("12345"))))
}

/// Polls a body so many times.
fn poll(body: &mut (impl http_body::Body + Unpin), times: usize) {
    for _ in 0..times {
        assert!(body.frame().now_or_never().is_some());
    }
}

#[test]
fn r01_a_future_that_is_dropped_is_a_cancellation_polled_or_not() {
    let observed = Observed::new();
    let mut service =
        observed.layer().layer(service_fn(|_: Request<()>| pending::<Result<Response<Body>, Infallible>>()));
    drop(service.call(Request::new(())));
    let mut polled = Box::pin(service.call(Request::new(())));
    assert!((&mut polled).now_or_never().is_none());
    assert_eq!(observed.seen().in_flight, 1);
    drop(polled);
    let seen = observed.seen();
    assert_eq!((seen.received, seen.in_flight, seen.cancelled_in(BeforeResponseStart)), (2, 0, 2));
}

#[test]
fn r02_r03_a_body_is_cut_short_until_it_has_given_what_was_declared() {
    for (length, polls, cancelled) in
        [(None, 9, 1), (Some(10), 0, 1), (Some(10), 1, 1), (Some(10), 2, 0), (Some(7), 2, 0)]
    {
        let observed = Observed::new();
        let builder = length.into_iter().fold(Response::builder(), |b, length: u64| b.header(CONTENT_LENGTH, length));
        let mut body = answer(&observed, Method::GET, builder.body(endless()).unwrap()).into_body();
        poll(&mut body, polls);
        assert_eq!(observed.seen().in_flight, 1);
        drop(body);
        let seen = observed.seen();
        assert_eq!((seen.in_flight, seen.responses[&200], seen.cancelled_in(ResponseStarted)), (0, 1, cancelled));
    }
}

#[test]
fn r04_bodies_that_are_not_needed_are_finished_unpolled() {
    let status = |status| Response::builder().status(status).body(endless()).unwrap();
    for (method, response) in [
        (Method::HEAD, status(200)),
        (Method::GET, status(204)),
        (Method::GET, status(304)),
        (Method::GET, status(101)),
        (Method::CONNECT, status(200)),
        (Method::GET, Response::new(Body::empty())),
        (Method::GET, Response::new(Body::new(Full::new(Bytes::new())))),
        (Method::GET, Response::builder().header(CONTENT_LENGTH, 0).body(endless()).unwrap()),
    ] {
        let observed = Observed::new();
        drop(answer(&observed, method, response));
        let seen = observed.seen();
        assert_eq!((seen.in_flight, seen.responses_total(), seen.cancelled), (0, 1, vec![]));
    }
}

/// A body that never gives anything, and comes to its end when it is told to.
struct Closing(Arc<AtomicBool>);

impl http_body::Body for Closing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[test]
fn r04_a_body_that_comes_to_its_end_unseen_is_finished_when_it_is_dropped() {
    for is_closed in [false, true] {
        let observed = Observed::new();
        let closed = Arc::new(AtomicBool::new(false));
        let closing = Body::new(Closing(Arc::clone(&closed)));
        let mut body = answer(&observed, Method::GET, Response::new(closing)).into_body();
        assert!(body.frame().now_or_never().is_none());
        closed.store(is_closed, Ordering::Relaxed);
        drop(body);
        let seen = observed.seen();
        assert_eq!((seen.in_flight, seen.cancelled_in(ResponseStarted)), (0, u64::from(!is_closed)));
    }
}

#[test]
fn r08_a_panic_counts_where_it_happens() {
    let observed = Observed::new();
    // In the call itself, in the future, and in the body.
    let mut in_call = observed
        .layer()
        .layer(service_fn(|_: Request<()>| -> Ready<Result<Response<Body>, Infallible>> { panic!("in the call") }));
    let mut in_future = observed.layer().layer(service_fn(|_: Request<()>| async {
        if true {
            panic!("in the future");
        }
        Ok::<_, Infallible>(Response::new(Body::empty()))
    }));
    let panics = |run: &mut dyn FnMut()| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        assert!(caught.is_err());
    };
    panics(&mut || drop(in_call.call(Request::new(()))));
    assert_eq!(observed.seen().unhandled, 1);

    let mut future = Box::pin(in_future.call(Request::new(())));
    panics(&mut || drop((&mut future).now_or_never()));
    assert_eq!((observed.seen().unhandled, observed.seen().in_flight), (2, 0));
    drop(future);

    let body = frames(stream::once(async { panic!("in the body") }));
    let mut body = Box::pin(answer(&observed, Method::GET, Response::new(body)).into_body());
    panics(&mut || drop(body.frame().now_or_never()));
    assert_eq!((observed.seen().body_failed, observed.seen().in_flight), (1, 0));
    drop(body);
    let seen = observed.seen();
    assert_eq!((seen.received, seen.unhandled, seen.body_failed, seen.cancelled), (3, 2, 1, vec![]));
}

#[test]
fn r08_what_a_panic_elsewhere_takes_along_was_not_the_client() {
    let observed = Observed::new();
    let body = answer(&observed, Method::GET, Response::new(endless())).into_body();
    let caught = thread::spawn(move || {
        let _body = body;
        panic!("outside of the layer");
    });
    assert!(caught.join().is_err());
    let seen = observed.seen();
    assert_eq!((seen.in_flight, seen.body_failed, seen.cancelled), (0, 1, vec![]));
}

#[test]
fn r09_thousands_that_are_dropped_at_once_leave_nothing_in_flight() {
    let observed = Observed::new();
    let service = observed.layer().layer(service_fn(|_: Request<()>| pending::<Result<Response<Body>, Infallible>>()));
    let open: Vec<_> = (0..4)
        .map(|_| {
            let mut service = service.clone();
            thread::spawn(move || (0..5_000).map(|_| service.call(Request::new(()))).collect::<Vec<_>>())
        })
        .collect();
    let open: Vec<_> = open.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert_eq!(observed.seen().in_flight, 20_000);
    let dropped: Vec<_> = open.into_iter().map(|open| thread::spawn(move || drop(open))).collect();
    dropped.into_iter().for_each(|thread| thread.join().unwrap());
    let seen = observed.seen();
    assert_eq!((seen.in_flight, seen.cancelled_in(BeforeResponseStart)), (0, 20_000));
}

#[test]
fn r10_an_error_instead_of_a_response_is_an_unhandled_exception() {
    let observed = Observed::new();
    let mut service = observed.layer().layer(service_fn(|_: Request<()>| ready(Err::<Response<Body>, _>("broken"))));
    assert_eq!(service.call(Request::new(())).now_or_never().unwrap().unwrap_err(), "broken");
    let seen = observed.seen();
    assert_eq!((seen.in_flight, seen.unhandled, seen.responses_total(), seen.cancelled), (0, 1, 0, vec![]));
}

#[test]
fn r13_a_service_can_be_built_before_there_is_a_runtime() {
    let observed = Observed::new();
    let service = observed.layer().layer(axum::Router::new().route("/", axum::routing::get(async || "here")));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let response = runtime.block_on(service.oneshot(Request::new(Body::empty()))).unwrap();
    runtime.block_on(response.into_body().collect()).unwrap();
    assert_eq!(observed.seen().responses[&200], 1);
}

/// A service whose clones are not ready, and which must not be called before it was.
struct Probe {
    is_ready: Arc<AtomicBool>,
}

impl Clone for Probe {
    fn clone(&self) -> Self {
        Self { is_ready: Arc::default() }
    }
}

impl Service<Request<()>> for Probe {
    type Response = Response<Empty<Bytes>>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready.store(true, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<()>) -> Self::Future {
        assert!(self.is_ready.swap(false, Ordering::Relaxed), "called before it was ready");
        ready(Ok(Response::new(Empty::new())))
    }
}

#[test]
fn r14_r15_being_ready_is_no_request_and_the_readied_service_is_called() {
    let observed = Observed::new();
    let mut service = observed.layer().layer(Probe { is_ready: Arc::default() });
    for _ in 0..100 {
        assert!(service.ready().now_or_never().is_some());
        let mut idle = service.clone();
        assert!(idle.ready().now_or_never().is_some());
    }
    assert_eq!(observed.seen().received, 0);
    drop(service.call(Request::new(())).now_or_never().unwrap());
    assert_eq!((observed.seen().received, observed.seen().in_flight), (1, 0));
}

#[test]
fn r17_what_a_response_carries_passes_through() {
    let observed = Observed::new();
    let trailers = HeaderMap::from_iter([("a".parse().unwrap(), "b".parse().unwrap())]);
    let body = Full::new(Bytes::from("12345")).with_trailers(ready(Some(Ok::<_, Infallible>(trailers))));
    let response = Response::builder().extension("extension").header("c", "d").body(Body::new(body)).unwrap();
    let response = answer(&observed, Method::GET, response);
    assert_eq!(response.extensions().get(), Some(&"extension"));
    assert_eq!(response.headers()["c"], "d");
    let mut body = pin!(response.into_body());
    assert_eq!(body.size_hint().exact(), Some(5));
    let collected = body.as_mut().collect().now_or_never().unwrap().unwrap_or_else(|_| panic!("no error"));
    assert_eq!(collected.trailers().unwrap()["a"], "b");

    let mut body = answer(&observed, Method::GET, Response::new(Body::new(Full::new(Bytes::from("1"))))).into_body();
    assert!(!body.is_end_stream());
    poll(&mut body, 1);
    assert!(body.is_end_stream());
    drop(body);
    assert_eq!(observed.seen().cancelled, []);
}

#[test]
fn r18_fifty_layers_know_nothing_of_each_other() {
    let threads: Vec<_> = (1..=50)
        .map(|number| {
            thread::spawn(move || {
                let observed = Observed::new();
                let mut service =
                    observed.layer().layer(service_fn(|_: Request<()>| ready(Err::<Response<Body>, _>(()))));
                (0..number).for_each(|_| drop(service.call(Request::new(())).now_or_never()));
                let exported = observed.export();
                assert_eq!(exported.count("gym.server.requests.unhandled_exceptions_total", &[]), number);
                assert_eq!(observed.seen().received, number);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn r20_an_error_in_the_body_leaves_the_response_counted() {
    let observed = Observed::new();
    let broken = Body::from_stream(stream::iter([Ok("part"), Err("broken")]));
    let mut body = answer(&observed, Method::GET, Response::new(broken)).into_body();
    poll(&mut body, 2);
    let seen = observed.seen();
    assert_eq!((seen.in_flight, seen.responses[&200], seen.body_failed, seen.unhandled), (0, 1, 1, 0));
    drop(body);
    assert_eq!(observed.seen().cancelled, []);
}

#[test]
fn r21_zero_is_exported_without_new_traffic() {
    let observed = Observed::new();
    let in_flight = |observed: &Observed| {
        let exported = observed.export();
        assert_eq!(exported.series("gym.server.requests.in_flight"), 1);
        exported.count("gym.server.requests.in_flight", &[])
    };
    let body = answer(&observed, Method::GET, Response::new(endless())).into_body();
    assert_eq!(in_flight(&observed), 1);
    drop(body);
    assert_eq!([in_flight(&observed), in_flight(&observed)], [0, 0]);
}

#[test]
fn a_request_may_move_between_threads() {
    let observed = Observed::new();
    let body = answer(&observed, Method::GET, Response::new(endless())).into_body();
    thread::spawn(move || {
        let mut body = body;
        poll(&mut body, 3);
        thread::spawn(move || drop(body)).join().unwrap();
    })
    .join()
    .unwrap();
    let seen = observed.seen();
    assert_eq!((seen.in_flight, seen.cancelled_in(ResponseStarted)), (0, 1));
}

#[test]
fn a_disabled_layer_passes_everything_and_counts_nothing() {
    let body = frames(stream::iter([Frame::data(Bytes::from("part"))]));
    let mut response = Some(Response::new(body));
    let inner = service_fn(move |_: Request<()>| ready(Ok::<_, Infallible>(response.take().unwrap())));
    let layer = RequestMetricsLayer::new(RequestRecorder::disabled()).log_every_disconnect(true);
    let mut service = layer.layer(inner);
    let mut body = Box::pin(service.call(Request::new(())).now_or_never().unwrap().unwrap().into_body());
    assert_eq!(body.frame().now_or_never().unwrap().unwrap().unwrap().into_data().unwrap(), "part");
    assert!(body.as_mut().poll_frame(&mut Context::from_waker(Waker::noop())).is_ready());
}

#[test]
fn two_layers_of_one_recorder_count_together() {
    let observed = Observed::new();
    for _ in 0..2 {
        let mut service = observed.layer().layer(service_fn(|_: Request<()>| ready(Err::<Response<Body>, _>(()))));
        drop(service.call(Request::new(())).now_or_never());
    }
    assert_eq!(observed.seen().unhandled, 2);
}
