//! The watcher against runtimes that are stuck, side by side, idle, ended.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod lag;
mod lifetime;
mod support;
mod workers;
