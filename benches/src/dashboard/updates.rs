use std::time::Duration;

use anyhow::{Result, ensure};
use gym_telemetry_collector::Store;
use gym_telemetry_collector::decode::{Format, decode};
use gym_telemetry_dashboard::{
    history::{History, Settings as Retention},
    page::{Page, Settings, Source},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    runtime::Builder,
};

use super::{
    bench::{BENCH, processor_time},
    exports::Exporter,
};
use crate::{
    bench::Findings,
    measure::median,
    table::{Cell, Table},
    tell,
};

const PROCESSES: u64 = 50;
const SERIES: usize = 100;

/// As far back as a page looks unless told otherwise.
const SECONDS: u64 = 300;

const MOST_BYTES: usize = 4 << 20;

const VIEWS: [&str; 5] = ["fleet", "driver", "memory", "startup", "findings"];

const TITLE: &str = "What a page costs each time that it is brought up to date, with 5 000 series of 50 processes and \
                     the last five minutes\nin view: processor time of a request for it, the little that its reader takes \
                     included, the median of all rounds.";

pub(super) fn measure(rounds: usize) -> Result<Findings> {
    tell(&format!("dashboard: {rounds} updates of each page"));
    let history = history()?;
    let columns = &["page", "ms", "kB"];
    let mut table = Table::new(BENCH.name, columns);
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let page = Page::start(Settings::new(), Source::new(history)).await?;
        for view in VIEWS {
            let mut updates = Vec::new();
            for _ in 0..rounds {
                let before = processor_time();
                let length = get(&page, &format!("/api/v1/views/{view}")).await?;
                updates.push((processor_time().saturating_sub(before), length));
            }
            let time = median(updates.iter().map(|(time, _): &(Duration, usize)| time.as_secs_f64() * 1e3));
            let length = median(updates.iter().map(|(_, length)| *length as f64 / 1e3));
            table.row([view.into(), Cell::Figure(time, 1), Cell::Figure(length, 0)]);
        }
        page.shutdown().await;
        anyhow::Ok(())
    })?;
    Ok(table.findings(TITLE))
}

/// What the processes have exported.
fn history() -> Result<History> {
    let history = History::new(Retention::new());
    let mut store = Store::observed(Retention::new().limits(), history.observer());
    let end = history.now();
    let start = end * 1_000_000 - SECONDS * 1_000_000_000;
    let exporters: Vec<_> = (0..PROCESSES).map(|seed| Exporter::new(seed, SERIES, start)).collect();
    for second in 1..=SECONDS {
        history.set_clock(end - (SECONDS - second) * 1000);
        for exporter in &exporters {
            store.apply(decode(&exporter.export(second), Format::Protobuf, MOST_BYTES)?);
        }
    }
    Ok(history)
}

/// Asks for a path; the length of the answer.
async fn get(page: &Page, path: &str) -> Result<usize> {
    let mut stream = TcpStream::connect(page.address()).await?;
    let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    ensure!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
    Ok(answer.len())
}
