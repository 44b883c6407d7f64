use serde_json::Value;

use super::trajectory::{Malformed, Trajectory};

/// One finished rollout as checks read it.
#[derive(Debug)]
pub struct RolloutRecord<'a> {
    row: &'a Value,
    trajectory: Result<Option<Trajectory<'a>>, Malformed>,
}

impl<'a> RolloutRecord<'a> {
    /// The rollout of one output row.
    #[must_use]
    pub fn new(row: &'a Value) -> Self {
        let trajectory = match row {
            Value::Object(_) => Some(&row["ng_trajectory"]).filter(|value| !value.is_null()).map(Trajectory::parse),
            _ => Some(Err(Malformed)),
        };
        Self { row, trajectory: trajectory.transpose() }
    }

    /// The row.
    #[must_use]
    pub fn row(&self) -> &'a Value {
        self.row
    }

    /// Whether the row and its trajectory, if it has one, have the shape that they should.
    pub(super) fn is_readable(&self) -> bool {
        self.trajectory.is_ok()
    }

    /// The trajectory, if there is one to read.
    pub(super) fn trajectory(&self) -> Option<&Trajectory<'a>> {
        let trajectory = self.trajectory.as_ref().ok()?.as_ref()?;
        (!trajectory.has_gap(&["trajectory_projection_failed"])).then_some(trajectory)
    }
}
