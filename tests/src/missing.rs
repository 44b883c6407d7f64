/// Says that a test is skipped for want of a tool.
///
/// # Panics
///
/// Where `GYM_TELEMETRY_REQUIRE_BACKENDS` is 1: there every tool must be.
#[expect(clippy::print_stdout, reason = "whoever reads the output of a test is to know")]
pub fn missing(tool: &str) {
    assert!(std::env::var_os("GYM_TELEMETRY_REQUIRE_BACKENDS").is_none_or(|it| it != "1"), "{tool} is not installed");
    println!("skipped: {tool} is not installed");
}
