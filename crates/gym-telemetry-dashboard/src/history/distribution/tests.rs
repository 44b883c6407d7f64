//! What goes into a ring comes out of it.

use proptest::prelude::*;

use super::buckets::{coarser, range};
use super::gain::Gain;
use crate::history::ring::Sample;

fn gain() -> impl Strategy<Value = Gain> {
    let key = prop_oneof![any::<i32>().prop_map(i64::from), 0..20_i64];
    let count = prop_oneof![4 => 1..1000_u64, 1 => 1..u64::MAX >> 1];
    let cells = prop::collection::btree_map(key, count, 0..9);
    (1..1_000_000_u64, any::<f64>(), -10..20_i32, cells).prop_map(|(count, sum, scale, cells)| Gain {
        count,
        sum,
        scale,
        cells: cells.into_iter().collect(),
    })
}

proptest! {
    #[test]
    fn gains_come_back(gains in prop::collection::vec((0..9_u64, gain()), 0..20)) {
        let mut bytes = Vec::new();
        gains.iter().for_each(|(skipped, gain)| gain.write(*skipped, &mut (), &mut bytes));
        let mut left = bytes.as_slice();
        let read: Vec<_> = std::iter::from_fn(|| Gain::read(&mut (), &mut left)).collect();
        prop_assert_eq!(read.len(), gains.len());
        for ((_, read), (_, gain)) in read.iter().zip(&gains) {
            // Sums are kept to seven digits.
            let off = (read.sum - gain.sum).abs();
            prop_assert!(off <= gain.sum.abs() * 1e-7 || gain.sum.is_nan() && read.sum.is_nan(), "{:?} {:?}", read, gain);
            prop_assert_eq!((read.count, read.scale, &read.cells), (gain.count, gain.scale, &gain.cells));
        }
        prop_assert!(read.iter().map(|(skipped, _)| skipped).eq(gains.iter().map(|(skipped, _)| skipped)));
    }

    #[test]
    fn a_coarser_bucket_covers_the_finer(index in -1000..1000_i64, sign in prop_oneof![Just(1), Just(-1)], fine in 0..8_i32, steps in 0..5) {
        let key = sign * ((1_i64 << 32) + index);
        let (lower, upper) = range(key, fine);
        let (below, above) = range(coarser(key, fine, fine - steps), fine - steps);
        let slack = 1.0 + 1e-9;
        prop_assert!(lower < upper);
        prop_assert!(below.min(below * slack).min(below / slack) <= lower && upper <= above.max(above * slack).max(above / slack));
    }
}
