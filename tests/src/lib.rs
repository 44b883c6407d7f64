//! Tests that cross crates, processes and foreign backends.
