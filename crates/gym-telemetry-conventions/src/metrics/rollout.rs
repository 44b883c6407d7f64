//! Rollouts and their verification.

use super::macros::instruments;

instruments! { "Rollouts and their verification", Seed:
    /// How long the agent took over one rollout, whether it succeeded or failed.
    ROLLOUT_DURATION_MS = "gym.rollout.duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "agent server",
        boundaries: GYM_DURATION_MS,
    }

    /// Rows that were dispatched and have ended, by where the result went; a retry within one dispatch is no second
    /// row.
    ROLLOUT_COMPLETED_TOTAL = "gym.rollout.completed_total" {
        kind: CounterU64,
        unit: "1",
        reporter: "rollout driver",
        required: [ROLLOUT_OUTCOME, ROLLOUT_DISPATCH_NAME],
        optional: [FAILURE_CLASS, FAILURE_KIND, FAILURE_TYPE],
    }

    /// Scored rollouts with a numeric reward, by the range that it lies in; one without a number is left out.
    ROLLOUT_REWARDED_TOTAL = "gym.rollout.rewarded_total" {
        kind: CounterU64,
        unit: "1",
        reporter: "rollout driver",
        required: [ROLLOUT_REWARD_RANGE, ROLLOUT_DISPATCH_NAME, ROLLOUT_MASKED],
    }

    /// Rollouts that the health checks have judged, by verdict.
    ROLLOUT_HEALTH_VERDICT_TOTAL = "gym.rollout.health_verdict_total" {
        kind: CounterU64,
        unit: "1",
        reporter: "rollout driver",
        required: [HEALTH_VERDICT, ROLLOUT_OUTCOME],
    }

    /// Rollouts that a health check found fault with, once for each check, however many faults it found.
    ROLLOUT_HEALTH_FLAGGED_TOTAL = "gym.rollout.health_flagged_total" {
        kind: CounterU64,
        unit: "1",
        reporter: "rollout driver",
        required: [HEALTH_CHECK, ROLLOUT_OUTCOME],
    }

    /// How long one verification took, whether it returned or failed.
    VERIFY_DURATION_MS = "gym.verify.duration_ms" {
        kind: HistogramF64,
        unit: "ms",
        reporter: "resources server",
        boundaries: GYM_DURATION_MS,
    }

    /// Share of verifications since the process started that returned at all, whatever they made of the answer.
    VERIFY_SUCCESS_RATE = "gym.verify.success_rate" {
        kind: GaugeF64,
        unit: "1",
        reporter: "resources server",
    }
}
