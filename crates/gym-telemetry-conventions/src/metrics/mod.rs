//! Every metric, as an [`Instrument`](crate::Instrument): all that a program needs to create or to read it.
//!
//! A constant is named after its metric: `gym.rollout.duration_ms` is [`ROLLOUT_DURATION_MS`], `process.cpu.time` is
//! [`PROCESS_CPU_TIME`]. There is deliberately no duration over all requests of a server: one histogram for every
//! endpoint answers no question.

mod concurrency;
mod driver;
mod http_client;
mod http_server;
mod macros;
mod memory;
mod model_call;
mod ours;
mod process;
mod requests;
mod resources;
mod rollout;
mod server;
mod subjects;

pub use concurrency::*;
pub use driver::*;
pub use http_client::*;
pub use http_server::*;
pub use memory::*;
pub use model_call::*;
pub use ours::*;
pub use process::*;
pub use requests::*;
pub use resources::*;
pub use rollout::*;
pub use server::*;
pub use subjects::{ALL, SUBJECTS, Subject};
