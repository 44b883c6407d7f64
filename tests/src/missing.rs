use std::fmt::Display;

/// Says that a test is skipped for want of a tool.
///
/// # Panics
///
/// As [`skip`].
pub fn missing(tool: &str) {
    skip(format_args!("{tool} is not installed"));
}

/// Says that a test cannot run here, and why.
///
/// # Panics
///
/// Where `GYM_TELEMETRY_REQUIRE_BACKENDS` is 1: there everything must run.
#[expect(clippy::print_stdout, reason = "whoever reads the output of a test is to know")]
pub fn skip(why: impl Display) {
    let required = std::env::var_os("GYM_TELEMETRY_REQUIRE_BACKENDS").is_some_and(|value| value == "1");
    assert!(!required, "skipped although it must run: {why}");
    println!("skipped: {why}");
}
