use anyhow::Result;
use gym_telemetry::{DriverMetrics, driver::OutputWriter};

use crate::paths::Paths;

/// Where the results of a run go.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) rollouts: OutputWriter,
    pub(crate) failures: OutputWriter,
}

impl Files {
    /// Opens the output and the failures file beside it.
    pub(crate) fn open(paths: &Paths, metrics: &DriverMetrics) -> Result<Self> {
        let rollouts = OutputWriter::open(&paths.output, metrics.clone())?;
        let failures = OutputWriter::open(&paths.failures, metrics.clone())?;
        Ok(Self { rollouts, failures })
    }
}
