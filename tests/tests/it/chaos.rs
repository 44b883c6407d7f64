//! A run in which much goes wrong on purpose.

use gym_telemetry::conventions::Outcome;

use crate::support::{AGENT, Books, Fleet, Folder, MODEL, VERIFIER, tasks};

const OFFERED: usize = 2_000;

/// The numbers that the summary shows of a server's requests: received, responses, cancelled before and after the
/// head, unhandled, in flight.
fn account(summary: &str, server: &str) -> Vec<usize> {
    let requests = summary.split("requests").nth(1).unwrap();
    let row = requests.lines().find(|line| line.contains(server)).unwrap();
    row.split(['│', '┆']).filter_map(|cell| cell.trim().parse().ok()).collect()
}

#[test]
fn every_account_settles_when_requests_go_wrong() {
    let folder = Folder::new(&tasks().repeat(10));
    let fleet = Fleet::on(&folder).option("--metrics-json", folder.metrics()).option("--concurrency", "32");
    let fleet = fleet.option("--limit", "40").option("--repeats", "50");
    let ended = fleet.option("--chaos", "cancel=0.2,panic=0.05,fail=0.1").run();
    ended.assert_success();

    let books = Books::of(&folder);
    books.settle(OFFERED);
    assert_eq!(books.scored.len() + books.failed.len(), OFFERED);
    assert_eq!(books.completed(Outcome::Omitted), 0);
    for server in [AGENT, MODEL, VERIFIER] {
        let [received, responses, before_head, _, unhandled, in_flight] = account(&ended.stdout, server)[..] else {
            panic!("no account of {server}:\n{}", ended.stdout)
        };
        assert_eq!((received, in_flight), (responses + before_head + unhandled, 0), "{server}");
        let metrics = [books.responses(server), books.cancelled_before_head(server), books.unhandled(server)];
        assert_eq!([responses, before_head, unhandled], metrics, "{server}");
        assert!(unhandled > 0, "{server}");
    }
    // Some hang up before the request is out, or after the response is in.
    let hung_up = books.failed.iter().filter(|row| row["failure"]["type"] == "Cancelled").count();
    assert!((1..=hung_up).contains(&books.cancelled_before_head(AGENT)), "{hung_up}");
    assert!((OFFERED / 10..OFFERED / 3).contains(&hung_up), "{hung_up}");
}
