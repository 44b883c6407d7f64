//! What a call of a recorder costs, beside what the same costs with other libraries.

mod calls;
mod guards;
mod limits;
mod peers;
mod sdk;
mod subjects;

pub(crate) use subjects::BENCH;
