//! Recorders for what a rollout fleet does, registered on an OpenTelemetry meter, at the price of a few integer
//! additions an event.
//!
//! ```
//! use gym_telemetry_core::DriverMetrics;
//! use opentelemetry::metrics::MeterProvider as _;
//! use opentelemetry_sdk::metrics::SdkMeterProvider;
//!
//! let provider = SdkMeterProvider::builder().build();
//! let driver = DriverMetrics::new(&provider.meter("example"));
//! let rollout = driver.offer();
//! assert_eq!(driver.snapshot().resident, 1);
//! drop(rollout);
//! assert_eq!(driver.snapshot().resident, 0);
//! ```
//!
//! # What a recorder is
//!
//! A recorder is made from a [`Meter`](opentelemetry::metrics::Meter), reports through it, and ends its series when
//! its last clone is dropped. There is nothing global: two recorders on two meters know nothing of each other. On one
//! meter there is one recorder of a kind; share it by cloning.
//!
//! # What an event costs
//!
//! Each thread counts in a shard of its own, so that threads never wait for each other or for an export; the exporter's
//! thread adds the shards up when it reads. Nothing allocates once a series has been seen. Histograms gather samples in
//! buckets by shard and hand them over at the start of a collection.
//!
//! # What is never lost
//!
//! Counts are exact at any number of threads. Sums of histograms are exact to the nanosecond or byte when nothing is
//! being recorded at the moment of collection, and catch up with the next collection otherwise.

mod concurrency;
mod count;
mod driver;
mod event_loop;
mod gc;
mod health;
mod histogram;
mod http_client;
mod http_server;
mod latest;
mod memory;
mod model_call;
mod nanos;
mod operations;
mod pool;
mod process;
mod report;
mod requests;
mod rollouts;
mod sandbox;
mod servers;
mod shard;
mod startup;
mod table;
#[cfg(test)]
mod testing;
mod verify;
mod words;

pub use concurrency::{ConcurrencyMetrics, LimitName, LimitRecorder, LimitState};
pub use driver::{Active, DriverMetrics, DriverSnapshot, Resident, RolloutSize};
pub use event_loop::{EventLoopMetrics, EventLoopProbe, EventLoopSnapshot};
pub use gc::{GcGeneration, GcMetrics, GcSnapshot};
pub use health::{HealthMetrics, RolloutHealth};
pub use http_client::{HttpClientCall, HttpClientMetrics, HttpClientRecorder};
pub use http_server::{BytesReceived, HttpMethod, HttpRequest, HttpScheme, HttpVersion};
pub use memory::{
    ContainerMemory, HostMemory, MemoryMetrics, MemorySample, MemoryUsage, Pressure, ServerMemory, Stall,
};
pub use model_call::{ModelCall, ModelCallMetrics};
pub use operations::{OperationMetrics, OperationSnapshot, QueuedOperation, RunningOperation};
pub use pool::{
    ClientRequest, DestinationRecorder, DestinationSnapshot, OpeningConnection, PoolMetrics, PoolRecorder,
    QueuedAcquisition,
};
pub use process::{CpuTime, ProcessMetrics, ProcessSource};
pub use requests::{
    Cancellations, Cancelled, HttpConventions, RequestInFlight, RequestMetrics, RequestRecorder, RequestSettings,
    RequestSnapshot,
};
pub use rollouts::{Completed, Failure, RolloutMetrics, RolloutSettings, RolloutTimer, reward_range};
pub use sandbox::{Sandbox, SandboxExec, SandboxMetrics, SandboxProvider, SandboxStart};
pub use servers::{ServersMetrics, Supervisor};
pub use startup::{Startup, StartupTimeline};
pub use verify::{Verification, VerifyMetrics};
