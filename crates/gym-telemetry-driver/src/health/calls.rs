//! Which model calls belong to which turns and invocations.

use std::collections::{BTreeMap, BTreeSet};

use super::trajectory::{Call, Reference, Trajectory, Turn};

/// What is missing when the captured calls are not all that there were.
const INCOMPLETE: [&str; 4] = [
    "model_calls_unavailable",
    "model_call_capture_incomplete",
    "model_call_capture_records_unreadable",
    "model_call_capture_unreadable",
];

impl<'a> Trajectory<'a> {
    /// The turns, if they were captured.
    pub(super) fn turns(&self) -> Option<&[Turn<'a>]> {
        (!self.has_gap(&["turns_unavailable"])).then_some(&*self.turns)
    }

    /// The calls, if all of them were captured.
    pub(super) fn complete_calls(&self) -> Option<&[Call<'a>]> {
        (!self.has_gap(&INCOMPLETE)).then_some(&*self.calls)
    }

    /// The calls that exactly one reference resolves to; none if there are none or some were not captured.
    pub(super) fn owned_calls(&self) -> Option<Vec<&Call<'a>>> {
        let calls = self.complete_calls()?;
        let mut owners: BTreeMap<usize, usize> = BTreeMap::new();
        for reference in self.references() {
            if let Ok(call) = self.resolve(&reference) {
                *owners.entry(call).or_default() += 1;
            }
        }
        let owned: Vec<_> = owners.iter().filter(|(_, owners)| **owners == 1).map(|(call, _)| &calls[*call]).collect();
        (!owned.is_empty()).then_some(owned)
    }

    /// The calls of all turns; none if there are none, or a reference does not lead to exactly one.
    pub(super) fn calls_of_turns(&self) -> Option<Vec<&Call<'a>>> {
        let calls = self.complete_calls()?;
        let bound: Result<BTreeSet<_>, _> = self.turn_references().iter().map(|turn| self.resolve(turn)).collect();
        let bound = bound.ok().filter(|bound| !bound.is_empty())?;
        Some(bound.into_iter().map(|call| &calls[call]).collect())
    }

    /// What turns and invocations refer to; the same reference counts once.
    pub(super) fn references(&self) -> BTreeSet<Reference<'a>> {
        let mut references = self.turn_references();
        references.extend(&self.invocations);
        references
    }

    fn turn_references(&self) -> BTreeSet<Reference<'a>> {
        self.turns.iter().flat_map(|turn| &turn.references).copied().collect()
    }

    /// The one call that a reference leads to, by its place; how many there are instead.
    pub(super) fn resolve(&self, reference: &Reference<'a>) -> Result<usize, usize> {
        let mut found = self.calls.iter().enumerate().filter(|(_, call)| reference.fits(call));
        match (found.next(), found.count()) {
            (Some((call, _)), 0) => Ok(call),
            (None, _) => Err(0),
            (Some(_), others) => Err(others + 1),
        }
    }
}

impl Reference<'_> {
    /// Whether everything that the reference gives is true of a call.
    fn fits(&self, call: &Call<'_>) -> bool {
        self.call_id.is_none_or(|id| call.id == Some(id))
            && self.model.is_none_or(|model| call.model == Some(model))
            && self.response_id.is_none_or(|id| call.response_id == Some(id))
    }
}
