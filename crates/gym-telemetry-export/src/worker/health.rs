use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::ExportError;

/// How the exporter is doing.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Status {
    /// Whether the exporter's thread is alive. It is not after a shutdown.
    pub running: bool,
    /// How many exports have succeeded.
    pub exports: u64,
    /// How many have failed, retries within one counted once.
    pub failures: u64,
    /// Why the latest export failed, if it did.
    pub last_error: Option<ExportError>,
}

/// Counts exports, and tells the log when they begin to fail and when they succeed again.
#[derive(Debug, Default)]
pub(crate) struct Health {
    status: Mutex<Status>,
}

impl Health {
    /// The figures, with whether the thread is alive.
    pub(super) fn status(&self, running: bool) -> Status {
        Status { running, ..self.lock().clone() }
    }

    /// Counts one export. The log hears of the first failure in a row, and of the success that ends it.
    pub(super) fn record(&self, outcome: &Result<(), ExportError>) {
        let failed_before = self.lock().last_error.is_some();
        match outcome {
            Ok(()) if failed_before => tracing::info!("telemetry is exported again"),
            Err(error) if !failed_before => {
                tracing::warn!(error = error as &dyn std::error::Error, "telemetry is not exported; it is tried again");
            }
            _ => {}
        }
        let mut status = self.lock();
        match outcome {
            Ok(()) => status.exports += 1,
            Err(_) => status.failures += 1,
        }
        status.last_error = outcome.clone().err();
    }

    fn lock(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
