use serde::Serialize;

use super::{Chart, Graph, Heat, Number, Table, Timeline};
use crate::page::findings::Finding;

/// All that one page shows.
#[derive(Debug, Serialize)]
pub(in crate::page) struct View {
    /// Its name, as in `/api/v1/views/{name}`.
    pub(in crate::page) name: &'static str,
    pub(in crate::page) title: &'static str,
    /// The history's revision that it was made of.
    pub(in crate::page) revision: u64,
    /// When it was made, in milliseconds since 1970.
    pub(in crate::page) time: u64,
    /// Whether there may be news; there are none of a recording.
    pub(in crate::page) live: bool,
    /// How far back it reaches, in milliseconds.
    pub(in crate::page) since: u64,
    /// How many processes report.
    pub(in crate::page) reporting: usize,
    /// How many processes are gone.
    pub(in crate::page) gone: usize,
    /// Points that were refused so far.
    pub(in crate::page) refused: u64,
    pub(in crate::page) panels: Vec<Panel>,
}

/// One part of a view.
#[derive(Debug, Serialize)]
pub(in crate::page) struct Panel {
    pub(in crate::page) title: String,
    /// A sentence that says what is to be seen.
    pub(in crate::page) help: String,
    /// Whether it takes all of the page's width.
    pub(in crate::page) wide: bool,
    #[serde(flatten)]
    pub(in crate::page) content: Content,
}

/// What a panel shows; on the wire its `kind` says which.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(in crate::page) enum Content {
    /// The present, large.
    Numbers { items: Vec<Number> },
    /// Lines over time.
    Lines(Chart),
    /// Areas over time, one upon the other, with lines to compare them to.
    Stack(Chart),
    /// How a distribution moves over time.
    Heat(Heat),
    /// What came after what.
    Timeline(Timeline),
    /// Who waits for whom.
    Graph(Graph),
    /// Rows.
    Table(Table),
    /// Sentences.
    Findings { items: Vec<Finding> },
}

impl Panel {
    /// A panel as wide as its place.
    pub(in crate::page) fn new(title: impl Into<String>, help: impl Into<String>, content: Content) -> Self {
        Self { title: title.into(), help: help.into(), wide: false, content }
    }

    /// One that takes all of the page's width.
    pub(in crate::page) fn wide(self) -> Self {
        Self { wide: true, ..self }
    }
}
