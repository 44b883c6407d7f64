//! Reading a proc filesystem without allocating.
//!
//! The calls go to the kernel through `rustix`, because the standard library cannot open a file relative to an open
//! folder, and the way from the root to `/proc` would be gone for each file.

mod files;
mod kept;
mod process;

pub use files::ProcFs;
pub(crate) use kept::Kept;
pub(crate) use process::{Task, gone};
