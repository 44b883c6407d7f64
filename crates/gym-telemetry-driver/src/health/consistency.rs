//! Checks that hold two sides of a rollout against each other. Each returns how often it finds something, or `None` if
//! it could not run.

use serde_json::Value;

use super::{RolloutRecord, trajectory::Call};

/// What is missing when references are known to contradict the captured calls.
const CONTRADICTIONS: [&str; 3] =
    ["model_call_reference_unmatched", "model_call_reference_ambiguous", "model_call_reference_conflict"];

/// The row, or the trajectory that it has, is not what it should be.
pub(super) fn unreadable(rollout: &RolloutRecord<'_>) -> Option<usize> {
    Some(usize::from(!rollout.is_readable()))
}

/// The tokens that the final response tells are not the sum over the calls of all turns.
pub(super) fn token_counts(rollout: &RolloutRecord<'_>) -> Option<usize> {
    let trajectory = rollout.trajectory()?;
    if trajectory.has_gap(&["turn_model_call_scope_incomplete"]) {
        return None;
    }
    let calls = trajectory.calls_of_turns()?;
    let sum = |tokens: fn(&Call<'_>) -> Option<u64>| calls.iter().map(|call| tokens(call).map(u128::from)).sum();
    let captured: (Option<u128>, Option<u128>) = (sum(|call| call.prompt_tokens), sum(|call| call.completion_tokens));
    let usage = &rollout.row()["response"]["usage"];
    let told = (tokens(usage, "input_tokens", "prompt_tokens")?, tokens(usage, "output_tokens", "completion_tokens")?);
    Some(usize::from(told != (captured.0?, captured.1?)))
}

/// A reference leads to no captured call or to several, or is known to.
pub(super) fn references(rollout: &RolloutRecord<'_>) -> Option<usize> {
    let trajectory = rollout.trajectory()?;
    trajectory.complete_calls()?;
    let (references, contradictions) = (trajectory.references(), trajectory.gaps(&CONTRADICTIONS));
    let unresolved = references.iter().filter(|reference| trajectory.resolve(reference).is_none()).count();
    (!references.is_empty() || contradictions > 0).then_some(unresolved + contradictions)
}

/// The tokens under the name of one dialect or the other.
fn tokens(usage: &Value, name: &str, other: &str) -> Option<u128> {
    let value = Some(&usage[name]).filter(|value| !value.is_null()).unwrap_or(&usage[other]);
    value.as_u64().map(u128::from)
}
