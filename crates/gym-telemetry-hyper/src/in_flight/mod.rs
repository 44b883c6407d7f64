//! Counting the calls of any client while they wait for the head of their response.

mod future;
mod layer;
mod service;

pub use future::InFlightFuture;
pub use layer::InFlightLayer;
pub use service::InFlight;
