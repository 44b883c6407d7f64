use std::sync::Arc;

use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};

/// A limit that an [`operation`](super::operation) can wait for: tokio's semaphore, or one of your own.
pub trait Limit {
    /// A place inside the limit; dropping it gives the place back.
    type Permit<'a>
    where
        Self: 'a;

    /// Why there is no place and never will be.
    type Error;

    /// Waits for a place. Dropping the future gives the wait up.
    fn acquire(&self) -> impl Future<Output = Result<Self::Permit<'_>, Self::Error>> + Send;
}

impl Limit for Semaphore {
    type Permit<'a> = SemaphorePermit<'a>;
    type Error = AcquireError;

    fn acquire(&self) -> impl Future<Output = Result<SemaphorePermit<'_>, AcquireError>> + Send {
        self.acquire()
    }
}

impl<L: Limit> Limit for Arc<L> {
    type Permit<'a>
        = L::Permit<'a>
    where
        L: 'a;
    type Error = L::Error;

    fn acquire(&self) -> impl Future<Output = Result<L::Permit<'_>, L::Error>> + Send {
        L::acquire(self)
    }
}
