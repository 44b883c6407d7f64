use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    time::Duration,
};

use foldhash::quality::RandomState;
use tokio::time::Instant;

use crate::{Limits, host::HostKey};

/// What a pool needs to know of a connection.
pub(crate) trait Reusable: Sized + Send + 'static {
    /// Whether it still carries requests.
    fn is_open(&self) -> bool;

    /// Another handle on it, where it carries many requests at once.
    fn share(&self) -> Option<Self>;

    /// Whether there are other handles on it.
    fn is_shared(&self) -> bool;
}

/// What bounds a pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub(crate) limits: Limits,
    /// None keeps idle connections until the server closes them.
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) max_idle: usize,
    /// Every connection carries many requests.
    pub(crate) shares: bool,
}

/// The open sockets of a pool, by host, and the connections of which more can be had.
#[derive(Debug)]
pub(super) struct State<C> {
    rules: Rules,
    sockets: usize,
    hosts: HashMap<HostKey, Host<C>, RandomState>,
    /// Where the parked connections lie, the one that was used longest ago first.
    order: BTreeMap<Turn, HostKey>,
    next: Turn,
    /// Somebody looks after what lies idle for too long.
    reaping: bool,
    /// Connections to be dropped as soon as the lock is released.
    closed: Vec<C>,
}

/// What a caller may do.
#[derive(Debug)]
pub(super) enum Take<C> {
    /// Send on this one.
    Reuse(C),
    /// Open another; it counts as an open socket from here on.
    Open,
    /// Ask again after the next change: a socket is about to be closed, or a connection to be had.
    Wait,
}

type Turn = u64;

/// Room for so many hosts is kept even while there are none.
const KEPT: usize = 64;

/// A host, for as long as it has sockets.
#[derive(Debug)]
struct Host<C> {
    sockets: usize,
    /// How many callers are still busy opening theirs.
    opening: usize,
    /// How many have answered their request and do not know yet whether they can carry another.
    settling: usize,
    /// Its connections carry many requests each, as far as is known.
    shares: bool,
    /// Connections to be had: the idle ones, and one that is shared even while it is used. The last is the next.
    parked: VecDeque<Parked<C>>,
}

#[derive(Debug)]
struct Parked<C> {
    turn: Turn,
    since: Instant,
    connection: C,
}

impl<C: Reusable> State<C> {
    pub(super) fn new(rules: Rules) -> Self {
        let (hosts, order, closed) = (HashMap::default(), BTreeMap::new(), Vec::new());
        Self { rules, sockets: 0, hosts, order, next: 0, reaping: false, closed }
    }

    /// A connection to a host, or what to do to get one.
    pub(super) fn take(&mut self, key: &HostKey, now: Instant) -> Take<C> {
        while let Some(parked) = self.hosts.get_mut(key).and_then(|host| host.parked.pop_back()) {
            self.order.remove(&parked.turn);
            if !parked.connection.is_open() || self.end(&parked, now).is_some_and(|end| end <= now) {
                self.closed.push(parked.connection);
            } else if let Some(handle) = parked.connection.share() {
                self.push(key, parked.connection, now);
                return Take::Reuse(handle);
            } else {
                return Take::Reuse(parked.connection);
            }
        }
        let limits = self.rules.limits;
        let is_worth_a_wait = |host: &Host<C>| host.settling > 0 || (host.shares && host.opening > 0);
        let must_wait = |host: &Host<C>| host.sockets >= limits.most_per_host() || is_worth_a_wait(host);
        if self.hosts.get(key).is_some_and(must_wait) {
            return Take::Wait;
        }
        if self.sockets >= limits.most() {
            // One that the server has closed already makes no room.
            while self.evict() == Some(false) {}
            return Take::Wait;
        }
        let host = self.host(key);
        host.sockets += 1;
        host.opening += 1;
        self.sockets += 1;
        Take::Open
    }

    /// Whoever opened a socket is done with it. The first connection of a host that can be shared is had by others from
    /// now on.
    pub(super) fn opened(&mut self, key: &HostKey, connection: Option<&C>, now: Instant) {
        let Some(host) = self.hosts.get_mut(key) else { return };
        host.opening -= 1;
        if let Some(handle) = connection.and_then(C::share) {
            host.shares = true;
            if host.shared().is_none() {
                self.push(key, handle, now);
            }
        }
        self.forget(key);
    }

    /// Whoever took a connection is done, and the connection is not yet.
    pub(super) fn settling(&mut self, key: &HostKey) {
        self.host(key).settling += 1;
    }

    /// A connection that was settling has been parked or dropped.
    pub(super) fn settled(&mut self, key: &HostKey) {
        if let Some(host) = self.hosts.get_mut(key) {
            host.settling -= 1;
        }
        self.forget(key);
    }

    /// A socket was closed.
    pub(super) fn socket_closed(&mut self, key: &HostKey) {
        let Some(host) = self.hosts.get_mut(key) else { return };
        host.sockets -= 1;
        self.sockets -= 1;
        self.forget(key);
    }

