use std::{
    fs,
    path::{Path, PathBuf},
};

use gym_telemetry_collector::{Snapshot, Store};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use serde_json::Value;
use tempfile::TempDir;

/// Where a run has its files.
#[derive(Debug)]
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A folder whose input holds these lines.
    pub(crate) fn new(input: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        fs::write(folder.input(), input).unwrap();
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn input(&self) -> PathBuf {
        self.path().join("in.jsonl")
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.path().join("out.jsonl")
    }

    pub(crate) fn failures(&self) -> PathBuf {
        self.path().join("out_failures.jsonl")
    }

    pub(crate) fn metrics(&self) -> PathBuf {
        self.path().join("metrics.json")
    }

    /// The final state of every series, as it is in the metrics file.
    pub(crate) fn state(&self) -> Snapshot {
        read_state(&fs::read(self.metrics()).unwrap())
    }
}

/// The rows of an output file, each of which is a whole line.
pub(crate) fn rows(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "the last line of {} is torn", path.display());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The state that a JSON array of OTLP requests leaves behind.
pub(crate) fn read_state(json: &[u8]) -> Snapshot {
    let mut store = Store::new(Default::default());
    for request in serde_json::from_slice::<Vec<ExportMetricsServiceRequest>>(json).unwrap() {
        assert_eq!(store.apply(request).partial_success, None);
    }
    store.snapshot()
}
