use std::{
    sync::mpsc::{Receiver, RecvTimeoutError},
    time::{Duration, Instant},
};

use super::watched::Watched;

/// Looks at every watched runtime each `interval` until nobody can send a new one; sleeps while there is none.
pub(super) fn run(interval: Duration, inbox: &Receiver<Watched>) {
    let mut all: Vec<Watched> = Vec::new();
    let mut due = Instant::now();
    loop {
        let news = if all.is_empty() {
            inbox.recv().map_err(RecvTimeoutError::from)
        } else {
            inbox.recv_timeout(due.saturating_duration_since(Instant::now()))
        };
        match news {
            Ok(watched) => all.push(watched),
            Err(RecvTimeoutError::Timeout) => {
                all.retain_mut(Watched::look);
                let now = Instant::now();
                due += interval;
                if due < now {
                    // The thread itself was late: looks that were missed are not made up for.
                    due = now + interval;
                }
            }
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
