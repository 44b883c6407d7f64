//! The process, its event loop and its garbage collection.

use super::macros::instruments;

instruments! { "The process, its event loop and its garbage collection", Seed:
    /// How much later than due a task got to run.
    EVENT_LOOP_LAG_MS = "gym.event_loop.lag_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "every server and the rollout driver",
        required: [EVENT_LOOP],
        boundaries: LAG_MS,
    }

    /// Tasks alive on the event loop, whether they run, wait or sleep.
    EVENT_LOOP_TASKS = "gym.event_loop.tasks" {
        kind: GaugeU64,
        unit: "{task}",
        reporter: "every server and the rollout driver, with the task count on",
        required: [EVENT_LOOP],
    }

    /// How long one garbage collection held the program up.
    GC_PAUSE_DURATION_MS = "gym.gc.pause_duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "host of a garbage-collected runtime",
        required: [GC_GENERATION],
        boundaries: GC_MS,
    }

    /// Garbage collections that have run.
    GC_COLLECTIONS_TOTAL = "gym.gc.collections_total" {
        kind: ObservableCounterU64,
        unit: "{collection}",
        reporter: "host of a garbage-collected runtime",
        required: [GC_GENERATION],
    }

    /// Objects that garbage collections have freed.
    GC_COLLECTED_TOTAL = "gym.gc.collected_total" {
        kind: ObservableCounterU64,
        unit: "{object}",
        reporter: "host of a garbage-collected runtime",
        required: [GC_GENERATION],
    }

    /// Objects that garbage collections found dead but could not free.
    GC_UNCOLLECTABLE_TOTAL = "gym.gc.uncollectable_total" {
        kind: ObservableCounterU64,
        unit: "{object}",
        reporter: "host of a garbage-collected runtime",
        required: [GC_GENERATION],
    }

    /// Allocations so far that count toward the next garbage collection.
    GC_COUNT = "gym.gc.count" {
        kind: ObservableGaugeU64,
        unit: "{allocation}",
        reporter: "host of a garbage-collected runtime",
        required: [GC_GENERATION],
    }

    /// Processor time that the process has used.
    PROCESS_CPU_TIME = "process.cpu.time" {
        kind: ObservableCounterF64,
        unit: "s",
        reporter: "every process",
        required: [CPU_MODE],
    }

    /// Resident memory of the process.
    PROCESS_MEMORY_USAGE = "process.memory.usage" {
        kind: ObservableGaugeU64,
        unit: "By",
        reporter: "every process",
    }

    /// Threads of the process.
    PROCESS_THREAD_COUNT = "process.thread.count" {
        kind: ObservableGaugeU64,
        unit: "{thread}",
        reporter: "every process",
    }

    /// File descriptors that the process has open, where the platform tells.
    PROCESS_OPEN_FILE_DESCRIPTOR_COUNT = "process.open_file_descriptor.count" {
        kind: ObservableGaugeU64,
        unit: "{file_descriptor}",
        reporter: "every process",
    }
}
