//! The server processes of the fleet.

mod agent;
mod chaos;
mod model;
mod report;
mod resources;
mod responses;
mod role;
mod serve;

pub(crate) use chaos::Dice;
pub(crate) use report::{Account, Report};
pub(crate) use role::Role;
pub(crate) use serve::serve;
