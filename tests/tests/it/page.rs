//! The live page: its numbers, and what a browser shows of them.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
};

use gym_telemetry_collector::{Collector, Limits, Store, decode};
use gym_telemetry_dashboard::{
    history::History,
    page::{Page, Settings, Source},
};
use gym_telemetry_tests::{browser, eventually, python};
use serde_json::{Value, json};
use sysinfo::Signal;

use crate::support::{Books, CALCULATIONS, Fleet, Folder, HeldModel, RUNTIME, Running, TASKS, tasks};

const PAGES: [&str; 6] = ["fleet", "driver", "memory", "startup", "findings", "metric"];

/// Where a fleet says that its page is.
fn address(fleet: &mut Running) -> String {
    let line = fleet.wait_until_said("the fleet is at http://");
    line.split("http://").nth(1).unwrap().trim_end_matches('/').to_owned()
}

/// A view, as programs read it.
fn view(address: &str, name: &str) -> Value {
    get(address, &format!("views/{name}"))
}

/// What the JSON interface answers.
fn get(address: &str, path: &str) -> Value {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /api/v1/{path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n").unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    serde_json::from_str(reply.split_once("\r\n\r\n").unwrap().1).unwrap()
}

/// A number of a view's first panel.
fn number(view: &Value, label: &str) -> f64 {
    let items = view["panels"][0]["items"].as_array().unwrap();
    items.iter().find(|item| item["label"] == label).unwrap()["value"].as_f64().unwrap()
}

/// What a browser shows at each address, if there is a browser. Nothing went wrong there, and nothing was fetched from
/// elsewhere than `root`.
fn looks(root: &str, addresses: Vec<String>) -> Vec<Value> {
    let Some(looks) = browser(addresses) else { return Vec::new() };
    let looks: Vec<Value> = serde_json::from_slice(&looks).unwrap();
    for look in &looks {
        let what = format!("{} at {} px, {}", look["address"], look["width"], look["colorScheme"]);
        assert_eq!(look["errors"], json!([]), "{what}");
        let requests = look["requests"].as_array().unwrap();
        assert!(requests.iter().all(|request| request.as_str().unwrap().starts_with(root)), "{what}: {requests:?}");
        assert_eq!((&look["overflows"], &look["made"]), (&json!(false), &json!(0)), "{what}");
        assert_eq!((&look["first"], &look["skips"]), (&json!("Skip to the numbers"), &json!(true)), "{what}");
        if root.starts_with("http:") {
            assert_eq!(look["held"], json!(["paused", "false"]), "{what}");
        }
    }
    looks
}

fn text_at<'a>(looks: &'a [Value], end: &'a str) -> impl Iterator<Item = &'a str> {
    let there = looks.iter().filter(move |look| look["address"].as_str().unwrap().ends_with(end));
    there.map(|look| look["text"].as_str().unwrap())
}

#[test]
fn a_kept_page_shows_what_the_metrics_say() {
    let folder = Folder::new(&tasks());
    let fleet = Fleet::on(&folder).arg("--keep").option("--metrics-json", folder.metrics());
    let mut fleet = fleet.option("--repeats", "40").start();
    let address = address(&mut fleet);
    fleet.wait_until_said("the run is over");
    let books = Books::of(&folder);
    books.settle_flawless(TASKS * 40, CALCULATIONS * 40);
    let driver = view(&address, "driver");
    let offered = (TASKS * 40) as f64;
    assert_eq!([number(&driver, "offered so far"), number(&driver, "completed so far")], [offered; 2]);

    let root = format!("http://{address}/");
    let looks = looks(&root, PAGES.map(|page| format!("{root}{page}")).into());
    for look in looks.iter().filter(|look| look["address"].as_str().unwrap().ends_with("/metric")) {
        assert_eq!(look["chosen"], "Metric");
    }
    for text in text_at(&looks, "/driver") {
        assert!(text.contains(&offered.to_string()), "{offered} is not in:\n{text}");
    }
    for text in text_at(&looks, "/startup") {
        assert!(text.contains("process_start") && text.contains("policy_model"), "{text}");
    }
    for text in text_at(&looks, "/fleet") {
        assert!(text.contains("simple_agent") && text.contains("queue for a connection"), "{text}");
    }
    fleet.interrupt();
    fleet.wait().assert_success();
}

#[test]
fn a_run_leaves_its_page_in_one_file() {
    let folder = Folder::new(&tasks());
    Fleet::on(&folder).option("--repeats", "20").run().assert_success();
    let file = format!("file://{}", folder.output().with_extension("html").display());
    let pages = PAGES.iter().map(|page| format!("{file}#{page}"));
    let metric = "metric?metric=gym.rollout.completed_total";
    let looks = looks(&file, pages.chain([format!("{file}#{metric}")]).collect());
    for text in text_at(&looks, "#driver").chain(text_at(&looks, metric)) {
        assert!(text.contains(&(TASKS * 20).to_string()), "{text}");
    }
}

#[test]
fn without_a_page_there_is_none() {
    let folder = Folder::new(&tasks());
    let ended = Fleet::on(&folder).arg("--no-page").run();
    ended.assert_success();
    assert!(!ended.stderr.contains("the fleet is at"), "{}", ended.stderr);
    assert!(!folder.output().with_extension("html").exists());
}

/// Waits until it is known how often each process of a fleet exports, and so when it is gone.
fn wait_for_two_exports(address: &str) {
    let twice = |process: &Value| process["first_seen"].as_u64() < process["last_seen"].as_u64();
    let all_twice = |processes: &[Value]| processes.len() == 4 && processes.iter().all(twice);
    eventually("two exports of each process", || all_twice(get(address, "processes").as_array().unwrap()));
}

#[test]
fn a_server_that_was_killed_is_gone() {
    let (folder, model) = (Folder::new(&tasks()), HeldModel::start());
    let mut fleet = Fleet::on(&folder).option("--model-url", &model.url).option("--concurrency", "2").start();
    let address = address(&mut fleet);
    model.wait_until_asked(2);
    wait_for_two_exports(&address);
    fleet.signal_server("resources", Signal::Kill);
    eventually("one of them gone", || view(&address, "fleet")["gone"] == 1);
    let findings = view(&address, "findings").to_string();
    assert!(findings.contains("answer_verifier is gone"), "{findings}");
}

/// A page of its own, which outlives fleets that export to it.
struct Watch {
    collector: Collector,
    page: Page,
    address: String,
}

impl Watch {
    fn start() -> Self {
        let history = History::new(Default::default());
        let collector = Collector::start_observed(Default::default(), history.observer());
        let collector = RUNTIME.block_on(collector).unwrap();
        let page = RUNTIME.block_on(Page::start(Settings::new(), Source::new(history))).unwrap();
        let address = page.address().to_string();
        Self { collector, page, address }
    }

    /// A fleet that this sees.
    fn fleet(&self, folder: &Folder) -> Fleet {
        Fleet::on(folder).option("--otlp-endpoint", self.collector.grpc_endpoint())
    }

    /// Every value of a query, which has one line.
    fn values(&self, query: &str) -> Vec<f64> {
        let answer = get(&self.address, &format!("query?{query}"));
        let values = answer["lines"][0]["values"].as_array().into_iter().flatten();
        values.filter_map(Value::as_f64).collect()
    }

    fn end(self) {
        RUNTIME.block_on(self.page.shutdown());
        drop(RUNTIME.block_on(self.collector.shutdown()));
    }
}

#[test]
fn a_server_that_was_killed_and_comes_back_counts_on() {
    const RESPONSES: &str = "metric=gym.server.responses_total&where=nemo.gym.server.name:answer_verifier";
    let watch = Watch::start();
    let total = || watch.values(RESPONSES).last().copied().unwrap_or(0.0);
    let folder = Folder::new(&tasks());
    let doomed = watch.fleet(&folder).option("--repeats", "100000").start();
    eventually("some responses", || total() > 20.0);
    wait_for_two_exports(&watch.address);
    doomed.signal_server("resources", Signal::Kill);
    doomed.kill();
    eventually("all of them gone", || view(&watch.address, "fleet")["gone"] == 4);
    let before = total();

    watch.fleet(&Folder::new(&tasks())).option("--repeats", "20").run().assert_success();
    assert!(total() > before, "{} after {before}", total());
    let rates = watch.values(&format!("{RESPONSES}&select=rate&since=1h&step=1s"));
    assert!(rates.iter().all(|rate| *rate >= 0.0) && rates.iter().any(|rate| *rate > 0.0), "{rates:?}");
    let totals = watch.values(&format!("{RESPONSES}&since=1h&step=1s"));
    assert!(totals.is_sorted(), "{totals:?}");

    let root = watch.page.url();
    let metric = format!("{root}metric?{RESPONSES}&select=rate");
    let looks = looks(&root, vec![format!("{root}fleet"), metric]);
    for text in text_at(&looks, "fleet") {
        assert!(text.contains("gone") && text.contains("answer_verifier"), "{text}");
    }
    watch.end();
}

#[test]
fn a_python_process_is_shown_beside_those_in_rust() {
    let watch = Watch::start();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/export.py");
    if python(script, [watch.collector.http_endpoint()], b"").is_none() {
        return;
    }
    watch.fleet(&Folder::new(&tasks())).run().assert_success();

    let root = watch.page.url();
    let metric = "metric?metric=gym.server.responses_total&by=nemo.gym.server.name";
    let lines = &view(&watch.address, metric)["panels"];
    assert!(lines.to_string().contains("python_verifier"), "{lines}");
    for text in text_at(&looks(&root, vec![format!("{root}fleet")]), "/fleet") {
        for server in ["python_verifier", "simple_agent", "policy_model", "answer_verifier"] {
            assert!(text.contains(server), "{server} is not in:\n{text}");
        }
    }
    watch.end();
}

/// A history that knows of one export, and its page.
async fn page_of(metrics: Value, server: &str) -> (History, Page) {
    let history = History::new(Default::default());
    let mut store = Store::observed(Limits::default(), history.observer());
    let server = json!({ "key": "nemo.gym.server.name", "value": { "stringValue": server } });
    let request = json!({ "resourceMetrics": [{
        "resource": { "attributes": [server] }, "scopeMetrics": [{ "metrics": metrics }],
    }] });
    let request = request.to_string();
    store.apply(decode(request.as_bytes(), decode::Format::Json, request.len()).unwrap());
    let page = Page::start(Settings::new(), Source::new(history.clone())).await.unwrap();
    (history, page)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_value_is_enough_for_a_stack() {
    let level = |name: &str, value: &str| {
        let point = json!({ "asInt": value, "startTimeUnixNano": "1", "timeUnixNano": "2" });
        json!({ "name": name, "sum": { "aggregationTemporality": 2, "isMonotonic": false, "dataPoints": [point] } })
    };
    let metrics = json!([level("gym.driver.rollouts.resident", "5"), level("gym.driver.rollouts.active", "3")]);
    let (history, page) = page_of(metrics, "driver").await;
    // So that the value does not hold any longer.
    history.end(history.processes()[0].id);
    let root = page.url();
    let address = format!("{root}driver");
    let looks = tokio::task::spawn_blocking(move || looks(&root, vec![address])).await.unwrap();
    for look in looks {
        assert_eq!((&look["charts"], &look["filled"]), (&json!(1), &json!(1)));
    }
    page.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_processes_send_is_text_to_the_browser() {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}";
    let outcome = json!({ "key": "nemo.gym.rollout.outcome", "value": { "stringValue": evil } });
    let point = json!({
        "asInt": "7", "startTimeUnixNano": "1", "timeUnixNano": "2", "attributes": [outcome],
    });
    let sum = json!({ "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [point] });
    let metrics = json!([{ "name": "gym.rollout.completed_total", "description": evil, "sum": sum }]);
    let (_, page) = page_of(metrics, evil).await;
    let root = page.url();
    let addresses = PAGES.map(|page| format!("{root}{page}")).into();
    let looks = tokio::task::spawn_blocking(move || looks(&root, addresses)).await.unwrap();
    for text in text_at(&looks, "/driver") {
        assert!(text.contains("<script>alert(1)</script><img src=x onerror=alert(2)>\\u{202e}"), "{text}");
    }
    page.shutdown().await;
}
