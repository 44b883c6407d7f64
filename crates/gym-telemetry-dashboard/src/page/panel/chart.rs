use serde::Serialize;

use super::Number;

/// Series over the same times.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Chart {
    pub(in crate::page) unit: String,
    /// The end of each step, in milliseconds since 1970.
    pub(in crate::page) times: Vec<u64>,
    pub(in crate::page) series: Vec<Series>,
    /// Lines to compare a stack to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(in crate::page) limits: Vec<Series>,
    /// How many smaller series are left out.
    pub(in crate::page) more: usize,
}

/// One line of a chart.
#[derive(Debug, Clone, Serialize)]
pub(in crate::page) struct Series {
    pub(in crate::page) label: String,
    /// A value for each time; nothing where nothing is known.
    pub(in crate::page) values: Vec<Option<f64>>,
    pub(in crate::page) query: String,
}

impl Series {
    /// What it last was. The latest step may have nothing yet.
    pub(in crate::page) fn latest(&self) -> Option<f64> {
        latest(&self.values)
    }
}

/// The last value, if it is of the latest steps.
pub(in crate::page) fn latest(values: &[Option<f64>]) -> Option<f64> {
    /// The step that has just begun may have nothing yet.
    const STEPS: usize = 2;
    values.iter().rev().take(STEPS).find_map(|value| *value)
}

/// A distribution over time.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Heat {
    pub(in crate::page) unit: String,
    /// The end of each step, in milliseconds since 1970.
    pub(in crate::page) times: Vec<u64>,
    /// From the lowest bucket to the highest.
    pub(in crate::page) rows: Vec<HeatRow>,
    /// What sums it up.
    pub(in crate::page) numbers: Vec<Number>,
    pub(in crate::page) query: String,
}

/// One bucket over time.
#[derive(Debug, Serialize)]
pub(in crate::page) struct HeatRow {
    /// Its upper boundary; nothing when it has none.
    pub(in crate::page) upper: Option<f64>,
    /// How many values came into it in each step.
    pub(in crate::page) values: Vec<Option<f64>>,
}
