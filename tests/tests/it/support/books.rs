use std::{collections::BTreeMap, fs};

use gym_telemetry::conventions::{Instrument, Outcome, RequestPhase, RewardRange, attributes, metrics, resource};
use gym_telemetry_collector::{Data, Histogram, Series, Snapshot};
use serde_json::Value;

use super::{Folder, contract::assert_contract, folder::rows};

/// The processes of a fleet, by the name that they report under.
pub(crate) const MODEL: &str = "policy_model";
pub(crate) const VERIFIER: &str = "answer_verifier";
pub(crate) const AGENT: &str = "simple_agent";
pub(crate) const DRIVER: &str = "rollout_driver";

/// The stages of a server's start, sorted by name.
const STAGES: [&str; 6] = ["accept", "bind", "init_server", "init_telemetry", "load_config", "process_start"];

/// What a run says of itself in two ways: its files, and its metrics.
#[derive(Debug)]
pub(crate) struct Books {
    pub(crate) scored: Vec<Value>,
    pub(crate) failed: Vec<Value>,
    pub(crate) state: Snapshot,
    bytes: u64,
}

impl Books {
    /// Those of a run that wrote its metrics to the folder, and found no output there.
    pub(crate) fn of(folder: &Folder) -> Self {
        Self::with(folder, folder.state())
    }

    /// Those of a run whose metrics arrived elsewhere.
    pub(crate) fn with(folder: &Folder, state: Snapshot) -> Self {
        let files = [folder.output(), folder.failures()];
        let bytes = files.iter().map(|file| fs::metadata(file).unwrap().len()).sum();
        let [scored, failed] = files.map(|file| rows(&file));
        Self { scored, failed, state, bytes }
    }

    /// Files and metrics agree, whatever went wrong in the run.
    pub(crate) fn settle(&self, offered: usize) {
        assert_contract(&self.state);
        let processes = self.state.resources().map(|process| process.attributes().str(resource::SERVER_NAME).unwrap());
        assert_eq!(processes.collect::<Vec<_>>(), [VERIFIER, MODEL, DRIVER, AGENT]);

        assert_eq!(self.sum(&metrics::DRIVER_ROLLOUTS_OFFERED_TOTAL, |_| true), offered);
        let completed = [self.completed(Outcome::Scored), self.completed(Outcome::Failed)];
        assert_eq!(completed, [self.scored.len(), self.failed.len()]);
        let range = |series: &Series<'_>| attribute(series, attributes::ROLLOUT_REWARD_RANGE.key).to_owned();
        assert_eq!(self.state.sums(metrics::ROLLOUT_REWARDED_TOTAL.name, range), self.rewards());

        let sizes = self.samples(&metrics::DRIVER_OUTPUT_WRITE_BYTES);
        let durations = self.samples(&metrics::DRIVER_OUTPUT_WRITE_DURATION_MS);
        assert_eq!([sizes.count, durations.count], [self.scored.len() as u64 + self.failed.len() as u64; 2]);
        assert_eq!(sizes.sum.unwrap_or_default(), self.bytes as f64);

        self.assert_nothing_goes_on();
        self.assert_started();
    }

    /// All accounts of a run that scored every rollout, after so many calculations.
    pub(crate) fn settle_flawless(&self, offered: usize, calculations: usize) {
        self.settle(offered);
        assert_eq!([self.scored.len(), self.failed.len()], [offered, 0]);
        for metric in [
            &metrics::DRIVER_ADMISSION_DURATION_MS,
            &metrics::ROLLOUT_DURATION_MS,
            &metrics::VERIFY_DURATION_MS,
            &metrics::RESOURCES_OPERATION_DURATION_MS,
        ] {
            assert_eq!(self.samples(metric).count, offered as u64, "{}", metric.name);
        }
        // To the request: what is exported is none of them.
        let requests = [(AGENT, offered), (MODEL, offered + calculations), (VERIFIER, offered + calculations)];
        let responses = self.state.sums(metrics::SERVER_RESPONSES_TOTAL.name, |series| {
            (server(series).to_owned(), series.attributes.int(attributes::HTTP_RESPONSE_STATUS_CODE.key))
        });
        assert_eq!(responses, requests.map(|(server, count)| ((server.to_owned(), Some(200)), count as f64)).into());
        for (server, count) in requests {
            let to = |series: &Series<'_>| attribute(series, attributes::DESTINATION_SERVER_NAME.key) == server;
            assert_eq!(self.sum(&metrics::HTTP_CONNECTION_POOL_CONNECT_TOTAL, to), count, "calls of {server}");
            assert_eq!([self.cancelled_before_head(server), self.unhandled(server)], [0, 0], "{server}");
        }
    }

