//! Reading a proc filesystem without allocating.

mod files;
mod process;

pub use files::ProcFs;
pub(crate) use process::{Task, gone};
