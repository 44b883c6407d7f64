use std::collections::BTreeMap;

use crate::support::Observed;

/// What the clients know to have happened.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) responses: BTreeMap<u16, u64>,
    /// By route and phase.
    pub(super) cancelled: BTreeMap<(&'static str, &'static str), u64>,
    pub(super) unhandled: u64,
    pub(super) body_failed: u64,
    /// Requests by route, and what went to and fro in their bodies.
    pub(super) routes: BTreeMap<&'static str, Route>,
}

#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) requests: u64,
    pub(super) received: u64,
    pub(super) sent: u64,
}

impl Truth {
    /// A request to a route, and the bytes of its bodies.
    pub(super) fn request(&mut self, route: &'static str, received: usize, sent: usize) {
        let known = self.routes.entry(route).or_default();
        known.requests += 1;
        known.received += received as u64;
        known.sent += sent as u64;
    }

    pub(super) fn respond(&mut self, status: u16) {
        *self.responses.entry(status).or_default() += 1;
    }

    pub(super) fn cancel(&mut self, route: &'static str, phase: &'static str) {
        *self.cancelled.entry((route, phase)).or_default() += 1;
    }

    pub(super) fn add(&mut self, other: Self) {
        other.responses.into_iter().for_each(|(status, count)| *self.responses.entry(status).or_default() += count);
        other.cancelled.into_iter().for_each(|(key, count)| *self.cancelled.entry(key).or_default() += count);
        self.unhandled += other.unhandled;
        self.body_failed += other.body_failed;
        for (route, more) in other.routes {
            let known = self.routes.entry(route).or_default();
            known.requests += more.requests;
            known.received += more.received;
            known.sent += more.sent;
        }
    }

    /// Compares all of it with what the recorder has seen and exported.
    pub(super) fn check(&self, observed: &Observed) {
        let seen = observed.seen();
        assert_eq!(seen.responses, self.responses);
        assert_eq!((seen.unhandled, seen.body_failed), (self.unhandled, self.body_failed));
        let cancelled = seen.cancelled.iter().map(|entry| ((&*entry.route, entry.phase.as_str()), entry.count));
        assert_eq!(cancelled.collect::<BTreeMap<_, _>>(), self.cancelled);

        let exported = observed.export();
        let unhandled = exported.count("gym.server.requests.unhandled_exceptions_total", &[]);
        assert_eq!(unhandled, self.unhandled + self.body_failed);
        assert_eq!(exported.count("http.server.active_requests", &[]), 0);
        for (route, truth) in &self.routes {
            let route = format!("http.route={route}");
            assert_eq!(exported.count("http.server.request.duration", &[&route]), truth.requests, "{route}");
            let bytes = |metric| exported.sum(metric, &[&route]) as u64;
            assert_eq!(bytes("http.server.request.body.size"), truth.received, "{route}");
            assert_eq!(bytes("http.server.response.body.size"), truth.sent, "{route}");
        }
        let all: u64 = self.routes.values().map(|route| route.requests).sum();
        assert_eq!(exported.count("http.server.request.duration", &[]), all);
    }
}
