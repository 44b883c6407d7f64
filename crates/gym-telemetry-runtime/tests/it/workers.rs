use std::time::{Duration, Instant};

use gym_telemetry_core::EventLoopMetrics;
use gym_telemetry_runtime::{LagSettings, LagWatcher};
use tokio::runtime::{Builder, Runtime};

#[cfg(feature = "tokio-metrics")]
use crate::support::find;
use crate::support::{Backend, block, count, current, longest, until};

const INTERVAL: Duration = Duration::from_millis(10);

fn two_workers() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).build().unwrap()
}

#[test]
fn a_blocked_worker_shows_where_each_is_watched_and_only_there() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    let runtime = two_workers();
    until("both workers have found nothing to do", || {
        (0..2).all(|worker| runtime.metrics().worker_park_count(worker) > 0)
    });
    let start = Instant::now();
    let settings = LagSettings::new().interval(INTERVAL);
    let shared = LagWatcher::with_settings(event_loops.clone(), settings.clone()).unwrap();
    shared.watch("shared", runtime.handle());
    let each = LagWatcher::with_settings(event_loops.clone(), settings.each_worker(true)).unwrap();
    each.watch("each", runtime.handle());

    let stuck = block(runtime.handle());
    let samples = count(&event_loops, "shared");
    until("the other worker takes the probes", || count(&event_loops, "shared") > samples + 5);
    let worst = longest(&event_loops, "shared");
    until("the stall is seen", || current(&event_loops, "each") > Some(worst + INTERVAL));
    let lasted = stuck.since.elapsed();
    drop(stuck);
    until("the stall is over", || current(&event_loops, "each") < Some(worst + INTERVAL));
    let longest = longest(&event_loops, "each");
    assert!(longest >= lasted && longest <= start.elapsed(), "{longest:?} of {lasted:?}");
}

#[test]
fn a_runtime_whose_workers_are_all_blocked_shows_anyway() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    let runtime = two_workers();
    let settings = LagSettings::new().interval(INTERVAL);
    let watcher = LagWatcher::with_settings(event_loops.clone(), settings).unwrap();
    watcher.watch("server", runtime.handle());
    let stuck = [block(runtime.handle()), block(runtime.handle())];
    until("the lag is seen", || current(&event_loops, "server") > Some(INTERVAL * 10));
    drop(stuck);
    until("it is over", || current(&event_loops, "server") < Some(INTERVAL * 10));
    assert!(longest(&event_loops, "server") > INTERVAL * 10);
}

#[cfg(feature = "tokio-metrics")]
#[test]
fn the_scheduler_tells_how_busy_its_workers_are_and_what_they_have_not_come_to() {
    let backend = Backend::new();
    let event_loops = EventLoopMetrics::new(&backend.meter());
    let runtime = two_workers();
    let settings = LagSettings::new().interval(INTERVAL).scheduler(true);
    let watcher = LagWatcher::with_settings(event_loops.clone(), settings).unwrap();
    let start = Instant::now();
    watcher.watch("server", runtime.handle());

    let stuck = [block(runtime.handle()), block(runtime.handle())];
    let blocked = Instant::now();
    let waiting: Vec<_> = (0..5).map(|_| runtime.spawn(async {})).collect();
    let depth = || find(&event_loops, "server").and_then(|seen| seen.queue_depth);
    until("the tasks are seen in the queue", || depth() >= Some(5));
    let busy = blocked.elapsed() * 2;
    let parks = |worker| runtime.metrics().worker_park_count(worker);
    let parked = [0, 1].map(parks);
    drop(stuck);
    until("they have run", || waiting.iter().all(|task| task.is_finished()));
    until("the queue is seen empty", || depth() == Some(0));
    until("the workers rest", || [0, 1].iter().all(|worker| parks(*worker) > parked[*worker]));
    let samples = count(&event_loops, "server");
    until("that is seen", || count(&event_loops, "server") > samples + 2);
    backend.lag();
    let ratio = *backend.gauge("gym.telemetry.event_loop.busy_ratio").last().unwrap();
    let least = busy.div_duration_f64(start.elapsed() * 2);
    assert!(ratio >= least, "{ratio} of {least}");
}
