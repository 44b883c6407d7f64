//! The command as a process, and a client for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// Everything on free ports.
pub(crate) const FREE: [&str; 6] = ["--listen", "127.0.0.1:0", "--grpc", "127.0.0.1:0", "--page", "127.0.0.1:0"];

/// A running command, killed when it is dropped.
pub(crate) struct Dashboard {
    child: Child,
    /// What it says it listens on, by name.
    addresses: Vec<(String, String)>,
}

impl Dashboard {
    /// Starts it and waits until it says where its page is.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut child = command(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut addresses = Vec::new();
        for line in lines {
            let line = line.unwrap();
            let (name, address) = line.split_once(' ').unwrap();
            addresses.push((name.to_owned(), address.trim().to_owned()));
            if name == "page" {
                break;
            }
        }
        Self { child, addresses }
    }

    /// Where it listens for this.
    fn address(&self, name: &str) -> &str {
        let (_, address) = self.addresses.iter().find(|(held, _)| held == name).expect("it says so");
        address.strip_prefix("http://").unwrap().trim_end_matches('/')
    }

    /// Sends an export in JSON.
    pub(crate) fn export(&self, body: &str) -> String {
        self.post("application/json", "", body.as_bytes())
    }

    /// Sends a body to where metrics go.
    pub(crate) fn post(&self, content_type: &str, headers: &str, body: &[u8]) -> String {
        let length = body.len();
        let head = format!(
            "POST /v1/metrics HTTP/1.1\r\ncontent-type: {content_type}\r\ncontent-length: {length}\r\n{headers}"
        );
        ask(self.address("OTLP/HTTP"), &head, body)
    }

    /// What the page answers.
    pub(crate) fn page(&self, path: &str) -> String {
        ask(self.address("page"), &format!("GET {path} HTTP/1.1\r\n"), &[])
    }

    /// Kills it, without a chance to tidy up.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Whether it is still running.
    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gym-dashboard"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs it to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

fn ask(address: &str, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.write_all(format!("{head}host: {address}\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
    // What is refused early is not read to its end.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// An export of one gauge in JSON.
pub(crate) fn gauge(process: &str, metric: &str, value: f64) -> String {
    let resource = format!(r#"{{"attributes":[{{"key":"service.name","value":{{"stringValue":"{process}"}}}}]}}"#);
    let data = format!(r#"{{"name":"{metric}","gauge":{{"dataPoints":[{{"asDouble":{value}}}]}}}}"#);
    format!(r#"{{"resourceMetrics":[{{"resource":{resource},"scopeMetrics":[{{"metrics":[{data}]}}]}}]}}"#)
}
