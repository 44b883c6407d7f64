//! A process and all processes below it.

mod descent;
mod member;
mod parents;
mod process_tree;

pub(crate) use member::{Change, Reading, Share};
pub(crate) use parents::Parents;
pub use process_tree::ProcessTree;
