use std::net::SocketAddr;

use gym_telemetry::{RequestSnapshot, conventions::RequestPhase};
use serde::{Deserialize, Serialize};

/// What a server tells its supervisor, one JSON object a line on its standard output.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// It accepts connections.
    Ready { address: SocketAddr },
    /// It handles nothing any more and has exported everything.
    Done(Account),
}

/// Where a server's requests went.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    pub(crate) received: u64,
    pub(crate) in_flight: u64,
    pub(crate) responses: u64,
    pub(crate) cancelled_before_head: u64,
    pub(crate) cancelled_after_head: u64,
    pub(crate) unhandled: u64,
    pub(crate) body_failed: u64,
}

impl Account {
    /// Whether every request has ended in exactly one way.
    pub(crate) fn is_settled(&self) -> bool {
        self.in_flight == 0 && self.received == self.responses + self.cancelled_before_head + self.unhandled
    }
}

impl From<RequestSnapshot> for Account {
    fn from(seen: RequestSnapshot) -> Self {
        Self {
            received: seen.received,
            in_flight: seen.in_flight,
            responses: seen.responses_total(),
            cancelled_before_head: seen.cancelled_in(RequestPhase::BeforeResponseStart),
            cancelled_after_head: seen.cancelled_in(RequestPhase::ResponseStarted),
            unhandled: seen.unhandled,
            body_failed: seen.body_failed,
        }
    }
}
