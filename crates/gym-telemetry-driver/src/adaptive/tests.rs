use std::time::Duration;

use proptest::prelude::*;
use tokio::time::advance;

use super::*;

/// One round of rollouts that all take as long.
async fn round(controller: &Controller, latency: Duration, failed: usize, saturated: bool) -> Option<usize> {
    let runs: Vec<_> = (0..controller.limit().max(10)).map(|_| controller.begin()).collect();
    advance(latency).await;
    let mut changed = None;
    for (index, run) in runs.iter().enumerate() {
        assert_eq!(changed, None, "a round decides at its end");
        controller.end(run, index >= failed, saturated, |limit| changed = Some(limit));
    }
    changed
}

fn controller(limit: usize) -> Controller {
    Controller::new(AdaptiveLimit::between(2, 50), limit)
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn the_limit_grows_by_a_step_only_where_somebody_waits() {
    let controller = controller(20);
    assert_eq!(round(&controller, SECOND, 0, true).await, Some(21));
    assert_eq!(round(&controller, SECOND, 0, false).await, None);
    assert_eq!(round(&controller, SECOND, 0, true).await, Some(22));
}

#[tokio::test(start_paused = true)]
async fn a_slow_round_and_one_that_fails_shrink_it_by_a_factor() {
    let controller = controller(20);
    assert_eq!(round(&controller, SECOND, 0, false).await, None);
    assert_eq!(round(&controller, SECOND * 21 / 20, 0, false).await, None, "slower, but within the tolerance");
    assert_eq!(round(&controller, SECOND * 2, 0, true).await, Some(16));
    assert_eq!(round(&controller, SECOND, 2, true).await, Some(12), "2 of 16 is more than a tenth");
    assert_eq!(round(&controller, SECOND, 1, true).await, Some(13), "1 of 12 is less");
}

#[tokio::test(start_paused = true)]
async fn whoever_waited_during_a_round_counts() {
    let controller = controller(20);
    for ended in 0..20 {
        let mut changed = None;
        controller.end(&controller.begin(), true, ended == 0, |limit| changed = Some(limit));
        assert_eq!(changed, (ended == 19).then_some(21));
    }
}

#[tokio::test(start_paused = true)]
async fn one_that_succeeded_is_too_few_to_tell_how_slow_a_round_was() {
    let controller = Controller::new(AdaptiveLimit::between(2, 50).failure_tolerance(1.0), 20);
    assert_eq!(round(&controller, SECOND, 0, false).await, None);
    assert_eq!(round(&controller, SECOND * 60, 19, false).await, None);
    assert_eq!(round(&controller, SECOND * 60, 18, false).await, Some(16));
}

#[tokio::test(start_paused = true)]
async fn it_shrinks_by_one_at_least() {
    let controller = Controller::new(AdaptiveLimit::between(2, 50).factor(1.0), 20);
    assert_eq!(round(&controller, SECOND, 20, true).await, Some(19));
}

#[tokio::test(start_paused = true)]
async fn who_was_admitted_under_another_limit_tells_nothing() {
    let controller = controller(20);
    let early: Vec<_> = (0..20).map(|_| controller.begin()).collect();
    assert_eq!(round(&controller, SECOND, 0, true).await, Some(21));
    advance(SECOND * 60).await;
    for run in &early {
        controller.end(run, false, true, |limit| panic!("{limit} is not a matter of theirs"));
    }
    assert_eq!(round(&controller, SECOND, 0, true).await, Some(22));
}

#[tokio::test(start_paused = true)]
async fn what_has_become_slower_for_good_becomes_the_measure() {
    let controller = controller(20);
    round(&controller, SECOND, 0, true).await;
    let mut limits = Vec::new();
    for _ in 0..100 {
        round(&controller, SECOND * 2, 0, true).await;
        limits.push(controller.limit());
    }
    assert!(limits.contains(&2), "it falls to the floor first");
    assert!(controller.limit() > 20, "and recovers: {limits:?}");
}

proptest! {
    /// Whatever rollouts do, the limit stays within its bounds and moves one step at a time.
    #[test]
    fn the_limit_stays_within_its_bounds(
        floor in 0_usize..20, ceiling in 0_usize..60, start in 0_usize..100, step in 0_usize..10, factor in -1.0..2.0,
        ends in prop::collection::vec((0_u64..100_000, any::<bool>(), any::<bool>()), 0..800)
    ) {
        let settings = AdaptiveLimit::between(floor, ceiling).step(step).factor(factor);
        let bounds = floor.max(1)..=ceiling.max(floor.max(1));
        let controller = Controller::new(settings, start);
        prop_assert!(bounds.contains(&controller.limit()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            for (millis, succeeded, saturated) in ends {
                let before = controller.limit();
                let run = controller.begin();
                advance(Duration::from_millis(millis)).await;
                let mut told = before;
                controller.end(&run, succeeded, saturated, |limit| told = limit);
                prop_assert_eq!(told, controller.limit());
                prop_assert!(bounds.contains(&controller.limit()));
                prop_assert!(controller.limit() <= before + step.max(1));
            }
            Ok(())
        })?;
    }
}
