use std::{
    net::{TcpListener, TcpStream},
    process::{Child, Command, Stdio},
};

use crate::{eventually, missing};

/// A `rotel` collector that takes OTLP over gRPC and hands it on over HTTP.
#[derive(Debug)]
#[must_use = "a collector that is dropped is killed"]
pub struct Rotel {
    url: String,
    process: Child,
}

impl Rotel {
    /// Starts it before a receiver; `None` where it is not installed.
    ///
    /// # Panics
    ///
    /// When it is installed and does not start.
    pub fn start(behind: &str) -> Option<Self> {
        let find = "import os, rotel; print(os.path.join(os.path.dirname(rotel.__file__), 'rotel-agent'))";
        let found = Command::new("python3").args(["-c", find]).stderr(Stdio::null()).output();
        let Some(found) = found.ok().filter(|found| found.status.success()) else {
            missing("rotel");
            return None;
        };
        let agent = String::from_utf8(found.stdout).unwrap();
        // It does not take port 0, so it is given ports that were free a moment ago, and others if they are taken.
        let rotel = (0..5).find_map(|_| Self::spawn(agent.trim(), behind));
        assert!(rotel.is_some(), "rotel does not start");
        rotel
    }

    /// Starts it on ports that seem to be free; `None` if it ends at once.
    fn spawn(agent: &str, behind: &str) -> Option<Self> {
        let free = || TcpListener::bind("127.0.0.1:0").unwrap();
        let [grpc, http] = [free(), free()].map(|listener| listener.local_addr().unwrap().to_string());
        let mut process = Command::new(agent)
            .args(["start", "--disable-batching", "--otlp-grpc-endpoint", &grpc, "--otlp-http-endpoint", &http])
            .args(["--exporter", "otlp", "--otlp-exporter-protocol", "http", "--otlp-exporter-endpoint", behind])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut ended = false;
        eventually("rotel listening", || {
            ended = process.try_wait().unwrap().is_some();
            ended || TcpStream::connect(&grpc).is_ok()
        });
        (!ended).then(|| Self { url: format!("http://{grpc}"), process })
    }

    /// Where it takes OTLP over gRPC.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Lets it hand on what it has, and end.
    ///
    /// # Panics
    ///
    /// When it does not end well.
    pub fn stop(mut self) {
        let told = Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(told.success() && self.process.wait().unwrap().success(), "rotel did not end well");
    }
}

impl Drop for Rotel {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
