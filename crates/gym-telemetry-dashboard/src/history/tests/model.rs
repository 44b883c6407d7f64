//! Random runs against a model that keeps everything, by the second.

use proptest::prelude::*;

use super::support::{Fleet, counter, lag, seconds};
use crate::history::{Over, Settings};

/// What a process does in one second.
#[derive(Debug, Clone, Copy)]
enum Act {
    Silent,
    Export {
        growth: u32,
        level: i32,
    },
    /// It restarts and exports.
    Restart {
        growth: u32,
        level: i32,
    },
}

fn act() -> impl Strategy<Value = Act> {
    let numbers = (prop_oneof![Just(0), 0..50_u32, 0..1_000_000_u32], -40..40_000_i32);
    prop_oneof![
        3 => Just(Act::Silent),
        6 => numbers.clone().prop_map(|(growth, level)| Act::Export { growth, level }),
        1 => numbers.prop_map(|(growth, level)| Act::Restart { growth, level }),
    ]
}

/// One process as the model sees it, by the second.
#[derive(Debug, Default)]
struct Model {
    growth: Vec<Option<f64>>,
    total: Vec<Option<f64>>,
    level: Vec<Option<f64>>,
}

/// Plays a process, and models it as it goes.
fn play(fleet: &mut Fleet, name: &str, acts: &[Act], begin: u64) -> Model {
    let mut model = Model::default();
    let (mut start, mut value, mut exported) = (begin, 0.0, begin);
    let (mut total, mut level) = (None, None);
    for (second, act) in (begin + 1..).zip(acts) {
        let (growth, now) = match *act {
            Act::Silent => (None, None),
            Act::Export { growth, level } => {
                value += f64::from(growth);
                (Some(f64::from(growth)), Some(f64::from(level)))
            }
            Act::Restart { growth, level } => {
                start = second - 1;
                value = f64::from(growth);
                (Some(value), Some(f64::from(level)))
            }
        };
        model.growth.push(None);
        if let (Some(growth), Some(now)) = (growth, now) {
            let restarted = matches!(act, Act::Restart { .. }) || total.is_none();
            let mut metrics = counter(start, second, value);
            metrics.extend(lag(second, now));
            fleet.export(second, name, metrics);
            let since = if restarted { exported.max(start) } else { exported };
            // Of a process that is new, nothing is known from before it began.
            let known = if total.is_none() { since.saturating_sub(1) } else { exported };
            for at in known.max(begin)..second {
                let part = if at >= since { growth / (second - since) as f64 } else { 0.0 };
                let at = (at - begin) as usize;
                model.growth[at] = Some(part);
                if let Some(before) = model.total.get_mut(at) {
                    before.get_or_insert(0.0);
                }
            }
            exported = second;
            total = Some(total.unwrap_or(0.0) + growth);
            level = Some(now);
        }
        model.total.push(total);
        model.level.push(level);
    }
    model
}

fn close(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() <= 1e-6 * expected.abs().max(1.0),
        (found, expected) => found == expected,
    }
}

fn sum(parts: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    parts.fold(None, |sum, part| part.map_or(sum, |part| Some(sum.unwrap_or(0.0) + part)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The last minutes are exact to the second.
    #[test]
    fn recent_history_is_what_happened(runs in prop::collection::vec(prop::collection::vec(act(), 200), 1..4)) {
        let mut fleet = Fleet::new(Settings::new().gone_after(1000));
        let names = ["a", "b", "c"];
        let mut models = Vec::new();
        for (name, acts) in names.iter().zip(&runs) {
            models.push(play(&mut fleet, name, acts, 0));
        }
        fleet.now(200);
        if fleet.history.processes().is_empty() {
            return Ok(());
        }
        let growth = fleet.line(seconds("requests", 200).increase());
        let totals = fleet.line(seconds("requests", 200));
        for at in 0..200 {
            prop_assert!(close(growth[at], sum(models.iter().map(|model| model.growth[at]))), "growth at {at}");
            prop_assert!(close(totals[at], sum(models.iter().map(|model| model.total[at]))), "total at {at}");
        }
        let levels: Vec<_> = fleet.ask(seconds("lag", 200).over(Over::Each)).lines;
        let reported = models.iter().filter(|model| model.level.iter().any(Option::is_some));
        for (line, model) in levels.iter().zip(reported) {
            prop_assert_eq!(&line.values, &model.level);
        }
        let rates = fleet.line(seconds("requests", 200).rate());
        prop_assert!(rates.iter().flatten().all(|rate| *rate >= 0.0));
    }

    /// However long it lasts, all that was counted within the retention is found, and nothing twice.
    #[test]
    fn nothing_that_was_counted_is_lost(acts in prop::collection::vec(act(), 10..3000)) {
        let mut fleet = Fleet::new(Settings::new().gone_after(1000));
        let model = play(&mut fleet, "a", &acts, 0);
        let length = acts.len() as u64;
        fleet.now(length);
        let Some(total) = model.total.last().copied().flatten() else { return Ok(()) };
        let growth = fleet.line(seconds("requests", 3600).increase());
        prop_assert!(close(sum(growth.into_iter()), Some(total)));
        let totals = fleet.line(seconds("requests", 3600).step(std::time::Duration::from_secs(60)));
        prop_assert!(close(totals.last().copied().flatten(), Some(total)));
        prop_assert!(totals.is_sorted_by(|a, b| a <= b), "{totals:?}");
    }
}
