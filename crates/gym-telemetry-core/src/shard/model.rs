//! The shards' counters under every interleaving of a few threads that the memory model allows:
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release --target-dir target/loom -p gym-telemetry-core --lib shard::model
//! ```

use std::sync::Arc;

use loom::thread;

use super::Sharded;
use crate::count::{Count, Level};

/// Two shards, so that of three threads two share one.
fn shards<T: Default>() -> Arc<Sharded<T>> {
    Arc::new(Sharded::with_shards(2, T::default))
}

#[test]
fn nothing_is_lost_and_sums_never_go_back_while_threads_come_and_go() {
    loom::model(|| {
        let shards = shards::<Count>();
        let count = |amount| {
            let shards = Arc::clone(&shards);
            thread::spawn(move || shards.local().add(amount))
        };
        let (first, second) = (count(1), count(10));
        let seen = shards.sum(Count::get);
        first.join().unwrap();
        let third = count(100);
        let then = shards.sum(Count::get);
        assert!(seen <= then && then % 10 == 1, "{seen}, then {then}");
        second.join().unwrap();
        third.join().unwrap();
        assert_eq!(shards.sum(Count::get), 111);
    });
}

#[test]
fn nobody_is_seen_to_leave_who_was_not_seen_to_enter() {
    loom::model(|| {
        let shards = shards::<Level>();
        let level = |shards: &Sharded<Level>| {
            let left = Level::left(shards, |level| level);
            (Level::entered(shards, |level| level), left)
        };
        let passing = Arc::clone(&shards);
        let passes = thread::spawn(move || {
            passing.local().enter();
            // It leaves on another thread, and so on another shard.
            thread::spawn(move || passing.local().leave()).join().unwrap();
        });
        let (entered, left) = level(&shards);
        assert!(left <= entered, "{left} left of {entered}");
        passes.join().unwrap();
        assert_eq!(level(&shards), (1, 1));
    });
}

#[test]
fn what_led_to_an_event_is_seen_by_whoever_sees_the_event() {
    loom::model(|| {
        let (causes, effects) = (shards::<Count>(), shards::<Count>());
        let (cause, effect) = (Arc::clone(&causes), Arc::clone(&effects));
        let counts = thread::spawn(move || {
            cause.local().add(1);
            thread::spawn(move || effect.local().add(1)).join().unwrap();
        });
        let seen = effects.sum(Count::get);
        assert!(seen <= causes.sum(Count::get));
        counts.join().unwrap();
    });
}
