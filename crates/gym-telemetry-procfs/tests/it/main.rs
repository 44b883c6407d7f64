//! Tests against processes that they start, and against made-up roots of the file system.
#![cfg(test)]

mod agreement;
mod container;
mod fake_tree;
mod host;
mod hostile;
mod parsers;
mod pss;
mod real_memory;
mod real_tree;
mod support;
mod watch;
