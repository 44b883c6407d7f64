//! What series come to together.

use std::collections::BTreeMap;

use super::gathering::{by_bucket, numbers};
use crate::history::answer::Line;
use crate::history::distribution::Gathered;
use crate::history::query::{Over, Select};

/// What tells groups apart.
pub(super) type Labels = BTreeMap<String, String>;

/// A value for each step, where there is one.
pub(super) type Values = Vec<Option<f64>>;

/// Whose numbers are added up before it is asked what happens to several processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Owner {
    Group,
    Process(u32),
    Series(usize),
}

/// Numbers or distributions that are added up.
#[derive(Debug)]
pub(super) enum Lane {
    Numbers(Values),
    Gathered(Vec<Gathered>),
}

impl Lane {
    pub(super) fn add(&mut self, values: Values) {
        match self {
            Self::Numbers(sums) if sums.is_empty() => *sums = values,
            Self::Numbers(sums) => {
                for (sum, value) in sums.iter_mut().zip(values) {
                    if let Some(value) = value {
                        *sum = Some(sum.unwrap_or(0.0) + value);
                    }
                }
            }
            Self::Gathered(_) => (),
        }
    }

    /// A line, or one for each bucket.
    fn into_lines(self, select: Select) -> Vec<(f64, Values)> {
        match self {
            Self::Numbers(values) => vec![(f64::NAN, values)],
            Self::Gathered(steps) if select == Select::Buckets => by_bucket(steps),
            Self::Gathered(steps) => vec![(f64::NAN, numbers(&steps, select))],
        }
    }
}

/// What becomes a line.
#[derive(Debug)]
struct Group {
    labels: Labels,
    /// The upper boundary of its bucket; no number when it is not about one.
    bound: f64,
    members: Vec<Values>,
}

/// The lines of all groups: the lanes of each, brought together.
pub(super) fn lines(lanes: BTreeMap<(Labels, Owner), Lane>, over: Over, select: Select) -> Vec<Line> {
    let mut groups: Vec<Group> = Vec::new();
    for ((labels, _), lane) in lanes {
        for (bound, values) in lane.into_lines(select) {
            // Lanes of one group stand together.
            let mut group = groups.iter_mut().rev().take_while(|group| group.labels == labels);
            match group.find(|group| group.bound.total_cmp(&bound).is_eq()) {
                Some(group) => group.members.push(values),
                None => groups.push(Group { labels: labels.clone(), bound, members: vec![values] }),
            }
        }
    }
    let line = |Group { mut labels, bound, members }: Group| {
        if select == Select::Buckets {
            labels.insert("le".to_owned(), if bound.is_infinite() { "+Inf".to_owned() } else { bound.to_string() });
        }
        Line { labels, values: together(members, over) }
    };
    groups.into_iter().map(line).collect()
}

/// What several lanes come to at each time.
fn together(mut members: Vec<Values>, over: Over) -> Values {
    if members.len() == 1 {
        return members.pop().unwrap_or_default();
    }
    let steps = members.first().map_or(0, Vec::len);
    let at = |step: usize| {
        let mut values: Vec<f64> = members.iter().filter_map(|values| *values.get(step)?).collect();
        let last = values.len().checked_sub(1)?;
        match over {
            Over::Sum | Over::Each => Some(values.iter().sum()),
            Over::Min => values.into_iter().reduce(f64::min),
            Over::Median => {
                let (below, upper, _) = values.select_nth_unstable_by(last.div_ceil(2), f64::total_cmp);
                let lower = below.iter().copied().reduce(f64::max).filter(|_| last % 2 == 1);
                Some(f64::midpoint(lower.unwrap_or(*upper), *upper))
            }
            Over::Max => values.into_iter().reduce(f64::max),
        }
    };
    (0..steps).map(at).collect()
}
