use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use proptest::prelude::*;
use tokio::time::Instant;

use super::state::{Reusable, Rules, State, Take};
use crate::{Limits, Slot, Slots, host::HostKey};

const IDLE_TIMEOUT: Duration = Duration::from_secs(90);

/// A connection without a network.
#[derive(Debug)]
struct Fake {
    is_many: bool,
    socket: Arc<Alive>,
}

/// Whether the socket beneath a connection still works.
#[derive(Debug)]
struct Alive(AtomicBool);

impl Fake {
    fn new(is_many: bool) -> Self {
        Self { is_many, socket: Arc::new(Alive(AtomicBool::new(true))) }
    }
}

impl Reusable for Fake {
    fn is_open(&self) -> bool {
        self.socket.0.load(Ordering::Relaxed)
    }

    fn share(&self) -> Option<Self> {
        self.is_many.then(|| Self { is_many: true, socket: Arc::clone(&self.socket) })
    }

    fn is_shared(&self) -> bool {
        Arc::strong_count(&self.socket) > 1
    }
}

fn host(number: u8) -> HostKey {
    HostKey::of(&format!("http://host{number}/").parse().unwrap()).unwrap()
}

fn rules(limits: Limits) -> Rules {
    Rules { limits, idle_timeout: Some(IDLE_TIMEOUT), max_idle: 100, shares: false }
}

/// Takes leave to open, opens, and parks: as the first call to a host does.
fn open_and_park(state: &mut State<Fake>, key: &HostKey, now: Instant) {
    let Take::Open = state.take(key, now) else { panic!("there is none to be had") };
    let connection = Fake::new(false);
    state.opened(key, Some(&connection), now);
    state.park(key, connection, now);
}

#[test]
fn the_connection_that_was_used_last_is_taken_first_and_what_is_idle_for_too_long_is_closed() {
    let (start, key) = (Instant::now(), host(1));
    let mut state = State::new(rules(Limits::new()));
    let [Take::Open, Take::Open] = [state.take(&key, start), state.take(&key, start)] else { panic!("no limit binds") };
    let connections = [Fake::new(false), Fake::new(false)];
    let sockets = [Arc::downgrade(&connections[0].socket), Arc::downgrade(&connections[1].socket)];
    for (connection, seconds) in connections.into_iter().zip([0, 60]) {
        state.opened(&key, Some(&connection), start);
        state.park(&key, connection, start + Duration::from_secs(seconds));
    }
    assert_eq!(state.expire(start + Duration::from_secs(89)), Some(start + IDLE_TIMEOUT));
    assert_eq!(state.expire(start + IDLE_TIMEOUT), Some(start + Duration::from_secs(150)));
    drop(state.take_closed());
    assert_eq!(sockets.each_ref().map(Weak::strong_count), [0, 1]);

    let Take::Reuse(last) = state.take(&key, start + Duration::from_secs(149)) else { panic!("it is not too old") };
    assert_eq!(state.expire(start + Duration::from_secs(1_000)), None);
    state.park(&key, last, start + Duration::from_secs(1_000));
    let later = start + Duration::from_secs(1_090);
    let Take::Open = state.take(&key, later) else { panic!("what lay for too long is not used, though nobody looked") };
}

#[test]
fn many_hosts_leave_little_behind_once_they_are_forgotten() {
    const HOSTS: usize = 1_000;
    let now = Instant::now();
    let keys: Vec<_> = (0..HOSTS).map(|number| HostKey::of(&format!("http://h{number}/").parse().unwrap())).collect();
    let mut state = State::new(Rules { max_idle: HOSTS, ..rules(Limits::new()) });
    let left = allocation_counter::measure(|| {
        keys.iter().flatten().for_each(|key| open_and_park(&mut state, key, now));
        keys.iter().flatten().for_each(|key| state.socket_closed(key));
        drop(state.take_closed());
    });
    assert_eq!(state.read(), (0, 0, 0));
    assert!(left.bytes_current * 10 < left.bytes_max as i64, "{left:?}");
}

