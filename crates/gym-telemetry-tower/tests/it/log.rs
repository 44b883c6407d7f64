//! What is said of clients that left.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    fmt::Debug,
    future::pending,
    sync::{Arc, Mutex},
};

use axum::body::Body;
use gym_telemetry_tower::{RequestMetricsLayer, RouteTemplates};
use http::{Request, Response};
use tower::{Layer as _, Service as _, service_fn};
use tracing_subscriber::{Layer, layer::SubscriberExt as _};

use crate::support::Observed;

/// An event: level, target, fields.
type Event = (tracing::Level, String, BTreeMap<&'static str, String>);

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Event>>>);

impl<S: tracing::Subscriber> Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let metadata = event.metadata();
        self.0.lock().unwrap().push((*metadata.level(), metadata.target().to_owned(), fields.0));
    }
}

#[derive(Default)]
struct Fields(BTreeMap<&'static str, String>);

impl tracing::field::Visit for Fields {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}").trim_matches('"').to_owned());
    }
}

/// What is logged when so many requests are cancelled, on two routes in turn.
fn logged(layer: RequestMetricsLayer, times: usize) -> Vec<Event> {
    let log = Log::default();
    let subscriber = tracing_subscriber::registry().with(log.clone());
    tracing::subscriber::with_default(subscriber, || {
        let layer = layer.routes(RouteTemplates::new(["/a/{id}", "/b"]).unwrap());
        let mut service = layer.layer(service_fn(|_: Request<()>| pending::<Result<Response<Body>, Infallible>>()));
        for path in ["/a/1", "/b"].into_iter().cycle().take(times) {
            drop(service.call(Request::get(path).body(()).unwrap()));
        }
    });
    let events = log.0.lock().unwrap();
    events.clone()
}

fn fields<'a>(event: &'a Event, names: &[&'a str]) -> Vec<Option<&'a str>> {
    names.iter().map(|name| event.2.get(name).map(|value| &**value)).collect()
}

#[test]
fn every_hundredth_disconnect_over_all_routes_together_is_one_event_without_timing() {
    let events = logged(Observed::new().layer(), 399);
    assert_eq!(events.len(), 3);
    for (event, disconnects) in events.iter().zip(["100", "200", "300"]) {
        assert_eq!((event.0, &*event.1), (tracing::Level::INFO, "gym_telemetry"));
        let expected = [Some("499"), Some("/b"), Some(disconnects), None, None];
        assert_eq!(fields(event, &["status", "route", "disconnects", "phase", "elapsed_seconds"]), expected);
    }
}

#[test]
fn the_debug_setting_says_of_each_which_route_how_far_and_how_long() {
    let events = logged(Observed::new().layer().log_every_disconnect(true), 100);
    assert_eq!(events.len(), 100);
    for (event, route) in events.iter().zip(["/a/{id}", "/b"].into_iter().cycle()) {
        assert_eq!((event.0, &*event.1), (tracing::Level::DEBUG, "gym_telemetry"));
        let expected = [Some("499"), Some(route), Some("before_response_start"), None];
        assert_eq!(fields(event, &["status", "route", "phase", "disconnects"]), expected);
        assert!(fields(event, &["elapsed_seconds"])[0].unwrap().parse::<f64>().unwrap() >= 0.0);
    }
}

#[test]
fn layers_of_one_recorder_count_disconnects_together() {
    let observed = Observed::new();
    assert_eq!(logged(observed.layer(), 60).len(), 0);
    assert_eq!(logged(observed.layer(), 60).len(), 1);
}
