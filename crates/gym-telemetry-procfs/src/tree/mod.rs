//! A process and all processes below it.
//!
//! A `ProcessTree` is looked at in two steps: who is there (the descent, by children or by `Parents`), and what memory
//! each has. In between it remembers what does not change while a process lives, so that a second look is cheaper than
//! the first.

mod descent;
mod member;
mod parents;
mod process_tree;

pub(crate) use member::{Change, Reading, Share};
pub(crate) use parents::Parents;
pub use process_tree::ProcessTree;
