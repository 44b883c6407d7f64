//! Processor time in interleaved rounds, and allocations. Nearly all the time is the kernel's, so there is no sense in
//! counting instructions, and nothing is gained by a second thread.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::bench::BENCH;
use crate::{
    bench::Findings,
    measure::median,
    table::{Cell, Table},
};

/// How long one subject works in one round, about.
const ROUND: Duration = Duration::from_millis(20);

const COLUMNS: [&str; 4] = ["what", "ns a process", "times the floor", "allocations"];

/// What reads something of so many processes at a time. The first of several is the floor of the others.
pub(super) struct Reader<'a> {
    name: &'static str,
    processes: u32,
    work: Box<dyn FnMut() + 'a>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(name: &'static str, processes: u32, work: impl FnMut() + 'a) -> Self {
        Self { name, processes, work: Box::new(work) }
    }

    /// Processor time for one process, in nanoseconds.
    fn time(&mut self, runs: u32) -> f64 {
        let before = processor_time();
        (0..runs).for_each(|_| (self.work)());
        (processor_time() - before).as_secs_f64() * 1e9 / f64::from(runs) / f64::from(self.processes)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough number of runs")]
    fn runs_a_round(&mut self) -> u32 {
        self.time(3);
        let one = self.time(3) * f64::from(self.processes);
        (ROUND.as_secs_f64() * 1e9 / one).max(1.0) as u32
    }
}

/// Measures readers against the first of them. `others` were measured elsewhere, in nanoseconds a process.
pub(super) fn compare(title: &str, mut readers: Vec<Reader<'_>>, rounds: usize, others: &[(&str, f64)]) -> Findings {
    let runs: Vec<u32> = readers.iter_mut().map(Reader::runs_a_round).collect();
    let mut times = vec![Vec::new(); readers.len()];
    for _ in 0..rounds {
        for (index, reader) in readers.iter_mut().enumerate() {
            times[index].push(reader.time(runs[index]));
        }
    }
    let mut table = Table::new(BENCH.name, &COLUMNS);
    let floor = median(times[0].iter().copied());
    for (index, reader) in readers.iter_mut().enumerate() {
        // Within a round: what slows the machine for a while slows both.
        let ratio = median(times[index].iter().zip(&times[0]).map(|(own, floor)| own / floor));
        let allocations = allocation_counter::measure(&mut reader.work).count_total;
        let time = median(times[index].iter().copied());
        let allocations = Cell::Words(allocations.to_string());
        table.row([reader.name.into(), Cell::Figure(time, 0), Cell::Figure(ratio, 2), allocations]);
    }
    for (name, time) in others {
        table.row([(*name).into(), Cell::Figure(*time, 0), Cell::Figure(time / floor, 2), Cell::Nothing]);
    }
    table.findings(title)
}

/// What this thread has used of a processor.
pub(super) fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}