    /// Rollouts with this outcome.
    pub(crate) fn completed(&self, outcome: Outcome) -> usize {
        let is = |series: &Series<'_>| attribute(series, attributes::ROLLOUT_OUTCOME.key) == outcome.as_str();
        self.sum(&metrics::ROLLOUT_COMPLETED_TOTAL, is)
    }

    /// Responses that a server began.
    pub(crate) fn responses(&self, of: &str) -> usize {
        self.sum(&metrics::SERVER_RESPONSES_TOTAL, |series| server(series) == of)
    }

    /// Requests of a server whose client left before there was a response.
    pub(crate) fn cancelled_before_head(&self, of: &str) -> usize {
        let before = |series: &Series<'_>| {
            attribute(series, attributes::REQUEST_PHASE.key) == RequestPhase::BeforeResponseStart.as_str()
        };
        self.sum(&metrics::SERVER_REQUESTS_CANCELLED_TOTAL, |series| server(series) == of && before(series))
    }

    /// Requests of a server that ended in a panic or an error.
    pub(crate) fn unhandled(&self, of: &str) -> usize {
        self.sum(&metrics::SERVER_REQUESTS_UNHANDLED_EXCEPTIONS_TOTAL, |series| server(series) == of)
    }

    /// A total, over the series that are chosen.
    fn sum(&self, metric: &Instrument, chosen: impl Fn(&Series<'_>) -> bool) -> usize {
        self.state.sum(metric.name, chosen) as usize
    }

    /// All samples of a histogram.
    fn samples(&self, metric: &Instrument) -> Histogram {
        self.state.histograms(metric.name, |_| ()).remove(&()).unwrap_or_default()
    }

    /// How many rewards lie in each range, as the output says.
    fn rewards(&self) -> BTreeMap<String, f64> {
        let mut rewards = BTreeMap::new();
        for reward in self.scored.iter().filter_map(|row| row["reward"].as_f64()) {
            let range = match reward {
                ..0.0 => RewardRange::Negative,
                0.0 => RewardRange::Zero,
                ..1.0 => RewardRange::Partial,
                1.0 => RewardRange::Full,
                _ => RewardRange::AboveOne,
            };
            *rewards.entry(range.as_str().to_owned()).or_default() += 1.0;
        }
        rewards
    }

    /// What counts what goes on says that nothing does. Operations and sandboxes are not told of before the first.
    fn assert_nothing_goes_on(&self) {
        for (metric, reporters) in [
            (&metrics::DRIVER_ROLLOUTS_RESIDENT, 1),
            (&metrics::DRIVER_ROLLOUTS_ACTIVE, 1),
            (&metrics::SERVERS_ACTIVE, 1),
            (&metrics::SERVER_REQUESTS_IN_FLIGHT, 3),
            (&metrics::HTTP_CLIENT_REQUESTS_IN_FLIGHT, 2),
            (&metrics::RESOURCES_OPERATION_QUEUED, 0),
            (&metrics::RESOURCES_OPERATION_ACTIVE, 0),
            (&metrics::SANDBOX_ACTIVE, 0),
        ] {
            let points: Vec<_> = self.state.series(metric.name).map(|series| &series.point.data).collect();
            assert!(points.len() >= reporters, "{} {points:?}", metric.name);
            assert!(points.iter().all(|data| **data == Data::Int(0)), "{} {points:?}", metric.name);
        }
        let supervisors: Vec<_> = self.state.series(metrics::SERVERS_ACTIVE.name).map(|it| server(&it)).collect();
        assert_eq!(supervisors, [DRIVER]);
    }

    /// Each server has timed each stage of its start, once.
    fn assert_started(&self) {
        let stages = self.state.histograms(metrics::SERVER_STARTUP_STAGE_DURATION_MS.name, |series| {
            assert_eq!(attribute(series, attributes::SERVER_NAME.key), server(series));
            (server(series).to_owned(), attribute(series, attributes::STARTUP_STAGE.key).to_owned())
        });
        let expected = [VERIFIER, MODEL, AGENT].into_iter().flat_map(|server| STAGES.map(|stage| (server, stage)));
        let found = stages.iter().inspect(|(_, times)| assert_eq!(times.count, 1));
        let found = found.map(|((server, stage), _)| (&**server, &**stage));
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }
}

/// The process that a series comes from.
fn server<'a>(series: &Series<'a>) -> &'a str {
    series.resource.attributes().str(resource::SERVER_NAME).unwrap()
}

fn attribute<'a>(series: &Series<'a>, key: &str) -> &'a str {
    series.attributes.str(key).unwrap()
}
