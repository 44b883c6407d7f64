use super::{
    concurrency, driver, http_client, http_server, memory, model_call, ours, process, requests, resources, rollout,
    server,
};
use crate::Instrument;

/// Instruments that belong together.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Subject {
    /// What they are about, as a heading.
    pub title: &'static str,
    /// The instruments.
    pub instruments: &'static [Instrument],
}

/// Every instrument, by subject.
pub const SUBJECTS: &[Subject] = &[
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
    ours::SUBJECT,
];

/// Every instrument, in the order of [`SUBJECTS`].
pub const ALL: &[Instrument] = &flatten::<{ count(SUBJECTS) }>(SUBJECTS);

/// How many instruments the subjects have together.
const fn count(subjects: &[Subject]) -> usize {
    let mut total = 0;
    let mut subject = 0;
    while subject < subjects.len() {
        total += subjects[subject].instruments.len();
        subject += 1;
    }
    total
}

/// The subjects' instruments in one array. `TOTAL` is what [`count`] says.
const fn flatten<const TOTAL: usize>(subjects: &[Subject]) -> [Instrument; TOTAL] {
    let mut all = [subjects[0].instruments[0]; TOTAL];
    let mut filled = 0;
    let mut subject = 0;
    while subject < subjects.len() {
        let mut index = 0;
        while index < subjects[subject].instruments.len() {
            all[filled] = subjects[subject].instruments[index];
            filled += 1;
            index += 1;
        }
        subject += 1;
    }
    all
}
