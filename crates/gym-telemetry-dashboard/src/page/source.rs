use std::{fmt, sync::Arc};

use gym_telemetry_collector::Snapshot;

use crate::history::History;

/// What a page shows. Clones show the same.
#[derive(Clone)]
pub struct Source {
    pub(super) history: History,
    state: Option<Arc<dyn Fn() -> Snapshot + Send + Sync>>,
}

impl Source {
    /// A history alone.
    pub fn new(history: History) -> Self {
        Self { history, state: None }
    }

    /// Where `GET /api/v1/otlp` gets the latest state of every series; it is empty otherwise.
    #[must_use = "the source is returned"]
    pub fn with_state(self, state: impl Fn() -> Snapshot + Send + Sync + 'static) -> Self {
        Self { state: Some(Arc::new(state)), ..self }
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
