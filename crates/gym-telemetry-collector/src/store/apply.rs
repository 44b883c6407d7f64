//! Taking requests in.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::{fmt, mem};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;

use super::intake::Intake;
use super::limits::Limits;
use super::observer::Observer;
use super::recall::Recall;
use super::receipt::{Receipt, Slip};
use crate::model::{Attributes, Indexed, Resource};
use crate::snapshot::Snapshot;
use crate::wire::{self, Fields, Request, Sent};

/// The latest state of every series.
///
/// A series is told from the others by the attributes of its process, its scope, the name, unit and kind of its metric,
/// and its own attributes. A point replaces the one held unless it is older. Delta points are added up, so what is
/// held is always cumulative. Exemplars are not kept. A process that ended keeps its place, unless a limit is in the
/// way and the observer [lets it go](Observer::lets_go).
///
/// # Example
///
/// ```
/// use gym_telemetry_collector::{Limits, Store};
/// use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
///
/// let mut store = Store::new(Limits::default());
/// let response = store.apply(ExportMetricsServiceRequest::default());
/// assert_eq!(response.partial_success, None);
/// assert_eq!(store.snapshot().resources().len(), 0);
/// ```
pub struct Store {
    resources: BTreeMap<Attributes, Arc<Resource>>,
    /// By the bytes that the attributes of a process were.
    recalls: HashMap<Box<[u8]>, Recall>,
    intake: Intake,
    receipt: Receipt,
}

impl Store {
    /// An empty store.
    pub fn new(limits: Limits) -> Self {
        Self::observed(limits, ())
    }

    /// An empty store that shows each point it takes in to `observer`.
    pub fn observed(limits: Limits, observer: impl Observer) -> Self {
        let (resources, recalls) = (BTreeMap::new(), HashMap::new());
        Self { resources, recalls, intake: Intake::new(limits, observer), receipt: Receipt::default() }
    }

    /// Takes in what it can of `request`; the answer says how many points were refused, and why.
    pub fn apply<'a>(&mut self, request: impl Into<Request<'a>>) -> ExportMetricsServiceResponse {
        let request = request.into();
        let mut slip = Slip::default();
        self.intake.begin(&request);
        for resource in Fields::of(request.as_bytes()).filter_map(|field| field.payload.message()) {
            self.apply_resource(resource, &mut slip);
        }
        self.forget();
        let receipt = slip.receipt;
        self.receipt.add(receipt);
        let response = slip.into_response();
        self.intake.observer.finish(&receipt, &response);
        response
    }

    /// What is held now. It costs a pointer a process, and stays as it is.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot::new(self.resources.clone())
    }

    /// What became of all points so far.
    pub fn receipt(&self) -> Receipt {
        self.receipt
    }

    /// How many series are held.
    pub fn series(&self) -> usize {
        self.intake.budget.series()
    }

    /// How many bytes they occupy, as the limit counts them.
    pub fn bytes(&self) -> usize {
        self.intake.budget.bytes()
    }

    fn apply_resource(&mut self, message: &[u8], slip: &mut Slip) {
        self.forget();
        let (sent, scopes, schema_url) = parts(message);
        let pairs = wire::attributes(sent, 1);
        if self.recalls.len() > 2 * self.resources.len() {
            // Someone writes the same process in ever other ways.
            self.recalls.clear();
        }
        let recall = match self.recalls.get_mut(pairs.as_bytes()) {
            Some(recall) => recall,
            None => self.recalls.entry(pairs.as_bytes().into()).or_insert_with(|| Recall::new(pairs.read())),
        };
        let resource = self.resources.entry(recall.resource.clone()).or_insert_with(|| {
            let attributes = recall.resource.clone();
            Arc::new(Resource { attributes, schema_url: schema_url.into(), metrics: Indexed::default() })
        });
        self.intake.budget.touch(&recall.resource);
        // Whoever still looks at a snapshot keeps the state of before.
        let state = Arc::make_mut(resource);
        let mut position = 0;
        for (at, scoped) in scopes.enumerate() {
            let (sent, metrics, schema_url) = parts(scoped);
            let scope = recall.scope(at, sent, schema_url);
            for metric in metrics {
                self.intake.metric(state, recall, position, &scope, &Sent::read(metric), slip);
                position += 1;
            }
        }
        if state.metrics.is_empty() {
            self.resources.remove(&recall.resource);
            self.intake.budget.release(&recall.resource);
            self.recalls.remove(pairs.as_bytes());
        }
    }

    /// Drops the processes that had to make room.
    fn forget(&mut self) {
        for process in mem::take(&mut self.intake.let_go) {
            self.resources.remove(&process);
            self.recalls.retain(|_, recall| recall.resource != process);
        }
    }
}

/// A message of what something is, of others that belong to it, and of where it is described.
fn parts(message: &[u8]) -> (&[u8], impl Iterator<Item = &[u8]>, &str) {
    let messages = |number| Fields::of(message).filter(move |field| field.number == number);
    let of = messages(1).filter_map(|field| field.payload.message()).last().unwrap_or_default();
    let schema_url = messages(3).last().map_or("", |field| wire::text(field.payload));
    (of, messages(2).filter_map(|field| field.payload.message()), schema_url)
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resources, intake, receipt, .. } = self;
        let resources = resources.len();
        f.debug_struct("Store")
            .field("resources", &resources)
            .field("budget", &intake.budget)
            .field("receipt", receipt)
            .finish_non_exhaustive()
    }
}
