use tokio::sync::watch;

/// Cuts off what still runs at the end of a run's patience.
#[derive(Debug, Default)]
pub(crate) struct Cut(watch::Sender<bool>);

impl Cut {
    /// Cuts off what runs now, and what might begin to run.
    pub(crate) fn now(&self) {
        self.0.send_replace(true);
    }

    /// Waits until that happens.
    pub(crate) async fn happened(&self) {
        // The sender lives as long as `self`, so there is no error to wait for.
        let _ = self.0.subscribe().wait_for(|cut| *cut).await;
    }
}
