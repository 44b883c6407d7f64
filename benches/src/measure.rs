//! Time in interleaved rounds, allocations by a counting allocator, instructions by callgrind.

use std::{fmt::Write as _, sync::Barrier, thread, time::Instant};

use anyhow::Result;
use serde::Serialize;

use crate::{callgrind, subject::Subject, tell};

/// How long one subject is measured in one round, about.
const ROUND_NS: f64 = 20e6;

/// One subject measured with a number of threads.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Measurement {
    pub(crate) bench: &'static str,
    pub(crate) stack: &'static str,
    pub(crate) threads: usize,
    /// Nanoseconds an event takes one thread, while all of them work.
    pub(crate) ns: f64,
    /// What of it comes on top of the subject that it is compared with.
    pub(crate) added_ns: Option<f64>,
    /// The same of allocations an event.
    pub(crate) allocations: f64,
    pub(crate) added_allocations: Option<f64>,
    /// Instructions an event, where callgrind is installed.
    pub(crate) instructions: Option<f64>,
    pub(crate) added_instructions: Option<f64>,
}

/// Measures every subject with one thread and with two.
pub(crate) fn run(bench: &'static str, subjects: &[Subject], rounds: usize) -> Result<Vec<Measurement>> {
    let allocations: Vec<_> = subjects.iter().map(allocations).collect();
    let instructions: Vec<_> = subjects
        .iter()
        .map(|subject| {
            tell(&format!("{bench}: counting the instructions of {}", subject.name));
            callgrind::instructions(bench, subject.name)
        })
        .collect::<Result<_>>()?;
    let mut all = Vec::new();
    for threads in [1, 2] {
        tell(&format!("{bench}: {rounds} rounds with {threads} threads"));
        let times = interleaved(subjects, threads, rounds);
        for (index, subject) in subjects.iter().enumerate() {
            let base = subject.above.and_then(|name| subjects.iter().position(|other| other.name == name));
            // Differences are taken within a round: what slows the machine for a while slows both.
            let added_ns =
                base.map(|base| median(times[index].iter().zip(&times[base]).map(|(own, other)| own - other)));
            let added = |of: &[Option<f64>]| base.and_then(|base| Some(of[index]? - of[base]?));
            all.push(Measurement {
                bench,
                stack: subject.name,
                threads,
                ns: median(times[index].iter().copied()),
                added_ns,
                allocations: allocations[index],
                added_allocations: base.map(|base| allocations[index] - allocations[base]),
                instructions: instructions[index],
                added_instructions: added(&instructions),
            });
        }
    }
    Ok(all)
}

/// Nanoseconds an event of each subject in each round; within a round, one subject follows the other.
fn interleaved(subjects: &[Subject], threads: usize, rounds: usize) -> Vec<Vec<f64>> {
    let events: Vec<_> = subjects.iter().map(|subject| events_a_round(subject, threads)).collect();
    let mut times = vec![Vec::with_capacity(rounds); subjects.len()];
    for round in 0..rounds {
        // Every other round runs backwards, so that no subject always follows the same one.
        let order: Vec<_> =
            if round % 2 == 0 { (0..subjects.len()).collect() } else { (0..subjects.len()).rev().collect() };
        for index in order {
            times[index].push(time(&subjects[index], threads, events[index]));
        }
    }
    times
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rough number of events")]
fn events_a_round(subject: &Subject, threads: usize) -> u64 {
    const WARM_UP: u64 = 2_000;
    time(subject, threads, WARM_UP);
    (ROUND_NS / time(subject, threads, WARM_UP)).max(1.0) as u64
}

/// The mean time of one event on a thread, while `threads` do the same.
#[expect(clippy::cast_precision_loss, reason = "a duration in nanoseconds")]
fn time(subject: &Subject, threads: usize, events: u64) -> f64 {
    let start = Barrier::new(threads);
    let work = || {
        start.wait();
        let since = Instant::now();
        subject.run(events);
        since.elapsed().as_nanos() as f64 / events as f64
    };
    let times: Vec<f64> = thread::scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        working.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    times.iter().sum::<f64>() / times.len() as f64
}

/// Allocations an event, once warm.
#[expect(clippy::cast_precision_loss, reason = "a few allocations an event")]
fn allocations(subject: &Subject) -> f64 {
    const EVENTS: u64 = 1_000;
    subject.run(EVENTS);
    allocation_counter::measure(|| subject.run(EVENTS)).count_total as f64 / EVENTS as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The measurements as a table in Markdown.
pub(crate) fn table(all: &[Measurement]) -> String {
    let mut text = "| stack | threads | ns | added ns | allocations | added | instructions | added |\n".to_owned();
    text += "| --- | --: | --: | --: | --: | --: | --: | --: |\n";
    for one in all {
        let figure = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.0}"));
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} | {} | {:.2} | {} | {} | {} |",
            one.stack,
            one.threads,
            one.ns,
            figure(one.added_ns),
            one.allocations,
            one.added_allocations.map_or_else(String::new, |value| format!("{value:.2}")),
            figure(one.instructions),
            figure(one.added_instructions),
        );
    }
    text
}
