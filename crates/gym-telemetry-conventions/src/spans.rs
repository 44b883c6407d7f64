//! Span names.

/// The start of one server, as its supervisor sees it: from the spawn until the server said that it is ready.
pub const STARTUP_SERVER: &str = "gym.startup.server";

/// The start of one server, as it sees it itself; the spans of its stages are beneath.
pub const SERVER_STARTUP: &str = "gym.server.startup";
