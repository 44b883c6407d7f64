use std::{sync::Arc, time::Duration};

use gym_telemetry_core::EventLoopMetrics;
use gym_telemetry_runtime::{LagSettings, LagWatcher};
use tokio::runtime::{Builder, Runtime};

use crate::support::{Backend, Loop, block, count, current, until};

fn watcher(event_loops: &EventLoopMetrics) -> LagWatcher {
    let settings = LagSettings::new().interval(Duration::from_millis(1)).tasks(true).each_worker(true);
    LagWatcher::with_settings(event_loops.clone(), settings).unwrap()
}

/// A runtime of each kind, with something that is counted once more for as long as any part of it is in memory.
fn runtimes() -> [(Runtime, Arc<()>); 2] {
    [Builder::new_current_thread(), Builder::new_multi_thread()].map(|mut builder| {
        let token = Arc::new(());
        let kept = Arc::clone(&token);
        let runtime = builder.worker_threads(2).on_thread_start(move || drop(Arc::clone(&kept))).build().unwrap();
        (runtime, token)
    })
}

#[test]
fn a_runtime_that_ends_first_is_let_go_of_and_the_watcher_goes_on() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    let watcher = watcher(&event_loops);
    let other = Loop::new();
    watcher.watch("other", &other.handle);
    for (runtime, token) in runtimes() {
        watcher.watch("server", runtime.handle());
        drop(runtime);
        until("its memory is free", || Arc::strong_count(&token) == 1);
        assert_eq!(current(&event_loops, "server"), None);
    }
    let samples = count(&event_loops, "other");
    until("the other one is still watched", || count(&event_loops, "other") > samples);
}

#[test]
fn a_runtime_that_was_shut_down_before_is_let_go_of() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    let watcher = watcher(&event_loops);
    for (runtime, token) in runtimes() {
        let handle = runtime.handle().clone();
        drop(runtime);
        watcher.watch("server", &handle);
        drop(handle);
        until("its memory is free", || Arc::strong_count(&token) == 1);
    }
}

#[test]
fn a_watcher_that_ends_first_leaves_nothing_behind() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    for (runtime, token) in runtimes() {
        for _ in 0..10 {
            let watcher = watcher(&event_loops);
            watcher.watch("server", runtime.handle());
            drop(watcher);
            // What the thread held is gone when the drop returns.
            assert_eq!(current(&event_loops, "server"), None);
        }
        // A current-thread runtime gets to it when it is driven.
        let alive = || {
            runtime.block_on(tokio::task::yield_now());
            runtime.metrics().num_alive_tasks()
        };
        until("its tasks are gone", || alive() == 0);
        drop(runtime);
        assert_eq!(Arc::strong_count(&token), 1);
    }
}

#[test]
fn a_watcher_ends_while_its_loop_is_blocked() {
    let event_loops = EventLoopMetrics::new(&Backend::new().meter());
    let watched = Loop::new();
    let watcher = watcher(&event_loops);
    watcher.watch("server", &watched.handle);
    let stuck = block(&watched.handle);
    until("the lag is seen", || current(&event_loops, "server") > Some(Duration::from_millis(5)));
    drop(watcher);
    assert_eq!(current(&event_loops, "server"), None);
    let samples = count(&event_loops, "server");
    drop(stuck);
    until("the task is gone", || watched.handle.metrics().num_alive_tasks() == 0);
    assert_eq!(count(&event_loops, "server"), samples);
}
