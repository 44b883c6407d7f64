use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use gym_telemetry_conventions::HealthCheck as CheckId;
use gym_telemetry_core::RolloutHealth;
use serde_json::Value;

use super::{CheckError, HealthCheck, RolloutRecord, UnknownHealthCheck, consistency, model_calls, turns};

/// The checks that each finished rollout goes through.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::{HealthCheck, HealthVerdict};
/// use gym_telemetry_driver::HealthChecks;
/// use serde_json::json;
///
/// let checks = HealthChecks::new().ignoring(["agent_turn_hollow"])?;
/// let row = json!({
///     "reward": 1.0,
///     "ng_trajectory": {
///         "turns": [{"turn_no": 0, "answer": "4", "model_calls": [{"model_call_id": "a"}]}],
///         "model_calls": [{"model_call_id": "a", "response_metadata": {"status_code": 502}}],
///     },
/// });
/// let health = checks.evaluate(&row);
/// assert_eq!(health.verdict(), HealthVerdict::Unhealthy);
/// assert!(health.flagged().any(|check| check == HealthCheck::ModelCallFailed));
/// # Ok::<_, gym_telemetry_driver::UnknownHealthCheck>(())
/// ```
pub struct HealthChecks {
    checks: Vec<Box<dyn HealthCheck>>,
    ignored: Vec<CheckId>,
}

/// A check of ours, which cannot break.
type OurCheck = fn(&RolloutRecord<'_>) -> Option<usize>;

const OURS: [(CheckId, OurCheck); 10] = [
    (CheckId::RecordUnreadable, consistency::unreadable),
    (CheckId::RolloutMissingAgentTurns, turns::missing),
    (CheckId::AgentTurnHollow, turns::hollow),
    (CheckId::RolloutEndedOnFailedModelCall, model_calls::ended_on_failed),
    (CheckId::ModelCallFailed, model_calls::failed),
    (CheckId::ModelCallZeroCompletionTokens, model_calls::zero_completion_tokens),
    (CheckId::ModelCallMissingTokenCounts, model_calls::missing_token_counts),
    (CheckId::ModelCallRunawayGeneration, model_calls::runaway_generation),
    (CheckId::RolloutTokenCountMismatch, consistency::token_counts),
    (CheckId::TrajectoryCaptureMismatch, consistency::references),
];

impl HealthChecks {
    /// All checks that read nothing but one row.
    #[must_use]
    pub fn new() -> Self {
        let ours = |(id, check): (CheckId, OurCheck)| {
            Box::new((id, move |rollout: &RolloutRecord<'_>| Ok(check(rollout)))) as Box<dyn HealthCheck>
        };
        Self { checks: OURS.into_iter().map(ours).collect(), ignored: Vec::new() }
    }

    /// With one more check, or another one under the same id.
    #[must_use]
    pub fn with(mut self, check: impl HealthCheck + 'static) -> Self {
        self.checks.retain(|other| other.id() != check.id());
        self.checks.push(Box::new(check));
        self
    }

    /// Without the checks of these names: they are not evaluated at all.
    ///
    /// # Errors
    ///
    /// [`UnknownHealthCheck`] names the first one that does not exist, and those that do.
    pub fn ignoring(mut self, names: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self, UnknownHealthCheck> {
        for name in names {
            let known = CheckId::ALL.iter().find(|check| check.as_str() == name.as_ref());
            let unknown = || UnknownHealthCheck { name: name.as_ref().to_owned() };
            self.ignored.push(*known.ok_or_else(unknown)?);
        }
        Ok(self)
    }

    /// What the checks say of the rollout that an output row is of.
    ///
    /// A check that breaks or panics leaves the others alone.
    #[must_use]
    pub fn evaluate(&self, row: &Value) -> RolloutHealth {
        let rollout = RolloutRecord::new(row);
        let mut health = RolloutHealth::default();
        for check in self.checks.iter().filter(|check| !self.ignored.contains(&check.id())) {
            let panicked = |_| Err(CheckError::from("it panicked"));
            match catch_unwind(AssertUnwindSafe(|| check.run(&rollout))).unwrap_or_else(panicked) {
                Ok(Some(0)) => (),
                Ok(Some(_)) => health.flag(check.id()),
                Ok(None) => health.could_not_run(check.id()),
                Err(error) => {
                    tracing::warn!(target: "gym_telemetry", check = %check.id(), error, "a health check broke");
                    health.could_not_run(check.id());
                    if !self.ignored.contains(&CheckId::CheckExecutionError) {
                        health.flag(CheckId::CheckExecutionError);
                    }
                }
            }
        }
        health
    }
}

impl Default for HealthChecks {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for HealthChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks: Vec<_> = self.checks.iter().map(|check| check.id()).collect();
        f.debug_struct("HealthChecks").field("checks", &checks).field("ignored", &self.ignored).finish()
    }
}
