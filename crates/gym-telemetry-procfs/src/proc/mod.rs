//! Reading a proc filesystem without allocating.
//!
//! The calls go to the kernel through `rustix`, because the standard library cannot open a file relative to an open
//! folder, and walking `/proc` from the root for each file would be a tenth of the cost.

mod files;
mod kept;
mod process;

pub use files::ProcFs;
pub(crate) use kept::Kept;
pub(crate) use process::{Task, gone};