    /// A connection is no longer used by whoever took it; of a shared one, this handle is not. Tells when somebody has
    /// to begin to look after what lies idle, unless somebody does.
    pub(super) fn park(&mut self, key: &HostKey, connection: C, now: Instant) -> Option<Instant> {
        if connection.share().is_none() {
            self.push(key, connection, now);
        } else {
            // What may lie idle is the handle that is parked: it gets a new turn.
            drop(connection);
            let host = self.hosts.get_mut(key);
            let parked = host.and_then(|host| host.shared().and_then(|index| host.parked.remove(index)));
            if let Some(Parked { turn, connection, .. }) = parked {
                self.order.remove(&turn);
                self.push(key, connection, now);
            }
        }
        while self.order.len() > self.rules.max_idle && self.evict().is_some() {}
        if self.reaping || self.order.is_empty() {
            return None;
        }
        let first = now.checked_add(self.rules.idle_timeout?)?;
        self.reaping = true;
        Some(first)
    }

    /// Closes what has lain idle for too long. Tells when to look again; if never, somebody is needed anew.
    pub(super) fn expire(&mut self, now: Instant) -> Option<Instant> {
        let (mut first, mut next) = (0, None::<Instant>);
        while let Some((turn, key)) = self.order.range(first..).next().map(|(turn, key)| (*turn, key.clone())) {
            first = turn + 1;
            let Some(parked) = self.find(turn, &key) else { continue };
            let (is_used, end) = (parked.connection.is_shared(), self.end(parked, now));
            if end.is_some_and(|end| end <= now) {
                self.unpark(turn, &key);
                continue;
            }
            next = next.into_iter().chain(end).min();
            if !is_used {
                // Those that were parked later end later.
                break;
            }
        }
        self.reaping = next.is_some();
        next
    }

    /// Nobody looks after what lies idle any more.
    pub(super) fn reaper_gone(&mut self) {
        self.reaping = false;
    }

    /// The connections that are to be dropped, without the lock.
    pub(super) fn take_closed(&mut self) -> Vec<C> {
        std::mem::take(&mut self.closed)
    }

    /// Open sockets, parked connections, and hosts that have any.
    pub(super) fn read(&self) -> (usize, usize, usize) {
        (self.sockets, self.order.len(), self.hosts.len())
    }

    /// When a parked connection has lain idle for too long, if ever. One that is used has not begun to.
    fn end(&self, parked: &Parked<C>, now: Instant) -> Option<Instant> {
        let since = if parked.connection.is_shared() { now } else { parked.since };
        since.checked_add(self.rules.idle_timeout?)
    }

    /// Closes the connection that has lain idle for longest, unless all are in use. Tells whether it was open.
    fn evict(&mut self) -> Option<bool> {
        let is_open = |(turn, key): (&Turn, &HostKey)| {
            let connection = &self.find(*turn, key)?.connection;
            (!connection.is_shared()).then(|| (*turn, key.clone(), connection.is_open()))
        };
        let (turn, key, is_open) = self.order.iter().find_map(is_open)?;
        self.unpark(turn, &key);
        Some(is_open)
    }

    fn push(&mut self, key: &HostKey, connection: C, since: Instant) {
        let Some(host) = self.hosts.get_mut(key) else { return self.closed.push(connection) };
        let turn = self.next;
        self.next += 1;
        host.parked.push_back(Parked { turn, since, connection });
        self.order.insert(turn, key.clone());
    }

    fn host(&mut self, key: &HostKey) -> &mut Host<C> {
        let shares = self.rules.shares;
        let new = || Host { sockets: 0, opening: 0, settling: 0, shares, parked: VecDeque::new() };
        self.hosts.entry(key.clone()).or_insert_with(new)
    }

    fn find(&self, turn: Turn, key: &HostKey) -> Option<&Parked<C>> {
        self.hosts.get(key)?.parked.iter().find(|parked| parked.turn == turn)
    }

    fn unpark(&mut self, turn: Turn, key: &HostKey) {
        self.order.remove(&turn);
        let Some(host) = self.hosts.get_mut(key) else { return };
        let index = host.parked.iter().position(|parked| parked.turn == turn);
        self.closed.extend(index.and_then(|index| host.parked.remove(index)).map(|parked| parked.connection));
    }

    /// Forgets a host without sockets, and gives room back that is mostly empty by now.
    fn forget(&mut self, key: &HostKey) {
        if self.hosts.get(key).is_none_or(|host| host.sockets + host.opening + host.settling > 0) {
            return;
        }
        for parked in self.hosts.remove(key).into_iter().flat_map(|host| host.parked) {
            self.order.remove(&parked.turn);
            self.closed.push(parked.connection);
        }
        if self.hosts.capacity() > KEPT.max(8 * self.hosts.len()) {
            self.hosts.shrink_to(2 * self.hosts.len());
        }
    }
}

impl<C: Reusable> Host<C> {
    /// Where the connection lies that is shared.
    fn shared(&self) -> Option<usize> {
        self.parked.iter().position(|parked| parked.connection.share().is_some())
    }
}
