//! Time in interleaved rounds, allocations by a counting allocator, instructions by callgrind.

use std::{fmt::Write as _, sync::Barrier, thread, time::Instant};

use anyhow::Result;
use serde::Serialize;

use crate::{bench::Findings, callgrind, subject::Subject, tell};

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
    /// How many events it brings for each of that one.
    pub(crate) rate: Option<f64>,
    /// The same of allocations an event.
    pub(crate) allocations: f64,
    pub(crate) added_allocations: Option<f64>,
    /// Instructions an event, where callgrind is installed.
    pub(crate) instructions: Option<f64>,
    pub(crate) added_instructions: Option<f64>,
}

/// A subject with what does not depend on the machine.
struct Counted<'a> {
    subject: &'a Subject,
    allocations: f64,
    instructions: Option<f64>,
}

/// Measures every subject with one thread, and with two where it allows that.
pub(crate) fn run(bench: &'static str, subjects: &[Subject], rounds: usize) -> Result<Vec<Measurement>> {
    let counted: Vec<_> = subjects.iter().map(|subject| count(bench, subject)).collect::<Result<_>>()?;
    let mut all = Vec::new();
    for threads in [1, 2] {
        tell(&format!("{bench}: {rounds} rounds with {threads} threads"));
        let counted: Vec<_> = counted.iter().filter(|one| one.subject.threads.contains(&threads)).collect();
        let times = interleaved(&counted, threads, rounds);
        for (own, times_of_own) in counted.iter().zip(&times) {
            let is_base = |other: &(&&Counted<'_>, &Vec<f64>)| own.subject.above == Some(other.0.subject.name);
            let base = counted.iter().zip(&times).find(is_base);
            // Both are of one round: what slows the machine for a while slows both.
            let beside = |compare: fn(f64, f64) -> f64| {
                base.map(|(_, times)| median(times_of_own.iter().zip(times).map(|(own, other)| compare(*own, *other))))
            };
            all.push(Measurement {
                bench,
                stack: own.subject.name,
                threads,
                ns: median(times_of_own.iter().copied()),
                added_ns: beside(|own, other| own - other),
                rate: beside(|own, other| other / own),
                allocations: own.allocations,
                added_allocations: base.map(|(other, _)| own.allocations - other.allocations),
                instructions: own.instructions,
                added_instructions: base.and_then(|(other, _)| Some(own.instructions? - other.instructions?)),
            });
        }
    }
    Ok(all)
}

fn count<'a>(bench: &str, subject: &'a Subject) -> Result<Counted<'a>> {
    tell(&format!("{bench}: counting the instructions of {}", subject.name));
    let instructions = callgrind::instructions(bench, subject.name, subject.in_caller)?;
    Ok(Counted { subject, allocations: allocations(subject), instructions })
}

/// Nanoseconds an event of each subject in each round; within a round, one subject follows the other.
fn interleaved(all: &[&Counted<'_>], threads: usize, rounds: usize) -> Vec<Vec<f64>> {
    let events: Vec<_> = all.iter().map(|one| events_a_round(one.subject, threads)).collect();
    let mut times = vec![Vec::with_capacity(rounds); all.len()];
    for round in 0..rounds {
        // Every other round runs backwards, so that no subject always follows the same one.
        let order: Vec<_> = if round % 2 == 0 { (0..all.len()).collect() } else { (0..all.len()).rev().collect() };
        for index in order {
            times[index].push(time(all[index].subject, threads, events[index]));
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

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The measurements as a table, and line by line.
pub(crate) fn findings(all: &[Measurement]) -> Result<Findings> {
    let json = all.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(Findings { text: table(all), json })
}

fn table(all: &[Measurement]) -> String {
    let mut text =
        "| stack | threads | ns | added ns | rate | allocations | added | instructions | added |\n".to_owned();
    text += "| --- | --: | --: | --: | --: | --: | --: | --: | --: |\n";
    for one in all {
        let figure = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.0}"));
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} | {} | {} | {:.2} | {} | {} | {} |",
            one.stack,
            one.threads,
            one.ns,
            figure(one.added_ns),
            one.rate.map_or_else(String::new, |rate| format!("{:.1} %", rate * 100.0)),
            one.allocations,
            one.added_allocations.map_or_else(String::new, |value| format!("{value:.2}")),
            figure(one.instructions),
            figure(one.added_instructions),
        );
    }
    text
}
