use std::{
    thread,
    time::{Duration, Instant},
};

use gym_telemetry_core::EventLoopMetrics;
use gym_telemetry_runtime::{LagSettings, LagWatcher};

use crate::support::{Backend, Loop, block, count, current, longest, tasks, until};

const INTERVAL: Duration = Duration::from_millis(10);

fn watcher(event_loops: &EventLoopMetrics) -> LagWatcher {
    LagWatcher::with_settings(event_loops.clone(), LagSettings::new().interval(INTERVAL)).unwrap()
}

/// While the loop is wedged, its lag is seen growing, by the process itself and by its backend.
#[test]
fn l1_the_exporter_goes_on_while_a_loop_is_blocked_for_three_seconds() {
    const BLOCKED: Duration = Duration::from_secs(3);
    let backend = Backend::every(Duration::from_millis(50));
    let event_loops = EventLoopMetrics::new(&backend.meter());
    let watched = Loop::new();
    let watcher = watcher(&event_loops);
    watcher.watch("server", &watched.handle);
    until("the loop was sampled", || count(&event_loops, "server") > 0);

    let stuck = block(&watched.handle);
    let samples = count(&event_loops, "server");
    let exported = || backend.gauge("gym.event_loop.current_lag_ms");
    until("the lag was exported", || exported().last().is_some_and(|lag| *lag > BLOCKED.as_secs_f64() * 1e3));
    let growing = exported().windows(2).rev().take_while(|lags| lags[0] < lags[1]).count();
    assert!(growing > 2, "exports while the loop was blocked: {:?}", exported());
    assert_eq!(count(&event_loops, "server"), samples);

    drop(stuck);
    until("the loop goes on", || count(&event_loops, "server") > samples + 1);
    assert!(longest(&event_loops, "server") > BLOCKED);
    until("the gauge is back", || exported().last().is_some_and(|lag| *lag < BLOCKED.as_secs_f64() * 1e3));
}

/// A block is one sample of its true length, and none is made up for the looks that found nothing new.
#[test]
fn l2_one_block_is_one_sample_of_its_length() {
    let backend = Backend::new();
    let event_loops = EventLoopMetrics::new(&backend.meter());
    let watched = Loop::new();
    let watcher = watcher(&event_loops);
    let start = Instant::now();
    watcher.watch("server", &watched.handle);

    let stuck = block(&watched.handle);
    until("it is half a second", || current(&event_loops, "server") > Some(Duration::from_millis(500)));
    let before = backend.lag();
    let least = current(&event_loops, "server").unwrap();
    assert_eq!(backend.lag(), before, "nothing is recorded while the loop is blocked");
    let released = Instant::now();
    drop(stuck);

    until("it ran some more", || count(&event_loops, "server") > before.0 + 5);
    let after = backend.lag();
    let samples = after.0 - before.0;
    assert!(longest(&event_loops, "server") >= least);
    // The waits of one task do not overlap: all of them together took no longer than the clock tells.
    assert!(after.1 - before.1 >= least && after.1 <= start.elapsed(), "{after:?} in {:?}", start.elapsed());
    let looks = released.elapsed().div_duration_f64(INTERVAL) as u64 + 2;
    assert!(samples <= looks, "{samples} samples in {looks} looks");
    assert!(current(&event_loops, "server") < Some(least));
}

/// Each runtime is watched where it runs, and its lag is its own.
#[test]
fn l3_blocking_one_of_two_runtimes_moves_its_own_lag_alone() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    let (left, right) = (Loop::new(), Loop::new());
    let watcher = watcher(&event_loops);
    watcher.watch("left", &left.handle);
    watcher.watch("right", &right.handle);

    for (blocked, name, free) in [(&left, "left", "right"), (&right, "right", "left")] {
        let stuck = block(&blocked.handle);
        let before = (count(&event_loops, name), count(&event_loops, free));
        until("the other one was sampled again and again", || count(&event_loops, free) > before.1 + 5);
        let worst = longest(&event_loops, free);
        until("it is longer than anything the other one ever had", || current(&event_loops, name) > Some(worst));
        assert_eq!(count(&event_loops, name), before.0);
        drop(stuck);
        until("it goes on", || count(&event_loops, name) > before.0 + 1);
        assert!(longest(&event_loops, name) > worst);
    }
}

/// A thread that knows no runtime may start a watch, count tasks and export.
#[test]
fn l4_everything_works_from_a_plain_thread() {
    let backend = Backend::new();
    let event_loops = EventLoopMetrics::new(&backend.meter());
    let watched = Loop::new();
    let plain = || {
        let settings = LagSettings::new().interval(INTERVAL).tasks(true);
        let watcher = LagWatcher::with_settings(event_loops.clone(), settings).unwrap();
        watcher.watch("server", &watched.handle);
        let running = watched.handle.spawn(std::future::pending::<()>());
        until("the task is counted", || tasks(&event_loops, "server") == Some(1));
        until("the loop is sampled", || count(&event_loops, "server") > 0);
        assert!(backend.lag().0 > 0);
        assert_eq!(backend.gauge("gym.event_loop.tasks").last(), Some(&1.0));
        running.abort();
        until("it is counted no more", || tasks(&event_loops, "server") == Some(0));
    };
    thread::scope(|scope| scope.spawn(plain).join().unwrap());
}
