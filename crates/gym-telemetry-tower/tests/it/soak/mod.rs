//! Many requests over sockets, from clients that cancel, reset and provoke panics at random, and keep their own truth:
//! in the end every total is the clients', exactly.
//!
//! The long form, `cargo xtask soak`, is the same test with more requests: `SOAK_REQUESTS` says how many, `SOAK_SEED`
//! repeats a run.

mod client;
mod server;
mod truth;

use std::{env, sync::Arc, time::Duration};

use crate::support::{Kind, Observed, Server};

use self::{client::Client, server::Gates, truth::Truth};

/// Clients that run at a time, every other one over HTTP/2.
const CLIENTS: usize = 16;

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| text.parse().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_total_is_the_clients() {
    let (requests, seed) = (number("SOAK_REQUESTS", 4_000), number("SOAK_SEED", 20_251_129));
    println!("{requests} requests, seed {seed}");
    let (observed, gates) = (Arc::new(Observed::with_http()), Gates::new(CLIENTS));
    let server = Server::start(Kind::Hyper, server::routes(&gates).metered(observed.layer()).unwrap()).await;

    let watch = tokio::spawn(watch(Arc::clone(&observed), requests));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|number| {
            let client = Client::new(number, seed, server.address, Arc::clone(&gates));
            let share = requests / CLIENTS as u64 + u64::from((number as u64) < requests % CLIENTS as u64);
            tokio::spawn(client.run(share))
        })
        .collect();
    let mut truth = Truth::default();
    for client in clients {
        truth.add(client.await.unwrap());
    }
    observed.settled(requests).await;
    // It ends before the check: exports at the same time would lie in one list, and count twice.
    watch.abort();
    let ended = watch.await.unwrap_err();
    assert!(ended.is_cancelled(), "what was seen on the way: {ended:?}");
    truth.check(&observed);
}

/// Looks at the totals, and exports them, while they change; says how far they are.
async fn watch(observed: Arc<Observed>, requests: u64) {
    let mut said = 0;
    loop {
        let seen = observed.seen();
        let percent = seen.received * 100 / requests;
        if percent >= said + 5 {
            said = percent;
            println!("{percent} %: {} requests", seen.received);
        }
        let before_head = seen.cancelled_in(gym_telemetry_conventions::RequestPhase::BeforeResponseStart);
        assert!(seen.responses_total() + before_head + seen.unhandled <= seen.received, "{seen:?}");
        assert!(seen.in_flight <= CLIENTS as u64 * 2, "{seen:?}");
        observed.export();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
