//! Limits of any kind.

use super::macros::instruments;

instruments! { "Limits of any kind", Beyond:
    /// Slots that a limit is configured to have.
    CONCURRENCY_LIMIT = "gym.concurrency.limit" {
        kind: ObservableGaugeU64,
        unit: "{slot}",
        reporter: "holder of a metered limit",
        required: [CONCURRENCY_COMPONENT, CONCURRENCY_LIMIT_NAME],
        optional: [SERVER_NAME],
    }

    /// Slots of a limit that are taken.
    CONCURRENCY_ACTIVE = "gym.concurrency.active" {
        kind: ObservableGaugeU64,
        unit: "{slot}",
        reporter: "holder of a metered limit",
        required: [CONCURRENCY_COMPONENT, CONCURRENCY_LIMIT_NAME],
        optional: [SERVER_NAME],
    }

    /// Slots of a limit that are free.
    CONCURRENCY_AVAILABLE = "gym.concurrency.available" {
        kind: ObservableGaugeU64,
        unit: "{slot}",
        reporter: "holder of a metered limit",
        required: [CONCURRENCY_COMPONENT, CONCURRENCY_LIMIT_NAME],
        optional: [SERVER_NAME],
    }

    /// Callers in line for a slot.
    CONCURRENCY_QUEUE_DEPTH = "gym.concurrency.queue_depth" {
        kind: ObservableGaugeU64,
        unit: "{waiter}",
        reporter: "holder of a metered limit",
        required: [CONCURRENCY_COMPONENT, CONCURRENCY_LIMIT_NAME],
        optional: [SERVER_NAME],
    }

    /// Waits for a slot that took longer than the limit allows; a limit without a timeout reports none.
    CONCURRENCY_ADMISSION_TIMEOUTS_TOTAL = "gym.concurrency.admission_timeouts_total" {
        kind: ObservableCounterU64,
        unit: "{wait}",
        reporter: "holder of a metered limit",
        required: [CONCURRENCY_COMPONENT, CONCURRENCY_LIMIT_NAME],
        optional: [SERVER_NAME],
    }

    /// Waits for a slot that their caller gave up.
    CONCURRENCY_ADMISSION_CANCELLED_TOTAL = "gym.concurrency.admission_cancelled_total" {
        kind: ObservableCounterU64,
        unit: "{wait}",
        reporter: "holder of a metered limit",
        required: [CONCURRENCY_COMPONENT, CONCURRENCY_LIMIT_NAME],
        optional: [SERVER_NAME],
    }
}
