//! A collector, a page before it, and a client that says just what a test wants it to.

use std::net::SocketAddr;

use gym_telemetry_collector::Collector;
use gym_telemetry_dashboard::{
    history::History,
    page::{Page, Settings, Source},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

/// A page that is fed by a collector.
pub(crate) struct Stage {
    pub(crate) collector: Collector,
    pub(crate) history: History,
    pub(crate) source: Source,
    pub(crate) page: Page,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with(Settings::new()).await
    }

    pub(crate) async fn with(settings: Settings) -> Self {
        let history = History::new(Default::default());
        let collector = Collector::start_observed(Default::default(), history.observer()).await.unwrap();
        let [state, counts] = [collector.reader(), collector.reader()];
        let source = Source::new(history.clone()).with_state(move || state.state());
        let source = source.with_counts(move || counts.counts());
        let page = Page::start(settings, source.clone()).await.unwrap();
        Self { collector, history, source, page }
    }

    /// Exports one point of a counter of the server `policy_model`.
    pub(crate) async fn export(&self, metric: &str, value: u64, attributes: &[(&str, &str)]) {
        self.export_in("", metric, value, attributes).await;
    }

    /// The same in a unit.
    pub(crate) async fn export_in(&self, unit: &str, metric: &str, value: u64, attributes: &[(&str, &str)]) {
        let attributes: Vec<_> = attributes.iter().map(|(key, value)| attribute(key, value)).collect();
        let point = json!({ "asInt": value.to_string(), "attributes": attributes });
        let sum = json!({ "aggregationTemporality": 2, "isMonotonic": true, "dataPoints": [at_present(point)] });
        self.export_metric(json!({ "name": metric, "unit": unit, "description": "What it counts.", "sum": sum })).await;
    }

    /// Exports a metric as it is, of the same server.
    pub(crate) async fn export_metric(&self, metric: Value) {
        self.export_of("policy_model", metric).await;
    }

    /// Exports a metric of a server.
    pub(crate) async fn export_of(&self, server: &str, metric: Value) {
        let server = [attribute("nemo.gym.server.name", server), attribute("service.name", "model")];
        let request = json!({ "resourceMetrics": [{
            "resource": { "attributes": server },
            "scopeMetrics": [{ "scope": { "name": "test" }, "metrics": [metric] }],
        }] });
        let body = request.to_string();
        let head = format!(
            "POST /v1/metrics HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n",
            body.len()
        );
        let reply = send(self.collector.http_address(), &(head + &body)).await;
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    /// Asks as a browser on this machine does.
    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.get_with(path, &[]).await
    }

    /// Asks with these headers; without one among them, the host is the page's address.
    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        let address = self.page.address();
        let mut request = format!("GET {path} HTTP/1.1\r\nconnection: close\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            request += &format!("host: {address}\r\n");
        }
        headers.iter().for_each(|(name, value)| request += &format!("{name}: {value}\r\n"));
        send(address, &(request + "\r\n")).await
    }

    /// The JSON at a path.
    pub(crate) async fn json(&self, path: &str) -> Value {
        let reply = self.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        serde_json::from_str(&reply.body).unwrap()
    }
}

/// A point of the present.
pub(crate) fn at_present(mut point: Value) -> Value {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    point["startTimeUnixNano"] = "1".into();
    point["timeUnixNano"] = now.to_string().into();
    point
}

fn attribute(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find_map(|(key, value)| key.eq_ignore_ascii_case(name).then_some(value))
    }
}

/// Sends a request and reads all that comes.
pub(crate) async fn send(address: SocketAddr, request: &str) -> Reply {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Reply { status, head: head.to_owned(), body: body.to_owned() }
}

/// The first item of a panel's numbers that is called so.
pub(crate) fn number<'a>(view: &'a Value, label: &str) -> &'a Value {
    let items = view["panels"].as_array().unwrap().iter().filter_map(|panel| panel["items"].as_array()).flatten();
    items.into_iter().find(|item| item["label"] == label).unwrap()
}
