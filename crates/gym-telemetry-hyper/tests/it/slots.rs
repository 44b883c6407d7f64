//! How long a slot is held, and that it always comes back.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    task::Poll,
};

use bytes::Bytes;
use gym_telemetry_hyper::{Limits, PooledClient};
use http::Request;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::Frame;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncWriteExt as _;

use crate::support::{Accounts, Body, Client, Server, client, get, poll_once, text, until, within};

const ONE: Limits = Limits::new().total(1).per_host(1);

#[tokio::test]
async fn p2_an_unread_answer_holds_its_slot_and_no_second_socket_is_opened() {
    for (limits, constraint) in [(Limits::new().total(1), "total"), (Limits::new().per_host(1), "per_host")] {
        unread_answer(limits, constraint).await;
    }
}

async fn unread_answer(limits: Limits, constraint: &'static str) {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, limits);
    let unread = client.request(get(server.url("/stream"))).await.unwrap();
    assert_eq!((client.snapshot().held, accounts.in_flight()), (1, 0.0), "the head has come, the body has not");
    let mut second = client.request(get(server.url("/")));
    for _ in 0..10 {
        assert!(poll_once(&mut second).await.is_pending());
    }
    assert_eq!((server.accepted(), server.requests().len(), accounts.in_flight()), (1, 1, 1.0));

    drop(unread); // its rest has not come, so its connection is of no more use
    assert_eq!(text(within(second).await).await, "hi");
    assert_eq!((server.accepted(), server.most_sockets(), accounts.in_flight()), (2, 1, 0.0));
    assert_eq!(accounts.waits(), [(constraint, "ok", 1)]);
}

#[tokio::test]
async fn a_slot_comes_back_at_the_end_of_the_body_and_its_connection_is_used_again() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    let mut body = client.request(get(server.url("/stream"))).await.unwrap().into_body();
    assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "h");
    assert_eq!(client.snapshot().held, 1);
    server.release(1);
    assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "i");
    until(|| client.snapshot().held == 0).await; // the declared length is there: nobody has to ask for the end
    text(client.request(get(server.url("/"))).await).await;
    assert_eq!(server.accepted(), 1);
    drop(body);
}

#[tokio::test]
async fn an_answer_without_a_body_holds_nothing() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    let empty = client.request(get(server.url("/empty"))).await.unwrap();
    let head = Request::head(server.url("/")).body(Body::default()).unwrap();
    let head = within(client.request(head)).await.unwrap();
    until(|| client.snapshot().held == 0).await;
    drop((empty, head));
}

#[tokio::test]
async fn a_small_body_that_nobody_reads_does_not_cost_the_connection() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    for _ in 0..10 {
        let answer = client.request(get(server.url("/"))).await.unwrap();
        until(|| client.snapshot().held == 1).await; // the two bytes come in meanwhile
        drop(answer);
    }
    assert_eq!((server.accepted(), client.snapshot().held), (1, 0));
}

#[tokio::test]
async fn p1_a_caller_that_gives_up_in_the_queue_is_one_abandoned_sample() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    let held = tokio::spawn(client.request(get(server.url("/held"))));
    until(|| server.requests().len() == 1).await;
    let mut waiting = client.request(get(server.url("/")));
    assert!(poll_once(&mut waiting).await.is_pending());
    assert_eq!((client.snapshot().waiting, accounts.in_flight()), (1, 2.0));
    drop(waiting);
    assert_eq!((client.snapshot().waiting, accounts.in_flight()), (0, 1.0));
    server.release(1);
    text(within(held).await.unwrap()).await;
    assert_eq!((accounts.attempts(), accounts.waits()), (2, vec![("total", "abandoned", 1)]));
    text(within(client.request(get(server.url("/")))).await).await;
    assert_eq!(client.snapshot().held, 0);
}

