//! What feeds a history.

use std::collections::HashMap;
use std::sync::Arc;

use gym_telemetry_collector::{Observer, Receipt, SeriesId, Update};
use opentelemetry_proto::tonic::collector::metrics::v1::{ExportMetricsServiceRequest, ExportMetricsServiceResponse};

use super::handle::{Shared, now};
use super::state::Place;

/// The observer of one collector.
pub(super) struct Tap {
    shared: Arc<Shared>,
    places: HashMap<SeriesId, Option<Place>>,
    arrival: u64,
}

impl Tap {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, places: HashMap::new(), arrival: 0 }
    }
}

impl Observer for Tap {
    fn observe(&mut self, update: &Update<'_>) {
        let mut state = self.shared.state();
        let place = self.places.entry(update.series).or_insert_with(|| state.add(update, self.arrival));
        match *place {
            Some(place) => state.record(place, update, self.arrival),
            None => state.refuse(1),
        }
    }

    fn begin(&mut self, _: &ExportMetricsServiceRequest) {
        self.arrival = now();
    }

    fn finish(&mut self, receipt: &Receipt, response: &ExportMetricsServiceResponse) {
        self.shared.state().note(receipt, response);
        self.shared.revision.send_modify(|revision| *revision += 1);
    }
}
