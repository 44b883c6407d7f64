//! Rings against a list of everything.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::number::{Growth, Level};
use super::sample::Sample;
use super::tiers::{COARSE, Ring};
use super::{read_varint, write_varint};

fn read<S: Sample + Clone>(ring: &Ring<S>, from: u64) -> Vec<(u64, u64, S)> {
    let mut points = Vec::new();
    ring.read(from, |slot, width, sample| points.push((slot, width, sample.clone())));
    points
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![(-100..100).prop_map(f64::from), any::<i64>().prop_map(|number| number as f64), any::<f64>(), 0.0..1.0]
}

proptest! {
    #[test]
    fn varints_come_back(number in any::<u64>()) {
        let mut bytes = Vec::new();
        write_varint(number, &mut bytes);
        prop_assert_eq!(read_varint(&mut bytes.as_slice()), Some(number));
        prop_assert_eq!(read_varint(&mut &bytes[..bytes.len() - 1]), None);
    }

    #[test]
    fn recent_numbers_come_back(points in prop::collection::vec((1..4_u64, number()), 1..60)) {
        let mut ring = Ring::new();
        let mut slot = 1000;
        let mut expected = Vec::new();
        for (gap, number) in points {
            slot += gap;
            ring.push(slot, Level(number), 3600);
            expected.push((slot, number));
        }
        for ((slot, number), (found, width, level)) in expected.into_iter().zip(read(&ring, 0)) {
            prop_assert_eq!((slot, 1), (found, width));
            let off = (number - level.0).abs();
            prop_assert!(off <= number.abs() * 1e-7 || number.is_nan() && level.0.is_nan(), "{number} {level:?}");
            prop_assert!(number.trunc() != number || number.abs() > 9e15 || off == 0.0, "whole numbers are exact");
        }
    }

    #[test]
    fn folding_loses_no_growth(growth in prop::collection::vec(0..1000_u32, 1..2000)) {
        let mut ring = Ring::new();
        let mut folded: BTreeMap<u64, f64> = BTreeMap::new();
        for (slot, growth) in (5000..).zip(&growth) {
            ring.push(slot, Growth(f64::from(*growth)), 3600);
            *folded.entry(slot / COARSE).or_default() += f64::from(*growth);
        }
        let points = read(&ring, 0);
        let mut found: BTreeMap<u64, f64> = BTreeMap::new();
        for (slot, _, growth) in &points {
            *found.entry(slot / COARSE).or_default() += growth.0;
        }
        prop_assert_eq!(found, folded);
        prop_assert!(points.is_sorted_by(|a, b| a.0 < b.0));
        let fine = points.iter().filter(|(_, width, _)| *width == 1).count();
        prop_assert!(fine >= growth.len().min(240) && fine <= 301, "{fine}");
    }
}

#[test]
fn the_bytes_are_bounded() {
    let mut ring = Ring::new();
    let mut most = 0;
    for slot in 0..20_000 {
        ring.push(slot, Level(slot as f64 * 0.37), 3600);
        most = most.max(ring.bytes());
    }
    assert!(most < 6000, "{most}");
    assert!(read(&ring, 0)[0].0 > 20_000 - 3600 - 1800 - 300);
}

#[test]
fn a_number_that_changes_little_takes_a_byte() {
    let mut ring = Ring::new();
    (0..100).for_each(|slot| ring.push(slot, Level(1e9 + (slot % 7) as f64), 3600));
    let before = ring.bytes();
    (100..110).for_each(|slot| ring.push(slot, Level(1e9), 3600));
    assert_eq!(ring.bytes() - before, 10);
}

#[test]
fn one_point_before_the_beginning_is_shown() {
    let mut ring = Ring::new();
    (0..1000).filter(|slot| slot % 100 == 0).for_each(|slot| ring.push(slot, Level(1.0), 3600));
    for from in [0, 50, 250, 401, 950, 5000] {
        let points = read(&ring, from);
        assert!(from == 0 || points[0].0 < from, "{from} {points:?}");
    }
}

#[test]
fn shedding_takes_the_oldest() {
    let mut ring = Ring::new();
    (0..3000).for_each(|slot| ring.push(slot, Level(0.5), 3600));
    let (first, bytes) = (read(&ring, 0)[0].0, ring.bytes());
    assert!(ring.shed());
    assert!(read(&ring, 0)[0].0 > first && ring.bytes() < bytes);
    while ring.shed() {}
    assert_eq!(ring.bytes(), 0);
    assert_eq!(read(&ring, 0).len(), 1, "the newest stays");
}
