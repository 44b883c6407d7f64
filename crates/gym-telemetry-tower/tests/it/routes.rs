//! Which route a cancelled request counts for, around the router and inside of it.

use std::convert::Infallible;

use axum::{
    Router,
    body::Body,
    routing::{any, get, post},
};
use futures_util::FutureExt as _;
use gym_telemetry_tower::{MeteredRouter, RouteTemplates};
use http::{Request, Response};
use tower::{Layer as _, Service, ServiceExt as _};

use crate::support::Observed;

async fn wait() -> &'static str {
    std::future::pending().await
}

/// The routes that requests to these paths count for when they are cancelled while the handler waits.
fn cancelled<S>(observed: &Observed, service: S, paths: &[&str]) -> Vec<String>
where
    S: Service<Request<Body>, Error = Infallible> + Clone,
{
    let route = |path: &&str| {
        let before = observed.seen().cancelled;
        let request = Request::get(*path).body(Body::empty()).unwrap();
        assert!(service.clone().oneshot(request).now_or_never().is_none(), "{path} did not wait");
        let mut counted = observed.seen().cancelled.into_iter().filter(|entry| !before.contains(entry));
        let entry = counted.next().unwrap();
        assert!(counted.next().is_none());
        entry.route
    };
    paths.iter().map(route).collect()
}

/// Routers in routers, services in routers, a router behind a fallback.
fn nested() -> MeteredRouter {
    let items = MeteredRouter::new().route("/", get(wait)).route("/{id}", get(wait).post(wait));
    let api = MeteredRouter::new().nest("/items", items).route("/files/{*path}", get(wait));
    let behind = MeteredRouter::new().route("/legacy/{id}", get(wait));
    MeteredRouter::new()
        .nest("/api", api)
        .merge(MeteredRouter::new().route_service("/service", any(wait)))
        .fallback_router(behind.map(|router| router.fallback(wait)))
}

const PATHS: [&str; 9] = [
    "/api/items/7?a=b",
    "/api/items",
    "/api/files/a/b",
    "/service",
    "/legacy/7",
    "/ng-rollout/3-1/api/items/7",
    "/ng-rollout/3-1/training-token-capture/service",
    "/wp-admin",
    "/.env",
];

const ROUTES: [&str; 9] = [
    "/api/items/{id}",
    "/api/items",
    "/api/files/{*path}",
    "/service",
    "/legacy/{id}",
    "/api/items/{id}",
    "/service",
    "<unmatched>",
    "<unmatched>",
];

#[test]
fn r07_around_the_router_a_path_is_matched_against_the_routes_as_they_were_declared() {
    let observed = Observed::new();
    let service = nested().metered(observed.layer()).unwrap();
    assert_eq!(cancelled(&observed, service, &PATHS), ROUTES);
}

#[test]
fn r07_inside_of_the_router_axum_names_the_route() {
    let observed = Observed::new();
    let router = nested().into_router().layer(observed.layer());
    // Routes behind a fallback are named too late for a layer outside of it.
    let expected = ["/api/items/{id}", "/api/items", "/api/files/{*path}", "/service", "<unmatched>"];
    assert_eq!(cancelled(&observed, router, &PATHS[..5]), expected);
}

#[test]
fn r07_inside_of_a_nested_router_the_template_is_the_full_one() {
    let observed = Observed::new();
    let items = Router::new().route("/{id}", get(wait)).layer(observed.layer());
    let router = Router::new().nest("/api", Router::new().nest("/items", items));
    assert_eq!(cancelled(&observed, router, &["/api/items/7"]), ["/api/items/{id}"]);
}

#[test]
fn r07_registered_routes_help_inside_too_where_axum_is_silent() {
    let observed = Observed::new();
    let routes = nested();
    let layer = observed.layer().routes(routes.templates().unwrap());
    let router = routes.into_router().layer(layer);
    assert_eq!(cancelled(&observed, router, &PATHS[..5]), ROUTES[..5]);
}

#[test]
fn r07_a_route_that_is_nested_below_the_rollout_is_the_same_route() {
    let observed = Observed::new();
    let routes = || MeteredRouter::new().route("/v1/responses", post(wait).get(wait));
    let router = routes().nest("/ng-rollout/{rollout}", routes());
    let inside = router.clone().into_router().layer(observed.layer());
    let paths = ["/v1/responses", "/ng-rollout/3-1/v1/responses"];
    assert_eq!(cancelled(&observed, inside, &paths), ["/v1/responses"; 2]);
    let around = router.metered(observed.layer()).unwrap();
    assert_eq!(cancelled(&observed, around, &paths), ["/v1/responses"; 2]);
}

#[test]
fn the_prefixes_are_a_setting() {
    let observed = Observed::new();
    let layer = observed.layer().prefixes(["/tenant/{name}"]).routes(RouteTemplates::new(["/wait"]).unwrap());
    let service = layer.layer(Router::new().fallback(wait));
    let routes = cancelled(&observed, service, &["/tenant/a/wait", "/ng-rollout/1/wait"]);
    assert_eq!(routes, ["/wait", "<unmatched>"]);
}

/// axum's router knows where it put its routes. What is declared here must lead to the same places.
#[tokio::test]
async fn what_is_registered_and_what_is_routed_do_not_drift() {
    let leaf = |name: &'static str| get(async move || name);
    let inner = || MeteredRouter::new().route("/", leaf("root")).route("/a/{b}", leaf("inner"));
    let router = MeteredRouter::new()
        .route("/", leaf("/"))
        .route("/plain", leaf("/plain"))
        .route("/plain", post(async || "posted"))
        .nest("/slashed/", inner())
        .nest("/bare", inner())
        .nest("/{tenant}/deep", MeteredRouter::new().nest("/er", inner()))
        .merge(MeteredRouter::new().route("/merged/{*rest}", leaf("merged")));
    let templates = router.templates().unwrap();
    let service = router.into_router();
    for path in [
        "/",
        "/plain",
        "/slashed/",
        "/slashed/a/b",
        "/bare",
        "/bare/",
        "/bare/a/b",
        "/x/deep/er",
        "/x/deep/er/a/b",
        "/merged/a/b",
        "/merged",
        "/nowhere",
        "/slashed",
        "/x/deep",
    ] {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response: Response<_> = service.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status() == 200, templates.find(path).is_some(), "{path}");
    }
}