#[tokio::test]
async fn p3_a_call_may_be_dropped_anywhere_and_the_next_one_proceeds() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    drop(client.request(get(server.url("/unpolled"))));
    assert_eq!(accounts.attempts(), 0, "nothing happens before a call is polled");

    let mut connecting = client.request(get(server.url("/connecting")));
    assert!(poll_once(&mut connecting).await.is_pending());
    let mut granted = client.request(get(server.url("/granted")));
    let mut next = client.request(get(server.url("/held")));
    assert!(poll_once(&mut granted).await.is_pending() && poll_once(&mut next).await.is_pending());
    drop(connecting);
    assert_eq!((client.snapshot().held, client.snapshot().waiting), (1, 1), "the second has the slot, unpolled");
    drop(granted);
    let mut awaiting_head = tokio::spawn(next);
    until(|| server.requests().contains(&"/held".to_owned())).await;
    awaiting_head.abort();
    assert!((&mut awaiting_head).await.unwrap_err().is_cancelled());

    assert_eq!(text(within(client.request(get(server.url("/")))).await).await, "hi");
    assert_eq!((client.snapshot().held, client.snapshot().waiting), (0, 0));
    assert_eq!((server.most_sockets(), accounts.in_flight(), accounts.attempts()), (1, 0.0, 4));
    assert_eq!(accounts.waits(), [("total", "ok", 1), ("total", "abandoned", 1)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn p4_a_burst_never_opens_more_sockets_than_the_limit() {
    const MOST: usize = 3;
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, Limits::new().per_host(MOST));
    // Those who come later meet those who are woken.
    let wave = |_| {
        let (client, url) = (client.clone(), server.url("/"));
        tokio::spawn(async move {
            for _ in 0..20 {
                assert_eq!(text(client.request(get(url.clone())).await).await, "hi");
            }
        })
    };
    for task in (0..50).map(wave).collect::<Vec<_>>() {
        within(task).await.unwrap();
    }
    assert_eq!((server.accepted(), server.most_sockets()), (MOST, MOST), "each is used again and again");
    assert!(server.most_under_way() <= MOST);
    assert_eq!((accounts.attempts(), accounts.connects()), (1_000, (MOST as u64, 0)));
}

#[tokio::test]
async fn an_idle_socket_of_another_host_makes_room_without_a_wait() {
    let (accounts, one, two) = (Accounts::new(), Server::start().await, Server::start_at([127, 0, 0, 2]).await);
    let client = client(&accounts, Limits::new().total(1));
    for round in 1..=5 {
        for server in [&one, &two] {
            text(within(client.request(get(server.url("/")))).await).await;
            assert_eq!((client.snapshot().sockets, client.snapshot().idle), (1, 1));
        }
        assert_eq!((one.accepted(), two.accepted()), (round, round));
    }
    assert_eq!(accounts.waits(), []);
}

#[tokio::test]
async fn a_caller_that_panics_gives_its_slot_back() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    let answer = client.request(get(server.url("/stream"))).await.unwrap();
    let unwound = catch_unwind(AssertUnwindSafe(move || {
        let _answer = answer;
        panic!("the caller broke");
    }));
    assert!(unwound.is_err());
    text(within(client.request(get(server.url("/")))).await).await;
    assert_eq!((client.snapshot().held, server.most_sockets()), (0, 1));
}

#[tokio::test]
async fn a_request_body_that_fails_or_panics_gives_the_slot_back() {
    type Stream = StreamBody<futures_util::stream::PollFn<fn(&mut std::task::Context<'_>) -> Poll<Option<Chunk>>>>;
    type Chunk = Result<Frame<Bytes>, std::io::Error>;
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let builder = PooledClient::builder(accounts.pool()).limits(ONE).destination("policy_model");
    let client: PooledClient<_, Stream> = builder.build_http();
    let fails: fn(&mut std::task::Context<'_>) -> Poll<Option<Chunk>> =
        |_| Poll::Ready(Some(Err(std::io::Error::other("the file is gone"))));
    let panics: fn(&mut std::task::Context<'_>) -> Poll<Option<Chunk>> = |_| panic!("the body broke");
    for stream in [fails, panics] {
        let body = StreamBody::new(futures_util::stream::poll_fn(stream));
        let request = Request::post(server.url("/")).body(body).unwrap();
        within(client.request(request)).await.unwrap_err();
        until(|| client.snapshot().sockets == 0).await;
        assert_eq!((client.snapshot().held, accounts.in_flight()), (0, 0.0));
    }
}

#[tokio::test]
async fn an_answer_that_came_early_ends_its_call_though_the_request_goes_on() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client = client(&accounts, ONE);
    let request = Request::post(server.url("/early")).body(Body::from(vec![0; 64 << 20])).unwrap();
    assert_eq!(within(client.request(request)).await.unwrap().status(), 413);
    text(within(client.request(get(server.url("/")))).await).await;
    assert_eq!((client.snapshot().held, server.accepted(), accounts.waits()), (0, 2, vec![]));
}

#[tokio::test]
async fn an_upgraded_connection_keeps_its_slot_for_as_long_as_it_lives() {
    let (accounts, server) = (Accounts::new(), Server::start().await);
    let client: Client = client(&accounts, ONE);
    let answer = client.request(get(server.url("/upgrade"))).await.unwrap();
    assert_eq!(answer.status(), 101);
    let upgraded = within(hyper::upgrade::on(answer)).await.unwrap();
    assert_eq!((client.snapshot().held, client.snapshot().sockets, accounts.in_flight()), (1, 1, 0.0));
    let mut second = client.request(get(server.url("/")));
    assert!(poll_once(&mut second).await.is_pending());
    TokioIo::new(upgraded).write_all(b"and that was all").await.unwrap();
    text(within(second).await).await;
    assert_eq!((client.snapshot().held, server.most_sockets()), (0, 1));
}
