use std::sync::Weak;

use tokio::time::{Instant, sleep_until};

use super::{pool::Pool, state::Reusable};

/// Looks after the idle connections of a pool. If its runtime ends before it does, the next one may start.
struct Reaper<C: Reusable> {
    pool: Weak<Pool<C>>,
}

/// Closes connections that have lain idle for too long, until there are none left or the pool is gone.
pub(super) async fn run<C: Reusable>(pool: Weak<Pool<C>>) {
    let mut reaper = Reaper { pool };
    while let Some(next) = reaper.expire() {
        sleep_until(next).await;
    }
    // The pool knows already; another may be at work by now.
    reaper.pool = Weak::new();
}

impl<C: Reusable> Reaper<C> {
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
