use gym_telemetry_conventions::{HealthCheck, HealthVerdict};

/// What all checks together say of one rollout.
///
/// # Example
///
/// ```
/// use gym_telemetry_conventions::{HealthCheck, HealthVerdict};
/// use gym_telemetry_core::RolloutHealth;
///
/// let mut health = RolloutHealth::default();
/// assert_eq!(health.verdict(), HealthVerdict::Healthy);
/// health.could_not_run(HealthCheck::ModelCallFailed);
/// assert_eq!(health.verdict(), HealthVerdict::Unobserved);
/// health.flag(HealthCheck::AgentTurnHollow);
/// assert_eq!(health.verdict(), HealthVerdict::Unhealthy);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RolloutHealth {
    flagged: [bool; HealthCheck::ALL.len()],
    unobserved: [bool; HealthCheck::ALL.len()],
}

impl RolloutHealth {
    /// A check found something, once or more often.
    pub fn flag(&mut self, check: HealthCheck) {
        self.flagged[check.index()] = true;
    }

    /// A check lacked what it reads.
    pub fn could_not_run(&mut self, check: HealthCheck) {
        self.unobserved[check.index()] = true;
    }

    /// `unhealthy` if any check found something, else `unobserved` if any could not run, else `healthy`.
    #[must_use]
    pub fn verdict(&self) -> HealthVerdict {
        if self.flagged.contains(&true) {
            HealthVerdict::Unhealthy
        } else if self.unobserved.contains(&true) {
            HealthVerdict::Unobserved
        } else {
            HealthVerdict::Healthy
        }
    }

    /// The checks that found something.
    pub fn flagged(&self) -> impl Iterator<Item = HealthCheck> {
        HealthCheck::ALL.iter().copied().filter(|check| self.flagged[check.index()])
    }

    /// The checks that could not run.
    pub fn unobserved(&self) -> impl Iterator<Item = HealthCheck> {
        HealthCheck::ALL.iter().copied().filter(|check| self.unobserved[check.index()])
    }
}
