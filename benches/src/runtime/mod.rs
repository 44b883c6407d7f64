//! What it costs to watch a runtime and the process, and how short the waits on an idle runtime are seen to be.

mod cost;
mod descriptors;
mod lag;
mod subjects;

pub(crate) use subjects::BENCH;
