//! What must hold of the table by itself.

use std::collections::BTreeSet;

use gym_telemetry_conventions::{
    ConnectOutcome, CpuMode, Dialect, EventLoop, Executor, HealthCheck, HealthVerdict, Instrument, Kind, MemoryType,
    Operation, OperationOutcome, Outcome, PressureShare, PressureWindow, QueueConstraint, QueueOutcome, RequestPhase,
    RewardRange, ServerType, StartupStage, TokenType, attributes, metrics,
};

/// Metrics whose convention leaves the boundaries to the exporter.
const FREE_BOUNDARIES: [&str; 2] = ["http.server.request.body.size", "http.server.response.body.size"];

fn is_histogram(instrument: &Instrument) -> bool {
    matches!(instrument.kind, Kind::HistogramF64 | Kind::HistogramU64)
}

#[test]
fn names_and_keys_are_unique() {
    let names: BTreeSet<_> = metrics::ALL.iter().map(|instrument| instrument.name).collect();
    assert_eq!(names.len(), metrics::ALL.len());

    let keys: BTreeSet<_> = attributes::ALL.iter().map(|attribute| attribute.key).collect();
    assert_eq!(keys.len(), attributes::ALL.len());
}

#[test]
fn every_attribute_is_declared_and_used() {
    let declared: BTreeSet<_> = attributes::ALL.iter().map(|attribute| attribute.key).collect();
    let used: BTreeSet<_> = metrics::ALL.iter().flat_map(|instrument| instrument.attributes).map(|u| u.key).collect();
    assert_eq!(used, declared);
}

#[test]
fn an_instrument_names_an_attribute_once() {
    for instrument in metrics::ALL {
        let keys: BTreeSet<_> = instrument.attributes.iter().map(|u| u.key).collect();
        assert_eq!(keys.len(), instrument.attributes.len(), "{}", instrument.name);
    }
}

#[test]
fn histograms_alone_have_boundaries() {
    for instrument in metrics::ALL {
        let expected = is_histogram(instrument) && !FREE_BOUNDARIES.contains(&instrument.name);
        assert_eq!(!instrument.boundaries.is_empty(), expected, "{}", instrument.name);
    }
}

#[test]
fn boundaries_rise_strictly() {
    for instrument in metrics::ALL {
        let rising = instrument.boundaries.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(rising, "{}: {:?}", instrument.name, instrument.boundaries);
    }
}

#[test]
fn a_duration_says_its_unit_in_its_name() {
    for instrument in metrics::ALL.iter().filter(|instrument| instrument.name.starts_with("gym.")) {
        assert_eq!(instrument.name.ends_with("_ms"), instrument.unit == "ms", "{}", instrument.name);
    }
}

#[test]
fn a_description_is_one_sentence() {
    let instruments = metrics::ALL.iter().map(|instrument| instrument.description);
    let attributes = attributes::ALL.iter().map(|attribute| attribute.description);
    for text in instruments.chain(attributes) {
        let one = text.ends_with('.') && !text.contains(". ") && !text.contains("  ");
        assert!(one && text.trim() == text, "{text:?}");
    }
}

#[test]
fn no_duration_over_all_requests() {
    assert!(metrics::ALL.iter().all(|instrument| instrument.name != "gym.server.request_duration_ms"));
}

/// Checks that `ALL` lists the values in order and that no two share a text.
macro_rules! check_closed_sets {
    ($( $set:ident ),+ $(,)?) => {$(
        let texts: BTreeSet<_> = $set::ALL.iter().map(|value| value.as_str()).collect();
        assert_eq!(texts.len(), $set::ALL.len(), stringify!($set));
        for (index, value) in $set::ALL.iter().enumerate() {
            assert_eq!(value.index(), index, "{value:?}");
            assert_eq!(value.to_string(), value.as_str());
        }
    )+};
}

#[test]
fn closed_sets_are_in_order_and_distinct() {
    check_closed_sets!(
        ConnectOutcome,
        CpuMode,
        Dialect,
        EventLoop,
        Executor,
        HealthCheck,
        HealthVerdict,
        MemoryType,
        Operation,
        OperationOutcome,
        Outcome,
        PressureShare,
        PressureWindow,
        QueueConstraint,
        QueueOutcome,
        RequestPhase,
        RewardRange,
        ServerType,
        StartupStage,
        TokenType,
    );
}
