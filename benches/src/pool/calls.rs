use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    time::Duration,
};

use anyhow::Result;
use gym_telemetry::hyper::Limits;
use http::Uri;
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinSet,
};

use super::{
    clients::{self, Legacy, Pooled, get, read},
    server,
};
use crate::{child::Child, subject::Subject};

/// Limits that nothing here comes near to.
pub(super) const WIDE: Limits = Limits::new().total(100_000).per_host(10_000);

const IDLE: Duration = Duration::from_secs(90);

/// Calls by each client, at several degrees of concurrency.
pub(super) fn subjects() -> Result<Vec<Subject>> {
    let server = Arc::new(Child::start(server::NAME)?);
    let legacy = |name, hosts, at_once| bare(name, Calls::new(&server, hosts, at_once)?);
    let ours = |name, hosts, at_once, limits| ours(name, Calls::new(&server, hosts, at_once)?, limits);
    let reqwest = |name, at_once| reqwest(name, Calls::new(&server, 1, at_once)?);
    let (legacy_1, legacy_64) = ("legacy client, 1 call at once", "legacy client, 64 at once");
    let ours_64 = "ours, limits that never bind, 64 at once";
    Ok(vec![
        legacy(legacy_1, 1, 1)?,
        ours("ours, limits that never bind, 1 at once", 1, 1, WIDE)?.above(legacy_1),
        reqwest("reqwest, 1 at once", 1)?.above(legacy_1),
        legacy(legacy_64, 1, 64)?,
        ours(ours_64, 1, 64, WIDE)?.above(legacy_64),
        ours("ours, 64 at once over 8 connections", 1, 64, Limits::new().per_host(8))?.above(legacy_64),
        reqwest("reqwest, 64 at once", 64)?.above(legacy_64),
        legacy("legacy client, 64 at once, 1 000 hosts", 1_000, 64)?.above(legacy_64),
        ours("ours, 64 at once, 1 000 hosts", 1_000, 64, WIDE)?.above(ours_64),
    ])
}

fn bare(name: &'static str, calls: Calls) -> Result<Subject> {
    let client: Legacy = clients::legacy(calls.server.address(), IDLE);
    Ok(calls.subject(name, move |uri| {
        let answer = client.request(get(uri));
        async { read(answer.await?.into_body()).await }
    }))
}

fn ours(name: &'static str, calls: Calls, limits: Limits) -> Result<Subject> {
    let client: Pooled = clients::pooled(calls.server.address(), limits, IDLE);
    Ok(calls.subject(name, move |uri| {
        let answer = client.request(get(uri));
        async { read(answer.await?.into_body()).await }
    }))
}

fn reqwest(name: &'static str, calls: Calls) -> Result<Subject> {
    let client = clients::reqwest(calls.server.address())?;
    let url: reqwest::Url = calls.hosts[0].to_string().parse()?;
    Ok(calls.subject(name, move |_| {
        let answer = client.get(url.clone()).send();
        async {
            answer.await?.bytes().await?;
            Ok(())
        }
    }))
}

/// Calls to be made on a runtime of their own, so many at once, to one host after the other.
#[derive(Debug)]
struct Calls {
    server: Arc<Child>,
    runtime: Runtime,
    hosts: Arc<[Uri]>,
    at_once: usize,
}

impl Calls {
    fn new(server: &Arc<Child>, hosts: usize, at_once: usize) -> Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let hosts = clients::hosts(server.address(), hosts)?.into();
        Ok(Self { server: Arc::clone(server), runtime, hosts, at_once })
    }

    fn subject<C, F>(self, name: &'static str, call: C) -> Subject
    where
        C: Fn(Uri) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Result<()>> + Send + 'static,
    {
        Subject::new(name, move |events| self.make(events, &call)).alone()
    }

    #[expect(clippy::expect_used, reason = "what fails is not to be measured")]
    fn make<C, F>(&self, events: u64, call: &C)
    where
        C: Fn(Uri) -> F + Clone + Send + 'static,
        F: Future<Output = Result<()>> + Send + 'static,
    {
        let events = usize::try_from(events).expect("a number of calls");
        let next = Arc::new(AtomicUsize::new(0));
        let mut callers = JoinSet::new();
        for _ in 0..self.at_once {
            let (next, hosts, call) = (Arc::clone(&next), Arc::clone(&self.hosts), call.clone());
            let take = move || Some(next.fetch_add(1, Relaxed)).filter(|number| *number < events);
            let caller = async move {
                while let Some(number) = take() {
                    call(hosts[number % hosts.len()].clone()).await?;
                }
                Ok(())
            };
            callers.spawn_on(caller, self.runtime.handle());
        }
        let results: Result<()> = self.runtime.block_on(callers.join_all()).into_iter().collect();
        results.expect("every call is answered");
    }
}
