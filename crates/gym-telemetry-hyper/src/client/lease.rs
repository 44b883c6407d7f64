use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use super::RequestBody;
use crate::{
    Slot,
    connections::{Connection, Pool},
    host::HostKey,
};

/// How long an answered connection may take until it can carry another request. It is a matter of microseconds, unless
/// the server answered before it had read the whole request.
const SETTLING: Duration = Duration::from_millis(50);

/// A slot and the connection that it is used for. Dropped, the connection goes back to the pool if it can carry another
/// request at once, and is closed otherwise; then the slot goes back.
#[derive(Debug)]
pub(super) struct Lease<B: Send + 'static> {
    pool: Arc<Pool<Connection<B>>>,
    host: HostKey,
    connection: Option<Connection<B>>,
    is_settling: bool,
    slot: Option<Slot<HostKey>>,
}

impl<B: Send + 'static> Lease<B> {
    pub(super) fn new(
        pool: &Arc<Pool<Connection<B>>>,
        host: HostKey,
        connection: Connection<B>,
        slot: Slot<HostKey>,
    ) -> Self {
        Self { pool: Arc::clone(pool), host, connection: Some(connection), is_settling: false, slot: Some(slot) }
    }
}

impl<B: RequestBody> Lease<B> {
    /// The response has ended. The slot goes back at once, the connection as soon as it is ready.
    pub(super) fn end(mut self) {
        let Some(connection) = &self.connection else { return };
        if connection.is_ready() || connection.is_closed() {
            return;
        }
        let runtime = connection.runtime().clone();
        self.pool.settling(&self.host);
        self.is_settling = true;
        self.slot = None;
        runtime.spawn(async move {
            if let Some(connection) = &mut self.connection {
                // Whatever comes of it, dropping the lease sees how the connection is.
                drop(timeout(SETTLING, connection.ready()).await);
            }
        });
    }

    /// The connection becomes something else, which keeps the slot for as long as it is open.
    pub(super) fn upgrade(mut self) {
        let Some((mut connection, slot)) = self.connection.take().zip(self.slot.take()) else { return };
        connection.keeper().keep(slot);
        connection.runtime().clone().spawn(async move {
            // It is given up as soon as its bytes have a new owner.
            drop(connection.ready().await);
        });
    }
}

impl<B: Send + 'static> Drop for Lease<B> {
    fn drop(&mut self) {
        match self.connection.take() {
            Some(connection) if connection.is_ready() => {
                let runtime = connection.runtime().clone();
                self.pool.park(&self.host, connection, &runtime);
            }
            unfit => drop(unfit),
        }
        if self.is_settling {
            self.pool.settled(&self.host);
        }
    }
}
