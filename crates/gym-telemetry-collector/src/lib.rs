//! A loopback OTLP receiver that keeps the latest state of every series.
//!
//! ```
//! use gym_telemetry_collector::{Collector, Settings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let collector = Collector::start(Settings::new()).await?;
//! println!("export to {} (gRPC) or {} (HTTP)", collector.grpc_endpoint(), collector.http_endpoint());
//!
//! let state = collector.state();
//! let offered = state.sum("gym.driver.rollouts.offered_total", |_| true);
//! assert_eq!(offered, 0.0);
//!
//! collector.shutdown().await.write_json(std::io::stdout())?;
//! # Ok(())
//! # }
//! ```
//!
//! * [`Collector`] listens for OTLP over gRPC and over HTTP (protobuf or JSON, both also compressed with gzip).
//! * [`Snapshot`] is what was held at one moment: typed, as OTLP, or as OTLP JSON.
//! * [`Store`] is what holds it, and works without a network; an [`Observer`] sees each point as it is taken in, which
//!   is what histories and recordings are built on.
//! * [`decode()`] is the way from bytes to a [`Request`], which borrows them.
//!
//! # What is held
//!
//! The latest point of each series of gauges, sums, histograms, exponential histograms and summaries. Two processes
//! whose resource attributes differ never mix. Delta temporality is added up, so that all that is held is cumulative.
//!
//! # What is refused
//!
//! Points beyond the [`Limits`], and points that contradict themselves, are refused one by one: OTLP's partial success
//! says how many and why, and [`Counts`] has the total. Requests that are malformed, too long, too slow or too many at
//! once are refused as a whole, with the status that OTLP has for it; only the last of these is worth sending again.
//! So are those of pages in a browser, and those of senders without the token that
//! [`Settings::allow_remote`] asks for.
//! Traces and logs are accepted, counted and thrown away, so that a process which exports them as well sees no errors.

mod collector;
pub mod decode;
mod error;
mod model;
mod otlp;
mod server;
mod settings;
mod snapshot;
mod store;
mod wire;

pub use collector::{Collector, Reader};
pub use decode::decode;
pub use error::StartError;
pub use model::{
    Attributes, Buckets, Data, Double, ExponentialHistogram, Histogram, Kind, Metric, MetricKey, Point, Resource,
    Scope, SeriesId, Summary, Value,
};
pub use server::Counts;
pub use settings::Settings;
pub use snapshot::{Series, Snapshot};
pub use store::{Change, Limits, Observer, Receipt, Store, Update};
pub use wire::Request;
