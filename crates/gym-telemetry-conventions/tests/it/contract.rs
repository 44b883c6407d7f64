//! Compares the table with the metric contract, where that lies beside the workspace.
//!
//! The contract is a folder of tab-separated tables. Both sides must say the same: nothing is missing here, and nothing
//! is here that the contract does not know, but for what is marked as ours alone.

use std::collections::{BTreeMap, BTreeSet};

use gym_telemetry_conventions::{Instrument, Tier, Values, attributes, boundaries, metrics, resource};

use crate::spec;

/// Attributes that the HTTP semantic conventions define, so that the contract only names them.
const HTTP_CONVENTION: [&str; 4] = ["error.type", "http.request.method", "network.protocol.version", "url.scheme"];

/// One row of the contract, in the contract's own notation: kind, unit, attributes, boundaries, tier.
type Row = [String; 5];

#[test]
fn instruments_match() {
    let Some(rows) = spec::table("metrics.tsv") else { return };
    let Some(sets) = boundary_sets() else { return };
    let expected: BTreeMap<_, Row> = rows
        .into_iter()
        .map(|row| {
            let bounds = sets.get(&row["boundaries"]).cloned().unwrap_or_default();
            let fixed = ["kind", "unit", "attributes"].map(|column| row[column].clone());
            let [kind, unit, attributes] = fixed;
            (row["name"].clone(), [kind, unit, attributes, bounds, row["tier"].clone()])
        })
        .collect();
    let actual: BTreeMap<_, Row> = agreed().map(|i| (i.name.to_owned(), row_of(i))).collect();
    assert_eq!(actual, expected);
    let taken: Vec<_> = ours().map(|i| i.name).filter(|name| expected.contains_key(*name)).collect();
    assert!(taken.is_empty(), "ours have names of the contract: {taken:?}");
}

#[test]
fn boundaries_match() {
    let Some(expected) = boundary_sets() else { return };
    let actual: BTreeMap<_, _> = [
        ("GYM_DURATION_MS", boundaries::GYM_DURATION_MS),
        ("STARTUP_MS", boundaries::STARTUP_MS),
        ("SANDBOX_MS", boundaries::SANDBOX_MS),
        ("POOL_MS", boundaries::POOL_MS),
        ("DRIVER_MS", boundaries::DRIVER_MS),
        ("WRITE_BYTES", boundaries::WRITE_BYTES),
        ("ROLLOUT_COUNT", boundaries::ROLLOUT_COUNT),
        ("LAG_MS", boundaries::LAG_MS),
        ("GC_MS", boundaries::GC_MS),
        ("MODEL_CALL_MS", boundaries::MODEL_CALL_MS),
        ("TTFT_MS", boundaries::TTFT_MS),
        ("MODEL_TOKENS", boundaries::MODEL_TOKENS),
        ("HTTP_S", boundaries::HTTP_S),
    ]
    .map(|(name, bounds)| (name.to_owned(), joined(bounds)))
    .into();
    assert_eq!(actual, expected);
}

#[test]
fn attributes_match() {
    let Some(rows) = spec::table("attributes.tsv") else { return };
    let expected: BTreeMap<_, _> = rows
        .into_iter()
        .map(|row| (row["key"].clone(), (row["type"].clone(), spec::is_closed(&row["values"]), named(&row))))
        .collect();
    let used: BTreeSet<_> = agreed().flat_map(|instrument| instrument.attributes).map(|used| used.key).collect();
    let actual: BTreeMap<_, _> = attributes::ALL
        .iter()
        .filter(|attribute| used.contains(attribute.key) && !HTTP_CONVENTION.contains(&attribute.key))
        .map(|attribute| {
            let closed = matches!(attribute.values, Values::Closed(_));
            let fixed = attribute.values.fixed().iter().map(|value| (*value).to_owned()).collect();
            (attribute.key.to_owned(), (attribute.value_type.as_str().to_owned(), closed, fixed))
        })
        .collect();
    assert_eq!(actual, expected);
}

#[test]
fn resource_keys_match() {
    let Some(rows) = spec::table("resource.tsv") else { return };
    let expected: Vec<_> = rows.into_iter().map(|row| row["key"].clone()).collect();
    assert_eq!(resource::ALL, expected);
}

/// The instruments that the contract must have.
fn agreed() -> impl Iterator<Item = &'static Instrument> {
    metrics::ALL.iter().filter(|instrument| instrument.tier != Tier::Ours)
}

/// Those that it must not have.
fn ours() -> impl Iterator<Item = &'static Instrument> {
    metrics::ALL.iter().filter(|instrument| instrument.tier == Tier::Ours)
}

/// An instrument in the contract's notation.
fn row_of(instrument: &Instrument) -> Row {
    let keys = |required: bool| {
        let uses = instrument.attributes.iter().filter(|u| u.required == required);
        uses.map(|u| u.key).collect::<Vec<_>>().join(" ")
    };
    let attributes = match (keys(true), keys(false)) {
        (required, optional) if optional.is_empty() => required,
        (required, optional) => format!("{required} [{optional}]"),
    };
    [
        instrument.kind.as_str().to_owned(),
        instrument.unit.to_owned(),
        attributes,
        joined(instrument.boundaries),
        instrument.tier.as_str().to_owned(),
    ]
}

/// The contract's boundary sets, by name.
fn boundary_sets() -> Option<BTreeMap<String, String>> {
    let rows = spec::table("boundaries.tsv")?;
    Some(rows.into_iter().map(|row| (row["name"].clone(), row["boundaries"].clone())).collect())
}

/// Boundaries as the contract writes them.
fn joined(bounds: &[f64]) -> String {
    bounds.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}

/// The values that the contract names for an attribute.
fn named(row: &spec::Row) -> Vec<String> {
    // The contract tells this one in prose.
    if row["key"] == attributes::FAILURE_CLASS.key {
        assert!(row["note"].contains(attributes::AGENT_REQUEST_FAILED));
        return vec![attributes::AGENT_REQUEST_FAILED.to_owned()];
    }
    spec::fixed_values(&row["values"])
}
