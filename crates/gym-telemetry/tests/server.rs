//! A binary of its own, because what a server is refused belongs to the process.
#![cfg(test)]

use std::sync::{Arc, Mutex};

use gym_telemetry::{Settings, Supervisor, Telemetry, conventions::ServerType};
use tracing_subscriber::fmt::MakeWriter;

/// A log that can be read.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

fn start(server_type: ServerType) -> Telemetry {
    Telemetry::builder(Settings::default()).server("math", server_type.as_str()).start().unwrap()
}

#[test]
fn a_server_cannot_speak_for_the_fleet_and_the_log_says_so() {
    let log = Log::default();
    tracing_subscriber::fmt().with_writer(log.clone()).init();
    let _orchestrator = start(ServerType::Orchestrator);
    let _server = start(ServerType::Resources);
    assert!(log.0.lock().unwrap().is_empty());
    assert!(Supervisor::claim().is_none());
    let said = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("refused to report the number of servers") && said.contains("is a server"), "{said}");
}
