//! From what is held to answers.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use gym_telemetry_collector::{Attributes, Kind, Value};

use super::answer::{Answer, Line, QueryError};
use super::query::{Over, Query, Select};
use super::state::{Metric, Series, Source, State};

/// So many values an answer has unless the query says otherwise.
const VALUES: u64 = 300;

impl State {
    pub(super) fn query(&self, query: &Query, now: u64) -> Result<Answer, QueryError> {
        let named = self.metrics.iter().filter(|metric| *metric.name == *query.metric);
        let meant = named.filter(|metric| query.kind.is_none_or(|kind| kind == metric.kind));
        let metric = meant.max_by_key(|metric| metric.series.len());
        let metric = metric.ok_or_else(|| QueryError::UnknownMetric { metric: query.metric.clone() })?;
        let times = self.times(query, now);
        let over = query.over.unwrap_or(if metric.kind == Kind::Gauge { Over::Each } else { Over::Sum });
        let mut groups: BTreeMap<BTreeMap<String, String>, Vec<Vec<Option<f64>>>> = BTreeMap::new();
        for series in &metric.series {
            let Some(source) = self.sources.get(series.process.get() as usize) else { continue };
            let label = |key: &str| label(key, series, source);
            if query.matching.iter().all(|(key, value)| label(key).as_ref() == Some(value)) {
                let mut labels: BTreeMap<_, _> =
                    query.by.iter().filter_map(|key| Some((key.clone(), label(key)?))).collect();
                if over == Over::Each {
                    labels.insert("process".to_owned(), series.process.to_string());
                    if metric.kind == Kind::Gauge {
                        labels.extend(series.attributes.iter().map(|(key, value)| (key.to_owned(), text(value))));
                    }
                }
                let values = values(metric, series, source, query.select, &times, self.settings.gone_after);
                groups.entry(labels).or_default().push(values);
            }
        }
        let lines = groups.into_iter().map(|(labels, all)| Line {
            labels,
            values: (0..times.len())
                .map(|at| combine(over, all.iter().filter_map(|values| *values.get(at)?).collect()))
                .collect(),
        });
        let lines = lines.collect();
        Ok(Answer { kind: metric.kind, unit: Arc::clone(&metric.unit), times, lines })
    }

    fn times(&self, query: &Query, now: u64) -> Vec<u64> {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let resolution = millis(self.settings.resolution);
        let since = millis(query.since.min(self.settings.retention));
        let step = query.step.map_or(since / VALUES, millis).div_ceil(resolution).max(1) * resolution;
        let last = query.until.unwrap_or(now).div_ceil(step);
        (last.saturating_sub(since.div_ceil(step)) + 1..=last).map(|at| at * step).collect()
    }
}

fn values(
    metric: &Metric,
    series: &Series,
    source: &Source,
    select: Select,
    times: &[u64],
    gone_after: u32,
) -> Vec<Option<f64>> {
    let step = times.get(1).zip(times.first()).map_or(1000, |(second, first)| second - first);
    let counts = !matches!(metric.kind, Kind::Gauge | Kind::Sum { monotonic: false, .. });
    let value = |&time: &u64| {
        let until = series.points.partition_point(|point| point.0 <= time);
        let from = series.points.partition_point(|point| point.0 <= time - step);
        let sum = |points: Option<&[(u64, f64)]>| points.unwrap_or_default().iter().map(|point| point.1).sum::<f64>();
        match select {
            _ if until == 0 => None,
            Select::Value if counts => Some(series.total - sum(series.points.get(until..))),
            Select::Value => {
                let last = series.points.get(until - 1).filter(|_| source.reports(time, gone_after));
                last.map(|point| point.1)
            }
            _ if until == from => None,
            Select::Increase | Select::Count => Some(sum(series.points.get(from..until))),
            #[expect(clippy::cast_precision_loss, reason = "steps are short")]
            Select::Rate => Some(sum(series.points.get(from..until)) * 1000.0 / step as f64),
            _ => None,
        }
    };
    times.iter().map(value).collect()
}

fn combine(over: Over, mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    match over {
        Over::Sum | Over::Each => Some(values.iter().sum()),
        Over::Min => values.first().copied(),
        Over::Median => Some((values.get(last / 2)? + values.get(last.div_ceil(2))?) / 2.0),
        Over::Max => values.last().copied(),
    }
}

fn label(key: &str, series: &Series, source: &Source) -> Option<String> {
    if key == "process" {
        return Some(series.process.to_string());
    }
    let of = |attributes: &Attributes| attributes.get(key).map(text);
    of(&series.attributes).or_else(|| of(&source.resource))
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Double(number) => number.get().to_string(),
        Value::Empty => String::new(),
        other => format!("{other:?}"),
    }
}
