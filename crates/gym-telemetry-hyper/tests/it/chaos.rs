//! Ten thousand calls that end in every way, at random.

use std::{
    cell::Cell,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use gym_telemetry_hyper::{Limits, PooledClient};
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::connect::HttpConnector;
use tokio::{
    task::{JoinError, JoinSet, LocalSet, yield_now},
    time::timeout,
};

use crate::support::{Accounts, Body, Counting, Server, get, poll_once, until, within};

const CALLS: u64 = 10_000;

type Client = PooledClient<Counting<HttpConnector>, Body>;

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn client(accounts: &Accounts, limits: Limits) -> (Client, Counting<HttpConnector>) {
    let connector = Counting::new(HttpConnector::new());
    let builder = PooledClient::builder(accounts.pool()).limits(limits).destination("policy_model");
    (builder.build(connector.clone()), connector)
}

/// A call that is given up at a random moment, or whose answer is read or dropped.
async fn call(client: &Client, url: String, mut dice: Dice) {
    let patience = (dice.below(2) == 0).then(|| Duration::from_micros(dice.below(20_000)));
    let answered = async {
        let answer = client.request(get(url)).await.expect("an answer");
        match dice.below(4) {
            0 => drop(answer),
            1 => drop(answer.into_body().frame().await),
            _ => drop(answer.into_body().collect().await.expect("a body")),
        }
    };
    match patience {
        Some(patience) => drop(timeout(patience, answered).await),
        None => answered.await,
    }
}

fn assert_did_not_panic(ended: Option<Result<(), JoinError>>) {
    if let Some(Err(error)) = ended {
        assert!(error.is_cancelled(), "{error}");
    }
}

/// When all calls have ended, nothing is held, and the sockets are as many as lie idle.
async fn settle(accounts: &Accounts, client: Client, connector: &Counting<HttpConnector>) {
    until(|| client.snapshot().held == 0 && client.snapshot().sockets == client.snapshot().idle).await;
    assert_eq!((client.snapshot().waiting, accounts.in_flight()), (0, 0.0));
    assert_eq!(client.snapshot().sockets, connector.open());
    drop(client);
    until(|| connector.open() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_with_random_ends_leave_nothing_behind() {
    ten_thousand_calls(Limits::new().total(8).per_host(5)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_under_limits_of_their_hosts_alone_do_not_either() {
    ten_thousand_calls(Limits::new().per_host(4)).await;
}

/// Calls to two hosts under limits that allow eight sockets in all.
async fn ten_thousand_calls(limits: Limits) {
    let accounts = Accounts::new();
    let (one, two) = (Server::start().await, Server::start_at([127, 0, 0, 2]).await);
    let (client, connector) = client(&accounts, limits);
    let (mut tasks, mut dice) = (JoinSet::new(), Dice(0x9E37_79B9_7F4A_7C15));
    let attempts = Arc::new(AtomicU64::new(0));
    for _ in 0..CALLS {
        let server = if dice.below(3) == 0 { &two } else { &one };
        let url = server.url(if dice.below(50) == 0 { "/close" } else { "/" });
        let (client, dice_of_call) = (client.clone(), Dice(dice.below(u64::MAX) | 1));
        let attempts = Arc::clone(&attempts);
        let task = tasks.spawn(async move {
            attempts.fetch_add(1, Ordering::SeqCst);
            call(&client, url, dice_of_call).await;
        });
        match dice.below(20) {
            0 => task.abort(),
            1 => yield_now().await,
            _ => {}
        }
        if tasks.len() > 500 {
            assert_did_not_panic(within(tasks.join_next()).await);
        }
    }
    while !tasks.is_empty() {
        assert_did_not_panic(within(tasks.join_next()).await);
    }
    assert_eq!(accounts.attempts(), attempts.load(Ordering::SeqCst));
    assert!(connector.most() <= 8, "{} sockets", connector.most());
    assert!(one.most_under_way() <= 5 && two.most_under_way() <= 5);
    settle(&accounts, client, &connector).await;
}

#[tokio::test]
async fn within_a_host_the_order_is_kept_whoever_gives_up() {
    let accounts = Accounts::new();
    let server = Server::start().await;
    let (client, connector) = client(&accounts, Limits::new().per_host(1));
    let (mut dice, came) = (Dice(0x2545_F491_4F6C_DD1D), Rc::new(Cell::new(0_u64)));
    let tasks = LocalSet::new();
    for number in 0..CALLS / 10 {
        let (client, server, came) = (client.clone(), server.url(""), Rc::clone(&came));
        let mut dice = Dice(dice.below(u64::MAX) | 1);
        tasks.spawn_local(async move {
            for _ in 0..dice.below(number + 1) % 50 {
                yield_now().await;
            }
            came.set(came.get() + 1);
            let mut request = client.request(get(format!("{server}/{}", came.get())));
            if dice.below(3) == 0 {
                for _ in 0..dice.below(1_000) {
                    if poll_once(&mut request).await.is_ready() {
                        break;
                    }
                    yield_now().await;
                }
            } else {
                drop(request.await.expect("an answer").into_body().collect().await);
            }
        });
    }
    within(tasks).await;
    let order: Vec<u64> = server.requests().iter().map(|path| path[1..].parse().unwrap()).collect();
    assert!(order.is_sorted(), "{order:?}");
    assert_eq!((accounts.attempts(), connector.most()), (came.get(), 1));
    settle(&accounts, client, &connector).await;
}
