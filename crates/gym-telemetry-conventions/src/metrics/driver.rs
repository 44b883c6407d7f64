//! The rollout driver.

use super::macros::instruments;

instruments! { "The rollout driver", Seed:
    /// Rollouts that were handed over for dispatch.
    DRIVER_ROLLOUTS_OFFERED_TOTAL = "gym.driver.rollouts.offered_total" {
        kind: ObservableCounterU64,
        unit: "{rollout}",
        reporter: "rollout driver",
    }

    /// Rollouts that are held in memory, be they waiting or running.
    DRIVER_ROLLOUTS_RESIDENT = "gym.driver.rollouts.resident" {
        kind: ObservableUpDownCounterI64,
        unit: "{rollout}",
        reporter: "rollout driver",
    }

    /// Rollouts that were let in and are running.
    DRIVER_ROLLOUTS_ACTIVE = "gym.driver.rollouts.active" {
        kind: ObservableUpDownCounterI64,
        unit: "{rollout}",
        reporter: "rollout driver",
    }

    /// How long a rollout waited for its turn under the concurrency limit.
    DRIVER_ADMISSION_DURATION_MS = "gym.driver.admission_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "rollout driver",
        boundaries: DRIVER_MS,
    }

    /// How long it took to write and flush one row of output.
    DRIVER_OUTPUT_WRITE_DURATION_MS = "gym.driver.output_write_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "rollout driver",
        boundaries: DRIVER_MS,
    }

    /// Size of one row of output.
    DRIVER_OUTPUT_WRITE_BYTES = "gym.driver.output_write_bytes" {
        kind: HistogramU64,
        unit: "By",
        reporter: "rollout driver",
        boundaries: WRITE_BYTES,
    }

    /// How long it took to read, repeat and write out the input rows of a run before the first dispatch.
    DRIVER_MATERIALIZE_DURATION_MS = "gym.driver.materialize_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "rollout driver",
        boundaries: DRIVER_MS,
    }

    /// Items that the input of a completed rollout held.
    DRIVER_ROLLOUT_INPUT_ITEMS = "gym.driver.rollout.input_items" {
        kind: HistogramU64,
        unit: "1",
        reporter: "rollout driver",
        boundaries: ROLLOUT_COUNT,
    }

    /// Items that the final response of a completed rollout holds.
    DRIVER_ROLLOUT_OUTPUT_ITEMS = "gym.driver.rollout.output_items" {
        kind: HistogramU64,
        unit: "1",
        reporter: "rollout driver",
        boundaries: ROLLOUT_COUNT,
    }

    /// Turns that the agent took in a completed rollout, where its performance record tells.
    DRIVER_ROLLOUT_TURNS = "gym.driver.rollout.turns" {
        kind: HistogramU64,
        unit: "1",
        reporter: "rollout driver",
        boundaries: ROLLOUT_COUNT,
    }

    /// Tool calls of a completed rollout, from its performance record or else from its final response.
    DRIVER_ROLLOUT_TOOL_CALLS = "gym.driver.rollout.tool_calls" {
        kind: HistogramU64,
        unit: "1",
        reporter: "rollout driver",
        boundaries: ROLLOUT_COUNT,
    }
}
