use gym_telemetry_conventions::metrics::DRIVER_OUTPUT_WRITE_BYTES;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use proptest::prelude::*;

use super::*;
use opentelemetry::metrics::MeterProvider as _;

fn handover() -> Handover<Amount> {
    let meter = SdkMeterProvider::builder().build().meter("test");
    Handover::new(Amount::build(&meter, &DRIVER_OUTPUT_WRITE_BYTES), Vec::new())
}

/// Counts by bucket, sum, smallest and largest of some values.
fn summary(scale: &Buckets<Amount>, values: &[u64]) -> (Vec<usize>, u64, Option<u64>, Option<u64>) {
    let mut counts = vec![0; scale.buckets().len()];
    values.iter().for_each(|value| counts[scale.index(*value)] += 1);
    (counts, values.iter().sum(), values.iter().min().copied(), values.iter().max().copied())
}

proptest! {
    /// Whatever was recorded, on whichever shard, each collection replays a stand-in with the same summary.
    #[test]
    fn a_replay_has_the_same_summary(
        rounds in prop::collection::vec(prop::collection::vec((0_usize..3, 0_u64..200_000_000), 0..50), 1..5)
    ) {
        let shards: Vec<_> = (0..3).map(|_| Buckets::<Amount>::new(&DRIVER_OUTPUT_WRITE_BYTES)).collect();
        let handover = handover();
        for round in rounds {
            round.iter().for_each(|(shard, value)| shards[*shard].record(*value));
            let runs = handover.pending(shards.iter());
            let replayed: Vec<u64> =
                runs.iter().flat_map(|run| (0..run.count).map(|_| run.value)).collect();
            let recorded: Vec<u64> = round.iter().map(|(_, value)| *value).collect();
            prop_assert_eq!(summary(&shards[0], &replayed), summary(&shards[0], &recorded));
        }
    }
}

#[test]
fn bounds_are_inclusive() {
    let buckets = Buckets::<Amount>::new(&DRIVER_OUTPUT_WRITE_BYTES);
    assert_eq!([0, 1000, 1001, 100_000_000, 100_000_001].map(|value| buckets.index(value)), [0, 0, 1, 5, 6]);
}

#[test]
fn a_sum_that_runs_ahead_of_its_count_is_made_up_for() {
    let buckets = Buckets::<Amount>::new(&DRIVER_OUTPUT_WRITE_BYTES);
    let handover = handover();
    buckets.record(100);
    buckets.buckets()[0].sum.add(300); // the first half of recording another value
    let first: u64 = handover.pending([&buckets].into_iter()).iter().map(|run| run.value * run.count).sum();
    buckets.buckets()[0].count.add(1);
    let second: u64 = handover.pending([&buckets].into_iter()).iter().map(|run| run.value * run.count).sum();
    assert_eq!((first, second), (100, 300));
}
