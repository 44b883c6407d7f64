use std::{convert::Infallible, time::Duration};

use axum::{
    extract::{Path, RawQuery, State},
    response::sse::{Event, Sse},
};
use futures_util::{Stream, stream};
use tokio::{
    sync::{OwnedSemaphorePermit, watch},
    time::{Instant, sleep_until, timeout},
};

use super::{
    api::Wanted,
    reply::{Refusal, aside},
    router::Shared,
};

/// The shortest time from one event to the next.
const PACE: Duration = Duration::from_millis(500);

/// Without any export there is an event after this time all the same: silence is news too.
const IDLE: Duration = Duration::from_secs(2);

/// One browser that follows a view.
struct Follower {
    wanted: Wanted,
    shared: Shared,
    revision: watch::Receiver<u64>,
    /// Nothing before the first event.
    last: Option<Instant>,
    _permit: OwnedSemaphorePermit,
}

/// Sends a view now and whenever there is news.
pub(super) async fn follow(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    RawQuery(query): RawQuery,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let wanted = Wanted::parse(&name, query.as_deref())?;
    let permit = shared.followers.clone().try_acquire_owned().map_err(|_| Refusal::Busy)?;
    let revision = shared.source.history.revision();
    let follower = Follower { wanted, shared, revision, last: None, _permit: permit };
    Ok(Sse::new(stream::unfold(follower, next)))
}

/// The next event; none when the page ends.
async fn next(mut follower: Follower) -> Option<(Result<Event, Infallible>, Follower)> {
    let mut stopped = follower.shared.stopped.clone();
    tokio::select! {
        () = follower.news() => {}
        // The sender is never used: it is gone.
        _ = stopped.changed() => return None,
    }
    follower.revision.mark_unchanged();
    follower.last = Some(Instant::now());
    let (wanted, history) = (follower.wanted.clone(), follower.shared.source.history.clone());
    let text = aside(move || serde_json::to_string(&wanted.make(&history))).await.ok()?.ok()?;
    Some((Ok(Event::default().data(text)), follower))
}

impl Follower {
    /// Waits for an export, and until the last event is old enough.
    async fn news(&mut self) {
        let Some(last) = self.last else { return };
        // A history that is gone says nothing more.
        if !matches!(timeout(IDLE, self.revision.changed()).await, Ok(Ok(()))) {
            sleep_until(last + IDLE).await;
        }
        sleep_until(last + PACE).await;
    }
}
