use std::{fs, path::Path, sync::Arc, time::Duration};

use gym_telemetry::{Settings, Telemetry, conventions::metrics};
use gym_telemetry_collector::{Collector, Snapshot};
use tokio::process::Command;

use super::{process::SandboxError, provider::SandboxCommand, *};
use crate::verifier::Question;

/// Sandboxes in which a shell script runs, and what is counted of them.
struct Scripted {
    sandboxes: Arc<Sandboxes>,
    telemetry: Telemetry,
    collector: Collector,
}

impl Scripted {
    async fn new(script: &str) -> Self {
        let collector = Collector::start(Default::default()).await.unwrap();
        let mut settings = Settings::default();
        settings.enabled = true;
        settings.otlp_endpoint = Some(collector.grpc_endpoint());
        let telemetry = Telemetry::start(settings).unwrap();
        let script = script.to_owned();
        let command = SandboxCommand(Box::new(move || {
            let mut command = Command::new("/bin/sh");
            command.args(["-c", &script]);
            command
        }));
        let sandboxes = Arc::new(Sandboxes::running(command, telemetry.sandboxes()));
        Self { sandboxes, telemetry, collector }
    }

    async fn ask(&self) -> Result<crate::tasks::Row, SandboxError> {
        self.sandboxes.ask(&Question::Recorded { reward: None }).await
    }

    /// How many started, how many starts were tried again, how many commands ran, how many are held.
    async fn counted(self) -> [f64; 4] {
        let Self { sandboxes, telemetry, collector } = self;
        let ended = tokio::task::spawn_blocking(move || telemetry.shutdown(Duration::from_secs(60)));
        ended.await.unwrap().unwrap();
        drop(sandboxes);
        let state = collector.shutdown().await;
        let sum = |name| state.sum(name, |_| true);
        let retries = sum(metrics::SANDBOX_CREATE_RETRY_TOTAL.name);
        let samples = |name| samples(&state, name);
        let started = samples(metrics::SANDBOX_STARTUP_DURATION_MS.name);
        [started, retries, samples(metrics::SANDBOX_EXEC_DURATION_MS.name), sum(metrics::SANDBOX_ACTIVE.name)]
    }
}

fn samples(state: &Snapshot, name: &str) -> f64 {
    state.histograms(name, |_| ()).get(&()).map_or(0.0, |seen| seen.count as f64)
}

/// Waits until a file holds a line, and returns it.
async fn line_of(file: &Path) -> String {
    let written = async {
        loop {
            match fs::read_to_string(file) {
                Ok(line) if line.ends_with('\n') => return line.trim().to_owned(),
                _ => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(120), written).await.unwrap()
}

const READY: &str = r#"echo '"ready"'; "#;

#[tokio::test]
async fn a_sandbox_is_used_again_until_it_is_released() {
    let scripted = Scripted::new(&format!("{READY} while read -r question; do echo '{{\"reward\":1}}'; done")).await;
    for _ in 0..3 {
        assert_eq!(scripted.ask().await.unwrap()["reward"], 1);
    }
    scripted.sandboxes.release();
    assert_eq!(scripted.counted().await, [1.0, 0.0, 3.0, 0.0]);
}

#[tokio::test]
async fn one_that_died_while_it_was_free_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!("{READY} echo $$ > {}; while read -r question; do echo '{{}}'; done", pid.display());
    let scripted = Scripted::new(&script).await;
    scripted.ask().await.unwrap();
    let killed = Command::new("kill").args(["-9", &line_of(&pid).await]).status().await.unwrap();
    assert!(killed.success());
    // Until the kernel has ended it, the question may still reach it.
    while scripted.ask().await.is_err() {}
    scripted.sandboxes.release();
    let [started, _, _, held] = scripted.counted().await;
    assert_eq!((started, held), (2.0, 0.0));
}

#[tokio::test]
async fn a_start_that_fails_is_tried_again_and_leaves_no_sandbox() {
    let scripted = Scripted::new("exit 1").await;
    assert!(matches!(scripted.ask().await, Err(SandboxError::Ended)));
    assert_eq!(scripted.counted().await, [0.0, 2.0, 0.0, 0.0]);
}

#[tokio::test]
async fn what_brings_no_answer_costs_the_sandbox() {
    let scripted = Scripted::new(&format!("{READY} read -r question; exit 0")).await;
    assert!(matches!(scripted.ask().await, Err(SandboxError::Ended)));
    assert_eq!(scripted.counted().await, [1.0, 0.0, 1.0, 0.0]);

    let scripted = Scripted::new(&format!("{READY} read -r question; head -c 2000000 /dev/zero")).await;
    assert!(matches!(scripted.ask().await, Err(SandboxError::TooMuch)));
    assert_eq!(scripted.counted().await, [1.0, 0.0, 1.0, 0.0]);

    let scripted = Scripted::new(&format!("{READY} read -r question; echo no json")).await;
    assert!(matches!(scripted.ask().await, Err(SandboxError::NoAnswer(_))));
    assert_eq!(scripted.counted().await, [1.0, 0.0, 1.0, 0.0]);
}

#[tokio::test]
async fn who_gives_up_kills_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let script = format!("{READY} read -r question; echo $$ > {}; exec sleep 1000", pid.display());
    let scripted = Scripted::new(&script).await;
    let sandboxes = Arc::clone(&scripted.sandboxes);
    let asking = tokio::spawn(async move { sandboxes.ask(&Question::Recorded { reward: None }).await });
    let pid = line_of(&pid).await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    let ended = async {
        while Command::new("kill").args(["-0", &pid]).output().await.unwrap().status.success() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), ended).await.unwrap();
    assert_eq!(scripted.counted().await, [1.0, 0.0, 1.0, 0.0]);
}
