use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use super::{pauses::Pauses, *};
use crate::testing::Reader;

const GENERATION: [&[(&str, &str)]; 3] =
    [&[("nemo.gym.gc.generation", "0")], &[("nemo.gym.gc.generation", "1")], &[("nemo.gym.gc.generation", "2")]];

#[test]
fn each_collection_is_counted_and_its_pause_is_one_sample() {
    let reader = Reader::new();
    let gc = GcMetrics::new(&reader.meter());
    for (generation, collected, uncollectable) in [(0, 10, 0), (0, 5, 1), (2, 700, 2), (9, 3, 0)] {
        gc.start(generation);
        gc.stop(generation, collected, uncollectable);
    }
    gc.set_allocated([7, 1, 0]);
    let seen = reader.collect();
    let values = |metric| GENERATION.map(|generation| seen.value(metric, generation).unwrap());
    assert_eq!(values("gym.gc.collections_total"), [2.0, 0.0, 2.0]);
    assert_eq!(values("gym.gc.collected_total"), [15.0, 0.0, 703.0]);
    assert_eq!(values("gym.gc.uncollectable_total"), [1.0, 0.0, 2.0]);
    assert_eq!(values("gym.gc.count"), [7.0, 1.0, 0.0]);
    let snapshot = gc.snapshot();
    for index in [0, 2] {
        let (count, sum) = seen.histogram("gym.gc.pause_duration_ms", GENERATION[index]).unwrap();
        assert_eq!(count, 2);
        assert!((sum - snapshot.generations[index].paused.as_secs_f64() * 1e3).abs() < 1e-9);
    }
    assert_eq!(seen.histogram("gym.gc.pause_duration_ms", GENERATION[1]), None);
}

#[test]
fn a_pause_lasts_from_start_to_stop() {
    let gc = GcMetrics::new(&Reader::new().meter());
    gc.start(1);
    thread::sleep(Duration::from_millis(2));
    gc.stop(1, 0, 0);
    gc.stop(1, 4, 0); // its start was not told
    let seen = gc.snapshot().generations[1];
    assert_eq!((seen.collections, seen.collected), (2, 4));
    assert!(seen.paused >= Duration::from_millis(2));
}

#[test]
fn what_overflows_is_counted_and_the_totals_stay_exact() {
    let reader = Reader::new();
    let gc = GcMetrics::with_pause_limit(&reader.meter(), 1_000);
    let collect = |times| {
        for _ in 0..times {
            gc.start(0);
            gc.stop(0, 1, 0);
        }
    };
    collect(1_007);
    let seen = reader.collect();
    assert_eq!(seen.histogram("gym.gc.pause_duration_ms", GENERATION[0]).unwrap().0, 1_000);
    assert_eq!(seen.value("gym.telemetry.gc.pauses_dropped_total", &[]), Some(7.0));
    assert_eq!(seen.value("gym.gc.collections_total", GENERATION[0]), Some(1_007.0));
    // The export made room.
    collect(1_000);
    let seen = reader.collect();
    assert_eq!(seen.histogram("gym.gc.pause_duration_ms", GENERATION[0]).unwrap().0, 2_000);
    assert_eq!((gc.snapshot().pauses_dropped, gc.snapshot().generations[0].collected), (7, 2_007));
}

#[test]
fn any_limit_will_do() {
    for (limit, kept) in [(0, 0), (usize::MAX, 2)] {
        let pauses = Pauses::new(limit);
        (0..2).for_each(|generation| pauses.push(generation, Duration::from_nanos(7)));
        assert_eq!((pauses.drain().len(), pauses.dropped()), (kept, 2 - kept as u64));
    }
}

#[test]
fn pauses_come_out_as_they_went_in_while_others_push() {
    const THREADS: usize = 3;
    const EACH: u64 = 20_000;
    let pauses = Pauses::new(64);
    let done = AtomicBool::new(false);
    let mut drained = Vec::new();
    thread::scope(|scope| {
        let pushers: Vec<_> = (0..THREADS)
            .map(|generation| {
                let pauses = &pauses;
                scope.spawn(move || (0..EACH).for_each(|nanos| pauses.push(generation, Duration::from_nanos(nanos))))
            })
            .collect();
        let drainer = scope.spawn(|| {
            let mut all = Vec::new();
            while !done.load(Ordering::Acquire) {
                all.extend(pauses.drain());
            }
            all.extend(pauses.drain());
            all
        });
        pushers.into_iter().for_each(|pusher| pusher.join().unwrap());
        done.store(true, Ordering::Release);
        drained = drainer.join().unwrap();
    });
    assert_eq!(drained.len() as u64 + pauses.dropped(), THREADS as u64 * EACH);
    for generation in 0..THREADS {
        let own: Vec<_> = drained.iter().filter(|pause| pause.0 == generation).map(|pause| pause.1).collect();
        assert!(own.is_sorted_by(|earlier, later| earlier < later));
    }
}
