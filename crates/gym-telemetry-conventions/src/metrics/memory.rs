//! Memory of servers and of the host.

use super::macros::instruments;

instruments! { "Memory of servers and of the host", Seed:
    /// Memory that a server holds together with all processes below it.
    SERVER_MEMORY_USAGE = "gym.server.memory.usage" {
        kind: GaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
        required: [SERVER_NAME, SERVER_TYPE, PROCESS_PID, MEMORY_TYPE],
    }

    /// Most memory that any sample of a server and the processes below it has shown.
    SERVER_MEMORY_SAMPLED_PEAK = "gym.server.memory.sampled_peak" {
        kind: GaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
        required: [SERVER_NAME, SERVER_TYPE, PROCESS_PID, MEMORY_TYPE],
    }

    /// Processes that count as part of a server at present.
    SERVER_PROCESSES = "gym.server.processes" {
        kind: GaugeU64,
        unit: "{process}",
        reporter: "supervisor with memory profiling",
        required: [SERVER_NAME, SERVER_TYPE, PROCESS_PID],
    }

    /// Memory of the host that is not available.
    HOST_MEMORY_USAGE = "gym.host.memory.usage" {
        kind: GaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }

    /// Memory of the host that programs can have without swapping.
    HOST_MEMORY_AVAILABLE = "gym.host.memory.available" {
        kind: GaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }

    /// Memory that the host has in all.
    HOST_MEMORY_TOTAL = "gym.host.memory.total" {
        kind: GaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }

    /// Most memory in use that any sample of the host has shown.
    HOST_MEMORY_SAMPLED_PEAK = "gym.host.memory.sampled_peak" {
        kind: GaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }
}
