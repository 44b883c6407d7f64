//! What a collection of ten thousand series takes, and whether requests notice it.

use std::{
    hint,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Instant,
};

use anyhow::Result;
use serde::Serialize;
use tower_layer::Layer as _;

use super::{
    series::{Many, SERIES, Sdk},
    stacks::{NAME, around, http_layer, router},
};
use crate::{bench::Findings, measure::median, subject::Subject};

/// How many requests are timed at once.
const REQUESTS: u64 = 20_000;

#[derive(Debug, Serialize)]
struct Collection {
    bench: &'static str,
    stack: &'static str,
    series: usize,
    /// A collection in which every series has a new sample, and one in which none has.
    all_new_ms: f64,
    none_new_ms: f64,
    /// The latter of as many series that are the SDK's alone.
    sdk_none_new_ms: f64,
    /// How long a request takes while another thread collects without pause, by how long while it only spins.
    request_time_ratio: f64,
}

pub(super) fn findings(rounds: usize) -> Result<Findings> {
    let fleet = Many::new();
    let requests = around("requests", http_layer(&fleet.recorder).layer(router()));
    requests.run(REQUESTS);
    fleet.record();
    let sdk = Sdk::like(&fleet.reader.collected()?);
    let (mut all_new, mut none_new, mut sdk_none_new, mut ratios) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        fleet.record();
        all_new.push(fleet.reader.time()?);
        none_new.push(fleet.reader.time()?);
        sdk_none_new.push(sdk.reader.time()?);
        let spinning = beside(&requests, hint::spin_loop);
        let collecting = beside(&requests, || drop(fleet.reader.collected()));
        ratios.push(collecting / spinning);
    }
    let found = Collection {
        bench: NAME,
        stack: "collection",
        series: SERIES,
        all_new_ms: median(all_new.into_iter()),
        none_new_ms: median(none_new.into_iter()),
        sdk_none_new_ms: median(sdk_none_new.into_iter()),
        request_time_ratio: median(ratios.into_iter()),
    };
    let text = format!(
        "A collection of {SERIES} series of the HTTP conventions takes {:.2} ms when each has a new sample and {:.2} ms \
         when\nnone has; one of as many that are the SDK's alone, without any new sample, takes {:.2} ms. While \
         another thread\ncollects without pause, a request takes {:.2} times what it takes while that thread only \
         spins.\n",
        found.all_new_ms, found.none_new_ms, found.sdk_none_new_ms, found.request_time_ratio
    );
    Ok(Findings { text, json: vec![serde_json::to_string(&found)?] })
}

/// How long requests take while another thread does something over and over.
fn beside(requests: &Subject, other: impl Fn() + Sync) -> f64 {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                other();
            }
        });
        let since = Instant::now();
        requests.run(REQUESTS);
        let took = since.elapsed().as_secs_f64();
        done.store(true, Ordering::Relaxed);
        took
    })
}
