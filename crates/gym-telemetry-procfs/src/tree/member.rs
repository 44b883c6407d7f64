use std::time::Duration;

use crate::parse::Statm;

/// One process of a tree. Its id and its start together tell it from every other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    pub(super) started: u64,
    /// Of the folder that was there when the start was read.
    pub(super) inode: u64,
    pub(super) single: bool,
    /// The look that saw it last.
    pub(super) look: u64,
    pub(crate) memory: Statm,
    pub(crate) share: Share,
}

/// The proportional memory of one process, when it was last read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Share {
    /// The walk that read it, from one; zero when none has.
    pub(crate) walk: u64,
    pub(crate) pss: u64,
    /// How many pages were resident then, and how long reading it took.
    pub(crate) pages: u64,
    pub(crate) cost: Duration,
}
