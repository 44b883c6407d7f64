//! Checks of model calls. Each returns how often it finds something, or `None` if it could not run.

use super::{RolloutRecord, content::response_has_content, trajectory::Call};

/// The last captured call failed. An earlier one may have been tried again.
pub(super) fn ended_on_failed(rollout: &RolloutRecord<'_>) -> Option<usize> {
    let last = rollout.trajectory()?.complete_calls()?.last()?;
    Some(usize::from(last.failed()))
}

/// A call failed.
pub(super) fn failed(rollout: &RolloutRecord<'_>) -> Option<usize> {
    count(rollout, |call| call.failed())
}

/// A call produced exactly no tokens.
pub(super) fn zero_completion_tokens(rollout: &RolloutRecord<'_>) -> Option<usize> {
    count(rollout, |call| call.completion_tokens == Some(0))
}

/// A call lacks a count of tokens.
pub(super) fn missing_token_counts(rollout: &RolloutRecord<'_>) -> Option<usize> {
    count(rollout, |call| call.prompt_tokens.is_none() || call.completion_tokens.is_none())
}

/// A call ran into its limit of length and said nothing.
pub(super) fn runaway_generation(rollout: &RolloutRecord<'_>) -> Option<usize> {
    let mut calls = rollout.trajectory()?.owned_calls()?;
    calls.retain(|call| matches!(call.finish_reason, Some("length" | "max_output_tokens" | "max_tokens")));
    if calls.iter().any(|call| call.response.is_null()) {
        return None;
    }
    Some(calls.iter().filter(|call| !response_has_content(call.response)).count())
}

/// How many calls that belong to the rollout are so.
fn count(rollout: &RolloutRecord<'_>, is: impl Fn(&Call<'_>) -> bool) -> Option<usize> {
    let calls = rollout.trajectory()?.owned_calls()?;
    Some(calls.iter().filter(|call| is(call)).count())
}

impl Call<'_> {
    fn failed(&self) -> bool {
        self.status.is_some_and(|status| status >= 400)
            || self.error_category.is_some_and(|category| !category.is_empty())
            || matches!(self.response_status, Some("failed" | "error" | "cancelled"))
    }
}
