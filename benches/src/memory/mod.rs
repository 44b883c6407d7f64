//! What watching memory costs, beside the system calls that nobody can do without and beside other libraries.

mod bench;
mod compare;
mod idle;
mod large;
mod peers;
mod processes;
mod target;
mod trees;

pub(crate) use bench::BENCH;
pub(crate) use target::hold;
