//! What was recorded comes back, up to where it was torn.

use std::fs;
use std::path::Path;

use gym_telemetry_collector::{Observer, Store};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::{
    Gauge, Metric, NumberDataPoint, ResourceMetrics, ScopeMetrics, metric, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use proptest::prelude::*;
use tempfile::TempDir;

use super::format::{Frame, MAGIC};
use super::{Recorder, ReplayError, Replayed, replay};
use crate::history::{History, Query, Settings};

fn request(value: i64) -> ExportMetricsServiceRequest {
    let name = AnyValue { value: Some(Value::StringValue("a".to_owned())) };
    let name = KeyValue { key: "service.name".to_owned(), value: Some(name), ..KeyValue::default() };
    let point = NumberDataPoint { value: Some(number_data_point::Value::AsInt(value)), ..NumberDataPoint::default() };
    let data = metric::Data::Gauge(Gauge { data_points: vec![point] });
    let metric = Metric { name: "lag".to_owned(), data: Some(data), ..Metric::default() };
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(Resource { attributes: vec![name], ..Resource::default() }),
            scope_metrics: vec![ScopeMetrics { metrics: vec![metric], ..ScopeMetrics::default() }],
            ..ResourceMetrics::default()
        }],
    }
}

fn unfailing(path: &Path) -> Recorder {
    Recorder::create(path, |error| panic!("{error}")).unwrap()
}

/// A recording of so many requests, as bytes.
fn recorded(folder: &TempDir, requests: i64) -> Vec<u8> {
    let path = folder.path().join("whole");
    let mut recorder = unfailing(&path);
    (1..=requests).for_each(|value| recorder.begin(&request(value).into()));
    fs::read(path).unwrap()
}

fn replayed(folder: &TempDir, bytes: &[u8]) -> Replayed {
    let path = folder.path().join("changed");
    fs::write(&path, bytes).unwrap();
    replay(path, Settings::new()).unwrap()
}

fn last(history: &History) -> Option<f64> {
    history.query(&Query::new("lag")).unwrap().lines[0].values.last().copied().flatten()
}

#[test]
fn a_recording_beside_a_history_gives_the_same_history() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run");
    let live = History::new(Settings::new());
    let mut store = Store::observed(Settings::new().limits(), (live.observer(), unfailing(&path)));
    (1..=3).for_each(|value| drop(store.apply(request(value))));
    let Replayed { history, state, requests, torn, .. } = replay(&path, Settings::new()).unwrap();
    assert_eq!((requests, torn), (3, None));
    assert_eq!((last(&history), last(&live)), (Some(3.0), Some(3.0)));
    assert_eq!(state.sum("lag", |_| true), 3.0);
    assert!(live.is_live() && !history.is_live());
    assert_eq!(history.processes()[0].resource, live.processes()[0].resource);
    assert!(history.processes()[0].first_seen.abs_diff(live.processes()[0].first_seen) < 60_000);
}

#[test]
fn a_torn_end_is_left_out() {
    let folder = TempDir::new().unwrap();
    let whole = recorded(&folder, 3);
    let frame = (whole.len() - MAGIC.len()) / 3;
    for cut in 1..frame {
        let replayed = replayed(&folder, &whole[..whole.len() - cut]);
        assert_eq!((replayed.requests, replayed.torn), (2, Some((whole.len() - frame) as u64)), "{cut}");
        assert_eq!(last(&replayed.history), Some(2.0));
    }
    assert_eq!(replayed(&folder, &whole[..whole.len() - frame]).torn, None);
}

#[test]
fn what_is_no_recording_is_said_to_be_none() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("other");
    for content in ["", "gymotlp", "gymotlp\x02", "something else entirely"] {
        fs::write(&path, content).unwrap();
        let error = replay(&path, Settings::new()).unwrap_err();
        assert!(matches!(error, ReplayError::Unknown { .. }), "{content:?}: {error}");
        assert!(error.to_string().ends_with("other is no recording"));
    }
    let error = replay(folder.path().join("absent"), Settings::new()).unwrap_err();
    assert!(matches!(error, ReplayError::Read { .. }), "{error}");
}

#[test]
fn what_is_there_is_not_written_over() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("run");
    fs::write(&path, "precious").unwrap();
    assert!(Recorder::create(&path, |_| ()).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"precious");
}

proptest! {
    #[test]
    fn frames_come_back(arrival in 0..1_u64 << 48, body in prop::collection::vec(any::<u8>(), 0..99)) {
        let bytes = Frame::bytes(arrival, |bytes| bytes.extend_from_slice(&body));
        let frame = Frame::read(&mut bytes.as_slice()).unwrap().unwrap();
        prop_assert_eq!(frame.length(), bytes.len() as u64);
        prop_assert_eq!(frame, Frame { arrival, body });
    }

    #[test]
    fn whatever_happened_to_a_file_what_precedes_it_is_read(at in 0..1000_usize, to in any::<u8>()) {
        let folder = TempDir::new().unwrap();
        let mut bytes = recorded(&folder, 8);
        let frame = (bytes.len() - MAGIC.len()) / 8;
        let at = MAGIC.len() + at % (bytes.len() - MAGIC.len());
        let same = bytes[at] == to;
        bytes[at] = to;
        let whole = ((at - MAGIC.len()) / frame) as u64;
        prop_assert_eq!(replayed(&folder, &bytes).requests, if same { 8 } else { whole });
    }
}
