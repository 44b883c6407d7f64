//! How long a file is, and what a `mod.rs` or `lib.rs` holds.

use super::finding::Finding;
use super::sources::{LineKind, Source, kind_of};

/// The most lines of code in a file, its tests apart.
const MOST_CODE: usize = 400;

/// The most lines of tests beside the code that they test.
const MOST_TESTS: usize = 100;

/// What begins an item that has logic or state of its own.
const LOGIC: [&str; 10] = ["async", "const", "enum", "fn", "impl", "macro_rules!", "static", "struct", "trait", "type"];

/// Checks one file.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    if !source.is_rust() || source.is_test() {
        return Vec::new();
    }
    let mut findings = Vec::new();

    let code = source.lines_without_tests().filter(|(_, line)| kind_of(line) == LineKind::Code).count();
    if code > MOST_CODE {
        findings.push(Finding::in_file(&source.path, format!("{code} lines of code, more than {MOST_CODE}")));
    }

    if let Some(begin) = source.inline_tests() {
        let tests = source.lines().count() + 1 - begin;
        if tests > MOST_TESTS {
            let message = format!("{tests} lines of tests, more than {MOST_TESTS}: give them a file of their own");
            findings.push(Finding::at_line(&source.path, begin, message));
        }
    }

    if source.is_named("mod.rs") || source.is_named("lib.rs") {
        let logic = source.lines_without_tests().filter(|(_, line)| begins_logic(line));
        findings.extend(logic.map(|(number, _)| {
            Finding::at_line(&source.path, number, "only documentation, `mod` and `use` belong here")
        }));
    }
    findings
}

/// Whether a line begins an item other than `mod` and `use`. Formatted items begin at the margin.
fn begins_logic(line: &str) -> bool {
    let mut words = line.split(' ').skip_while(|word| word.starts_with("pub"));
    let first = words.next().unwrap_or_default();
    let word = first.split('<').next().unwrap_or_default();
    LOGIC.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&Source::new(path, text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn long_files_are_found() {
        let lines = "let a = 1;\n".repeat(MOST_CODE);
        assert_eq!(found("src/a.rs", &lines), Vec::<String>::new());
        assert_eq!(found("src/a.rs", &format!("/// Docs.\n\n// Why.\n{lines}")), Vec::<String>::new());
        assert_eq!(found("src/a.rs", &format!("{lines}x();\n")), ["src/a.rs: 401 lines of code, more than 400"]);
        assert_eq!(found("tests/a.rs", &format!("{lines}x();\n")), Vec::<String>::new());
    }

    #[test]
    fn long_tests_are_found() {
        let tests = |lines: usize| format!("fn f() {{}}\n\n#[cfg(test)]\nmod tests {{\n{}}}\n", "a();\n".repeat(lines));
        assert_eq!(found("src/a.rs", &tests(MOST_TESTS - 3)), Vec::<String>::new());
        assert_eq!(found("src/a.rs", &tests(MOST_TESTS - 2)).len(), 1);
    }

    #[test]
    fn logic_in_a_module_file_is_found() {
        let clean = "//! Docs.\n#![no_std]\n\nmod a;\n\npub use a::{\n    B, C,\n};\npub(crate) use a::d;\n";
        assert_eq!(found("src/mod.rs", clean), Vec::<String>::new());
        for item in ["fn f() {}", "pub(crate) struct A;", "impl<T> A for B<T> {}", "pub const fn f() {}"] {
            assert_eq!(found("src/lib.rs", &format!("{clean}{item}\n")).len(), 1, "{item}");
            assert_eq!(found("src/other.rs", item), Vec::<String>::new());
        }
    }
}
