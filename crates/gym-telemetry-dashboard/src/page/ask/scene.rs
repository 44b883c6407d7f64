use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use gym_telemetry_collector::Kind;
use gym_telemetry_conventions::Instrument;

use super::{Asked, Names, Question};
use crate::{
    history::{History, Line, Process, ProcessState},
    page::text::shown,
};

/// The key under which queries know processes.
pub(in crate::page) const PROCESS: &str = "process";

/// The shortest time that is looked at when there has not been much yet.
const LEAST: Duration = Duration::from_secs(20);

/// What a view is made from: a history, its processes, and the time that is looked at.
#[derive(Debug)]
pub(in crate::page) struct Scene<'a> {
    pub(in crate::page) history: &'a History,
    pub(in crate::page) processes: Vec<Process>,
    pub(in crate::page) names: Names,
    /// Name, unit and kind of every metric, by name.
    pub(in crate::page) forms: Vec<(String, String, Kind)>,
    pub(in crate::page) since: Duration,
    /// In milliseconds since 1970.
    pub(in crate::page) now: u64,
    /// What has been asked already: several panels ask the same.
    answers: RefCell<BTreeMap<String, Lines>>,
}

/// Times, and lines over them.
pub(super) type Lines = (Vec<u64>, Vec<Line>);

impl<'a> Scene<'a> {
    /// Looks back as far as `since`, but not much further than the first export.
    pub(in crate::page) fn new(history: &'a History, since: Duration) -> Self {
        let processes = history.processes();
        let now = history.now();
        let first = processes.iter().map(|process| process.first_seen).min().unwrap_or(now);
        let since = since.min(Duration::from_millis(now.saturating_sub(first)) + LEAST);
        let (names, forms) = (Names::of(&processes), history.forms());
        Self { history, names, forms, processes, since, now, answers: RefCell::default() }
    }

    /// A question about a metric. Where processes disagree about its unit, those count that have the right one.
    pub(in crate::page) fn ask(&self, metric: &Instrument) -> Asked<'_> {
        let units: BTreeSet<_> = self.forms_of(metric.name).map(|(unit, _)| unit).collect();
        let unit = (units.len() > 1 && units.contains(metric.unit)).then(|| metric.unit.to_owned());
        let said = units.first().filter(|_| units.len() == 1 && !units.contains("")).copied().unwrap_or(metric.unit);
        Asked::new(self, Question { unit, ..Question::new(metric.name, self.since) }, said)
    }

    /// Every unit and kind that a metric is reported in.
    pub(in crate::page) fn forms_of(&self, metric: &str) -> impl Iterator<Item = (&str, Kind)> {
        let named = self.forms.iter().skip_while(move |(name, ..)| name != metric);
        named.take_while(move |(name, ..)| name == metric).map(|(_, unit, kind)| (unit.as_str(), *kind))
    }

    /// The lines that a question has for an answer; none where nothing is known.
    pub(super) fn answer(&self, question: &Question) -> Lines {
        let key = format!("{} {:?} {:?}", question.link(), question.since, question.step);
        if let Some(lines) = self.answers.borrow().get(&key) {
            return lines.clone();
        }
        let answer = self.history.query(&question.query());
        let lines = answer.map(|answer| (answer.times, answer.lines)).unwrap_or_default();
        self.answers.borrow_mut().insert(key, lines.clone());
        lines
    }

    /// How many processes report.
    pub(in crate::page) fn reporting(&self) -> usize {
        self.processes.iter().filter(|process| process.state == ProcessState::Reporting).count()
    }

    /// What a line is called: its process and its values, the time they came in apart.
    pub(in crate::page) fn label(&self, labels: &BTreeMap<String, String>) -> String {
        let process = labels.get(PROCESS).map(|id| self.names.get(id));
        let others = labels.iter().filter(|(key, _)| *key != PROCESS).map(|(_, value)| shown(value));
        let words: Vec<_> = process.into_iter().chain(others).collect();
        if words.is_empty() { "all".to_owned() } else { words.join(" · ") }
    }
}
