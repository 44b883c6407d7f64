use std::{cell::RefCell, sync::Arc, time::Instant};

use gym_telemetry_core::RequestInFlight;
use http::{Request, uri::PathAndQuery};

use super::{
    disconnect,
    exchange::Recorder,
    progress::{Ending, Progress},
    settings::Settings,
};

/// So many boxes a thread keeps for requests to come: those of 16 000 at once are 2 MB.
const MAX_SPARE: usize = 16_384;

thread_local! {
    /// Boxes of requests that ended on this thread.
    ///
    /// Servers move futures and responses about; what moves for us is a pointer. And yet a request allocates nothing.
    #[expect(clippy::vec_box, reason = "a box goes from one request to the next as it is")]
    static SPARE: RefCell<Vec<Box<UnderWay>>> = const { RefCell::new(Vec::new()) };
}

/// What the layer knows of a request up to its end.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    pub(super) request: RequestInFlight<Arc<Settings>>,
    pub(super) progress: Progress,
    /// What the route is looked up by, if it has to be.
    path: Option<PathAndQuery>,
    /// When it began, if every disconnect is in the log.
    began: Option<Instant>,
}

impl UnderWay {
    #[inline]
    pub(super) fn begin<B>(recorder: &Recorder, settings: &Settings, request: &Request<B>) -> Box<Self> {
        let mut this = SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten().unwrap_or_default();
        recorder.begin_in(&mut this.request);
        this.request.follow(|| settings.describe(request));
        this.progress = Progress::Waiting { asked: request.method().into() };
        match settings.matched(request) {
            Some(template) => this.request.set_route(template),
            None => this.path = settings.path(request),
        }
        this.began = settings.log_every_disconnect.then(Instant::now);
        this
    }

    #[inline(never)]
    pub(super) fn end(mut self: Box<Self>, ending: Ending) {
        let path = self.path.take();
        if let Some(path) = path.filter(|_| ending == Ending::Cancelled || self.request.is_followed()) {
            self.request.find_route(|settings| settings.look_up(&path));
        }
        match ending {
            Ending::Finished => self.request.finish(),
            Ending::Failed => self.request.fail(),
            Ending::Panicked => self.request.panic(),
            Ending::Cancelled => self.cancel(),
        }
        self.spare();
    }

    #[cold]
    fn cancel(&mut self) {
        if let Some(cancelled) = self.request.cancel() {
            disconnect::log(&cancelled, self.began);
        }
    }

    /// Leaves the box to a request to come. Nothing of this one is in it any more.
    fn spare(self: Box<Self>) {
        // On a thread that is about to end, there are none to come.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < MAX_SPARE {
                spare.push(self);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use gym_telemetry_core::RequestMetrics;
    use opentelemetry::metrics::MeterProvider as _;
    use opentelemetry_sdk::metrics::SdkMeterProvider;

    use super::*;

    fn spare() -> usize {
        SPARE.with_borrow(Vec::len)
    }

    #[test]
    fn boxes_are_used_again_and_bounded() {
        let requests = RequestMetrics::new(&SdkMeterProvider::builder().build().meter("test"));
        let settings = Arc::<Settings>::default();
        let recorder = requests.recorder().with_context(Arc::clone(&settings));
        let begin = || UnderWay::begin(&recorder, &settings, &Request::new(()));
        for _ in 0..3 {
            begin().end(Ending::Failed);
            assert_eq!(spare(), 1);
        }
        let many: Vec<_> = (0..MAX_SPARE + 10).map(|_| begin()).collect();
        assert_eq!((spare(), requests.snapshot().in_flight), (0, MAX_SPARE as u64 + 10));
        many.into_iter().for_each(|one| one.end(Ending::Failed));
        assert_eq!((spare(), requests.snapshot().in_flight), (MAX_SPARE, 0));
    }
}
