use std::hint::black_box;

use anyhow::Result;
use gym_telemetry::{ProcessSource as _, runtime::ThisProcess};

use super::{cost, descriptors, lag};
use crate::{
    bench::{Bench, Findings},
    subject::Subject,
};

/// The benchmark.
pub(crate) const BENCH: Bench =
    Bench { name: "runtime", compared: &["procfs", "tokio"], subjects: || Ok(subjects()), more: Some(more) };

fn subjects() -> Vec<Subject> {
    vec![
        reading("processor time", |process| {
            black_box(process.cpu_time());
        }),
        reading("resident memory", |process| {
            black_box(process.resident_memory());
        }),
        reading("threads", |process| {
            black_box(process.threads());
        }),
        reading("open files", |process| {
            black_box(process.open_file_descriptors());
        }),
        reading("all of them, as for an export", |process| {
            black_box((process.cpu_time(), process.resident_memory(), process.threads()));
            black_box(process.open_file_descriptors());
        }),
        Subject::new(cost::LOOK, cost::look).alone(),
    ]
}

/// What one figure of this process takes, with the kernel's work in the time and not in the instructions.
fn reading(name: &'static str, read: fn(&ThisProcess)) -> Subject {
    let process = ThisProcess::new();
    Subject::new(name, move |events| (0..events).for_each(|_| read(&process))).alone()
}

fn more(_: usize) -> Result<Findings> {
    [lag::measure, cost::measure, descriptors::measure].into_iter().map(|part| part()).collect()
}
