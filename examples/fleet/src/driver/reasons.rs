use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

/// How many different reasons are told apart; the file of failures has all of them.
const TOLD_APART: usize = 100;

/// Why rollouts failed, and how often so.
#[derive(Debug, Default)]
pub(crate) struct Reasons(Mutex<HashMap<String, Reason>>);

/// One of these reasons, as the first rollout told it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) message: String,
    pub(crate) count: u64,
}

impl Reasons {
    /// One rollout failed for this reason. Messages that differ in numbers alone, such as a rollout's, are one.
    pub(crate) fn add(&self, message: &str) {
        let kind: String = message.chars().filter(|letter| !letter.is_ascii_digit()).collect();
        let mut reasons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = reasons.get_mut(&kind) {
            reason.count += 1;
        } else if reasons.len() < TOLD_APART {
            reasons.insert(kind, Reason { message: message.to_owned(), count: 1 });
        }
    }

    /// The reason that is there most often.
    pub(crate) fn most_frequent(&self) -> Option<Reason> {
        let reasons = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.values().max_by_key(|reason| reason.count).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_reason_is_named_and_the_rest_is_bounded() {
        let reasons = Reasons::default();
        assert_eq!(reasons.most_frequent(), None);
        ["late", "rollout 0-1", "rollout 12-3"].iter().for_each(|message| reasons.add(message));
        assert_eq!(reasons.most_frequent(), Some(Reason { message: "rollout 0-1".to_owned(), count: 2 }));
        (0..2 * TOLD_APART).for_each(|length| reasons.add(&"x".repeat(length)));
        assert_eq!(reasons.0.lock().unwrap().len(), TOLD_APART);
    }
}
