//! Questions about the past.

use std::time::Duration;

use gym_telemetry_collector::Kind;

/// Which number of a series is meant.
///
/// What a counter or a histogram counted between two points is spread evenly over the time between them. A counter that
/// begins anew goes on from where it was: no growth is negative.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Select {
    /// The value at the end of each step. For counters it is the total so far, for histograms how many values there
    /// were so far.
    #[default]
    Value,
    /// The growth a second in each step; for histograms that of their count. The latest rate holds for as long as the
    /// next export of a live process is awaited.
    Rate,
    /// The growth in each step; for histograms that of their count.
    Increase,
    /// How many values the histogram gathered in each step.
    Count,
    /// What the values that it gathered in each step add up to.
    Sum,
    /// The mean of the values that it gathered in each step.
    Mean,
    /// A quantile, between 0 and 1, of the values that it gathered in each step, interpolated within its bucket.
    Quantile(f64),
    /// How many values came into each bucket in each step: a line a bucket, with its upper boundary as the label `le`.
    Buckets,
}

/// What happens to several processes in one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Over {
    /// They are added up.
    Sum,
    /// Each has a line, with its id as the label `process`. Gauges have a line for each series.
    Each,
    /// The smallest.
    Min,
    /// The one in the middle.
    Median,
    /// The largest.
    Max,
}

/// A question about one metric.
///
/// # Example
///
/// ```
/// use std::time::Duration;
///
/// use gym_telemetry_dashboard::history::Query;
///
/// let slowest = Query::new("http.server.request.duration")
///     .quantile(0.99)
///     .matching("nemo.gym.server.type", "responses_api_agents")
///     .by("http.route")
///     .since(Duration::from_secs(900));
/// # let _ = slowest;
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a query does nothing until a history is asked"]
pub struct Query {
    pub(super) metric: String,
    pub(super) kind: Option<Kind>,
    pub(super) unit: Option<String>,
    pub(super) select: Select,
    pub(super) matching: Vec<(String, String)>,
    pub(super) by: Vec<String>,
    pub(super) over: Option<Over>,
    pub(super) since: Duration,
    pub(super) until: Option<u64>,
    pub(super) step: Option<Duration>,
}

impl Query {
    /// The value of `metric` over the last five minutes.
    pub fn new(metric: impl Into<String>) -> Self {
        Self {
            metric: metric.into(),
            kind: None,
            unit: None,
            select: Select::Value,
            matching: Vec::new(),
            by: Vec::new(),
            over: None,
            since: Duration::from_secs(300),
            until: None,
            step: None,
        }
    }

    /// Which of the metrics that share the name; without it, the one that most series belong to.
    pub fn kind(self, kind: Kind) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// Which of the metrics that share the name, by unit.
    pub fn unit(self, unit: impl Into<String>) -> Self {
        Self { unit: Some(unit.into()), ..self }
    }

    /// Which number is meant. [`Select::Value`] unless said otherwise.
    pub fn select(self, select: Select) -> Self {
        Self { select, ..self }
    }

    /// [`Select::Rate`].
    pub fn rate(self) -> Self {
        self.select(Select::Rate)
    }

    /// [`Select::Increase`].
    pub fn increase(self) -> Self {
        self.select(Select::Increase)
    }

    /// [`Select::Quantile`].
    pub fn quantile(self, quantile: f64) -> Self {
        self.select(Select::Quantile(quantile))
    }

    /// Only series of which this attribute, or this one of their process, has this value. The key `process` stands for
    /// the [`ProcessId`](super::ProcessId).
    pub fn matching(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.matching.push((key.into(), value.into()));
        self
    }

    /// A group for each value of this attribute, or of this one of their process. The key `process` stands for the
    /// [`ProcessId`](super::ProcessId). A group whose series have no such attribute lacks the label.
    pub fn by(mut self, key: impl Into<String>) -> Self {
        self.by.push(key.into());
        self
    }

    /// What happens to several processes in one group. Unless said otherwise, gauges have [`Over::Each`], all else
    /// [`Over::Sum`].
    pub fn over(self, over: Over) -> Self {
        Self { over: Some(over), ..self }
    }

    /// How far back to look. Five minutes unless said otherwise, and never further than the history reaches.
    pub fn since(self, since: Duration) -> Self {
        Self { since, ..self }
    }

    /// The end of what to look at, in milliseconds since 1970. Now, unless said otherwise.
    pub fn until(self, until: u64) -> Self {
        Self { until: Some(until), ..self }
    }

    /// How far apart the values are, rounded up to what the history tells apart. Unless said otherwise, as far as it
    /// takes for 300 of them at most.
    pub fn step(self, step: Duration) -> Self {
        Self { step: Some(step), ..self }
    }
}
