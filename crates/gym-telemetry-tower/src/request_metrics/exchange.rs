use std::{mem, ops::ControlFlow, sync::Arc, thread, time::Instant};

use bytes::Buf;
use gym_telemetry_core::{BytesReceived, RequestInFlight, RequestRecorder};
use http::{Request, Response, uri::PathAndQuery};
use http_body::{Body, Frame};

use super::{
    disconnect,
    progress::{Ending, Event, Progress},
    settings::Settings,
};

/// Counts for one layer.
pub(super) type Recorder = RequestRecorder<Arc<Settings>>;

/// Watches a request and its response to their end.
///
/// The future holds it up to the head, then the body. Dropping it is the last event, if there was no ending before.
#[derive(Debug)]
pub(super) struct Exchange {
    request: RequestInFlight<Arc<Settings>>,
    progress: Progress,
    /// What the route is looked up by, if it has to be.
    path: Option<PathAndQuery>,
    /// When it began, if someone wants to know. Few do, and the rest should not carry it along.
    began: Option<Box<Instant>>,
}

impl Exchange {
    #[inline]
    pub(super) fn begin<B>(recorder: &Recorder, request: &Request<B>) -> Self {
        let mut exchange = Self {
            request: recorder.begin(),
            progress: Progress::Waiting { asked: request.method().into() },
            path: None,
            began: None,
        };
        if let Some(settings) = recorder.context() {
            exchange.request.follow(|| settings.describe(request));
            match settings.matched(request) {
                Some(template) => exchange.request.set_route(template),
                None => exchange.path = settings.path(request),
            }
            exchange.began = settings.log_every_disconnect.then(|| Box::new(Instant::now()));
        }
        exchange
    }

    /// What the bytes of the request's body are to be counted with, if someone wants to know.
    #[inline]
    pub(super) fn receive(&mut self, is_empty: bool) -> Option<BytesReceived> {
        if is_empty {
            self.request.receive_nothing();
            return None;
        }
        self.request.receive()
    }

    /// Whether nothing that is still to come counts.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.request.has_ended()
    }

    /// Whether to let go of the body now would be to cut it short, as far as can be seen without asking it.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        !self.has_ended() && !self.progress.is_whole()
    }

    /// Runs a part of the service. If it panics, the request ends there.
    #[inline]
    pub(super) fn run<T>(&mut self, part: impl FnOnce() -> T) -> T {
        let watch = OnUnwind(self);
        let value = part();
        mem::forget(watch);
        value
    }

    /// The service answered, or failed to.
    #[inline]
    pub(super) fn answer<B: Body, E>(&mut self, answer: &Result<Response<B>, E>) {
        match answer {
            Ok(response) => {
                self.request.respond(response.status().as_u16());
                let head = self.run(|| Event::head(response));
                self.on(head);
            }
            Err(_) => self.on(Event::Error),
        }
    }

    /// The body gave something, or its end.
    #[inline]
    pub(super) fn frame<D: Buf, E>(&mut self, frame: &Option<Result<Frame<D>, E>>) {
        match frame {
            Some(Ok(frame)) if !frame.is_trailers() => {
                let bytes = frame.data_ref().map_or(0, |data| data.remaining() as u64);
                self.request.send(bytes);
                self.on(Event::Data(bytes));
            }
            Some(Ok(_)) | None => self.on(Event::End),
            Some(Err(_)) => self.on(Event::Error),
        }
    }

    /// Something happened.
    #[inline]
    pub(super) fn on(&mut self, event: Event) {
        match self.progress.on(event) {
            ControlFlow::Continue(progress) => self.progress = progress,
            ControlFlow::Break(ending) => self.end(ending),
        }
    }

    #[inline]
    fn end(&mut self, ending: Ending) {
        if ending == Ending::Cancelled || self.request.is_followed() {
            self.look_up();
        }
        match ending {
            Ending::Finished => self.request.finish(),
            Ending::Failed => self.request.fail(),
            Ending::Panicked => self.request.panic(),
            Ending::Cancelled => self.cancel(),
        }
    }

    /// Finds the route, now that it is needed, unless it is known.
    fn look_up(&mut self) {
        if let Some(path) = self.path.take() {
            self.request.find_route(|settings| settings.look_up(&path));
        }
    }

    #[inline]
    fn dropped(&mut self) {
        self.on(if thread::panicking() { Event::Panic } else { Event::Drop });
    }

    #[cold]
    fn cancel(&mut self) {
        if let Some(cancelled) = self.request.cancel() {
            disconnect::log(&cancelled, self.began.as_deref());
        }
    }
}

impl Default for Exchange {
    /// One in which nothing counts.
    #[inline]
    fn default() -> Self {
        let progress = Progress::Streaming;
        Self { request: RequestInFlight::default(), progress, path: None, began: None }
    }
}

impl Drop for Exchange {
    /// Whatever unwinds the stack here is not the client.
    #[inline]
    fn drop(&mut self) {
        if !self.has_ended() {
            self.dropped();
        }
    }
}

/// Dropped by a panic alone: [`Exchange::run`] forgets it otherwise.
struct OnUnwind<'a>(&'a mut Exchange);

impl Drop for OnUnwind<'_> {
    #[cold]
    fn drop(&mut self) {
        self.0.on(Event::Panic);
    }
}
