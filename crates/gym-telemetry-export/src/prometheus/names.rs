//! The names that a collector gives to OTLP metrics when it writes them for Prometheus.
//!
//! A name is taken apart into words and put together with underscores. Unless it has the word already, the unit is
//! appended, then `total` to a total that only grows, or `ratio` to a gauge without a dimension. Annotations such as
//! `{request}` are no units.

use opentelemetry_sdk::metrics::InstrumentKind;

/// The name of an instrument's metric.
pub(crate) fn name(instrument: &str, unit: &str, kind: InstrumentKind) -> String {
    let mut words: Vec<&str> = words(instrument).collect();
    let (main, per) = unit.split_once('/').unwrap_or((unit, ""));
    let main: Vec<&str> = words_of(main, base_unit);
    let per: Vec<&str> = words_of(per, per_unit);
    if !main.iter().all(|word| words.contains(word)) {
        words.extend(main);
    }
    if !per.is_empty() {
        words.push("per");
        words.extend(per);
    }
    match kind {
        InstrumentKind::Counter | InstrumentKind::ObservableCounter => move_last(&mut words, "total"),
        InstrumentKind::Gauge | InstrumentKind::ObservableGauge if unit == "1" => move_last(&mut words, "ratio"),
        _ => {}
    }
    let name = words.join("_");
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("_{name}") } else { name }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != ':').filter(|word| !word.is_empty())
}

fn move_last<'a>(words: &mut Vec<&'a str>, word: &'a str) {
    words.retain(|other| *other != word);
    words.push(word);
}

/// The words of one side of a unit; none for an annotation.
fn words_of(unit: &str, spelled_out: fn(&str) -> &str) -> Vec<&str> {
    let unit = unit.trim();
    if unit.contains(['{', '}']) { Vec::new() } else { words(spelled_out(unit)).collect() }
}

/// A unit in full. One that is not known stays as it is.
fn base_unit(unit: &str) -> &str {
    match unit {
        "1" => "",
        "d" => "days",
        "h" => "hours",
        "min" => "minutes",
        "s" => "seconds",
        "ms" => "milliseconds",
        "us" => "microseconds",
        "ns" => "nanoseconds",
        "By" => "bytes",
        "KiBy" => "kibibytes",
        "MiBy" => "mebibytes",
        "GiBy" => "gibibytes",
        "KBy" => "kilobytes",
        "MBy" => "megabytes",
        "GBy" => "gigabytes",
        "m" => "meters",
        "V" => "volts",
        "A" => "amperes",
        "J" => "joules",
        "W" => "watts",
        "g" => "grams",
        "Cel" => "celsius",
        "Hz" => "hertz",
        "%" => "percent",
        other => other,
    }
}

/// A unit in full, as it stands after "per".
fn per_unit(unit: &str) -> &str {
    match unit {
        "s" => "second",
        "m" => "minute",
        "h" => "hour",
        "d" => "day",
        "w" => "week",
        "mo" => "month",
        "y" => "year",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use InstrumentKind::{Counter, Gauge, Histogram, UpDownCounter};

    use super::*;

    #[test]
    fn units_and_totals_are_appended_once() {
        for (instrument, unit, kind, expected) in [
            ("gym.rollout.duration_ms", "ms", Histogram, "gym_rollout_duration_ms_milliseconds"),
            ("gym.rollout.completed_total", "1", Counter, "gym_rollout_completed_total"),
            ("gym.driver.output_write_bytes", "By", Histogram, "gym_driver_output_write_bytes"),
            ("process.cpu.time", "s", Counter, "process_cpu_time_seconds_total"),
            ("requests.total.served", "{request}", Counter, "requests_served_total"),
            ("gym.verify.success_rate", "1", Gauge, "gym_verify_success_rate_ratio"),
            ("gym.sandbox.active", "{sandbox}", UpDownCounter, "gym_sandbox_active"),
            ("items", "1", UpDownCounter, "items"),
        ] {
            assert_eq!(name(instrument, unit, kind), expected, "{instrument} in {unit}");
        }
    }

    #[test]
    fn odd_names_and_units_stay_legal() {
        for (instrument, unit, expected) in [
            ("disk.io", "By/s", "disk_io_bytes_per_second"),
            ("served", "{request}/s", "served_per_second"),
            ("dots..and__more", "", "dots_and_more"),
            ("2xx.rate", "", "_2xx_rate"),
            ("load", "furlong", "load_furlong"),
        ] {
            assert_eq!(name(instrument, unit, Histogram), expected, "{instrument} in {unit}");
        }
    }
}
