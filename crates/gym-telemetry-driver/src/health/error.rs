use gym_telemetry_conventions::HealthCheck as CheckId;

/// A name that no health check has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no health check {name:?}; there are {}", known())]
#[non_exhaustive]
pub struct UnknownHealthCheck {
    /// The name.
    pub name: String,
}

fn known() -> String {
    CheckId::ALL.iter().map(|check| check.as_str()).collect::<Vec<_>>().join(", ")
}