#[test]
fn one_reaper_at_a_time_is_asked_for() {
    let (now, key) = (Instant::now(), host(1));
    let mut state = State::new(rules(Limits::new()));
    open_and_park(&mut state, &key, now);
    let Take::Reuse(connection) = state.take(&key, now) else { panic!("it lies there") };
    assert_eq!(state.park(&key, connection, now), None, "the first asked already");
    state.reaper_gone();
    let Take::Reuse(connection) = state.take(&key, now) else { panic!("it lies there") };
    assert_eq!(state.park(&key, connection, now), Some(now + IDLE_TIMEOUT));
    assert_eq!(state.expire(now + IDLE_TIMEOUT), None);
    let Take::Open = state.take(&key, now) else { panic!("it was closed") };
    assert!(state.park(&key, Fake::new(false), now).is_some(), "the last one ended");
}

#[test]
fn idle_connections_are_bounded_and_the_oldest_goes_first() {
    let now = Instant::now();
    let mut state = State::new(Rules { max_idle: 3, ..rules(Limits::new()) });
    (0..10).for_each(|number| open_and_park(&mut state, &host(number), now));
    assert_eq!(state.read().1, 3);
    for number in 0..7 {
        state.socket_closed(&host(number));
    }
    assert_eq!(state.read(), (3, 3, 3));
    for number in 7..10 {
        assert!(matches!(state.take(&host(number), now), Take::Reuse(_)));
    }
}

#[test]
fn an_idle_socket_elsewhere_makes_room_under_the_total() {
    let now = Instant::now();
    let mut state = State::new(rules(Limits::new().total(2)));
    (1..=2).for_each(|number| open_and_park(&mut state, &host(number), now));
    assert!(matches!(state.take(&host(3), now), Take::Wait), "the oldest has to be closed first");
    assert_eq!(state.take_closed().len(), 1);
    assert!(matches!(state.take(&host(3), now), Take::Wait) || state.take_closed().is_empty());
    state.socket_closed(&host(1));
    assert!(matches!(state.take(&host(3), now), Take::Open));
}

#[test]
fn an_idle_connection_that_the_server_has_closed_makes_no_room() {
    let (now, key) = (Instant::now(), host(1));
    let mut state = State::new(rules(Limits::new().total(2)));
    assert!(matches!([state.take(&key, now), state.take(&key, now)], [Take::Open, Take::Open]));
    let (lost, idle) = (Fake::new(false), Fake::new(false));
    let sockets = [Arc::clone(&lost.socket), Arc::clone(&idle.socket)].map(|socket| Arc::downgrade(&socket));
    sockets[0].upgrade().unwrap().0.store(false, Ordering::Relaxed);
    for connection in [lost, idle] {
        state.opened(&key, Some(&connection), now);
        state.park(&key, connection, now);
    }
    state.socket_closed(&key);
    assert!(matches!(state.take(&host(2), now), Take::Open));
    assert!(matches!(state.take(&host(3), now), Take::Wait));
    drop(state.take_closed());
    assert_eq!(sockets.each_ref().map(Weak::strong_count), [0, 0], "the next oldest is closed too");
}

#[test]
fn callers_of_a_host_that_shares_wait_for_the_first_to_connect() {
    let (now, key) = (Instant::now(), host(1));
    let mut state = State::new(Rules { shares: true, ..rules(Limits::new()) });
    assert!(matches!(state.take(&key, now), Take::Open));
    assert!(matches!(state.take(&key, now), Take::Wait));
    state.opened(&key, None, now);
    assert!(matches!(state.take(&key, now), Take::Open), "the first failed");
    let connection = Fake::new(true);
    state.opened(&key, Some(&connection), now);
    let Take::Reuse(other) = state.take(&key, now) else { panic!("it is shared") };
    assert_eq!(state.expire(now + 2 * IDLE_TIMEOUT), Some(now + 3 * IDLE_TIMEOUT), "it is used");
    for handle in [connection, other] {
        state.park(&key, handle, now);
    }
    assert_eq!(state.expire(now + 2 * IDLE_TIMEOUT), None);
    assert_eq!(state.take_closed().len(), 1);
}

