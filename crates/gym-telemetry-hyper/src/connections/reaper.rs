use std::sync::{Arc, Weak};

use tokio::time::{Instant, sleep_until};

use super::{pool::Pool, state::Reusable};

/// Looks after the idle connections of a pool. If its runtime ends before it does, another may start.
#[derive(Debug)]
pub(super) struct Reaper<C: Reusable> {
    pool: Weak<Pool<C>>,
}

impl<C: Reusable> Reaper<C> {
    pub(super) fn new(pool: &Arc<Pool<C>>) -> Self {
        Self { pool: Arc::downgrade(pool) }
    }

    /// Closes connections that have lain idle for too long, from a first moment on until there are none left or the
    /// pool is gone.
    ///
    /// None can be due before that moment, and by then those that were parked have mostly been used again.
    pub(super) async fn run(mut self, first: Instant) {
        let mut next = Some(first);
        while let Some(moment) = next {
            sleep_until(moment).await;
            next = self.expire();
        }
        // The pool knows already; another may be at work by now.
        self.pool = Weak::new();
    }

    fn expire(&self) -> Option<Instant> {
        self.pool.upgrade()?.update(|state| state.expire(Instant::now()))
    }
}

impl<C: Reusable> Drop for Reaper<C> {
    fn drop(&mut self) {
        if let Some(pool) = self.pool.upgrade() {
            pool.update(|state| state.reaper_gone());
        }
    }
}
