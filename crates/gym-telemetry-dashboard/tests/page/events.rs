//! Following a view.

use std::time::Duration;

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines},
    net::TcpStream,
    time::timeout,
};

use crate::support::{Stage, number};

/// Longer than anything takes that is going to end at all.
const LONG: Duration = Duration::from_secs(60);

struct Follower(Lines<BufReader<TcpStream>>);

impl Follower {
    async fn new(stage: &Stage) -> Self {
        let mut stream = TcpStream::connect(stage.page.address()).await.unwrap();
        stream.write_all(b"GET /api/v1/events/fleet HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        Self(BufReader::new(stream).lines())
    }

    /// The next view; nothing at the end.
    async fn next(&mut self) -> Option<Value> {
        while let Some(line) = timeout(LONG, self.0.next_line()).await.unwrap().ok().flatten() {
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
        }
        None
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_shown_by_itself() {
    let stage = Stage::new().await;
    let mut follower = Follower::new(&stage).await;
    assert_eq!(follower.next().await.unwrap()["reporting"], 0);
    stage.export("gym.rollout.completed_total", 3, &[]).await;
    loop {
        let view = follower.next().await.unwrap();
        if number(&view, "rollouts completed")["value"] == 3.0 {
            break;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_is_told_as_well() {
    let stage = Stage::new().await;
    let mut follower = Follower::new(&stage).await;
    let first = follower.next().await.unwrap();
    let second = follower.next().await.unwrap();
    assert_eq!(first["revision"], second["revision"]);
    assert!(second["time"].as_u64() > first["time"].as_u64());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_ends_those_who_follow() {
    let stage = Stage::new().await;
    let mut follower = Follower::new(&stage).await;
    follower.next().await.unwrap();
    stage.page.shutdown().await;
    while follower.next().await.is_some() {}
}

#[tokio::test(flavor = "multi_thread")]
async fn only_so_many_may_follow() {
    let stage = Stage::new().await;
    let mut followers = Vec::new();
    for _ in 0..64 {
        let mut follower = Follower::new(&stage).await;
        follower.next().await.unwrap();
        followers.push(follower);
    }
    assert_eq!(stage.get("/api/v1/events/fleet").await.status, 503);
    assert_eq!(stage.get("/api/v1/views/fleet").await.status, 200);
}
