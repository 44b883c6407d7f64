use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use gym_telemetry::{DriverMetrics, conventions::Outcome};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// What a person sees while a run goes on.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
    metrics: DriverMetrics,
    ended: [AtomicU64; Outcome::ALL.len()],
}

impl Progress {
    /// A bar for `rows` rows on standard error; nothing is shown if it is no terminal.
    pub(crate) fn new(rows: usize, quiet: bool, metrics: DriverMetrics) -> Self {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(rows as u64) };
        let template = "{bar:30.green} {pos}/{len}  {msg}  {rate}  {eta} left";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let rate = |state: &ProgressState, out: &mut dyn Write| _ = write!(out, "{:.1}/s", state.per_sec());
        bar.set_style(style.with_key("rate", rate));
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar, metrics, ended: Default::default() }
    }

    /// One rollout ended.
    pub(crate) fn ended(&self, outcome: Outcome) {
        self.ended[outcome.index()].fetch_add(1, Ordering::Relaxed);
        let seen = self.metrics.snapshot();
        let [scored, failed, _] = &self.ended;
        self.bar.set_message(format!(
            "{} in flight, {} waiting, {} scored, {} failed",
            seen.active,
            seen.waiting(),
            scored.load(Ordering::Relaxed),
            failed.load(Ordering::Relaxed),
        ));
        self.bar.inc(1);
    }

    /// How many rollouts ended so.
    pub(crate) fn count(&self, outcome: Outcome) -> u64 {
        self.ended[outcome.index()].load(Ordering::Relaxed)
    }

    /// Says something above the bar.
    pub(crate) fn say(&self, line: &str) {
        self.bar.suspend(|| crate::tell(line));
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
