//! The words that questions use for what they ask of a series and of several, and for what metrics are.

use gym_telemetry_collector::Kind;

use crate::{
    history::{Over, Select},
    page::text::shown,
};

const KINDS: [(&str, Kind); 6] = [
    ("gauge", Kind::Gauge),
    ("counter", Kind::COUNTER),
    ("up_down_counter", Kind::UP_DOWN_COUNTER),
    ("histogram", Kind::Histogram),
    ("exponential_histogram", Kind::ExponentialHistogram),
    ("summary", Kind::Summary),
];

/// The word for a number of a series.
pub(in crate::page) fn of_select(select: Select) -> String {
    match select {
        Select::Rate => "rate".to_owned(),
        Select::Increase => "increase".to_owned(),
        Select::Count => "count".to_owned(),
        Select::Sum => "sum".to_owned(),
        Select::Mean => "mean".to_owned(),
        Select::Buckets => "buckets".to_owned(),
        // Rounded, since 0.07 × 100 is not 7.
        Select::Quantile(quantile) => format!("p{}", (quantile * 1e6).round() / 1e4),
        _ => "value".to_owned(),
    }
}

/// The number of a series that a word stands for.
pub(super) fn select(word: &str) -> Option<Select> {
    Some(match word {
        "value" => Select::Value,
        "rate" => Select::Rate,
        "increase" => Select::Increase,
        "count" => Select::Count,
        "sum" => Select::Sum,
        "mean" => Select::Mean,
        "buckets" => Select::Buckets,
        _ => {
            let percent: f64 = word.strip_prefix('p')?.parse().ok()?;
            // Rounded as it is written, so that it reads back.
            let quantile = (percent * 1e4).round() / 1e6;
            Select::Quantile(Some(quantile).filter(|quantile| (0.0..=1.0).contains(quantile))?)
        }
    })
}

/// The word for what happens to several series.
pub(super) fn of_over(over: Over) -> &'static str {
    match over {
        Over::Each => "each",
        Over::Min => "min",
        Over::Median => "median",
        Over::Max => "max",
        _ => "sum",
    }
}

/// What happens to several series by a word.
pub(super) fn over(word: &str) -> Option<Over> {
    [Over::Sum, Over::Each, Over::Min, Over::Median, Over::Max].into_iter().find(|over| of_over(*over) == word)
}

/// The word for a kind of metric.
pub(in crate::page) fn of_kind(kind: Kind) -> &'static str {
    KINDS.into_iter().find(|(_, known)| *known == kind).map_or("other", |(word, _)| word)
}

/// The kind of metric that a word stands for.
pub(super) fn kind(word: &str) -> Option<Kind> {
    KINDS.into_iter().find(|(known, _)| *known == word).map(|(_, kind)| kind)
}

/// What tells metrics apart that share a name, for people.
pub(in crate::page) fn of_form(kind: Option<Kind>, unit: Option<&str>) -> String {
    let kind = kind.map(|kind| of_kind(kind).replace('_', " "));
    let unit =
        unit.map(|unit| if unit.is_empty() { "without a unit".to_owned() } else { format!("in {}", shown(unit)) });
    kind.into_iter().chain(unit).collect::<Vec<_>>().join(" ")
}
