//! What every point passes through, whatever process it belongs to.

use std::mem;
use std::sync::Arc;

use super::incoming::check;
use super::limits::{Budget, Limits};
use super::observer::{Change, Observer, Update};
use super::recall::{Recall, put};
use super::receipt::{Refused, Slip};
use crate::model::{Attributes, Data, Held, Indexed, Kind, Metric, MetricKey, Point, Resource, Scope, SeriesId};
use crate::wire::{Incoming, Request, Sent};

/// What a series occupies beside its attributes and numbers; the tree that holds it is never quite full.
const SERIES_BYTES: usize = 2 * (2 * size_of::<Attributes>() + size_of::<Held>());

/// Takes in points.
pub(super) struct Intake {
    pub(super) budget: Budget,
    pub(super) observer: Box<dyn Observer>,
    /// The processes that have made room.
    pub(super) let_go: Vec<Attributes>,
    /// Nobody else makes room.
    exhausted: bool,
    /// The latest series.
    next: u64,
    /// Room for a point while it is looked at.
    point: Point,
}

impl Intake {
    pub(super) fn new(limits: Limits, observer: impl Observer) -> Self {
        let point = Point { start_unix_nano: 0, time_unix_nano: 0, data: Data::Int(0) };
        let (budget, observer) = (Budget::new(limits), Box::new(observer));
        Self { budget, observer, let_go: Vec::new(), exhausted: false, next: 0, point }
    }

    pub(super) fn begin(&mut self, request: &Request<'_>) {
        self.exhausted = false;
        self.observer.begin(request);
    }

    /// Takes in the metric at a position of a request.
    pub(super) fn metric(
        &mut self,
        resource: &mut Resource,
        recall: &mut Recall,
        position: usize,
        scope: &Arc<Scope>,
        sent: &Sent<'_>,
        slip: &mut Slip,
    ) {
        let Some(batch) = &sent.batch else { return slip.refuse(sent.name, &Refused::NoData, 0) };
        let Some(delta) = batch.delta else {
            return slip.refuse(sent.name, &Refused::NoTemporality, batch.points().count());
        };
        if sent.name.is_empty() {
            return slip.refuse(sent.name, &Refused::NoName, batch.points().count());
        }
        let unpaid = if resource.metrics.is_empty() { resource.bytes() } else { 0 };
        let place = place(resource, recall, position, scope, sent, batch.kind);
        let Resource { attributes, metrics, .. } = resource;
        let Some(metric) = metrics.at(place) else { return };
        let series = recall.series(place);
        // A process is paid for by its first series, and so is a metric.
        let owner = Owner { resource: attributes, unpaid: unpaid + metric.bytes(), delta };
        for (position, message) in batch.points().enumerate() {
            match self.point(&owner, metric, series, position, message) {
                Ok(true) => slip.receipt.accepted += 1,
                Ok(false) => slip.receipt.ignored += 1,
                Err(refused) => slip.refuse(sent.name, &refused, 1),
            }
        }
        if metric.series.is_empty() {
            let key = Arc::clone(&metric.key);
            metrics.pop(&key);
        }
    }

    /// Whether the point is held now; not when it has nothing new to say.
    fn point(
        &mut self,
        owner: &Owner<'_>,
        metric: &mut Metric,
        known: &mut Vec<(Box<[u8]>, usize)>,
        position: usize,
        message: &[u8],
    ) -> Result<bool, Refused> {
        let incoming = Incoming::read(metric.key.kind, message, &mut self.point);
        if incoming.blank {
            return Ok(false);
        }
        check(&incoming, &self.point.data)?;
        let bytes = incoming.pairs.as_bytes();
        let recalled = known.get(position).filter(|(before, _)| **before == *bytes).map(|(_, place)| *place);
        let place = match recalled {
            Some(place) => place,
            None => {
                let attributes = incoming.pairs.read();
                let Some(place) = metric.series.place(&attributes) else { return self.add(owner, metric, attributes) };
                // No more positions than series: who repeats himself gains nothing.
                if position < metric.series.len() {
                    put(known, position, (bytes.into(), place));
                }
                place
            }
        };
        let Some(held) = metric.series.at(place) else { return Ok(false) };
        let before = &held.point;
        // A difference that comes twice must not be added twice; a state may be repeated.
        if self.point.time_unix_nano < before.time_unix_nano
            || owner.delta && self.point.time_unix_nano == before.time_unix_nano
        {
            return Ok(false);
        }
        let change = owner.change(metric.key.kind, before, &self.point);
        if owner.delta {
            self.point = before.plus(self.point.clone());
        }
        let (freed, taken) = (before.heap_bytes(), self.point.heap_bytes());
        if freed != taken {
            self.pay(owner.resource, |budget| budget.resize(owner.resource, freed, taken))?;
        }
        // The point of before leaves its room for the next one.
        mem::swap(&mut held.point, &mut self.point);
        self.observer.observe(&owner.update(&metric.key, &metric.description, held, Some(&self.point), change));
        Ok(true)
    }

