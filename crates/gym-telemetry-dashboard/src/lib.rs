//! The recent history of every series of a fleet.
//!
//! ```
//! use std::time::Duration;
//!
//! use gym_telemetry_collector::{Collector, Settings as Receiver};
//! use gym_telemetry_dashboard::history::{History, Query, Settings};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let settings = Settings::new().retention(Duration::from_secs(600));
//! let receiver = Receiver::new().limits(settings.limits());
//! let history = History::new(settings);
//! let collector = Collector::start_observed(receiver, history.observer()).await?;
//!
//! // Once processes export to `collector.http_endpoint()`:
//! let rate = Query::new("gym.driver.rollouts.offered_total").rate().by("nemo.gym.server.name");
//! for line in history.query(&rate).map(|answer| answer.lines).unwrap_or_default() {
//!     println!("{:?}: {:?} a second", line.labels, line.values.last());
//! }
//! # drop(collector);
//! # Ok(())
//! # }
//! ```
//!
//! * [`history::History`] is an observer of a collector, and answers queries about what went through it.
//! * [`page::Page`] shows it in a browser, and as JSON.
//! * [`recording`] keeps what came in a file, and makes a history of it again.

pub mod history;
pub mod page;
pub mod recording;
