use std::{collections::BTreeMap, time::Duration};

use gym_telemetry_conventions::Attribute;

use super::{PROCESS, Question, Scene};
use crate::{
    history::{Line, Over, Select},
    page::panel::{Chart, Heat, HeatRow, Number, Series, latest},
};

/// The most lines that one chart shows.
const LINES: usize = 12;

/// What is still the present.
const NOW: Duration = Duration::from_secs(5);

/// How many steps are enough for a total.
const COARSE: u32 = 6;

/// How many steps a distribution over time has.
const GATHERED: u32 = 60;

/// The label of a bucket's upper boundary.
const UPPER: &str = "le";

/// A question that is being put together, and then answered in the form that a panel needs. Where nothing is known,
/// every answer is empty.
#[derive(Debug, Clone)]
#[must_use = "a question does nothing until an answer is taken"]
pub(in crate::page) struct Asked<'a> {
    scene: &'a Scene<'a>,
    question: Question,
    unit: String,
}

impl<'a> Asked<'a> {
    pub(in crate::page) fn new(scene: &'a Scene<'a>, question: Question, unit: &str) -> Self {
        Self { scene, question, unit: unit.to_owned() }
    }

    /// The growth a second.
    pub(in crate::page) fn rate(mut self) -> Self {
        self.question.select = Select::Rate;
        self.unit.push_str("/s");
        self
    }

    /// Another number than the value.
    pub(in crate::page) fn select(mut self, select: Select) -> Self {
        self.question.select = select;
        if matches!(select, Select::Count | Select::Buckets) {
            self.unit = "1".to_owned();
        }
        self
    }

    /// A line for each value of an attribute.
    pub(in crate::page) fn by(self, attribute: &Attribute) -> Self {
        self.by_key(attribute.key)
    }

    /// A line for each process.
    pub(in crate::page) fn by_process(self) -> Self {
        self.by_key(PROCESS)
    }

    /// A line for each value of an attribute of processes.
    pub(in crate::page) fn by_key(mut self, key: &str) -> Self {
        self.question.by.push(key.to_owned());
        self
    }

    /// Only series with this value.
    pub(in crate::page) fn matching(self, attribute: &Attribute, value: &str) -> Self {
        self.matching_key(attribute.key, value)
    }

    /// Only series with this value of an attribute of processes.
    pub(in crate::page) fn matching_key(mut self, key: &str, value: &str) -> Self {
        self.question.matching.push((key.to_owned(), value.to_owned()));
        self
    }

    /// What happens to several series.
    pub(in crate::page) fn over(mut self, over: Over) -> Self {
        self.question.over = Some(over);
        self
    }

    /// How far apart the values are.
    pub(in crate::page) fn step(mut self, step: Duration) -> Self {
        self.question.step = Some(step);
        self
    }

    /// How far back to look.
    pub(in crate::page) fn since(mut self, since: Duration) -> Self {
        self.question.since = since;
        self
    }

    /// Only the latest steps, where nothing else is needed of a number that every export brings.
    pub(in crate::page) fn now(self) -> Self {
        self.since(NOW)
    }

    /// With steps long enough to gather values for a distribution in each, and few enough to be cheap.
    pub(in crate::page) fn gathered(self) -> Self {
        let step = self.question.since / GATHERED;
        self.step(step)
    }

    /// So coarse that it costs little, where only totals are needed.
    pub(in crate::page) fn coarse(self) -> Self {
        let step = self.question.since / COARSE;
        self.step(step)
    }

    /// The text form.
    pub(in crate::page) fn link(&self) -> String {
        self.question.link()
    }

    /// The times and the lines.
    pub(in crate::page) fn lines(&self) -> (Vec<u64>, Vec<Line>) {
        self.scene.answer(&self.question)
    }

    /// The latest value for each value of the one attribute that it is grouped by.
    pub(in crate::page) fn latest_by(&self) -> BTreeMap<String, f64> {
        let latest = |line: Line| Some((line.labels.into_values().next().unwrap_or_default(), latest(&line.values)?));
        self.lines().1.into_iter().filter_map(latest).collect()
    }

    /// All that came in the time looked at, line by line; the question must be about growth.
    pub(in crate::page) fn totals(&self) -> Vec<(BTreeMap<String, String>, f64)> {
        let total = |line: Line| (line.labels, line.values.iter().flatten().sum());
        self.lines().1.into_iter().map(total).collect()
    }

    /// The latest value of all lines together.
    pub(in crate::page) fn number(&self, label: &str) -> Number {
        let latest: Vec<_> = self.clone().now().lines().1.iter().filter_map(|line| latest(&line.values)).collect();
        let value = (!latest.is_empty()).then(|| latest.iter().sum());
        Number { label: label.to_owned(), value, unit: self.unit.clone(), query: self.link() }
    }