#[derive(Debug, Clone)]
enum Step {
    /// A caller comes.
    Ask(u8),
    /// A caller that holds a slot looks for a connection.
    Take(usize),
    /// A caller that opens is done: connected to something that can be shared or not, or failed.
    Opened(usize, Option<bool>),
    /// A call ends, its connection fit for another or not.
    End(usize, bool),
    /// A call ends before its connection is fit for another, or is known not to be.
    Settle(usize),
    /// It is known.
    Settled(usize, bool),
    /// A socket of which no handle is left is closed at last.
    Close(usize),
    /// The server closes a socket.
    Lose(usize),
    /// Time passes.
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let index = any::<usize>;
    let opened = prop::option::weighted(0.8, prop::bool::weighted(0.3));
    prop_oneof![
        4 => (0_u8..3).prop_map(Step::Ask),
        5 => index().prop_map(Step::Take),
        4 => (index(), opened).prop_map(|(i, how)| Step::Opened(i, how)),
        4 => (index(), any::<bool>()).prop_map(|(i, fit)| Step::End(i, fit)),
        2 => index().prop_map(Step::Settle),
        2 => (index(), any::<bool>()).prop_map(|(i, fit)| Step::Settled(i, fit)),
        3 => index().prop_map(Step::Close),
        1 => index().prop_map(Step::Lose),
        1 => (0_u64..100).prop_map(Step::Pass),
    ]
}

/// A caller that holds a slot.
struct Caller {
    key: HostKey,
    stage: Stage,
    _slot: Slot<HostKey>,
}

enum Stage {
    Looks,
    Opens,
    Sends(Fake),
}

/// A socket that the server sees.
struct Seen {
    key: HostKey,
    /// None while it is being opened.
    handles: Option<Weak<Alive>>,
}

