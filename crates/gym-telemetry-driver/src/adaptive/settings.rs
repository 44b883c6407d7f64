/// How an [`Admission`](crate::Admission) may change its limit by itself.
///
/// The limit grows by a step after each round of rollouts in which somebody had to wait, and shrinks by a factor after
/// one that was clearly slower than the fastest or in which too many rollouts failed. A round is as many completed
/// rollouts as the limit admits at a time, and at least ten.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::DriverMetrics;
/// use gym_telemetry_driver::{AdaptiveLimit, Admission};
/// # use opentelemetry::metrics::MeterProvider as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
/// let admission = Admission::new(16, DriverMetrics::new(&meter)).adaptive(AdaptiveLimit::between(4, 256));
/// assert_eq!(admission.state().slots, 16); // where it starts
///
/// let permit = admission.admit().await?;
/// permit.succeed(); // or `fail`; one that is dropped tells nothing
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use = "it has an effect once an admission has it"]
pub struct AdaptiveLimit {
    pub(super) floor: usize,
    pub(super) ceiling: usize,
    pub(super) step: usize,
    pub(super) factor: f64,
    pub(super) latency_tolerance: f64,
    pub(super) failure_tolerance: f64,
}

impl AdaptiveLimit {
    /// A limit that never leaves these bounds. The floor is at least one, the ceiling at least the floor.
    pub fn between(floor: usize, ceiling: usize) -> Self {
        let floor = floor.max(1);
        Self {
            floor,
            ceiling: ceiling.max(floor),
            step: 1,
            factor: 0.8,
            latency_tolerance: 1.1,
            failure_tolerance: 0.1,
        }
    }

    /// By how much the limit grows, at least by one; the default is 1.
    pub fn step(mut self, step: usize) -> Self {
        self.step = step.max(1);
        self
    }

    /// To which part of itself the limit shrinks, between 0 and 1; the default is 0.8.
    ///
    /// Times the latency tolerance it should be below 1. Only so does the limit fall below what it was before latency
    /// grew, and does the fastest latency stay known.
    pub fn factor(mut self, factor: f64) -> Self {
        self.factor = factor.clamp(0.0, 1.0);
        self
    }

    /// How many times as slow as the fastest a round may be, from 1; the default is 1.1.
    ///
    /// How much latency varies by itself is allowed for: a round counts as slow only if two standard errors do not
    /// explain it.
    pub fn latency_tolerance(mut self, ratio: f64) -> Self {
        self.latency_tolerance = ratio.max(1.0);
        self
    }

    /// Which part of a round's rollouts may fail, from 0 to 1; the default is 0.1.
    pub fn failure_tolerance(mut self, part: f64) -> Self {
        self.failure_tolerance = part.clamp(0.0, 1.0);
        self
    }

    /// The nearest value within the bounds.
    pub(super) fn clamp(&self, limit: usize) -> usize {
        limit.clamp(self.floor, self.ceiling)
    }
}
