//! The size of the fleet, which the supervisor alone knows.

use std::sync::{
    Arc,
    atomic::{AtomicU8, AtomicU64, Ordering},
};

use gym_telemetry_conventions::metrics;
use opentelemetry::metrics::Meter;

use crate::report::Report;

/// Who may speak for the fleet in this process.
static RIGHT: AtomicU8 = AtomicU8::new(FREE);

const FREE: u8 = 0;
const CLAIMED: u8 = 1;
const RULED_OUT: u8 = 2;

/// The right to speak for the fleet. A process can claim it once; dropping it does not give it back.
///
/// A gauge shows what was written last, so a second writer would make it meaningless.
#[derive(Debug)]
#[must_use = "it cannot be claimed again"]
pub struct Supervisor(());

impl Supervisor {
    /// Claims the right for this process; `None`, and a line in the log, if it was claimed before or ruled out.
    #[must_use]
    pub fn claim() -> Option<Self> {
        let refused = RIGHT.compare_exchange(FREE, CLAIMED, Ordering::AcqRel, Ordering::Acquire).err();
        let reason = match refused {
            None => return Some(Self(())),
            Some(RULED_OUT) => "this process is a server",
            Some(_) => "this process has claimed the right before",
        };
        tracing::warn!(target: "gym_telemetry", reason, "refused to report the number of servers");
        None
    }

    /// Rules the right out for this process because it is one of the fleet's servers.
    ///
    /// Whoever has claimed it already keeps it: a supervisor may have a server of its own.
    pub fn rule_out() {
        // Claimed or ruled out before: nothing changes.
        let _ = RIGHT.compare_exchange(FREE, RULED_OUT, Ordering::AcqRel, Ordering::Acquire);
    }
}

/// Reports `gym.servers.active`, for the supervisor alone.
///
/// # Example
///
/// ```
/// use gym_telemetry_core::{ServersMetrics, Supervisor};
/// # use opentelemetry::metrics::MeterProvider as _;
/// # let meter = opentelemetry_sdk::metrics::SdkMeterProvider::builder().build().meter("example");
///
/// let servers = ServersMetrics::new(&meter, Supervisor::claim().expect("the only one"));
/// servers.set_active(3); // after start-up
/// servers.set_active(0); // on shutdown
/// ```
#[derive(Debug)]
#[must_use = "dropping it ends its series"]
pub struct ServersMetrics {
    active: Arc<AtomicU64>,
    supervisor: Supervisor,
}

impl ServersMetrics {
    /// A recorder whose series is reported through `meter`, from zero.
    pub fn new(meter: &Meter, supervisor: Supervisor) -> Self {
        let active = Arc::new(AtomicU64::new(0));
        Report::new(meter, &active).gauge(&metrics::SERVERS_ACTIVE, |active, observer| {
            observer.observe(active.load(Ordering::Relaxed), &[]);
        });
        Self { active, supervisor }
    }

    /// How many servers of the fleet are up.
    pub fn set_active(&self, servers: u64) {
        self.active.store(servers, Ordering::Relaxed);
    }

    /// Ends the series and hands the right back, such as for telemetry that is started anew.
    pub fn end(self) -> Supervisor {
        self.supervisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Reader;

    #[test]
    fn one_supervisor_a_process_reports_zero_too() {
        let reader = Reader::new();
        let servers = ServersMetrics::new(&reader.meter(), Supervisor::claim().unwrap());
        servers.set_active(3);
        assert_eq!(reader.collect().value("gym.servers.active", &[]), Some(3.0));
        servers.set_active(0);
        assert_eq!(reader.collect().value("gym.servers.active", &[]), Some(0.0));

        let supervisor = servers.end();
        assert!(reader.collect().is_empty());
        let anew = Reader::new();
        let servers = ServersMetrics::new(&anew.meter(), supervisor);
        assert_eq!(anew.collect().value("gym.servers.active", &[]), Some(0.0));
        drop(servers);
        assert!(Supervisor::claim().is_none());
    }
}
