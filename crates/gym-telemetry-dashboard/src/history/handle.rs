//! The history itself.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use gym_telemetry_collector::{Kind, Observer};
use tokio::sync::watch;

use super::answer::{Answer, QueryError};
use super::metric::MetricInfo;
use super::observe::Tap;
use super::process::{Process, ProcessId};
use super::query::Query;
use super::refused::Refused;
use super::settings::Settings;
use super::state::{State, millis};

/// The recent history of every series that went through a collector. Clones share it.
///
/// It takes in points as its [`observer`](Self::observer) sees them, and can be asked at any time from any thread;
/// while it answers, points wait.
#[derive(Clone)]
pub struct History {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    state: Mutex<State>,
    pub(super) revision: watch::Sender<u64>,
    /// The time, in milliseconds since 1970, when it is not that of now.
    clock: AtomicU64,
}

impl History {
    /// An empty history.
    pub fn new(settings: Settings) -> Self {
        let state = Mutex::new(State::new(settings));
        Self { shared: Arc::new(Shared { state, revision: watch::Sender::new(0), clock: AtomicU64::new(0) }) }
    }

    /// What feeds it. Each collector, or store, needs one of its own.
    pub fn observer(&self) -> impl Observer + use<> {
        Tap::new(Arc::clone(&self.shared))
    }

    /// Every process that has reported, by id.
    pub fn processes(&self) -> Vec<Process> {
        self.shared.state().processes(self.shared.now())
    }

    /// Notes that a process is known to have ended, before its silence would say so. Another export revives it.
    pub fn end(&self, process: ProcessId) {
        self.shared.state().end(process, self.shared.now());
        self.shared.revision.send_modify(|revision| *revision += 1);
    }

    /// Every metric that has been reported, by name.
    pub fn metrics(&self) -> Vec<MetricInfo> {
        self.shared.state().metrics()
    }

    /// Name, unit and kind of every metric, by name. It costs less than [`metrics`](Self::metrics).
    pub(crate) fn forms(&self) -> Vec<(String, String, Kind)> {
        self.shared.state().names.keys().cloned().collect()
    }

    /// Answers a query.
    ///
    /// # Errors
    ///
    /// When no metric has that name, or it has no such number.
    pub fn query(&self, query: &Query) -> Result<Answer, QueryError> {
        self.shared.state().query(query, self.shared.now())
    }

    /// A number that moves each time that an export was taken in.
    pub fn revision(&self) -> watch::Receiver<u64> {
        self.shared.revision.subscribe()
    }

    /// Stops its clock at a time, in milliseconds since 1970: what comes now came then. Whoever feeds it what was kept
    /// elsewhere sets it before each request.
    pub fn set_clock(&self, time: u64) {
        self.shared.clock.store(time, Ordering::Relaxed);
    }

    /// Its clock: the present, unless [`set_clock`](Self::set_clock) has stopped it.
    pub fn now(&self) -> u64 {
        self.shared.now()
    }

    /// Whether its clock runs.
    pub(crate) fn is_live(&self) -> bool {
        self.shared.clock.load(Ordering::Relaxed) == 0
    }

    /// How many bytes the past takes, as the limit counts them.
    pub(crate) fn past_bytes(&self) -> usize {
        self.shared.state().bytes
    }

    /// What was not taken in so far.
    pub fn refused(&self) -> Refused {
        self.shared.state().refused()
    }
}

impl fmt::Debug for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("History").field("revision", &*self.shared.revision.borrow()).finish_non_exhaustive()
    }
}

impl Shared {
    /// The state. Nobody leaves it half changed, so a panic elsewhere does not make it unusable.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time, in milliseconds since 1970.
    pub(super) fn now(&self) -> u64 {
        match self.clock.load(Ordering::Relaxed) {
            0 => unix_millis(),
            fixed => fixed,
        }
    }
}

/// The time of the system, in milliseconds since 1970.
pub(crate) fn unix_millis() -> u64 {
    millis(SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}