    /// Holds the first point of a series.
    fn add(&mut self, owner: &Owner<'_>, metric: &mut Metric, attributes: Attributes) -> Result<bool, Refused> {
        let unpaid = if metric.series.is_empty() { owner.unpaid } else { 0 };
        // Attributes are held as they are and as they were sent.
        let bytes = unpaid + SERIES_BYTES + 2 * attributes.heap_bytes() + self.point.heap_bytes();
        self.pay(owner.resource, |budget| budget.add(owner.resource, bytes))?;
        self.next += 1;
        let held = Held { id: SeriesId(self.next), attributes: attributes.clone(), point: self.point.clone() };
        let place = metric.series.push(attributes, held);
        if let Some(held) = metric.series.at(place) {
            self.observer.observe(&owner.update(&metric.key, &metric.description, held, None, Change::New));
        }
        Ok(true)
    }

    /// Charges the budget. If a limit is in the way, processes that may go make room for this one, the longest silent
    /// of them first.
    fn pay(
        &mut self,
        process: &Attributes,
        charge: impl Fn(&mut Budget) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        loop {
            match charge(&mut self.budget) {
                Err(_) if self.make_room(process) => (),
                outcome => return outcome,
            }
        }
    }

    /// Lets go of one process, if there is one that may go.
    fn make_room(&mut self, process: &Attributes) -> bool {
        if self.exhausted {
            return false;
        }
        let mut others = self.budget.longest_silent_first().into_iter().filter(|other| other != process);
        let gone = others.find(|other| self.observer.lets_go(other));
        self.exhausted = gone.is_none();
        if let Some(gone) = gone {
            self.budget.release(&gone);
            self.let_go.push(gone);
        }
        !self.exhausted
    }
}

/// Where the metric is; it is made if there was none.
fn place(
    resource: &mut Resource,
    recall: &mut Recall,
    position: usize,
    scope: &Arc<Scope>,
    sent: &Sent<'_>,
    kind: Kind,
) -> usize {
    if let Some(place) = recall.metrics.get(position).copied()
        && let Some(Metric { key, .. }) = resource.metrics.at(place)
        && (key.kind, &*key.name, &*key.unit) == (kind, sent.name, sent.unit)
        && (Arc::ptr_eq(&key.scope, scope) || key.scope == *scope)
    {
        return place;
    }
    let key = MetricKey { scope: Arc::clone(scope), name: sent.name.to_owned(), unit: sent.unit.to_owned(), kind };
    let key = Arc::new(key);
    let place = resource.metrics.place(&key).unwrap_or_else(|| {
        let metric = Metric { key: Arc::clone(&key), description: sent.description.into(), series: Indexed::default() };
        resource.metrics.push(Arc::clone(&key), metric)
    });
    if position < resource.metrics.len() {
        put(&mut recall.metrics, position, place);
    }
    place
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

    fn update<'a>(
        &'a self,
        metric: &'a MetricKey,
        description: &'a str,
        held: &'a Held,
        previous: Option<&'a Point>,
        change: Change,
    ) -> Update<'a> {
        let Held { id, attributes, point } = held;
        Update { series: *id, resource: self.resource, metric, description, attributes, point, previous, change }
    }
}
