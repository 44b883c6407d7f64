//! Which model calls belong to which turns and invocations.

use std::collections::{BTreeMap, BTreeSet};

use super::trajectory::{Call, Model, Reference, Trajectory, Turn};

/// What is missing when the captured calls are not all that there were.
const INCOMPLETE: [&str; 4] = [
    "model_calls_unavailable",
    "model_call_capture_incomplete",
    "model_call_capture_records_unreadable",
    "model_call_capture_unreadable",
];

/// The places of calls by what refers to them, so that references to thousands of calls are soon resolved.
#[derive(Debug, Default)]
pub(super) struct CallIndex<'a> {
    by_id: BTreeMap<&'a str, Vec<usize>>,
    by_response: BTreeMap<(Model<'a>, &'a str), Vec<usize>>,
}

impl<'a> CallIndex<'a> {
    pub(super) fn new(calls: &[Call<'a>]) -> Self {
        let mut index = Self::default();
        for (place, call) in calls.iter().enumerate() {
            if let Some(id) = call.id {
                index.by_id.entry(id).or_default().push(place);
            }
            if let Some(response) = call.model.zip(call.response_id) {
                index.by_response.entry(response).or_default().push(place);
            }
        }
        index
    }

    /// Where a call may be that a reference leads to.
    fn candidates(&self, reference: &Reference<'a>) -> &[usize] {
        let by_response = || self.by_response.get(&reference.model.zip(reference.response_id)?);
        let places = reference.call_id.map_or_else(by_response, |id| self.by_id.get(id));
        places.map_or(&[], Vec::as_slice)
    }
}

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
        let mut owners = vec![0; calls.len()];
        for place in self.references().iter().filter_map(|reference| self.resolve(reference)) {
            owners[place] += 1;
        }
        let owned: Vec<_> = calls.iter().zip(owners).filter(|(_, owners)| *owners == 1).map(|(call, _)| call).collect();
        (!owned.is_empty()).then_some(owned)
    }

    /// The calls of all turns; none if there are none, or a reference does not lead to exactly one.
    pub(super) fn calls_of_turns(&self) -> Option<Vec<&Call<'a>>> {
        let calls = self.complete_calls()?;
        let bound: Option<BTreeSet<_>> = self.turn_references().iter().map(|turn| self.resolve(turn)).collect();
        let bound = bound.filter(|bound| !bound.is_empty())?;
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

    /// The place of the call that a reference leads to; none if there is no such call, or several.
    pub(super) fn resolve(&self, reference: &Reference<'a>) -> Option<usize> {
        let candidates = self.index.candidates(reference).iter().copied();
        let mut found = candidates.filter(|place| reference.fits(&self.calls[*place]));
        found.next().filter(|_| found.next().is_none())
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
