use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use proptest::prelude::*;
use tracing_subscriber::fmt::MakeWriter;

use super::{
    system::{System, ports},
    *,
};
use crate::Limits;

const ROOM: System = System { descriptors: Some(1_048_576), ports: Some(28_232) };

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

fn limits(total: usize, per_host: usize) -> Limits {
    Limits::new().total(total).per_host(per_host)
}

fn warnings(capacity: Capacity, system: System) -> Vec<CapacityWarning> {
    capacity.check_on(system).unwrap().warnings().to_vec()
}

#[test]
fn a_limit_that_would_become_zero_is_an_error_with_its_numbers() {
    let error = Capacity::new(limits(3, 0)).workers(4).check().unwrap_err();
    assert_eq!(error, CapacityError::Total { limit: 3, workers: 4 });
    assert_eq!(
        error.to_string(),
        "a total limit of 3 leaves nothing for each of 4 workers: it takes 4 or more, or 0 for no limit"
    );
    let error = Capacity::new(limits(100, 1)).workers(2).check().unwrap_err();
    assert_eq!(
        error.to_string(),
        "a limit of 1 per host leaves nothing for each of 2 workers: it takes 2 or more, or 0 for no limit"
    );
    assert_eq!(Capacity::new(limits(0, 0)).workers(4).check().unwrap().limits(), limits(0, 0), "no limit stays none");
}

#[test]
fn the_line_says_it_all() {
    let capacity = Capacity::new(limits(400, 0)).workers(3).intended(limits(1_000, 500));
    let report = capacity.check_on(System { descriptors: Some(100), ports: None }).unwrap();
    assert_eq!(
        report.to_string(),
        "HTTP connections: workers=3 total=133 per_host=unlimited intended=1000 intended_per_host=500 \
         file_descriptors=100 ephemeral_ports=unknown; 1000 calls are intended and 399 fit through the total limit; \
         133 sockets of a worker do not fit into 100 file descriptors"
    );
}

#[test]
fn each_configuration_is_announced_once() {
    let log = Log::default();
    let subscriber = tracing_subscriber::fmt().with_writer(log.clone()).finish();
    let announce = |limits| Capacity::new(limits).check_on(ROOM).unwrap().announce();
    tracing::subscriber::with_default(subscriber, || {
        for limits in [limits(101, 0), limits(102, 0), limits(101, 0)] {
            announce(limits);
        }
        Capacity::new(limits(101, 0)).intended(limits(200, 0)).check_on(ROOM).unwrap().announce();
    });
    let written = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let levels: Vec<_> = written.lines().map(|line| line.contains(" WARN ")).collect();
    assert_eq!(levels, [false, false, true], "{written}");
}

#[test]
fn each_way_not_to_fit_is_a_warning_of_its_own() {
    let all = Capacity::new(limits(100, 10)).workers(2);
    assert_eq!(warnings(all.intended(limits(100, 10)), ROOM), []);
    let more = all.intended(limits(101, 11));
    let total = CapacityWarning::Total { intended: 101, allowed: 100 };
    let per_host = CapacityWarning::PerHost { intended: 11, allowed: 10 };
    assert_eq!(warnings(more, ROOM), [total, per_host]);

    let tight = System { descriptors: Some(49), ports: Some(9) };
    let descriptors = CapacityWarning::Descriptors { sockets: 50, limit: 49 };
    let ports = CapacityWarning::Ports { sockets: 10, ports: 9 };
    assert_eq!(warnings(all, tight), [descriptors, ports], "the limits themselves allow too much");
    assert_eq!(warnings(Capacity::new(limits(0, 0)), tight), [], "nothing is known");
    let unlimited = Capacity::new(limits(0, 0)).workers(2).intended(limits(99, 0));
    let ports = CapacityWarning::Ports { sockets: 99, ports: 9 };
    assert_eq!(warnings(unlimited, tight), [CapacityWarning::Descriptors { sockets: 50, limit: 49 }, ports]);
    assert_eq!(ports.to_string(), "99 sockets to a destination do not fit onto 9 ephemeral ports");
    assert_eq!(per_host.to_string(), "11 calls to a host are intended and 10 fit through its limit");
}

#[test]
fn the_range_of_ports_is_read_or_unknown() {
    let ranges = ["32768\t60999\n", "1 1", "2 1", "", "12", "a b"];
    assert_eq!(ranges.map(ports), [Some(28_232), Some(1), None, None, None, None]);
    let here = System::read();
    assert!(here.descriptors.is_none_or(|limit| limit > 0) && here.ports.is_none_or(|ports| ports > 0), "{here:?}");
}

proptest! {
    /// However many workers there are, they have no more than the whole together, and each has something.
    #[test]
    fn workers_share_what_there_is(total in 0_usize..10_000, per_host in 0_usize..10_000, workers in 0_usize..100) {
        match Capacity::new(limits(total, per_host)).workers(workers).check() {
            Ok(report) => {
                let ((each, each_per_host), workers) = (report.limits().get(), workers.max(1));
                prop_assert!(each * workers <= total && each_per_host * workers <= per_host);
                prop_assert_eq!((each == 0, each_per_host == 0), (total == 0, per_host == 0));
            }
            Err(_) => prop_assert!((1..workers).contains(&total) || (1..workers).contains(&per_host)),
        }
    }
}
