//! One file a task.

pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod ci;
pub(crate) mod docs;
pub(crate) mod lint;
pub(crate) mod model;
pub(crate) mod soak;
pub(crate) mod test;
pub(crate) mod tidy;
