//! What no line may hold.

use super::finding::Finding;
use super::sources::{LineKind, Source, kind_of};

/// The longest line of prose, in characters. The formatter sees to the code.
const WIDEST: usize = 120;

/// Work that is left open. Put together, so that this file does not hold them.
const OPEN_WORK: [&str; 4] =
    [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("to", "do!("), concat!("un", "implemented!(")];

/// Checks one file.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let check_line = if source.is_rust() { in_rust } else { in_prose };
    source
        .lines()
        .flat_map(|(number, line)| {
            let at_line = move |message| Finding::at_line(&source.path, number, message);
            check_line(line).into_iter().map(at_line)
        })
        .collect()
}

/// What is wrong with a line of Rust.
fn in_rust(line: &str) -> Vec<&'static str> {
    let code = line.trim_start();
    let kind = kind_of(line);
    let starts = |prefixes: [&str; 2]| prefixes.iter().any(|prefix| code.starts_with(prefix));
    let rules = [
        (OPEN_WORK.iter().any(|word| line.contains(word)), "work left open"),
        (starts(["#[allow(", "#![allow("]), "use `#[expect(.., reason = \"..\")]`"),
        (starts(["#[ignore", "#![ignore"]), "a test that does not run"),
        (kind == LineKind::Doc && code.contains("```ignore"), "an example that does not run"),
        (matches!(kind, LineKind::Doc | LineKind::Comment) && is_wide(line), "a comment wider than 120 characters"),
    ];
    rules.into_iter().filter(|(broken, _)| *broken).map(|(_, message)| message).collect()
}

/// What is wrong with a line of a document.
fn in_prose(line: &str) -> Vec<&'static str> {
    // A row of a table cannot be broken, nor can an address.
    let breakable = !line.starts_with('|') && line.trim().contains(' ');
    if breakable && is_wide(line) { vec!["a line wider than 120 characters"] } else { Vec::new() }
}

/// Whether a line goes past the margin.
fn is_wide(line: &str) -> bool {
    line.chars().count() > WIDEST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&Source::new(path, text)).len()
    }

    #[test]
    fn each_rule_is_found_once() {
        let lines = [
            format!("// {}: later", OPEN_WORK[0]),
            format!("    {})", OPEN_WORK[2]),
            "#[allow(dead_code)]".to_owned(),
            "    #[ignore = \"slow\"]".to_owned(),
            "/// ```ignore".to_owned(),
            format!("    // {}", "x".repeat(WIDEST)),
        ];
        for line in lines {
            assert_eq!(count("a.rs", &line), 1, "{line}");
        }
    }

    #[test]
    fn what_is_fine_passes() {
        let fine =
            "#[expect(dead_code, reason = \"shown in an example\")]\n/// ```no_run\n// Short.\nlet allow = ignore;\n";
        assert_eq!(count("a.rs", fine), 0);
    }

    #[test]
    fn wide_prose_is_found_outside_tables() {
        let wide = "word ".repeat(30);
        assert_eq!(count("a.md", &wide), 1);
        assert_eq!(count("a.md", &format!("| {wide} |")), 0);
    }
}
