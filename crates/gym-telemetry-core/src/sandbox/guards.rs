use std::time::Instant;

use super::series::SandboxShard;
use crate::shard::Shard;

/// A sandbox that is being provisioned. Dropped, the start failed: it leaves no sample and no sandbox.
#[derive(Debug)]
#[must_use = "dropping it counts no sandbox"]
pub struct SandboxStart {
    shard: Shard<SandboxShard>,
    since: Instant,
}

/// A sandbox that this process uses. It counts as active, if it was started here, until it is stopped or dropped.
#[derive(Debug)]
#[must_use = "dropping it counts the sandbox as released"]
pub struct Sandbox {
    shard: Shard<SandboxShard>,
    counted: bool,
}

/// One command in a sandbox. Dropping it records how long it took, however it ended.
#[derive(Debug)]
#[must_use = "dropping it records the command"]
pub struct SandboxExec {
    shard: Shard<SandboxShard>,
    since: Instant,
}

impl SandboxStart {
    pub(super) fn new(shard: Shard<SandboxShard>) -> Self {
        Self { shard, since: Instant::now() }
    }

    /// An attempt failed, and the provider tries again.
    pub fn retry(&self) {
        self.shard.here().retries.add(1);
    }

    /// The provider handed the sandbox back: it counts as active, and its start is a sample. What goes wrong from here
    /// on, such as the upload of files, is to drop or stop the sandbox.
    pub fn started(self) -> Sandbox {
        let shard = self.shard.here();
        shard.startup.record_duration(self.since.elapsed());
        shard.active.enter();
        Sandbox { shard, counted: true }
    }
}

impl Sandbox {
    pub(super) fn adopted(shard: Shard<SandboxShard>) -> Self {
        Self { shard, counted: false }
    }

    /// A command begins in the sandbox.
    pub fn exec(&self) -> SandboxExec {
        SandboxExec { shard: self.shard.here(), since: Instant::now() }
    }

    /// The sandbox was released. There is no second time: it is used up.
    pub fn stop(self) {}
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if self.counted {
            self.shard.active.leave();
        }
    }
}

impl Drop for SandboxExec {
    fn drop(&mut self) {
        self.shard.here().exec.record_duration(self.since.elapsed());
    }
}
