//! One handle that starts telemetry and hands out its recorders.
