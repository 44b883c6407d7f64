//! What is held: processes, their metrics, and the latest point of each series.
//!
//! [`Resource`] → [`Metric`] → ([`Attributes`], [`Point`]). Attributes and scopes are shared, so cloning a resource
//! copies numbers and no text.

mod attributes;
mod distribution;
mod exponential;
mod metric;
mod point;

pub use attributes::{Attributes, Double, Value};
pub use distribution::{Histogram, Summary};
pub use exponential::{Buckets, ExponentialHistogram};
pub use metric::{Kind, Metric, MetricKey, Resource, Scope, SeriesId};
pub use point::{Data, Point};

pub(crate) use metric::Held;
