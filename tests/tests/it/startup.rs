//! How long servers take to start, as metrics and as spans.

use gym_telemetry::{
    Settings, Telemetry,
    conventions::{attributes, metrics, spans},
};
use gym_telemetry_tests::LONG;

use crate::support::{AGENT, Books, DRIVER, Fleet, Folder, MODEL, Sent, Spans, VERIFIER, tasks};

/// Stages as a server goes through them.
const STAGES: [&str; 6] = ["process_start", "load_config", "init_telemetry", "init_server", "bind", "accept"];

/// A run whose metrics are in the folder, and whose spans go elsewhere.
fn fleet(folder: &Folder, spans: &Spans) -> Fleet {
    let fleet = Fleet::on(folder).option("--metrics-json", folder.metrics());
    let fleet = fleet.env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf");
    fleet.env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", &spans.listen())
}

#[test]
fn each_start_is_a_trace_from_the_supervisor_to_the_stages() {
    let (folder, spans) = (Folder::new(&tasks()), Spans::default());
    fleet(&folder, &spans).run().assert_success();
    let (books, all) = (Books::of(&folder), spans.all());
    assert_eq!(all.len(), 3 * (2 + STAGES.len()));
    for server in [VERIFIER, MODEL, AGENT] {
        let is_of = |sent: &&Sent| sent.attribute(attributes::SERVER_NAME.key) == Some(server);
        let [supervisor, whole, stages @ ..] = &*all.iter().filter(is_of).collect::<Vec<_>>() else {
            panic!("no spans of {server}")
        };
        assert_eq!((&*supervisor.server, &*supervisor.span.name), (DRIVER, spans::STARTUP_SERVER));
        assert_eq!((&*whole.server, &*whole.span.name), (server, spans::SERVER_STARTUP));
        assert!(supervisor.span.parent_span_id.is_empty());
        assert_eq!(whole.span.parent_span_id, supervisor.span.span_id);
        let trace = &supervisor.span.trace_id;
        assert!(stages.iter().all(|stage| stage.span.parent_span_id == whole.span.span_id && stage.server == server));
        assert!(stages.iter().chain([whole]).all(|stage| stage.span.trace_id == *trace));

        // The supervisor has seen all of it from outside.
        let (spawned, heard) = supervisor.times();
        let (began, accepted) = whole.times();
        assert!(spawned <= began && accepted <= heard, "{:?} {:?}", supervisor.times(), whole.times());

        let names: Vec<_> =
            stages.iter().map(|stage| stage.attribute(attributes::STARTUP_STAGE.key).unwrap()).collect();
        assert_eq!(names, STAGES);
        let end = stages.iter().fold(began, |begin, stage| {
            assert_eq!(stage.times().0, begin, "a gap before {}", stage.span.name);
            stage.times().1
        });
        assert_eq!(end, accepted);

        // Metrics say the same, stage by stage and so in sum.
        let seen = books.state.histograms(metrics::SERVER_STARTUP_STAGE_DURATION_MS.name, |series| {
            series.attributes.str(attributes::SERVER_NAME.key) == Some(server)
        });
        let sum = seen[&true].sum.unwrap();
        assert!((sum - (accepted - began) as f64 / 1e6).abs() < 1e-3, "{server}: {sum} {:?}", whole.times());
    }
}

#[test]
fn without_traces_there_are_no_spans() {
    let (folder, spans) = (Folder::new(&tasks()), Spans::default());
    fleet(&folder, &spans).env("NEMO_GYM_OTEL_TRACES_ENABLED", "0").run().assert_success();
    assert_eq!(spans.all().len(), 0);
    assert_eq!(Books::of(&folder).scored.len(), crate::support::TASKS);
}

#[test]
fn a_server_that_does_not_start_leaves_a_span_that_says_so() {
    let spans = Spans::default();
    let url = spans.listen();
    let mut settings = Settings::default();
    settings.enabled = true;
    settings.metrics_enabled = false;
    settings.otlp_protocol = gym_telemetry::Protocol::HttpProtobuf;
    settings.otlp_endpoint = url.strip_suffix("/v1/traces").map(ToOwned::to_owned);
    let telemetry = Telemetry::start(settings).unwrap();
    telemetry.server_startup("slow", "resources_servers").ready();
    drop(telemetry.server_startup("missing", "resources_servers"));
    telemetry.shutdown(LONG).unwrap();

    let failed = |sent: &Sent| sent.span.status.as_ref().is_some_and(|status| status.code == 2);
    let all = spans.all();
    let seen = all.iter().map(|sent| (sent.attribute(attributes::SERVER_NAME.key).unwrap(), failed(sent)));
    assert_eq!(seen.collect::<Vec<_>>(), [("slow", false), ("missing", true)]);
}
