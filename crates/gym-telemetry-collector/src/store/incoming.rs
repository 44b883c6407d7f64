//! Whether a point contradicts itself.

use super::receipt::Refused;
use crate::model::{Buckets, Data};
use crate::wire::Incoming;

/// The scales that a double can be told apart by.
const SCALES: std::ops::RangeInclusive<i32> = -10..=20;

/// Fails when a point cannot be what it says it is.
pub(super) fn check(incoming: &Incoming<'_>, data: &Data) -> Result<(), Refused> {
    match data {
        _ if !incoming.numbered => Err(Refused::NoNumber),
        Data::Histogram(histogram) => {
            let (buckets, bounds) = (&histogram.buckets, &histogram.bounds);
            let paired = buckets.len() == bounds.len() + 1 || buckets.is_empty() && bounds.is_empty();
            let rising = || bounds.iter().all(|bound| bound.is_finite()) && bounds.is_sorted_by(|a, b| a < b);
            match paired {
                false => Err(Refused::Buckets { buckets: buckets.len(), bounds: bounds.len() }),
                true if !rising() => Err(Refused::Bounds),
                true => Ok(()),
            }
        }
        Data::ExponentialHistogram(histogram) => {
            let indexed = has_indexes(&histogram.positive) && has_indexes(&histogram.negative);
            if indexed && SCALES.contains(&histogram.scale) { Ok(()) } else { Err(Refused::ExponentialRange) }
        }
        Data::Int(_) | Data::Double(_) | Data::Summary(_) => Ok(()),
    }
}

/// Whether every bucket has an index of its own.
fn has_indexes(buckets: &Buckets) -> bool {
    i32::try_from(buckets.counts.len()).is_ok_and(|count| buckets.offset.checked_add(count).is_some())
}
