use std::{error::Error, path::Path};

use crate::ProcFs;

/// A process that is to be watched as a server.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) name: String,
    pub(super) server_type: String,
    pub(super) pid: u32,
    pub(super) started: u64,
}

impl Target {
    /// Fixes which process is meant, so that another one with its id is never taken for it.
    ///
    /// None, and a line in the log, where there is no such process in sight.
    pub(super) fn find(proc: &Path, name: String, server_type: String, pid: u32) -> Option<Self> {
        match ProcFs::open(proc).and_then(|mut proc| proc.stat(pid)) {
            Ok(stat) => Some(Self { name, server_type, pid, started: stat.started }),
            Err(error) => {
                let error = &error as &dyn Error;
                tracing::warn!(target: "gym_telemetry", server = name, pid, error, "a server is not there to be watched");
                None
            }
        }
    }
}
