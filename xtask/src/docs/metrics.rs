use std::fmt::Write as _;

use gym_telemetry_conventions::{Attribute, Instrument, Tier, Values, attributes, metrics, resource};

/// What stands above the tables.
const INTRODUCTION: &str = "\
# Metrics

This page is written by `cargo xtask docs` from the conventions crate; change it there.

An attribute in brackets may be absent. A metric marked with * goes beyond what NeMo Gym reports, and one with ** beyond
what anybody else has to report; all others NeMo Gym reports too, under the same names. The columns of a table say:

* *kind*: what arrives at a backend. The process only adds up integers for an *observable* one, and the exporter's
  thread reads them when it exports.
* *reported by*: the part of a fleet whose export holds it.
";

/// The whole document.
pub(super) fn document() -> String {
    let mut text = INTRODUCTION.to_owned();
    for subject in metrics::SUBJECTS {
        section(
            &mut text,
            subject.title,
            ["metric", "kind", "unit", "attributes", "reported by", "what it says"],
            subject.instruments.iter().map(instrument),
        );
    }
    section(
        &mut text,
        "Attributes",
        ["attribute", "type", "values", "what it says"],
        attributes::ALL.iter().map(attribute),
    );
    section(&mut text, "Resource attributes", ["attribute"], resource::ALL.iter().map(|key| [code(key)]));
    section(&mut text, "Histogram boundaries", ["boundaries", "metrics"], boundaries().into_iter());
    text
}

/// Adds a heading and a table.
fn section<const N: usize>(
    text: &mut String,
    heading: &str,
    columns: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) {
    let rule = vec!["---"; N].join(" | ");
    let _ = writeln!(text, "\n## {heading}\n\n| {} |\n| {rule} |", columns.join(" | "));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
}

/// An instrument's row.
fn instrument(instrument: &Instrument) -> [String; 6] {
    let mark = match instrument.tier {
        Tier::Beyond => " *",
        Tier::Ours => " **",
        _ => "",
    };
    let uses = instrument.attributes.iter();
    let keys = uses.map(|u| if u.required { code(u.key) } else { format!("[{}]", code(u.key)) });
    [
        code(instrument.name) + mark,
        instrument.kind.as_str().replace('_', " "),
        code(instrument.unit),
        keys.collect::<Vec<_>>().join(" "),
        instrument.reporter.to_owned(),
        instrument.description.to_owned(),
    ]
}

/// An attribute's row.
fn attribute(attribute: &Attribute) -> [String; 4] {
    let fixed: Vec<_> = attribute.values.fixed().iter().map(|value| code(value)).collect();
    let values = match attribute.values {
        Values::Open([]) => String::new(),
        Values::Open(_) => format!("{} and others", fixed.join(" ")),
        _ => fixed.join(" "),
    };
    [code(attribute.key), attribute.value_type.as_str().to_owned(), values, attribute.description.to_owned()]
}

/// Each set of boundaries with the histograms that use it, in the order of first use.
fn boundaries() -> Vec<[String; 2]> {
    let mut sets: Vec<(&[f64], Vec<String>)> = Vec::new();
    for instrument in metrics::ALL.iter().filter(|instrument| !instrument.boundaries.is_empty()) {
        match sets.iter_mut().find(|(bounds, _)| *bounds == instrument.boundaries) {
            Some((_, names)) => names.push(code(instrument.name)),
            None => sets.push((instrument.boundaries, vec![code(instrument.name)])),
        }
    }
    let joined = |bounds: &[f64]| bounds.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
    sets.into_iter().map(|(bounds, names)| [joined(bounds), names.join(" ")]).collect()
}

/// Text set as code.
fn code(text: &str) -> String {
    format!("`{text}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instrument_attribute_and_key_has_its_row() {
        let text = document();
        let names = metrics::ALL.iter().map(|instrument| instrument.name);
        let keys = attributes::ALL.iter().map(|attribute| attribute.key);
        for name in names.chain(keys).chain(resource::ALL.iter().copied()) {
            assert!(text.contains(&format!("\n| `{name}`")), "{name}");
        }
    }

    #[test]
    fn no_cell_breaks_its_table() {
        for instrument in metrics::ALL {
            assert!(!instrument.description.contains('|') && !instrument.reporter.contains('|'), "{}", instrument.name);
        }
        for attribute in attributes::ALL {
            assert!(!attribute.description.contains('|'), "{}", attribute.key);
        }
    }

    #[test]
    fn a_row_tells_all_of_its_instrument() {
        assert_eq!(
            instrument(&metrics::ROLLOUT_HEALTH_VERDICT_TOTAL),
            [
                "`gym.rollout.health_verdict_total`",
                "counter u64",
                "`1`",
                "`nemo.gym.health.verdict` `nemo.gym.rollout.outcome`",
                "rollout driver",
                metrics::ROLLOUT_HEALTH_VERDICT_TOTAL.description,
            ]
        );
        assert_eq!(instrument(&metrics::CONCURRENCY_LIMIT)[0], "`gym.concurrency.limit` *");
        assert_eq!(instrument(&metrics::CONTAINER_MEMORY_LIMIT)[0], "`container.memory.limit` **");
        assert!(instrument(&metrics::CONCURRENCY_LIMIT)[3].ends_with("[`nemo.gym.server.name`]"));
    }
}
