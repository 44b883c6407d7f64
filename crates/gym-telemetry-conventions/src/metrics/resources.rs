//! Limited operations and sandboxes.

use super::macros::instruments;

instruments! { "Limited operations and sandboxes", Seed:
    /// How long an operation waited for its limit.
    RESOURCES_OPERATION_QUEUE_DURATION_MS = "gym.resources.operation.queue_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "resources server",
        required: [RESOURCES_OPERATION, RESOURCES_EXECUTOR],
        boundaries: DRIVER_MS,
    }

    /// How long an operation ran once its limit had let it in.
    RESOURCES_OPERATION_DURATION_MS = "gym.resources.operation.duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "resources server",
        required: [RESOURCES_OPERATION, RESOURCES_EXECUTOR, RESOURCES_OPERATION_OUTCOME],
        boundaries: DRIVER_MS,
    }

    /// Operations that wait for their limit.
    RESOURCES_OPERATION_QUEUED = "gym.resources.operation.queued" {
        kind: ObservableUpDownCounterI64,
        unit: "{operation}",
        reporter: "resources server",
        required: [RESOURCES_OPERATION, RESOURCES_EXECUTOR],
    }

    /// Operations that their limit has let in.
    RESOURCES_OPERATION_ACTIVE = "gym.resources.operation.active" {
        kind: ObservableUpDownCounterI64,
        unit: "{operation}",
        reporter: "resources server",
        required: [RESOURCES_OPERATION, RESOURCES_EXECUTOR],
    }

    /// Sandboxes that a provider has handed out and that are not released yet.
    SANDBOX_ACTIVE = "gym.sandbox.active" {
        kind: UpDownCounterI64,
        unit: "{sandbox}",
        reporter: "holder of sandboxes",
        required: [SANDBOX_PROVIDER],
    }

    /// How long a provider took to bring up a sandbox.
    SANDBOX_STARTUP_DURATION_MS = "gym.sandbox.startup_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "holder of sandboxes",
        required: [SANDBOX_PROVIDER],
        boundaries: SANDBOX_MS,
    }

    /// How long one command took in a sandbox.
    SANDBOX_EXEC_DURATION_MS = "gym.sandbox.exec_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "holder of sandboxes",
        required: [SANDBOX_PROVIDER],
        boundaries: SANDBOX_MS,
    }

    /// Attempts to create a sandbox that were followed by another.
    SANDBOX_CREATE_RETRY_TOTAL = "gym.sandbox.create_retry_total" {
        kind: CounterU64,
        unit: "1",
        reporter: "holder of sandboxes",
        required: [SANDBOX_PROVIDER],
    }
}
