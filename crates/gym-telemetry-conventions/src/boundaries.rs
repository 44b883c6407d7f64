//! Explicit histogram boundaries, in the unit of the metric that uses them.

/// Rollouts and verifications: 0.1 s to 1 h, in ms.
pub const GYM_DURATION_MS: &[f64] = &[
    100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10000.0, 30000.0, 60000.0, 120000.0, 300000.0, 600000.0, 1200000.0,
    1800000.0, 3600000.0,
];

/// Start-up stages: 0.1 s to 30 min, in ms.
pub const STARTUP_MS: &[f64] =
    &[100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0, 10000.0, 30000.0, 60000.0, 120000.0, 300000.0, 600000.0, 1800000.0];

/// Sandboxes: 0.25 s to 30 min, in ms.
pub const SANDBOX_MS: &[f64] =
    &[250.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0, 30000.0, 60000.0, 120000.0, 300000.0, 600000.0, 1800000.0];

/// Connections: 10 µs to 30 s, in ms.
pub const POOL_MS: &[f64] =
    &[0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 5000.0, 30000.0];

/// The driver and limited operations: 0.1 ms to 30 min, in ms.
pub const DRIVER_MS: &[f64] =
    &[0.1, 1.0, 10.0, 100.0, 500.0, 1000.0, 5000.0, 10000.0, 30000.0, 60000.0, 300000.0, 1800000.0];

/// Output rows: 1 kB to 100 MB, in bytes.
pub const WRITE_BYTES: &[f64] = &[1000.0, 10000.0, 100000.0, 1000000.0, 10000000.0, 100000000.0];

/// Items, turns and tool calls of one rollout: powers of two.
pub const ROLLOUT_COUNT: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 4096.0];

/// Event-loop lag: 0.5 ms to 5 s, in ms.
pub const LAG_MS: &[f64] = &[0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 2500.0, 5000.0];

/// Garbage-collection pauses: 0.1 ms to 1 s, in ms.
pub const GC_MS: &[f64] = &[0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 25.0, 50.0, 100.0, 250.0, 500.0, 1000.0];

/// Model calls: 0.1 s to 30 min, in ms.
pub const MODEL_CALL_MS: &[f64] =
    &[100.0, 250.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0, 30000.0, 60000.0, 120000.0, 300000.0, 600000.0, 1800000.0];

/// Time to the first streamed chunk: 50 ms to 5 min, in ms.
pub const TTFT_MS: &[f64] =
    &[50.0, 100.0, 250.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0, 30000.0, 60000.0, 120000.0, 300000.0];

/// Tokens of one model call: 16 to a million.
pub const MODEL_TOKENS: &[f64] =
    &[16.0, 64.0, 256.0, 1024.0, 4096.0, 16384.0, 32768.0, 65536.0, 131072.0, 262144.0, 524288.0, 1048576.0];

/// HTTP requests: 5 ms to 10 s, in **seconds** (OpenTelemetry HTTP semantic conventions).
pub const HTTP_S: &[f64] = &[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0];
