use std::iter;

/// A decimal number, surrounded by white space or not.
#[must_use]
pub fn number(text: &[u8]) -> Option<u64> {
    let digits = text.trim_ascii();
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u64, |value, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit <= 9)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// The words of a text, separated by white space of any length.
pub(super) fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// The lines of a text.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n')
}

/// The amounts of a text with lines such as `MemTotal:  16384 kB`, in bytes, each with its name.
pub(super) fn amounts(text: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    lines(text).filter_map(|line| {
        let (name, rest) = split(line, b':')?;
        let kilobytes = number(rest.trim_ascii_end().strip_suffix(b"kB")?)?;
        Some((name, kilobytes.checked_mul(1024)?))
    })
}

/// What stands before the first separator, and what after it.
pub(super) fn split(text: &[u8], separator: u8) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == separator)?;
    Some((&text[..at], &text[at + 1..]))
}

/// A path as `mountinfo` writes it, with white space and backslashes as octal numbers.
pub(super) fn unescape(mut path: &[u8]) -> Vec<u8> {
    let bytes = iter::from_fn(|| {
        let (byte, length) = match path {
            [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                ((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'), 4)
            }
            [byte, ..] => (*byte, 1),
            [] => return None,
        };
        path = &path[length..];
        Some(byte)
    });
    bytes.collect()
}