    /// The last value that there was within the time looked at, however long ago.
    pub(in crate::page) fn last_known(&self, label: &str) -> Number {
        let (_, lines) = self.lines();
        let value = lines.iter().find_map(|line| line.values.iter().rev().find_map(|value| *value));
        Number { label: label.to_owned(), value, unit: self.unit.clone(), query: self.link() }
    }

    /// All of it over time; the smallest lines are left out where there are many.
    pub(in crate::page) fn chart(&self) -> Chart {
        let (times, mut lines) = self.lines();
        let more = lines.len().saturating_sub(LINES);
        if more > 0 {
            leave_most(&mut lines);
        }
        let mut series: Vec<_> = lines.into_iter().map(|line| self.series(line)).collect();
        series.sort_by(|a, b| a.label.cmp(&b.label));
        Chart { unit: self.unit.clone(), times, series, limits: Vec::new(), more }
    }

    /// The distribution over time, without the buckets at both ends that nothing came into.
    pub(in crate::page) fn heat(self, numbers: Vec<Number>) -> Heat {
        let unit = self.unit.clone();
        let asked = self.select(Select::Buckets).gathered();
        let (times, lines) = asked.lines();
        let mut rows: Vec<_> = lines.into_iter().map(row).collect();
        let order = |row: &HeatRow| row.upper.unwrap_or(f64::INFINITY);
        rows.sort_by(|a, b| order(a).total_cmp(&order(b)));
        let is_used = |row: &HeatRow| row.values.iter().flatten().any(|count| *count > 0.0);
        let last = rows.iter().rposition(is_used).map_or(0, |last| last + 1);
        rows.truncate(last);
        let first = rows.iter().position(is_used).unwrap_or(0);
        // One empty bucket stays, for it says where the first one begins.
        rows.drain(..first.saturating_sub(1));
        Heat { unit, times, rows, numbers, query: asked.link() }
    }

    /// The link to one line.
    pub(in crate::page) fn link_to(&self, labels: &BTreeMap<String, String>) -> String {
        let mut question = self.question.clone();
        let missing =
            labels.iter().filter(|(key, value)| !question.matching.iter().any(|(k, v)| (k, v) == (key, value)));
        let missing: Vec<_> = missing.map(|(key, value)| (key.clone(), value.clone())).collect();
        question.matching.extend(missing);
        question.link()
    }

    fn series(&self, line: Line) -> Series {
        let label = self.scene.label(&line.labels);
        Series { label, query: self.link_to(&line.labels), values: line.values.into_iter().map(round).collect() }
    }
}

/// Leaves the lines that go on before those that have ended, and the largest of them.
fn leave_most(lines: &mut Vec<Line>) {
    let weight = |line: &Line| (latest(&line.values).is_some(), line.values.iter().flatten().sum::<f64>());
    lines.sort_by(|a, b| {
        let (a, b) = (weight(a), weight(b));
        b.0.cmp(&a.0).then(b.1.total_cmp(&a.1))
    });
    lines.truncate(LINES);
}

/// One bucket.
fn row(line: Line) -> HeatRow {
    let upper = line.labels.get(UPPER).and_then(|upper| upper.parse().ok()).filter(|upper: &f64| upper.is_finite());
    HeatRow { upper, values: line.values.into_iter().map(round).collect() }
}

/// As many digits as a chart can show.
fn round(value: Option<f64>) -> Option<f64> {
    const DIGITS: i32 = 5;
    let value = value.filter(|value| value.is_finite())?;
    if value == 0.0 {
        return Some(0.0);
    }
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a finite number is small")]
    let scale = 10_f64.powi(DIGITS - 1 - value.abs().log10().floor() as i32);
    let rounded = (value * scale).round() / scale;
    Some(if rounded.is_finite() { rounded } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_makes_room_for_what_goes_on() {
        let line = |values: [Option<f64>; 3]| Line { labels: BTreeMap::new(), values: values.into() };
        let mut lines = vec![line([Some(9.0), None, None]); LINES];
        lines.extend([line([None, Some(1.0), Some(1.0)]), line([None, Some(3.0), None])]);
        leave_most(&mut lines);
        assert_eq!(lines.len(), LINES);
        assert_eq!([lines[0].values[1], lines[1].values[1], lines[2].values[1]], [Some(3.0), Some(1.0), None]);
    }

    #[test]
    fn charts_have_five_digits() {
        assert_eq!(round(Some(1_234.567_89)), Some(1_234.6));
        assert_eq!(round(Some(-0.000_123_456)), Some(-0.000_123_46));
        assert_eq!(round(Some(123_456_789.0)), Some(123_460_000.0));
        assert_eq!(round(Some(0.0)), Some(0.0));
        assert_eq!(round(Some(f64::NAN)), None);
        assert_eq!(round(Some(f64::MIN_POSITIVE)), Some(f64::MIN_POSITIVE));
        assert_eq!(round(None), None);
    }
}