impl Seen {
    /// Whether it is about to be closed, since nobody can use it any more.
    fn is_closing(&self) -> bool {
        self.handles.as_ref().is_some_and(|handles| handles.strong_count() == 0)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    /// Whatever callers and servers do, there are never more sockets than slots, nobody waits without a reason that
    /// passes, and nothing is left behind.
    #[test]
    fn sockets_stay_below_the_limits_and_nobody_waits_for_nothing(
        (total, per_host, shares) in (0_usize..4, 0_usize..3, any::<bool>()),
        steps in prop::collection::vec(step(), 0..120),
    ) {
        let limits = Limits::new().total(total).per_host(per_host);
        let slots = Slots::new(limits);
        let mut state = State::new(Rules { shares, max_idle: 4, ..rules(limits) });
        let (mut callers, mut seen): (Vec<Caller>, Vec<Seen>) = Default::default();
        let mut settling: Vec<(HostKey, Fake)> = Vec::new();
        let mut now = Instant::now();
        for step in steps {
            match step {
                Step::Ask(number) => if let Ok(slot) = slots.acquire(&host(number)) {
                    callers.push(Caller { key: host(number), stage: Stage::Looks, _slot: slot });
                },
                Step::Take(index) => {
                    let looking: Vec<_> =
                        (0..callers.len()).filter(|index| matches!(callers[*index].stage, Stage::Looks)).collect();
                    if looking.is_empty() { continue }
                    let caller = looking[index % looking.len()];
                    let key = callers[caller].key.clone();
                    let taken = state.take(&key, now);
                    drop(state.take_closed());
                    callers[caller].stage = match taken {
                        Take::Reuse(connection) => Stage::Sends(connection),
                        Take::Open => {
                            seen.push(Seen { key, handles: None });
                            Stage::Opens
                        }
                        Take::Wait => {
                            let opens = |caller: &Caller| caller.key == key && matches!(caller.stage, Stage::Opens);
                            let changes = seen.iter().any(Seen::is_closing) || !settling.is_empty();
                            prop_assert!(changes || callers.iter().any(opens));
                            Stage::Looks
                        }
                    };
                }
                Step::Opened(index, how) => {
                    let opening: Vec<_> =
                        (0..callers.len()).filter(|index| matches!(callers[*index].stage, Stage::Opens)).collect();
                    if opening.is_empty() { continue }
                    let caller = opening[index % opening.len()];
                    let key = callers[caller].key.clone();
                    let index = seen.iter().position(|seen| seen.key == key && seen.handles.is_none()).unwrap();
                    if let Some(is_many) = how {
                        let connection = Fake::new(is_many || shares);
                        seen[index].handles = Some(Arc::downgrade(&connection.socket));
                        state.opened(&key, Some(&connection), now);
                        callers[caller].stage = Stage::Sends(connection);
                    } else {
                        seen.remove(index);
                        state.socket_closed(&key);
                        state.opened(&key, None, now);
                        callers.remove(caller);
                    }
                }
                Step::End(index, is_fit) if !callers.is_empty() => {
                    let index = index % callers.len();
                    if let Stage::Opens = callers[index].stage { continue }
                    let caller = callers.remove(index);
                    if let Stage::Sends(connection) = caller.stage && is_fit && connection.is_open() {
                        state.park(&caller.key, connection, now);
                    }
                }
                Step::Settle(index) if !callers.is_empty() => {
                    let index = index % callers.len();
                    if !matches!(callers[index].stage, Stage::Sends(_)) { continue }
                    let Caller { key, stage: Stage::Sends(connection), .. } = callers.remove(index) else { continue };
                    state.settling(&key);
                    settling.push((key, connection));
                }
                Step::Settled(index, is_fit) if !settling.is_empty() => {
                    let (key, connection) = settling.remove(index % settling.len());
                    if is_fit && connection.is_open() {
                        state.park(&key, connection, now);
                    }
                    state.settled(&key);
                }
                Step::Close(index) => {
                    let closing: Vec<_> = (0..seen.len()).filter(|index| seen[*index].is_closing()).collect();
                    if closing.is_empty() { continue }
                    let closed = seen.remove(closing[index % closing.len()]);
                    state.socket_closed(&closed.key);
                }
                Step::Lose(index) => {
                    let alive: Vec<_> = (0..seen.len())
                        .filter_map(|index| Some((index, seen[index].handles.as_ref()?.upgrade()?)))
                        .collect();
                    if alive.is_empty() { continue }
                    let (index, socket) = &alive[index % alive.len()];
                    socket.0.store(false, Ordering::Relaxed);
                    let lost = seen.remove(*index);
                    state.socket_closed(&lost.key);
                }
                Step::Pass(seconds) => {
                    now += Duration::from_secs(seconds);
                    state.expire(now);
                }
                Step::End(..) | Step::Settle(_) | Step::Settled(..) => {}
            }
            drop(state.take_closed());
            let of_host = |key: &HostKey| seen.iter().filter(|seen| seen.key == *key).count();
            prop_assert!(seen.len() <= limits.most());
            prop_assert!(seen.iter().all(|seen| of_host(&seen.key) <= limits.most_per_host()));
            prop_assert_eq!(state.read().0, seen.len());
        }
        for caller in callers.drain(..) {
            if let Stage::Opens = caller.stage {
                state.opened(&caller.key, None, now);
            }
        }
        for (key, _) in settling {
            state.settled(&key);
        }
        for lost in seen {
            state.socket_closed(&lost.key);
        }
        prop_assert_eq!(state.read(), (0, 0, 0));
    }
}
