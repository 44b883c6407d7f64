use gym_telemetry_core::{HttpRequest, HttpScheme};
use http::{Request, uri::PathAndQuery};

use super::head;
use crate::routes::{Prefixes, RouteTemplates};

/// What a layer was told.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    pub(super) routes: RouteTemplates,
    pub(super) prefixes: Prefixes,
    pub(super) log_every_disconnect: bool,
    pub(super) scheme: HttpScheme,
}

impl Settings {
    /// The route of a request, if the router has named it.
    #[cfg(feature = "axum")]
    #[inline]
    pub(super) fn matched<'a, B>(&self, request: &'a Request<B>) -> Option<&'a str> {
        let matched = request.extensions().get::<axum::extract::MatchedPath>()?;
        Some(self.prefixes.strip(matched.as_str()))
    }

    #[cfg(not(feature = "axum"))]
    #[inline]
    #[expect(clippy::unused_self, reason = "there is no router that names routes")]
    pub(super) fn matched<'a, B>(&self, _: &'a Request<B>) -> Option<&'a str> {
        None
    }

    /// What the route of a request can be looked up by later on, if there are routes to look through.
    #[inline]
    pub(super) fn path<B>(&self, request: &Request<B>) -> Option<PathAndQuery> {
        request.uri().path_and_query().filter(|_| !self.routes.is_empty()).cloned()
    }

    /// What the HTTP conventions want to know of a request.
    pub(super) fn describe<B>(&self, request: &Request<B>) -> HttpRequest {
        HttpRequest {
            method: head::method(request.method()),
            scheme: head::scheme(request.uri()).unwrap_or(self.scheme),
            version: head::version(request.version()),
        }
    }

    /// The registered template that a path belongs to. Neither has to do with the rollout.
    pub(super) fn look_up(&self, path: &PathAndQuery) -> Option<&str> {
        let path = path.path();
        let rest = self.prefixes.strip(path);
        if rest.len() == path.len() {
            // Nor does any template that it belongs to begin with a prefix.
            return self.routes.find(path);
        }
        let template = self.routes.find(rest).or_else(|| self.routes.find(path))?;
        Some(self.prefixes.strip(template))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look_up<'a>(settings: &'a Settings, path: &'static str) -> Option<&'a str> {
        settings.look_up(&PathAndQuery::from_static(path))
    }

    #[test]
    fn the_rollout_is_no_part_of_the_route() {
        let routes = RouteTemplates::new(["/items/{id}", "/ng-rollout/{rollout}/run"]).unwrap();
        let settings = Settings { routes, ..Settings::default() };
        for path in ["/items/1?a=b", "/ng-rollout/3-1/items/1", "/ng-rollout/3-1/training-token-capture/items/1"] {
            assert_eq!(look_up(&settings, path), Some("/items/{id}"), "{path}");
        }
        assert_eq!(look_up(&settings, "/ng-rollout/3-1/run"), Some("/run"));
        assert_eq!(look_up(&settings, "/ng-rollout/3-1/wp-admin"), None);
    }

    #[test]
    fn the_prefixes_are_a_setting() {
        let routes = RouteTemplates::new(["/run"]).unwrap();
        let settings = Settings { routes, prefixes: Prefixes::new(["/tenant/{name}"]), ..Settings::default() };
        assert_eq!(look_up(&settings, "/tenant/a/run"), Some("/run"));
        assert_eq!(look_up(&settings, "/ng-rollout/1/run"), None);
    }
}
