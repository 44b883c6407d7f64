//! What feeds a history.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;
use gym_telemetry_collector::{Attributes, Observer, Receipt, Request, SeriesId, Update};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceResponse;

use super::handle::Shared;
use super::state::Place;

/// The observer of one collector.
pub(super) struct Tap {
    shared: Arc<Shared>,
    places: HashMap<SeriesId, Option<Place>, RandomState>,
    arrival: u64,
    /// How many processes were forgotten when the places were last looked through.
    forgotten: u64,
}

impl Tap {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, places: HashMap::default(), arrival: 0, forgotten: 0 }
    }

    /// Drops the places of processes that are forgotten, and looks for places where there were none.
    fn catch_up(&mut self) {
        let state = self.shared.state();
        if self.forgotten != state.forgotten {
            self.forgotten = state.forgotten;
            self.places.retain(|_, place| place.is_some_and(|place| state.sources.contains_key(&place.process)));
        }
    }
}

impl Observer for Tap {
    fn observe(&mut self, update: &Update<'_>) {
        let mut state = self.shared.state();
        let place = self.places.entry(update.series).or_insert_with(|| state.add(update, self.arrival));
        match *place {
            Some(place) => state.record(place, update, self.arrival),
            None => state.refuse(),
        }
    }

    fn begin(&mut self, _: &Request<'_>) {
        self.arrival = self.shared.now();
        self.shared.state().forget_old(self.arrival);
        self.catch_up();
    }

    fn lets_go(&mut self, process: &Attributes) -> bool {
        let gone = self.shared.state().lets_go(process, self.arrival);
        self.catch_up();
        gone
    }

    fn finish(&mut self, receipt: &Receipt, response: &ExportMetricsServiceResponse) {
        self.shared.state().note(receipt, response);
        self.shared.revision.send_modify(|revision| *revision += 1);
    }
}
