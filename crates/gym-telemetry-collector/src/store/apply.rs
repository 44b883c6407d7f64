//! Taking requests in.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::{fmt, mem};

use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsServiceRequest, ExportMetricsServiceResponse};
use opentelemetry_proto::tonic::metrics::v1 as wire;

use super::incoming::{Batch, Incoming};
use super::limits::{Budget, Limits};
use super::observer::{Change, Observer, Update};
use super::receipt::{Receipt, Refused, Slip};
use crate::model::{Attributes, Held, Kind, Metric, MetricKey, Point, Resource, Scope, SeriesId};
use crate::otlp;
use crate::snapshot::Snapshot;

/// What a series occupies beside its attributes and numbers; the tree that holds it is never quite full.
const SERIES_BYTES: usize = 2 * (size_of::<Attributes>() + size_of::<Held>());

/// The latest state of every series.
///
/// A series is told from the others by the attributes of its process, its scope, the name, unit and kind of its metric,
/// and its own attributes. A point replaces the one held unless it is older. Delta points are added up, so what is
/// held is always cumulative. Exemplars are not kept. Nothing is ever forgotten: a process that ended keeps its place.
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
        let intake = Intake { budget: Budget::new(limits), observer: Box::new(observer), next: 0 };
        Self { resources: BTreeMap::new(), intake, receipt: Receipt::default() }
    }

    /// Takes in what it can of `request`; the answer says how many points were refused, and why.
    pub fn apply(&mut self, request: ExportMetricsServiceRequest) -> ExportMetricsServiceResponse {
        let mut slip = Slip::default();
        self.intake.observer.begin(&request);
        for sent in request.resource_metrics {
            self.apply_resource(sent, &mut slip);
        }
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

    fn apply_resource(&mut self, sent: wire::ResourceMetrics, slip: &mut Slip) {
        let attributes = otlp::attributes(sent.resource.unwrap_or_default().attributes);
        let entry = self.resources.entry(attributes.clone());
        let resource = entry.or_insert_with(|| {
            Arc::new(Resource { attributes, schema_url: sent.schema_url.into(), metrics: BTreeMap::new() })
        });
        // Whoever still looks at a snapshot keeps the state of before.
        let state = Arc::make_mut(resource);
        for scoped in sent.scope_metrics {
            let scope = Arc::new(otlp::scope(scoped.scope, scoped.schema_url));
            for metric in scoped.metrics {
                self.intake.metric(state, &scope, metric, slip);
            }
        }
        if state.metrics.is_empty() {
            let attributes = state.attributes.clone();
            self.resources.remove(&attributes);
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { resources, intake, receipt } = self;
        let resources = resources.len();
        f.debug_struct("Store")
            .field("resources", &resources)
            .field("budget", &intake.budget)
            .field("receipt", receipt)
            .finish_non_exhaustive()
    }
}

/// What every point passes through, whatever process it belongs to.
struct Intake {
    budget: Budget,
    observer: Box<dyn Observer>,
    next: u64,
}

impl Intake {
    fn metric(&mut self, resource: &mut Resource, scope: &Arc<Scope>, sent: wire::Metric, slip: &mut Slip) {
        let Some(data) = sent.data else { return slip.refuse(&sent.name, &Refused::NoData, 0) };
        let batch = Batch::from(data);
        let Some(delta) = batch.delta else {
            return slip.refuse(&sent.name, &Refused::NoTemporality, batch.points.len());
        };
        if sent.name.is_empty() {
            return slip.refuse(&sent.name, &Refused::NoName, batch.points.len());
        }
        let key = MetricKey { scope: Arc::clone(scope), name: sent.name, unit: sent.unit, kind: batch.kind };
        let key = Arc::new(key);
        // A process is paid for by its first series, and so is a metric.
        let process = if resource.metrics.is_empty() { resource.bytes() } else { 0 };
        let metric = resource.metrics.entry(Arc::clone(&key)).or_insert_with(|| Metric {
            key: Arc::clone(&key),
            description: sent.description.into(),
            series: BTreeMap::new(),
        });
        let owner = Owner { resource: &resource.attributes, unpaid: process + metric.bytes(), delta };
        for point in batch.points {
            match self.point(&owner, metric, point) {
                Ok(true) => slip.receipt.accepted += 1,
                Ok(false) => slip.receipt.ignored += 1,
                Err(refused) => slip.refuse(&key.name, &refused, 1),
            }
        }
        if metric.series.is_empty() {
            resource.metrics.remove(&key);
        }
    }

    /// Whether the point is held now; not when it has nothing new to say.
    fn point(&mut self, owner: &Owner<'_>, metric: &mut Metric, sent: Incoming) -> Result<bool, Refused> {
        let Some((attributes, point)) = sent.open()? else { return Ok(false) };
        let unpaid = if metric.series.is_empty() { owner.unpaid } else { 0 };
        let (held, previous, change) = match metric.series.entry(attributes.clone()) {
            Entry::Vacant(place) => {
                self.budget.add(unpaid + SERIES_BYTES + attributes.heap_bytes() + point.heap_bytes())?;
                self.next += 1;
                (place.insert(Held { id: SeriesId(self.next), point }), None, Change::New)
            }
            Entry::Occupied(place) => {
                let held = place.into_mut();
                let before = &held.point;
                // A difference that comes twice must not be added twice; a state may be repeated.
                if point.time_unix_nano < before.time_unix_nano
                    || owner.delta && point.time_unix_nano == before.time_unix_nano
                {
                    return Ok(false);
                }
                let change = owner.change(metric.key.kind, before, &point);
                let after = if owner.delta { before.plus(point) } else { point };
                self.budget.resize(before.heap_bytes(), after.heap_bytes())?;
                let previous = mem::replace(&mut held.point, after);
                (held, Some(previous), change)
            }
        };
        self.observer.observe(&Update {
            series: held.id,
            resource: owner.resource,
            metric: &metric.key,
            description: &metric.description,
            attributes: &attributes,
            point: &held.point,
            previous: previous.as_ref(),
            change,
        });
        Ok(true)
    }
}

/// What the points of one metric of one request have in common.
struct Owner<'a> {
    resource: &'a Attributes,
    /// Bytes of the process and the metric that the first series has to pay for.
    unpaid: usize,
    delta: bool,
}

impl Owner<'_> {
    fn change(&self, kind: Kind, before: &Point, point: &Point) -> Change {
        let counts = !self.delta && kind != Kind::Gauge && before.start_unix_nano != 0;
        if counts && point.start_unix_nano > before.start_unix_nano { Change::Restarted } else { Change::Continued }
    }
}
