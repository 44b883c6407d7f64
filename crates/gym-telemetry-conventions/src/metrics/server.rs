//! Servers and their start-up.

use super::macros::instruments;

instruments! { "Servers and their start-up", Seed:
    /// Servers that the supervisor has running; 0 once it has shut them down.
    SERVERS_ACTIVE = "gym.servers.active" {
        kind: GaugeU64,
        unit: "{server}",
        reporter: "supervisor",
    }

    /// How long one stage of start-up took; the stages of a process add up to the time until it accepts connections.
    SERVER_STARTUP_STAGE_DURATION_MS = "gym.server.startup_stage_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "every server",
        required: [SERVER_NAME, SERVER_TYPE, STARTUP_STAGE, SERVER_WORKER],
        boundaries: STARTUP_MS,
    }
}
