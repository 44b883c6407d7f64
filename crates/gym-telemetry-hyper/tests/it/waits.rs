//! Who waits, for which limit, and how that ends.

use std::time::Duration;

use gym_telemetry_hyper::{CallError, Destination, Limits, PooledClient};

use crate::support::{Accounts, Client, Server, client, get, poll_once, text, until, within};

#[tokio::test]
async fn without_a_queue_there_is_no_sample() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().total(1).per_host(1));
    for _ in 0..10 {
        assert_eq!(text(client.request(get(server.url("/"))).await).await, "hi");
    }
    assert_eq!((accounts.attempts(), accounts.waits()), (10, vec![]));
    assert_eq!(accounts.connects(), (1, 0), "the other nine reused it");
}

/// Holds the limits' only slot of a host, waits behind it, and lets go.
async fn one_wait(limits: Limits) -> Vec<(&'static str, &'static str, u64)> {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, limits);
    let first = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.requests().len() == 1).await;
    let second = tokio::spawn(client.request(get(server.url("/"))));
    until(|| client.snapshot().waiting == 1).await;
    server.release(1);
    for call in [first, second] {
        text(within(call).await.unwrap()).await;
    }
    assert_eq!((accounts.attempts(), accounts.connects()), (2, (1, 0)));
    accounts.waits()
}

#[tokio::test]
async fn a_wait_is_attributed_to_the_limit_that_bound() {
    assert_eq!(one_wait(Limits::new().per_host(1)).await, [("per_host", "ok", 1)], "without a total");
    assert_eq!(one_wait(Limits::new().total(2).per_host(1)).await, [("per_host", "ok", 1)]);
    assert_eq!(one_wait(Limits::new().total(1)).await, [("total", "ok", 1)]);
    assert_eq!(one_wait(Limits::new().total(1).per_host(1)).await, [("total", "ok", 1)], "the total comes first");
}

#[tokio::test]
async fn of_two_hosts_each_waits_for_its_own_reason_and_neither_for_the_other() {
    let accounts = Accounts::new();
    let (one, two) = (Server::start().await, Server::start_at([127, 0, 0, 2]).await);
    let client = client(&accounts, Limits::new().total(3).per_host(2));
    let call = |server: &Server, path| {
        let call = client.request(get(server.url(path)));
        tokio::spawn(async { text(call.await).await })
    };
    let mut calls = vec![call(&one, "/held"), call(&one, "/held")];
    until(|| one.requests().len() == 2).await;
    calls.push(call(&one, "/third"));
    until(|| client.snapshot().waiting == 1).await;
    calls.push(call(&two, "/held"));
    until(|| two.requests().len() == 1).await; // not held up by who waits for the other host
    calls.push(call(&two, "/second"));
    until(|| client.snapshot().waiting == 2).await;

    two.release(1);
    until(|| two.requests().len() == 2).await; // again: the one that came before waits for its host
    assert_eq!(one.requests(), ["/held", "/held"]);
    one.release(2);
    for call in calls {
        within(call).await.unwrap();
    }
    assert_eq!(accounts.waits(), [("total", "ok", 1), ("per_host", "ok", 1)]);
}

#[tokio::test]
async fn a_wait_that_ran_out_of_time_and_a_retry_are_two_samples_and_three_attempts_with_the_first() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let after = Duration::from_secs(3_600);
    let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().per_host(1));
    let client: Client = builder.destination("policy_model").acquire_timeout(after).build_http();
    let held = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.requests().len() == 1).await;

    tokio::time::pause(); // the next timer fires as soon as nothing else is to be done
    let error = client.request(get(server.url("/"))).await.unwrap_err();
    tokio::time::resume();
    assert!(matches!(error, CallError::AcquireTimeout { after: given } if given == after));
    assert_eq!(error.to_string(), "no connection slot was free within 3600000 ms");

    let retry = tokio::spawn(client.request(get(server.url("/"))));
    until(|| client.snapshot().waiting == 1).await;
    server.release(1);
    for call in [held, retry] {
        text(within(call).await.unwrap()).await;
    }
    assert_eq!((accounts.attempts(), client.snapshot().held), (3, 0));
    assert_eq!(accounts.waits(), [("per_host", "ok", 1), ("per_host", "abandoned", 1)]);
}

#[tokio::test]
async fn many_wake_ups_are_one_sample() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().per_host(1));
    let held = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.requests().len() == 1).await;
    let mut waiting = client.request(get(server.url("/")));
    for _ in 0..100 {
        assert!(poll_once(&mut waiting).await.is_pending());
    }
    server.release(1);
    text(within(held).await.unwrap()).await;
    text(within(waiting).await).await;
    assert_eq!((accounts.attempts(), accounts.waits()), (2, vec![("per_host", "ok", 1)]));
}

#[tokio::test]
async fn who_comes_first_is_served_first() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().per_host(1));
    let held = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.requests().len() == 1).await;
    let mut calls = Vec::new();
    for number in 0..20 {
        let mut call = client.request(get(server.url(&format!("/{number}"))));
        assert!(poll_once(&mut call).await.is_pending());
        calls.push(call);
    }
    calls.rotate_left(7); // neither the order of polling nor that of waking counts
    let calls: Vec<_> = calls.into_iter().map(|call| tokio::spawn(async { text(call.await).await })).collect();
    server.release(1);
    text(within(held).await.unwrap()).await;
    for call in calls {
        within(call).await.unwrap();
    }
    let expected: Vec<_> = (0..20).map(|number| format!("/{number}")).collect();
    assert_eq!(server.requests()[1..], expected);
    assert_eq!(accounts.waits(), [("per_host", "ok", 20)]);
}

#[tokio::test]
async fn a_destination_is_that_of_one_request() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new());
    let mut named = get(server.url("/"));
    named.extensions_mut().insert(Destination::new("judge"));
    let mut remote = get(server.url("/"));
    remote.extensions_mut().insert(Destination::remote_agent_service());
    for request in [named, get(server.url("/")), remote, get(server.url("/"))] {
        text(client.request(request).await).await;
    }
    let without: Client = PooledClient::builder(accounts.pool()).build_http();
    text(without.request(get(server.url("/"))).await).await;
    let attempts = ["judge", "policy_model", "remote_agent_service", "external"].map(|name| accounts.attempts_of(name));
    assert_eq!(attempts, [1, 2, 1, 1]);
}
