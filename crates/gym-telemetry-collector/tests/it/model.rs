//! The store against a model that is too simple to be wrong.

use std::collections::BTreeMap;

use gym_telemetry_collector::{Data, Limits, Receipt, Store};
use opentelemetry_proto::tonic::metrics::v1::{Metric, NumberDataPoint};
use proptest::prelude::*;

use crate::support::{CUMULATIVE, DELTA, from_process, gauge, int, sum, text};

/// One point as one process sends it.
#[derive(Debug, Clone)]
struct Sent {
    pid: i64,
    name: &'static str,
    temporality: Option<i32>,
    colour: &'static str,
    shape: &'static str,
    shape_first: bool,
    start: u64,
    time: u64,
    number: i64,
}

impl Sent {
    fn point(&self) -> NumberDataPoint {
        let mut attributes = vec![text("colour", self.colour), text("shape", self.shape)];
        if self.shape_first {
            attributes.reverse();
        }
        NumberDataPoint { start_time_unix_nano: self.start, ..int(self.time, self.number, attributes) }
    }

    fn metric(&self) -> Metric {
        match self.temporality {
            None => gauge(self.name, vec![self.point()]),
            Some(temporality) => sum(self.name, temporality, vec![self.point()]),
        }
    }
}

fn sent() -> impl Strategy<Value = Sent> {
    let what = (
        0..3_i64,
        prop::sample::select(vec!["a", "b"]),
        prop::sample::select(vec![None, Some(CUMULATIVE), Some(DELTA)]),
    );
    let which = (prop::sample::select(vec!["red", "blue"]), prop::sample::select(vec!["", "red"]), any::<bool>());
    let point = (0..3_u64, 0..12_u64, -5..50_i64);
    (what, which, point).prop_map(|((pid, name, temporality), (colour, shape, shape_first), (start, time, number))| {
        Sent { pid, name, temporality, colour, shape, shape_first, start, time, number }
    })
}

/// Process, name, whether it is a sum, colour, shape.
type Identity<Text> = (i64, Text, bool, Text, Text);
/// Start, time, number.
type Numbers = (u64, u64, i64);

/// A flat map and the rules in prose: full means full, later wins, differences add up, repeated differences do not.
fn expected(points: &[Sent], limit: usize) -> (BTreeMap<Identity<&'static str>, Numbers>, Receipt) {
    let (mut held, mut receipt) = (BTreeMap::new(), Receipt::default());
    for sent in points {
        let identity = (sent.pid, sent.name, sent.temporality.is_some(), sent.colour, sent.shape);
        let delta = sent.temporality == Some(DELTA);
        let full = held.len() >= limit;
        match held.get_mut(&identity) {
            None if full => {
                receipt.over_limit += 1;
                continue;
            }
            None => drop(held.insert(identity, (sent.start, sent.time, sent.number))),
            Some((_, time, _)) if sent.time < *time || delta && sent.time == *time => {
                receipt.ignored += 1;
                continue;
            }
            Some((_, time, number)) if delta => (*time, *number) = (sent.time, *number + sent.number),
            Some(held) => *held = (sent.start, sent.time, sent.number),
        }
        receipt.accepted += 1;
    }
    (held, receipt)
}

fn actual(store: &Store) -> BTreeMap<Identity<String>, Numbers> {
    let state = store.snapshot();
    let series = ["a", "b"].into_iter().flat_map(|name| state.series(name));
    let entries = series.map(|series| {
        let pid = series.resource.attributes().int("process.pid").unwrap();
        let [colour, shape] = ["colour", "shape"].map(|key| series.attributes.str(key).unwrap().to_owned());
        let is_sum = series.metric.key().kind != gym_telemetry_collector::Kind::Gauge;
        let Data::Int(number) = series.point.data else { panic!("only integers were sent") };
        let identity = (pid, series.metric.key().name.clone(), is_sum, colour, shape);
        (identity, (series.point.start_unix_nano, series.point.time_unix_nano, number))
    });
    entries.collect()
}

proptest! {
    #[test]
    fn the_store_holds_what_the_model_holds(
        points in prop::collection::vec(sent(), 0..80),
        limit in prop::sample::select(vec![0, 1, 7, 1000]),
        at_once in 1..5_usize,
        look in any::<bool>(),
    ) {
        let mut store = Store::new(Limits::default().series(limit));
        let mut rejected = 0;
        let mut looks = Vec::new();
        for points in points.chunks(at_once) {
            // Several processes may share a request, as they do behind a proxy.
            let requests = points.iter().map(|sent| from_process(sent.pid, vec![sent.metric()]));
            let request = requests.reduce(|mut all, one| {
                all.resource_metrics.extend(one.resource_metrics);
                all
            });
            let partial = store.apply(request.unwrap()).partial_success;
            rejected += partial.map_or(0, |partial| partial.rejected_data_points);
            if look {
                looks.push((store.snapshot(), store.snapshot().to_otlp()));
            }
        }
        let (held, receipt) = expected(&points, limit);
        let held = held.into_iter().map(|((pid, name, sum, colour, shape), point)| {
            ((pid, name.to_owned(), sum, colour.to_owned(), shape.to_owned()), point)
        });
        prop_assert_eq!(store.series(), held.len());
        prop_assert_eq!(store.receipt(), receipt);
        prop_assert_eq!(u64::try_from(rejected).unwrap(), receipt.over_limit);
        prop_assert_eq!(actual(&store), held.collect());
        for (snapshot, otlp) in looks {
            prop_assert_eq!(snapshot.to_otlp(), otlp);
        }
    }

    #[test]
    fn what_is_written_as_otlp_reads_back_the_same(points in prop::collection::vec(sent(), 0..40)) {
        let mut store = Store::new(Limits::default());
        for sent in &points {
            store.apply(from_process(sent.pid, vec![sent.metric()]));
        }
        let written = store.snapshot().to_otlp();
        let mut again = Store::new(Limits::default());
        for request in written.clone() {
            again.apply(request);
        }
        prop_assert_eq!(again.bytes(), store.bytes());
        prop_assert_eq!(again.snapshot().to_otlp(), written);
    }
}
