use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use opentelemetry::Context;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use tokio::{
    runtime::{self, Runtime},
    select,
    sync::{
        mpsc::{UnboundedReceiver, unbounded_channel},
        oneshot,
    },
    time::{Instant, MissedTickBehavior, interval_at, timeout},
};

use super::{Command, Control, Output, control::Request, health::Health};
use crate::{ExportError, StartError, overflow::Overflow};

/// What the exporter's thread is to do.
pub(crate) struct Plan {
    /// Shut down at the end, so that its meters fall silent.
    pub(crate) provider: SdkMeterProvider,
    /// The time from one export to the next.
    pub(crate) interval: Duration,
    /// The time that one export may take, its retries included.
    pub(crate) limit: Duration,
    /// Looks through every collection.
    pub(crate) overflow: Overflow,
}

/// Starts the thread. `open` runs on it, inside its runtime, and makes what needs that runtime.
pub(crate) fn spawn<F>(plan: Plan, open: F) -> Result<Control, StartError>
where
    F: FnOnce() -> Result<Output, StartError> + Send + 'static,
{
    let (commands, command_queue) = unbounded_channel();
    let (stop, stopped) = oneshot::channel();
    let health = Arc::new(Health::default());
    let control = Control { commands, stop: Mutex::new(Some(stop)), health: Arc::clone(&health) };
    let (report, outcome) = mpsc::sync_channel(1);

    thread::Builder::new().name("gym-telemetry".to_owned()).spawn(move || {
        let _suppressed = Context::enter_telemetry_suppressed_scope();
        let started = runtime::Builder::new_current_thread().enable_all().build().map_err(StartError::from);
        let started = started.and_then(|runtime| {
            let output = within_runtime(&runtime, open)?;
            Ok((runtime, output))
        });
        match started {
            Ok((runtime, output)) => {
                let worker = Worker { plan, output, commands: command_queue, stop: stopped, health };
                let _ = report.send(Ok(()));
                if catch_unwind(AssertUnwindSafe(|| runtime.block_on(worker.run()))).is_err() {
                    tracing::error!("the exporter's thread panicked; nothing is exported any more");
                }
            }
            Err(error) => drop(report.send(Err(error))),
        }
    })?;
    let ended = |_| Err(StartError::Thread(io::Error::other("it ended before it was ready")));
    outcome.recv().unwrap_or_else(ended).map(|()| control)
}

/// Runs a function as if on the runtime, for what looks for one when it is made.
fn within_runtime<T>(runtime: &Runtime, make: impl FnOnce() -> T) -> T {
    let _entered = runtime.enter();
    make()
}

/// The wish to stop, with whoever waits for it. Nobody waits when the last handle was dropped.
struct Stop(Option<Request>);

impl Stop {
    /// The time that the last export may take.
    fn time_left(&self, limit: Duration) -> Duration {
        self.0.as_ref().map_or(limit, |request| request.remaining().min(limit))
    }
}

/// What the thread works with.
struct Worker {
    plan: Plan,
    output: Output,
    commands: UnboundedReceiver<Command>,
    stop: oneshot::Receiver<Request>,
    health: Arc<Health>,
}

impl Worker {
    /// Exports at every tick and when it is asked, until it is to stop.
    async fn run(mut self) {
        let interval = self.plan.interval;
        let mut ticks = interval_at(Instant::now() + interval, interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let stop = loop {
            let interrupted = select! {
                biased;
                stop = &mut self.stop => Some(Stop(stop.ok())),
                Some(command) = self.commands.recv() => self.obey(command).await,
                _ = ticks.tick(), if self.output.is_push() => self.export(self.plan.limit).await.1,
            };
            if let Some(stop) = interrupted {
                break stop;
            }
        };
        self.finish(stop).await;
    }

    /// Does what it is asked, and tells when it was to stop meanwhile.
    async fn obey(&mut self, command: Command) -> Option<Stop> {
        match command {
            Command::Flush(request) => {
                let (outcome, stop) = self.export(self.plan.limit.min(request.remaining())).await;
                request.answer(outcome);
                stop
            }
            #[cfg(feature = "prometheus")]
            Command::Scrape(reply) => {
                if let Output::Pull(scraped) = &mut self.output {
                    let _ = reply.send(scraped.render(&mut self.plan.overflow));
                }
                None
            }
        }
    }

    /// Exports once. A wish to stop that comes meanwhile leaves this export half the time that is left, so that the
    /// last one can still be made.
    async fn export(&mut self, limit: Duration) -> (Result<(), ExportError>, Option<Stop>) {
        let mut sending = pin!(within(limit, self.output.export(&mut self.plan.overflow, limit)));
        let (outcome, stop) = select! {
            biased;
            outcome = &mut sending => (outcome, None),
            stop = &mut self.stop => {
                let stop = Stop(stop.ok());
                (within(stop.time_left(self.plan.limit) / 2, sending).await, Some(stop))
            }
        };
        self.health.record(&outcome);
        (outcome, stop)
    }

    /// Makes the last export.
    async fn finish(mut self, stop: Stop) {
        let limit = stop.time_left(self.plan.limit);
        let outcome = within(limit, self.output.export(&mut self.plan.overflow, limit)).await;
        self.health.record(&outcome);
        if let Err(error) = self.plan.provider.shutdown() {
            tracing::debug!(%error, "the meter provider was already shut down");
        }
        // Whoever waits must find the thread's end of the channels gone.
        drop(self.commands);
        if let Some(request) = stop.0 {
            request.answer(outcome);
        }
    }
}

/// Bounds the time that an export may take.
async fn within<F>(limit: Duration, export: F) -> Result<(), ExportError>
where
    F: Future<Output = Result<(), ExportError>>,
{
    timeout(limit, export).await.unwrap_or(Err(ExportError::Timeout(limit)))
}
