//! What is seen in the moment in which a waiter is served.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Wake, Waker},
};

type Waiter<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A future that waits, and is polled from within its wake-up.
struct PolledAtOnce<T, S> {
    waiter: Mutex<Option<Waiter<T>>>,
    look: Box<dyn Fn() -> S + Send + Sync>,
    seen: Mutex<Option<S>>,
}

impl<T, S> Wake for PolledAtOnce<T, S> {
    fn wake(self: Arc<Self>) {
        let Some(mut waiter) = self.waiter.lock().unwrap().take() else { return };
        let served = waiter.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(served.is_ready(), "it was woken for nothing");
        *self.seen.lock().unwrap() = Some((self.look)());
    }
}

/// What `look` sees as soon as the waiter is served, which `serve` causes.
pub(crate) fn seen_when_served<T: 'static, S: Send + 'static>(
    waiter: impl Future<Output = T> + Send + 'static,
    look: impl Fn() -> S + Send + Sync + 'static,
    serve: impl FnOnce(),
) -> Option<S> {
    let mut waiter: Waiter<T> = Box::pin(waiter);
    let polled = Arc::new(PolledAtOnce { waiter: Mutex::default(), look: Box::new(look), seen: Mutex::default() });
    let waker = Waker::from(Arc::clone(&polled));
    assert!(matches!(waiter.as_mut().poll(&mut Context::from_waker(&waker)), Poll::Pending), "it need not wait");
    *polled.waiter.lock().unwrap() = Some(waiter);
    serve();
    polled.seen.lock().unwrap().take()
}
