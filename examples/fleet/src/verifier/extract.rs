//! Finding the answer in what a model said.

/// The content of the last `\boxed{…}`, braces within it balanced.
pub(crate) fn boxed(text: &str) -> Option<&str> {
    const OPEN: &str = r"\boxed{";
    let start = text.rfind(OPEN)? + OPEN.len();
    let mut depth = 1;
    for (at, char) in text[start..].char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(text[start..start + at].trim());
        }
    }
    None
}

/// What follows the last "final answer is" or "final answer:" on its line.
pub(crate) fn final_answer(text: &str) -> Option<&str> {
    const PHRASE: &str = "final answer";
    // ASCII folding keeps every offset.
    let start = text.to_ascii_lowercase().rfind(PHRASE)? + PHRASE.len();
    let rest = text[start..].trim_start();
    let rest = rest.strip_prefix("is").or_else(|| rest.strip_prefix(':'))?;
    let line = rest.lines().next().unwrap_or_default();
    let answer = line.trim_matches(|char: char| char.is_whitespace() || ":.*\"'`".contains(char));
    (!answer.is_empty()).then_some(answer)
}

/// The last line that is not blank.
pub(crate) fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().map(str::trim).find(|line| !line.is_empty())
}
