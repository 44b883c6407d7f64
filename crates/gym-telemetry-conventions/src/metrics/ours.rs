//! What is ours alone: metrics that no other implementation has to report.

use super::macros::instruments;

instruments! { "Ours alone", Ours:
    /// How long an outbound call took, to the end of its response, by OpenTelemetry's conventions of HTTP.
    HTTP_CLIENT_REQUEST_DURATION = "http.client.request.duration" {
        kind: HistogramF64,
        unit: "s",
        reporter: "HTTP client with HTTP semantic conventions",
        required: [HTTP_REQUEST_METHOD, URL_SCHEME, SERVER_ADDRESS],
        optional: [SERVER_PORT, HTTP_RESPONSE_STATUS_CODE, NETWORK_PROTOCOL_VERSION, ERROR_TYPE],
        boundaries: HTTP_S,
    }

    /// Memory of the control group whose limit binds, page cache included, from its `memory.current`.
    CONTAINER_MEMORY_USAGE = "container.memory.usage" {
        kind: ObservableGaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }

    /// The limit that binds, from `memory.max`; absent where none is below the host's memory.
    CONTAINER_MEMORY_LIMIT = "container.memory.limit" {
        kind: ObservableGaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }

    /// Most memory that the kernel saw the control group hold, from its `memory.peak`.
    CONTAINER_MEMORY_PEAK = "container.memory.peak" {
        kind: ObservableGaugeU64,
        unit: "By",
        reporter: "supervisor with memory profiling",
    }

    /// Processes of the control group that the kernel killed for want of memory, from its `memory.events`.
    CONTAINER_MEMORY_OOM_KILLS_TOTAL = "container.memory.oom_kills_total" {
        kind: ObservableCounterU64,
        unit: "{process}",
        reporter: "supervisor with memory profiling",
    }

    /// Share of the time in which tasks of the control group waited for memory, from its `memory.pressure`.
    CONTAINER_MEMORY_PRESSURE = "container.memory.pressure" {
        kind: GaugeF64,
        unit: "1",
        reporter: "supervisor with memory profiling",
        required: [MEMORY_PRESSURE_SHARE, MEMORY_PRESSURE_WINDOW],
    }

    /// Share of the time in which tasks of the host waited for memory, from `/proc/pressure/memory`.
    HOST_MEMORY_PRESSURE = "gym.telemetry.host.memory.pressure" {
        kind: GaugeF64,
        unit: "1",
        reporter: "supervisor with memory profiling",
        required: [MEMORY_PRESSURE_SHARE, MEMORY_PRESSURE_WINDOW],
    }

    /// Age of the oldest reading in a server's PSS.
    MEMORY_PSS_AGE_MS = "gym.telemetry.memory.pss_age_ms" {
        kind: ObservableGaugeU64,
        unit: "ms",
        reporter: "supervisor with memory profiling",
        required: [SERVER_NAME, SERVER_TYPE, PROCESS_PID],
    }

    /// Time that one sample of the memory of all servers, the host and the container took.
    MEMORY_SAMPLE_DURATION_MS = "gym.telemetry.memory.sample_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "supervisor with memory profiling",
        boundaries: GC_MS,
    }

    /// Samples of memory that were left out because the one before took longer than the interval.
    MEMORY_SAMPLES_SKIPPED_TOTAL = "gym.telemetry.memory.samples_skipped_total" {
        kind: ObservableCounterU64,
        unit: "{sample}",
        reporter: "supervisor with memory profiling",
    }

    /// How long a task that is ready has been waiting to run by now.
    EVENT_LOOP_CURRENT_LAG_MS = "gym.event_loop.current_lag_ms" {
        kind: GaugeF64,
        unit: "ms",
        reporter: "every server and the rollout driver",
        required: [EVENT_LOOP],
    }

    /// Part of their time that a loop's workers were busy since the last export, by tokio's own count.
    EVENT_LOOP_BUSY_RATIO = "gym.telemetry.event_loop.busy_ratio" {
        kind: GaugeF64,
        unit: "1",
        reporter: "every process that asks tokio's scheduler",
        required: [EVENT_LOOP],
    }

    /// Ready tasks in the queue that a loop's workers share, by tokio's own count.
    EVENT_LOOP_QUEUE_DEPTH = "gym.telemetry.event_loop.queue_depth" {
        kind: GaugeU64,
        unit: "{task}",
        reporter: "every process that asks tokio's scheduler",
        required: [EVENT_LOOP],
    }

    /// Pauses that are missing from `gym.gc.pause_duration_ms` because too many came between two exports.
    GC_PAUSES_DROPPED_TOTAL = "gym.telemetry.gc.pauses_dropped_total" {
        kind: ObservableCounterU64,
        unit: "{pause}",
        reporter: "host of a garbage-collected runtime",
    }
}
