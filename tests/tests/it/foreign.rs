//! What a fleet sends, as backends see it that are not ours.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Bytes, extract::State, routing::post};
use gym_telemetry_tests::{Rotel, python};
use tokio::net::TcpListener;

use crate::support::{Books, CALCULATIONS, Fleet, Folder, RUNTIME, TASKS, collector, read_state, tasks};

const REPEATS: usize = 10;

/// A fleet that exports elsewhere.
fn fleet(folder: &Folder, endpoint: &str) -> Fleet {
    Fleet::on(folder).option("--repeats", REPEATS.to_string()).option("--otlp-endpoint", endpoint)
}

#[test]
fn accounts_settle_behind_rotel() {
    let (folder, collector) = (Folder::new(&tasks()), collector());
    let Some(rotel) = Rotel::start(&collector.http_endpoint()) else { return };
    fleet(&folder, rotel.url()).run().assert_success();
    rotel.stop();
    let books = Books::with(&folder, RUNTIME.block_on(collector.shutdown()));
    books.settle_flawless(TASKS * REPEATS, CALCULATIONS * REPEATS);
}

/// Keeps what is sent to it, byte by byte.
#[derive(Debug, Clone, Default)]
struct Bodies(Arc<Mutex<Vec<Bytes>>>);

impl Bodies {
    /// Starts to listen, and says where.
    fn listen(&self) -> String {
        let keep = async |State(Self(bodies)): State<Self>, body: Bytes| bodies.lock().unwrap().push(body);
        let routes = Router::new().route("/v1/metrics", post(keep)).with_state(self.clone());
        let listener = RUNTIME.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        RUNTIME.spawn(async { axum::serve(listener, routes).await });
        url
    }

    /// Writes each to a file of its own.
    fn write(&self, folder: &Folder) -> Vec<PathBuf> {
        let bodies = self.0.lock().unwrap();
        let files = bodies.iter().enumerate().map(|(number, body)| {
            let file = folder.path().join(format!("{number}.pb"));
            fs::write(&file, body).map(|()| file).unwrap()
        });
        files.collect()
    }
}

#[test]
fn accounts_settle_as_python_decodes_them() {
    let (folder, bodies) = (Folder::new(&tasks()), Bodies::default());
    let fleet = fleet(&folder, &bodies.listen()).env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    fleet.run().assert_success();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/decode.py");
    let Some(json) = python(script, bodies.write(&folder), b"") else { return };
    let books = Books::with(&folder, read_state(&json));
    books.settle_flawless(TASKS * REPEATS, CALCULATIONS * REPEATS);
}

#[test]
fn python_reads_the_metrics_file() {
    let folder = Folder::new(&tasks());
    Fleet::on(&folder).option("--metrics-json", folder.metrics()).run().assert_success();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/decode.py");
    let Some(json) = python(script, [folder.metrics()], b"") else { return };
    Books::with(&folder, read_state(&json)).settle_flawless(TASKS, CALCULATIONS);
}
