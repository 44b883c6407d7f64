//! Answering a query.

use std::collections::BTreeMap;
use std::sync::Arc;

use gym_telemetry_collector::Kind;

use super::counts::{increases, rates, totals};
use super::gathering::gather;
use super::grid::{Grid, Patience};
use super::labels::{PROCESS, label, text};
use super::lanes::{Labels, Lane, Owner, lines};
use super::levels;
use crate::history::answer::{Answer, QueryError};
use crate::history::distribution::{Gain, Gathered};
use crate::history::query::{Over, Query, Select};
use crate::history::ring::{Growth, Ring, Sample};
use crate::history::series::{Series, Track};
use crate::history::settled;
use crate::history::source::Source;
use crate::history::state::{Metric, State, millis};

impl State {
    /// Answers a query as of `now`.
    pub(in crate::history) fn query(&self, query: &Query, now: u64) -> Result<Answer, QueryError> {
        let metric = self.metric_of(query)?;
        check(query.select, metric.kind)?;
        let over = query.over.unwrap_or(if metric.kind == Kind::Gauge { Over::Each } else { Over::Sum });
        let grid = Grid::new(query, &self.settings, now);
        let mut lanes: BTreeMap<(Labels, Owner), Lane> = BTreeMap::new();
        let settled: Vec<_> = match (over, query.select) {
            // They are no processes to be compared, and have no past.
            (Over::Sum | Over::Each, Select::Value) => settled::series(metric.kind, &metric.settled).collect(),
            _ => Vec::new(),
        };
        let held =
            metric.series.iter().filter_map(|(at, series)| Some((at, self.sources.get(&series.process)?, series)));
        for (at, source, series) in held.chain(settled.iter().map(|(source, series)| (0, source, series))) {
            if !query.matching.iter().all(|(key, value)| label(key, series, source).as_deref() == Some(value)) {
                continue;
            }
            let labels = labels(query, metric, series, source, over);
            let owner = match (over, metric.kind) {
                (Over::Sum | Over::Each, _) => Owner::Group,
                (_, Kind::Gauge) => Owner::Series(at),
                _ => Owner::Process(series.process.get()),
            };
            let lane = lanes.entry((labels, owner)).or_insert_with(|| empty(query.select, &grid));
            self.read(query.select, series, source, &grid, lane);
        }
        let lines = lines(lanes, over, query.select);
        Ok(Answer { kind: metric.kind, unit: Arc::clone(&metric.unit), times: grid.times(), lines })
    }

    fn metric_of(&self, query: &Query) -> Result<&Metric, QueryError> {
        let named = self.metrics.iter().map(|(_, metric)| metric).filter(|metric| *metric.name == *query.metric);
        let meant = named.filter(|metric| {
            query.kind.is_none_or(|kind| kind == metric.kind)
                && query.unit.as_ref().is_none_or(|unit| **unit == *metric.unit)
        });
        let metric = meant.max_by_key(|metric| metric.series.len());
        metric.ok_or_else(|| QueryError::UnknownMetric { metric: query.metric.clone() })
    }

    /// Reads a series into its lane.
    fn read(&self, select: Select, series: &Series, source: &Source, grid: &Grid, lane: &mut Lane) {
        let patience = source.patience(self.settings.gone_after, millis(self.settings.resolution));
        let end = source.ended().map_or(u64::MAX, |ended| ended / grid.resolution);
        let patience = Patience { slots: patience / grid.resolution, end };
        match (&series.track, lane) {
            (Track::Level(ring), lane) => lane.add(levels::values(ring, grid, &patience)),
            (Track::Counter { total, ring }, lane) => {
                lane.add(numbers(select, ring, *total, grid, &patience, |growth: &Growth| growth.0));
            }
            (Track::Distribution(distribution), Lane::Gathered(steps)) => gather(distribution, grid, steps),
            (Track::Distribution(distribution), lane) => {
                let total = float(distribution.total);
                lane.add(numbers(select, &distribution.ring, total, grid, &patience, |gain: &Gain| {
                    float(gain.count())
                }));
            }
        }
    }
}

/// What is counted, as a total, a rate, or an increase.
fn numbers<S: Sample>(
    select: Select,
    ring: &Ring<S>,
    total: f64,
    grid: &Grid,
    patience: &Patience,
    growth: impl Fn(&S) -> f64,
) -> Vec<Option<f64>> {
    match select {
        Select::Value => totals(ring, grid, total, growth),
        Select::Rate => rates(ring, grid, patience, growth),
        _ => increases(ring, grid, growth).into_iter().map(|increase| increase.map(|(sum, _)| sum)).collect(),
    }
}

/// What a lane begins with.
fn empty(select: Select, grid: &Grid) -> Lane {
    match select {
        Select::Sum | Select::Mean | Select::Quantile(_) | Select::Buckets => {
            Lane::Gathered(vec![Gathered::default(); grid.steps])
        }
        _ => Lane::Numbers(Vec::new()),
    }
}

/// Whether a metric of this kind has that number.
fn check(select: Select, kind: Kind) -> Result<(), QueryError> {
    let suits = match (select, kind) {
        (Select::Quantile(quantile), _) if !(0.0..=1.0).contains(&quantile) => {
            return Err(QueryError::Quantile { quantile });
        }
        (Select::Value, _) => true,
        (_, Kind::Gauge | Kind::Sum { monotonic: false, .. }) => false,
        (Select::Rate | Select::Increase, _) => true,
        (_, Kind::Sum { .. }) => false,
        (Select::Quantile(_) | Select::Buckets, kind) => kind != Kind::Summary,
        _ => true,
    };
    if suits { Ok(()) } else { Err(QueryError::Unsuited { select, kind }) }
}

/// What tells the group of a series from others.
fn labels(query: &Query, metric: &Metric, series: &Series, source: &Source, over: Over) -> Labels {
    let by = |key: &String| Some((key.clone(), label(key, series, source)?.into_owned()));
    let mut labels: Labels = query.by.iter().filter_map(by).collect();
    if over == Over::Each {
        if metric.kind == Kind::Gauge {
            labels.extend(series.attributes.iter().map(|(key, value)| (key.to_owned(), text(value).into_owned())));
        }
        labels.insert(PROCESS.to_owned(), series.process.to_string());
    }
    labels
}

#[expect(clippy::cast_precision_loss, reason = "counts above 2^53 are approximate anyway")]
fn float(count: u64) -> f64 {
    count as f64
}
