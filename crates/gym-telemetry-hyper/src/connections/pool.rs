use std::sync::{Arc, Mutex, PoisonError};

use tokio::{pin, runtime::Handle, sync::Notify, time::Instant};

use super::{
    reaper::Reaper,
    socket::Socket,
    state::{Reusable, Rules, State, Take},
};
use crate::host::HostKey;

/// The connections of one client. Whoever asks it for one holds a slot.
#[derive(Debug)]
pub(crate) struct Pool<C> {
    state: Mutex<State<C>>,
    /// A socket was closed, or a connection that others wait for is there or never will be.
    changed: Notify,
}

/// What there is for a caller.
#[derive(Debug)]
pub(crate) enum Found<C: Reusable> {
    /// A connection that has been used before.
    Reused(C),
    /// Leave to open a socket, which counts as open already.
    Open(Opening<C>, Socket<C>),
}

/// A caller that opens a socket. Dropped, it failed to.
#[derive(Debug)]
pub(crate) struct Opening<C: Reusable> {
    pool: Arc<Pool<C>>,
    key: HostKey,
    is_over: bool,
}

impl<C: Reusable> Pool<C> {
    pub(crate) fn new(rules: Rules) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State::new(rules)), changed: Notify::new() })
    }

    /// A connection to a host or leave to open one, as soon as there is either.
    pub(crate) async fn get(self: &Arc<Self>, key: &HostKey) -> Found<C> {
        loop {
            let changed = self.changed.notified();
            pin!(changed);
            changed.as_mut().enable();
            if let Some(found) = self.try_get(key) {
                return found;
            }
            changed.await;
        }
    }

    /// Takes back a connection that is ready for another request.
    pub(crate) fn park(self: &Arc<Self>, key: &HostKey, connection: C, runtime: &Handle) {
        if let Some(first) = self.update(|state| state.park(key, connection, Instant::now())) {
            runtime.spawn(Reaper::new(self).run(first));
        }
    }

    /// The caller of a connection is done, before it is known whether the connection can carry another request.
    pub(crate) fn settling(&self, key: &HostKey) {
        self.update(|state| state.settling(key));
    }

    /// It is known by now, and the connection is back or gone.
    pub(crate) fn settled(&self, key: &HostKey) {
        self.update(|state| state.settled(key));
        self.changed.notify_waiters();
    }

    /// Open sockets, parked connections, and hosts that have any.
    pub(crate) fn read(&self) -> (usize, usize, usize) {
        self.update(|state| state.read())
    }

    /// Changes the state, and then, without the lock, drops what that closes.
    pub(super) fn update<T>(&self, change: impl FnOnce(&mut State<C>) -> T) -> T {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let result = change(&mut state);
        let closed = state.take_closed();
        drop(state);
        drop(closed);
        result
    }

    pub(super) fn socket_closed(&self, key: &HostKey) {
        self.update(|state| state.socket_closed(key));
        self.changed.notify_waiters();
    }

    /// A connection to a host or leave to open one, if there is either.
    pub(crate) fn try_get(self: &Arc<Self>, key: &HostKey) -> Option<Found<C>> {
        match self.update(|state| state.take(key, Instant::now())) {
            Take::Reuse(connection) => Some(Found::Reused(connection)),
            Take::Open => {
                let opening = Opening { pool: Arc::clone(self), key: key.clone(), is_over: false };
                Some(Found::Open(opening, Socket::new(self, key.clone())))
            }
            Take::Wait => None,
        }
    }
}

impl<C: Reusable> Opening<C> {
    /// The connection stands.
    pub(crate) fn opened(mut self, connection: &C) {
        self.end(Some(connection));
    }

    fn end(&mut self, connection: Option<&C>) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.pool.update(|state| state.opened(&self.key, connection, Instant::now()));
            self.pool.changed.notify_waiters();
        }
    }
}

impl<C: Reusable> Drop for Opening<C> {
    fn drop(&mut self) {
        self.end(None);
    }
}
