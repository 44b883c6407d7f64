use tokio::sync::watch;

/// How far a run has come on its way to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Rows are dispatched.
    Running,
    /// What runs may end; nothing new is dispatched.
    Draining,
    /// What still runs is cut off.
    Cut,
}

/// Tells a run to come to an end. Clones share the stage.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    stage: watch::Sender<Stage>,
}

impl Stop {
    pub(crate) fn new() -> Self {
        Self { stage: watch::Sender::new(Stage::Running) }
    }

    /// Moves on to a stage; never back.
    pub(crate) fn advance(&self, to: Stage) {
        self.stage.send_if_modified(|stage| {
            let later = to > *stage;
            *stage = to.max(*stage);
            later
        });
    }

    /// Waits for a stage, or one after it.
    pub(crate) async fn reached(&self, wanted: Stage) {
        let mut stage = self.stage.subscribe();
        // The sender lives as long as `self`, so there is no error to wait for.
        let _ = stage.wait_for(|stage| *stage >= wanted).await;
    }
}
