//! What a server brings under load, with our layer around its router and without.

mod bench;
mod load;
mod stacks;

pub(crate) use bench::BENCH;
pub(crate) use stacks::serve;
