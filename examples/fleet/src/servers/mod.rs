//! The server processes of the fleet.

mod agent;
mod chaos;
mod model;
mod report;
mod resources;
mod responses;
mod role;
mod serve;

pub use chaos::Dice;
pub use report::{Account, Report};
pub use role::Role;
pub use serve::serve;
