//! What is kept, however many hosts there are.

use gym_telemetry_hyper::{Destination, Limits, PoolSnapshot, PooledClient};
use http_body_util::BodyExt as _;

use crate::support::{Accounts, Body, Counting, InMemory, get, within};

/// Calls ten thousand hosts once each. Tells how the pool is after that, and the most sockets and hosts that it had.
async fn ten_thousand_hosts(accounts: &Accounts, limits: Limits, max_idle: usize) -> (PoolSnapshot, usize, usize) {
    let memory = Counting::new(InMemory);
    let builder = PooledClient::builder(accounts.pool()).limits(limits).max_idle(max_idle);
    let client: PooledClient<_, Body> = builder.build(memory.clone());
    let mut most = 0;
    for number in 0..10_000 {
        let mut request = get(format!("http://host{number}.test/"));
        if number % 2 == 0 {
            request.extensions_mut().insert(Destination::new("judge"));
        }
        let answer = within(client.request(request)).await.unwrap();
        assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "hi");
        most = most.max(client.snapshot().hosts);
    }
    (client.snapshot(), memory.most(), most)
}

#[tokio::test]
async fn p6_ten_thousand_hosts_leave_no_more_behind_than_is_allowed_to_lie_idle() {
    let accounts = Accounts::new();
    let (after, sockets, hosts) = ten_thousand_hosts(&accounts, Limits::new().total(20).per_host(2), 1_000).await;
    assert_eq!((after.held, after.waiting), (0, 0));
    assert!(sockets <= 20 && hosts <= 20, "{after:?}, {sockets} sockets of {hosts} hosts");
    assert_eq!((accounts.destinations(), accounts.attempts_of("judge")), (2, 5_000));

    let (after, sockets, hosts) = ten_thousand_hosts(&accounts, Limits::new(), 50).await;
    assert_eq!(after.idle, 50);
    // Those that are being closed come on top.
    assert!(sockets <= 60 && hosts <= 60, "{after:?}, {sockets} sockets of {hosts} hosts");
    assert_eq!((accounts.destinations(), accounts.attempts_of("external")), (2, 10_000));
}
