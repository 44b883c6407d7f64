use super::{
    concurrency, driver, http_client, http_server, memory, model_call, process, requests, resources, rollout, server,
};
use crate::Instrument;

/// The subjects, in the order in which [`ALL`] lists them.
const SUBJECTS: &[&[Instrument]] = &[
    rollout::SUBJECT,
    server::SUBJECT,
    http_client::SUBJECT,
    memory::SUBJECT,
    process::SUBJECT,
    requests::SUBJECT,
    driver::SUBJECT,
    resources::SUBJECT,
    http_server::SUBJECT,
    concurrency::SUBJECT,
    model_call::SUBJECT,
];

/// Every instrument, sorted by subject.
pub const ALL: &[Instrument] = &flatten::<{ count(SUBJECTS) }>(SUBJECTS);

/// How many instruments the subjects have together.
const fn count(subjects: &[&[Instrument]]) -> usize {
    let mut total = 0;
    let mut subject = 0;
    while subject < subjects.len() {
        total += subjects[subject].len();
        subject += 1;
    }
    total
}

/// The subjects' instruments in one array. `TOTAL` is what [`count`] says.
const fn flatten<const TOTAL: usize>(subjects: &[&[Instrument]]) -> [Instrument; TOTAL] {
    let mut all = [subjects[0][0]; TOTAL];
    let mut filled = 0;
    let mut subject = 0;
    while subject < subjects.len() {
        let mut index = 0;
        while index < subjects[subject].len() {
            all[filled] = subjects[subject][index];
            filled += 1;
            index += 1;
        }
        subject += 1;
    }
    all
}
