use serde::Serialize;

/// Rows of numbers and words.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Table {
    pub(in crate::page) columns: Vec<Column>,
    pub(in crate::page) rows: Vec<Row>,
}

/// One column.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Column {
    pub(in crate::page) label: &'static str,
    pub(in crate::page) unit: String,
}

/// One row.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Row {
    /// Whether it is of the past.
    pub(in crate::page) gone: bool,
    /// One for each column.
    pub(in crate::page) cells: Vec<Cell>,
}

/// What stands in one place.
#[derive(Debug, Default, Serialize)]
pub(in crate::page) struct Cell {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::page) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::page) value: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(in crate::page) query: String,
}

impl Column {
    pub(in crate::page) fn new(label: &'static str, unit: impl Into<String>) -> Self {
        Self { label, unit: unit.into() }
    }
}

impl Cell {
    pub(in crate::page) fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    pub(in crate::page) fn number(value: Option<f64>, query: String) -> Self {
        Self { value, query, ..Self::default() }
    }
}
