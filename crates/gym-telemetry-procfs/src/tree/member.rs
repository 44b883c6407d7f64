use std::time::{Duration, Instant};

use crate::{parse::Statm, proc::Kept};

/// One process of a tree. Its id and its start together tell it from every other.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) started: u64,
    /// Of the folder that was there when the start was read.
    pub(super) inode: u64,
    /// The look that saw it last.
    pub(super) look: u64,
    pub(super) statm: Option<Kept>,
    pub(super) children: Option<Kept>,
    pub(super) reading: Reading,
}

impl Member {
    /// Whether one that has children will keep them, as far as is known: a process that ends loses its memory first
    /// and its children a little later, and until then its tree is not settled.
    pub(super) fn may_be_settled(&self) -> bool {
        self.reading.memory.size > 0
    }
}

/// What was read of a process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reading {
    pub(crate) memory: Statm,
    pub(crate) share: Option<Share>,
}

/// The proportional memory of one process, as it was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    pub(crate) pss: u64,
    /// The last walk that it is good for.
    pub(crate) walk: u64,
    /// When it was read, what the process had then, and what reading it cost.
    pub(crate) at: Instant,
    pub(crate) memory: Statm,
    pub(crate) cost: Duration,
}

/// What has happened in a tree, from least to most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    #[default]
    Nothing,
    /// Processes have got or lost memory of their own.
    Own,
    /// Processes have come or gone, or got or lost memory that others may share, and so changed the shares of others.
    Shared,
}

impl Change {
    /// From one reading of a process to the next.
    pub(super) fn between(before: Statm, after: Statm) -> Self {
        if before.shared != after.shared {
            Self::Shared
        } else if before != after {
            Self::Own
        } else {
            Self::Nothing
        }
    }
}
