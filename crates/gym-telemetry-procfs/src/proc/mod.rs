//! Reading a proc filesystem without allocating.

mod files;
mod kept;
mod process;

pub use files::ProcFs;
pub(crate) use kept::Kept;
pub(crate) use process::{Task, gone};
