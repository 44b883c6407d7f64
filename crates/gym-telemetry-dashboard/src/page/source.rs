use std::{fmt, sync::Arc};

use gym_telemetry_collector::{Counts, Snapshot};

use crate::history::History;

/// What a page shows. Clones show the same.
#[derive(Clone)]
pub struct Source {
    pub(super) history: History,
    state: Option<Arc<dyn Fn() -> Snapshot + Send + Sync>>,
    counts: Option<Arc<dyn Fn() -> Counts + Send + Sync>>,
}

impl Source {
    /// A history alone.
    pub fn new(history: History) -> Self {
        Self { history, state: None, counts: None }
    }

    /// Where `GET /api/v1/otlp` gets the latest state of every series; it is empty otherwise.
    #[must_use = "the source is returned"]
    pub fn with_state(self, state: impl Fn() -> Snapshot + Send + Sync + 'static) -> Self {
        Self { state: Some(Arc::new(state)), ..self }
    }

    /// Where `GET /metrics` gets what the collector in front was sent; it says nothing of that otherwise.
    #[must_use = "the source is returned"]
    pub fn with_counts(self, counts: impl Fn() -> Counts + Send + Sync + 'static) -> Self {
        Self { counts: Some(Arc::new(counts)), ..self }
    }

    pub(super) fn counts(&self) -> Option<Counts> {
        self.counts.as_ref().map(|counts| counts())
    }

    pub(super) fn state(&self) -> Snapshot {
        self.state.as_ref().map(|state| state()).unwrap_or_default()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("history", &self.history).finish_non_exhaustive()
    }
}
