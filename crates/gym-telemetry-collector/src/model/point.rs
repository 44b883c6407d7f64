//! The latest state of one series.

use super::{ExponentialHistogram, Histogram, Summary};

/// What a series said last.
///
/// A later `start_unix_nano` than before means that the process began to count anew.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Point {
    /// Since when it counts, in nanoseconds since 1970; zero when unknown or meaningless.
    pub start_unix_nano: u64,
    /// Of when it is, in nanoseconds since 1970.
    pub time_unix_nano: u64,
    /// The numbers.
    pub data: Data,
}

impl Point {
    /// The point that covers what `self` covers and then what `later`, a difference, adds.
    #[must_use = "nothing is changed in place"]
    pub(crate) fn plus(&self, later: Self) -> Self {
        Self {
            start_unix_nano: self.start_unix_nano,
            time_unix_nano: later.time_unix_nano,
            data: self.data.clone().plus(later.data),
        }
    }

    /// Bytes that the point occupies beside itself.
    pub(crate) fn heap_bytes(&self) -> usize {
        match &self.data {
            Data::Int(_) | Data::Double(_) => 0,
            Data::Histogram(histogram) => size_of::<Histogram>() + histogram.heap_bytes(),
            Data::ExponentialHistogram(histogram) => size_of::<ExponentialHistogram>() + histogram.heap_bytes(),
            Data::Summary(summary) => size_of::<Summary>() + summary.heap_bytes(),
        }
    }
}

/// The numbers of a point. Gauges and sums have [`Data::Int`] or [`Data::Double`], as their process chose.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Data {
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Double(f64),
    /// Counts by explicit boundaries.
    Histogram(Box<Histogram>),
    /// Counts by exponentially growing boundaries.
    ExponentialHistogram(Box<ExponentialHistogram>),
    /// Quantiles.
    Summary(Box<Summary>),
}

impl Data {
    /// The number of a gauge or a sum.
    pub fn number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "totals above 2^53 are read exactly from `Data::Int`")]
            Self::Int(number) => Some(*number as f64),
            Self::Double(number) => Some(*number),
            _ => None,
        }
    }

    fn plus(self, later: Self) -> Self {
        match (self, later) {
            (Self::Int(held), Self::Int(more)) => Self::Int(held.saturating_add(more)),
            (Self::Histogram(mut held), Self::Histogram(more)) => {
                held.merge(&more);
                Self::Histogram(held)
            }
            (Self::ExponentialHistogram(mut held), Self::ExponentialHistogram(more)) => {
                held.merge(&more);
                Self::ExponentialHistogram(held)
            }
            (held, later) => match (held.number(), later.number()) {
                (Some(held), Some(more)) => Self::Double(held + more),
                _ => later,
            },
        }
    }
}
