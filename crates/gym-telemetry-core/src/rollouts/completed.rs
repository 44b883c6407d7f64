use gym_telemetry_conventions::{Outcome, RewardRange, attributes::UNREGISTERED_FAILURE_KIND};

use crate::words::{is_identifier, is_name};

/// How one dispatch of one row ended, for [`RolloutMetrics::completed`](super::RolloutMetrics::completed).
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "it counts once it is given to a recorder"]
pub struct Completed<'a> {
    pub(super) outcome: Outcome,
    pub(super) dispatch: &'a str,
    pub(super) failure: Option<Failure<'a>>,
    pub(super) reward: Option<f64>,
    pub(super) masked: bool,
}

/// Why an attempt failed, in bounded words: free text never becomes an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[must_use = "it counts once it is given to a recorder"]
pub struct Failure<'a> {
    pub(super) class: &'a str,
    pub(super) kind: Option<&'a str>,
    pub(super) error_type: Option<&'a str>,
}

impl<'a> Completed<'a> {
    /// The row went into the main output. `dispatch` is the environment server's name, else the agent's.
    pub fn scored(dispatch: &'a str) -> Self {
        Self { outcome: Outcome::Scored, dispatch, failure: None, reward: None, masked: false }
    }

    /// The row went into the failures file.
    pub fn failed(dispatch: &'a str, failure: Failure<'a>) -> Self {
        Self { outcome: Outcome::Failed, failure: Some(failure), ..Self::scored(dispatch) }
    }

    /// The row was written nowhere: the attempt was cut short.
    pub fn omitted(dispatch: &'a str) -> Self {
        Self { outcome: Outcome::Omitted, ..Self::scored(dispatch) }
    }

    /// Why the attempt went wrong, where it was not the reason of a failed one: for an omitted row, or for one that was
    /// scored all the same.
    pub fn failure(mut self, failure: Failure<'a>) -> Self {
        self.failure = Some(failure);
        self
    }

    /// The reward of a scored row; `None` and NaN count as no reward, not as zero. Other outcomes have none.
    pub fn reward(mut self, reward: impl Into<Option<f64>>) -> Self {
        self.reward = reward.into().filter(|_| self.outcome == Outcome::Scored);
        self
    }

    /// Whether the result asks for its sample to be masked (`mask_sample`).
    pub fn masked(mut self, masked: bool) -> Self {
        self.masked = masked;
        self
    }
}

impl<'a> Failure<'a> {
    /// A failure of a class such as `agent_request_failed`.
    pub fn new(class: &'a str) -> Self {
        Self { class, kind: None, error_type: None }
    }

    /// Its kind: one that was registered with the recorder, or `<server>:<kind>`; any other counts as `unregistered`.
    pub fn kind(mut self, kind: &'a str) -> Self {
        self.kind = Some(kind);
        self
    }

    /// The name of the error's type, such as `VerifierTimeoutError`; what is not a bare identifier is left out.
    pub fn error_type(mut self, error_type: &'a str) -> Self {
        self.error_type = Some(error_type);
        self
    }

    /// The same in words that are safe to use as attribute values.
    pub(super) fn bounded(self, registered: &[String]) -> Self {
        let known = |kind: &str| registered.iter().any(|name| name == kind) || is_namespaced(kind);
        Self {
            class: if is_identifier(self.class) { self.class } else { UNREGISTERED_FAILURE_KIND },
            kind: self.kind.map(|kind| if known(kind) { kind } else { UNREGISTERED_FAILURE_KIND }),
            error_type: self.error_type.filter(|name| is_identifier(name)),
        }
    }
}

/// The part of the scale in which a reward lies; none for NaN, which is not a reward. Infinities go by their sign.
#[must_use]
pub fn reward_range(reward: f64) -> Option<RewardRange> {
    match reward {
        reward if reward.is_nan() => None,
        reward if reward < 0.0 => Some(RewardRange::Negative),
        // −0.0 is zero too.
        0.0 => Some(RewardRange::Zero),
        reward if reward < 1.0 => Some(RewardRange::Partial),
        1.0 => Some(RewardRange::Full),
        _ => Some(RewardRange::AboveOne),
    }
}

fn is_namespaced(kind: &str) -> bool {
    kind.split_once(':').is_some_and(|(server, kind)| is_name(server) && is_identifier(kind))
}
