use serde::Serialize;

/// Rows of stages on one scale.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Timeline {
    pub(in crate::page) unit: &'static str,
    /// Every stage, in the order of time.
    pub(in crate::page) stages: Vec<String>,
    pub(in crate::page) rows: Vec<TimelineRow>,
}

/// One process.
#[derive(Debug, Serialize)]
pub(in crate::page) struct TimelineRow {
    pub(in crate::page) label: String,
    pub(in crate::page) spans: Vec<Span>,
}

/// One stage.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Span {
    pub(in crate::page) label: String,
    pub(in crate::page) from: f64,
    pub(in crate::page) to: f64,
    pub(in crate::page) query: String,
}
