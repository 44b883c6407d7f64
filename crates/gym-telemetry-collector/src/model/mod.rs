//! What is held: processes, their metrics, and the latest point of each series.
//!
//! [`Resource`] → [`Metric`] → ([`Attributes`], [`Point`]). Attributes and scopes are shared, so cloning a resource
//! copies numbers and no text.
//!
//! Everything that tells one series from another can be compared and ordered, doubles included, so that what is held
//! lies in ordered maps: lookups need no hashes, and whatever is read or written comes in the same order each time.

mod attributes;
mod distribution;
mod exponential;
mod indexed;
mod metric;
mod point;

pub use attributes::{Attributes, Double, Value};
pub use distribution::{Histogram, Summary};
pub use exponential::{Buckets, ExponentialHistogram};
pub use metric::{Kind, Metric, MetricKey, Resource, Scope, SeriesId};
pub use point::{Data, Point};

pub(crate) use indexed::Indexed;
pub(crate) use metric::Held;
