//! Text from outside as it is shown.

use std::fmt::Write as _;

/// The most characters that are shown of one text.
const SHOWN: usize = 120;

/// A text as it is shown: short, on one line, and without characters that are invisible or turn others around.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len().min(SHOWN));
    for (count, character) in text.chars().enumerate() {
        if count == SHOWN {
            shown.push('…');
            break;
        }
        if is_hidden(character) {
            let _ = write!(shown, "{}", character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a character is a control character, has no width, or changes the direction of what follows.
fn is_hidden(character: char) -> bool {
    let formats = matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
    );
    character.is_control() || formats
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_plain_stays() {
        assert_eq!(shown("simple_agent /run <b>ö</b> שלום"), "simple_agent /run <b>ö</b> שלום");
    }

    #[test]
    fn what_hides_is_spelt_out() {
        assert_eq!(shown("a\nb\u{202e}c\0\u{200b}"), "a\\nb\\u{202e}c\\u{0}\\u{200b}");
    }

    #[test]
    fn what_is_long_is_cut() {
        let cut = shown(&"ö".repeat(1 << 20));
        assert_eq!(cut.chars().count(), SHOWN + 1);
        assert!(cut.ends_with('…'));
    }
}
