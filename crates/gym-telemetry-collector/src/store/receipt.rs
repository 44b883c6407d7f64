//! What became of the points of a request.

use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsPartialSuccess, ExportMetricsServiceResponse};

/// Why points are refused. The text is part of the answer to the process that sent them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refused {
    #[error("the limit of {0} series is reached")]
    TooManySeries(usize),
    #[error("the limit of {0} bytes is reached")]
    TooManyBytes(usize),
    #[error("a metric without a name")]
    NoName,
    #[error("a metric without data")]
    NoData,
    #[error("neither cumulative nor delta")]
    NoTemporality,
    #[error("a point without a number")]
    NoNumber,
    #[error("{buckets} buckets for {bounds} boundaries")]
    Buckets { buckets: usize, bounds: usize },
    #[error("boundaries that are not finite and rising")]
    Bounds,
    #[error("exponential buckets out of range")]
    ExponentialRange,
}

impl Refused {
    fn is_limit(&self) -> bool {
        matches!(self, Self::TooManySeries(_) | Self::TooManyBytes(_))
    }
}

/// What became of the points of one request, or of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// Points that are held now, or were until a later one came.
    pub accepted: u64,
    /// Points that changed nothing: older than the one held, or marked as carrying no number.
    pub ignored: u64,
    /// Points refused because a limit is reached.
    pub over_limit: u64,
    /// Points refused because they contradict themselves.
    pub malformed: u64,
}

impl Receipt {
    pub(super) fn add(&mut self, other: Self) {
        self.accepted += other.accepted;
        self.ignored += other.ignored;
        self.over_limit += other.over_limit;
        self.malformed += other.malformed;
    }
}

/// A receipt in the making, with the reason of the first refusal of each sort.
#[derive(Debug, Default)]
pub(super) struct Slip {
    pub(super) receipt: Receipt,
    over_limit: Option<String>,
    malformed: Option<String>,
}

impl Slip {
    /// Notes that `points` of the metric `name` are refused.
    pub(super) fn refuse(&mut self, name: &str, reason: &Refused, points: usize) {
        let (count, first) = match reason.is_limit() {
            true => (&mut self.receipt.over_limit, &mut self.over_limit),
            false => (&mut self.receipt.malformed, &mut self.malformed),
        };
        *count += points as u64;
        first.get_or_insert_with(|| {
            let name: String = name.chars().take(80).collect();
            format!("{name:?}: {reason}")
        });
    }

    /// The answer to the process: empty when everything was taken in.
    pub(super) fn into_response(self) -> ExportMetricsServiceResponse {
        let Receipt { over_limit, malformed, .. } = self.receipt;
        let reasons = [(over_limit, self.over_limit), (malformed, self.malformed)].into_iter();
        let reasons = reasons.filter_map(|(points, first)| Some(format!("{points} points refused, {}", first?)));
        let error_message = reasons.collect::<Vec<_>>().join("; ");
        let rejected_data_points = i64::try_from(over_limit + malformed).unwrap_or(i64::MAX);
        let partial = ExportMetricsPartialSuccess { rejected_data_points, error_message };
        ExportMetricsServiceResponse { partial_success: (!partial.error_message.is_empty()).then_some(partial) }
    }
}
