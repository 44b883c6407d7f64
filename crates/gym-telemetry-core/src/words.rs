//! Words that are safe to use as attribute values: free text never is.

/// The longest of them.
const MAX_LENGTH: usize = 128;

/// Whether a word is a bare identifier.
pub(crate) fn is_identifier(word: &str) -> bool {
    let starts_well = word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    starts_well && word.len() <= MAX_LENGTH && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a word may name a server: what an identifier has, and dots and hyphens.
pub(crate) fn is_name(word: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !word.is_empty() && word.len() <= MAX_LENGTH && word.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_text_is_neither() {
        for text in ["", "it took 3 s", "a\nb", "é", &"x".repeat(129)] {
            assert!(!is_identifier(text) && !is_name(text), "{text:?}");
        }
        assert!(["_", "VerifierTimeoutError", "http_500"].into_iter().all(is_identifier));
        assert!(!is_identifier("3d") && !is_identifier("math-judge"));
        assert!(["3d", "math-judge", "judge.v2"].into_iter().all(is_name));
    }
}
