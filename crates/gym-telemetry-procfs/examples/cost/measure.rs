//! Processor time in interleaved rounds, and allocations.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::say;

/// How many rounds the medians are of.
const ROUNDS: usize = 25;

/// How long one subject works in one round, about.
const ROUND: Duration = Duration::from_millis(20);

/// One thing to be measured. The first of several is the floor that the others are compared with.
pub(crate) struct Subject<'a> {
    name: &'static str,
    /// How many processes one run looks at.
    processes: u32,
    work: Box<dyn FnMut() + 'a>,
}

impl<'a> Subject<'a> {
    pub(crate) fn new(name: &'static str, processes: u32, work: impl FnMut() + 'a) -> Self {
        Self { name, processes, work: Box::new(work) }
    }

    /// Processor time for one process, in nanoseconds.
    fn time(&mut self, runs: u32) -> f64 {
        let before = processor_time();
        (0..runs).for_each(|_| (self.work)());
        (processor_time() - before).as_secs_f64() * 1e9 / f64::from(runs) / f64::from(self.processes)
    }
}

/// Measures subjects against the first of them, and prints a table.
pub(crate) fn compare(title: &str, mut subjects: Vec<Subject<'_>>) {
    let runs: Vec<u32> = subjects.iter_mut().map(runs_a_round).collect();
    let mut times = vec![Vec::new(); subjects.len()];
    for _ in 0..ROUNDS {
        for (index, subject) in subjects.iter_mut().enumerate() {
            times[index].push(subject.time(runs[index]));
        }
    }
    say(&format!("\n| {title} | ns a process | times the floor | allocations |\n| --- | --: | --: | --: |"));
    for (index, subject) in subjects.iter_mut().enumerate() {
        // Within a round: what slows the machine for a while slows both.
        let ratio = median(times[index].iter().zip(&times[0]).map(|(own, floor)| own / floor));
        let allocations = allocation_counter::measure(&mut subject.work).count_total;
        let time = median(times[index].iter().copied());
        say(&format!("| {} | {time:.0} | {ratio:.2} | {allocations} |", subject.name));
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough number of runs")]
fn runs_a_round(subject: &mut Subject<'_>) -> u32 {
    subject.time(3);
    let one = subject.time(3) * f64::from(subject.processes);
    (ROUND.as_secs_f64() * 1e9 / one).max(1.0) as u32
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// What this thread has used of a processor.
pub(crate) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
