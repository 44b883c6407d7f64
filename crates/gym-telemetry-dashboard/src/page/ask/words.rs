//! The words that questions use for what they ask of a series and of several, and for what metrics are.

use gym_telemetry_collector::Kind;

use crate::history::{Over, Select};

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
    match kind {
        Kind::Gauge => "gauge",
        Kind::Sum { monotonic: true, .. } => "counter",
        Kind::Sum { .. } => "up_down_counter",
        Kind::Histogram => "histogram",
        Kind::ExponentialHistogram => "exponential_histogram",
        Kind::Summary => "summary",
        _ => "other",
    }
}
