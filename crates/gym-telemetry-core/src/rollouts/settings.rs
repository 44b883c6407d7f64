/// What a [`RolloutMetrics`](super::RolloutMetrics) tells apart, and how much of it at the most.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{RolloutMetrics, RolloutSettings};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let settings = RolloutSettings::default().failure_kinds(["out_of_memory"]);
/// let rollouts = RolloutMetrics::with_settings(&meter, settings);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "settings do nothing until a recorder is made with them"]
pub struct RolloutSettings {
    pub(super) failure_kinds: Vec<String>,
    pub(super) dispatch_limit: usize,
    pub(super) failure_limit: usize,
}

impl RolloutSettings {
    /// Kinds of failures that count under their own names, beside those of the form `<server>:<kind>`. None by default.
    pub fn failure_kinds(mut self, kinds: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.failure_kinds = kinds.into_iter().map(Into::into).collect();
        self
    }

    /// How many dispatch names are told apart, in all that tells of no failure; every other counts as `<other>`. The
    /// default is 250. Each has at most 3 such series of `gym.rollout.completed_total`, and 10 of
    /// `gym.rollout.rewarded_total`.
    pub fn dispatch_limit(mut self, limit: usize) -> Self {
        self.dispatch_limit = limit;
        self
    }

    /// How many series of `gym.rollout.completed_total` tell of a failure; every other counts by its outcome alone, as
    /// dispatched to `<other>`. The default is 1 000.
    pub fn failure_limit(mut self, limit: usize) -> Self {
        self.failure_limit = limit;
        self
    }
}

impl Default for RolloutSettings {
    fn default() -> Self {
        Self { failure_kinds: Vec::new(), dispatch_limit: 250, failure_limit: 1_000 }
    }
}
