//! Checks of what the agent did. Each returns how often it finds something, or `None` if it could not run.

use super::{
    RolloutRecord,
    content::{has_content, has_tool_call},
    trajectory::Turn,
};

/// There is no turn with a message, a call of a tool or a call of a model.
pub(super) fn missing(rollout: &RolloutRecord<'_>) -> Option<usize> {
    let turns = rollout.trajectory()?.turns()?;
    let active = turns.iter().any(|turn| !turn.is_hollow() || !turn.references.is_empty());
    Some(usize::from(!active))
}

/// A turn has neither a message nor a call of a tool.
pub(super) fn hollow(rollout: &RolloutRecord<'_>) -> Option<usize> {
    let turns = rollout.trajectory()?.turns()?;
    Some(turns.iter().filter(|turn| turn.is_hollow()).count())
}

impl Turn<'_> {
    fn is_hollow(&self) -> bool {
        let (answer, reasoning) = (&self.whole["answer"], &self.whole["reasoning_content"]);
        !has_content(answer) && !has_content(reasoning) && !has_tool_call(answer) && !has_tool_call(self.whole)
    }
}
