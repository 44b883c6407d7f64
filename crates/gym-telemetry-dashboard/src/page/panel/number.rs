use serde::Serialize;

/// One number of the present.
#[derive(Debug, Clone, Serialize)]
pub(in crate::page) struct Number {
    pub(in crate::page) label: String,
    /// Nothing where nothing is known.
    pub(in crate::page) value: Option<f64>,
    /// In UCUM notation; `/s` behind it makes it a rate.
    pub(in crate::page) unit: String,
    /// What it was made of; empty when no single query says it.
    pub(in crate::page) query: String,
}

impl Number {
    /// A number that no single query says.
    pub(in crate::page) fn plain(label: impl Into<String>, value: Option<f64>, unit: impl Into<String>) -> Self {
        Self { label: label.into(), value, unit: unit.into(), query: String::new() }
    }

    /// The same number under another name.
    pub(in crate::page) fn called(self, label: impl Into<String>) -> Self {
        Self { label: label.into(), ..self }
    }
}
