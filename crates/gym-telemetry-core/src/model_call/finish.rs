//! Why a model stops, in the words of its providers.

/// The words that have series of their own, in order.
const KNOWN: &[&str] = &[
    "abort",
    "cancelled",
    "completed",
    "content_filter",
    "end_turn",
    "error",
    "failed",
    "function_call",
    "incomplete",
    "length",
    "max_output_tokens",
    "max_tokens",
    "model_context_window_exceeded",
    "pause_turn",
    "refusal",
    "stop",
    "stop_sequence",
    "tool_calls",
    "tool_use",
];

/// What any other word becomes.
const OTHER: &str = "other";

/// How many series there may be.
pub(super) const COUNT: usize = KNOWN.len() + 1;

/// The place of a word among the series.
pub(super) fn index(reason: &str) -> usize {
    KNOWN.binary_search(&reason).unwrap_or(KNOWN.len())
}

/// The word of a place.
pub(super) fn reason(index: usize) -> &'static str {
    KNOWN.get(index).copied().unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_word_is_found_and_any_other_is_other() {
        assert!(KNOWN.iter().all(|word| reason(index(word)) == *word));
        assert_eq!(["", "Stop", "because"].map(|word| reason(index(word))), [OTHER; 3]);
    }
}
