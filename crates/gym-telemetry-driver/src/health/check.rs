use std::error::Error;

use gym_telemetry_conventions::HealthCheck as CheckId;

use super::RolloutRecord;

/// Why a check broke.
pub type CheckError = Box<dyn Error + Send + Sync>;

/// A check of one finished rollout.
///
/// A pair of an id and a function is one too.
pub trait HealthCheck: Send + Sync {
    /// Under which of the fixed ids it reports.
    fn id(&self) -> CheckId;

    /// How often it finds something; `None` if it could not run, because the rollout lacks what it reads.
    ///
    /// # Errors
    ///
    /// Only if the check itself broke: it counts as `check_execution_error`, and so does a panic.
    fn run(&self, rollout: &RolloutRecord<'_>) -> Result<Option<usize>, CheckError>;
}

impl<F> HealthCheck for (CheckId, F)
where
    F: Fn(&RolloutRecord<'_>) -> Result<Option<usize>, CheckError> + Send + Sync,
{
    fn id(&self) -> CheckId {
        self.0
    }

    fn run(&self, rollout: &RolloutRecord<'_>) -> Result<Option<usize>, CheckError> {
        (self.1)(rollout)
    }
}
