//! What each page shows, made from queries.

mod driver;
mod findings;
mod fleet;
mod make;
mod memory;
mod metric;
mod servers;
mod startup;
mod waits;

pub(super) use make::{Which, make, make_metric};
