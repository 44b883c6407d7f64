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

/// Watches a request and its response to their end; there is nothing in it from then on.
///
/// The future holds it up to the head, then the body. Dropping it is the last event, if there was no ending before.
#[derive(Debug, Default)]
pub(super) struct Exchange(Option<UnderWay>);

#[derive(Debug)]
struct UnderWay {
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
        let Some(settings) = recorder.context() else { return Self(None) };
        let mut in_flight = recorder.begin();
        in_flight.follow(|| settings.describe(request));
        let path = match settings.matched(request) {
            Some(template) => {
                in_flight.set_route(template);
                None
            }
            None => settings.path(request),
        };
        Self(Some(UnderWay {
            request: in_flight,
            progress: Progress::Waiting { asked: request.method().into() },
            path,
            began: settings.log_every_disconnect.then(|| Box::new(Instant::now())),
        }))
    }

    /// What the bytes of the request's body are to be counted with, if someone wants to know.
    #[inline]
    pub(super) fn receive(&mut self, is_empty: bool) -> Option<BytesReceived> {
        let request = &mut self.0.as_mut()?.request;
        if is_empty {
            request.receive_nothing();
            return None;
        }
        request.receive()
    }

    /// Whether to let go of the body now would be to cut it short, as far as can be seen without asking it.
    #[inline]
    pub(super) fn is_open(&self) -> bool {
        self.0.as_ref().is_some_and(|under_way| !under_way.progress.is_whole())
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
        let Some(under_way) = &mut self.0 else { return };
        match answer {
            Ok(response) => {
                under_way.request.respond(response.status().as_u16());
                let head = self.run(|| Event::head(response));
                self.on(head);
            }
            Err(_) => self.on(Event::Error),
        }
    }

    /// The body gave something, or its end.
    #[inline]
    pub(super) fn frame<D: Buf, E>(&mut self, frame: &Option<Result<Frame<D>, E>>) {
        let Some(under_way) = &mut self.0 else { return };
        match frame {
            Some(Ok(frame)) if !frame.is_trailers() => {
                let bytes = frame.data_ref().map_or(0, |data| data.remaining() as u64);
                under_way.request.send(bytes);
                self.on(Event::Data(bytes));
            }
            Some(Ok(_)) | None => self.on(Event::End),
            Some(Err(_)) => self.on(Event::Error),
        }
    }

    /// Something happened.
    #[inline(always)]
    pub(super) fn on(&mut self, event: Event) {
        let Some(under_way) = &mut self.0 else { return };
        match under_way.progress.on(event) {
            ControlFlow::Continue(progress) => under_way.progress = progress,
            ControlFlow::Break(ending) => {
                under_way.end(ending);
                self.0 = None;
            }
        }
    }
}

impl UnderWay {
    #[inline(never)]
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

    #[cold]
    fn cancel(&mut self) {
        if let Some(cancelled) = self.request.cancel() {
            disconnect::log(&cancelled, self.began.as_deref());
        }
    }
}

impl Drop for Exchange {
    /// Whatever unwinds the stack here is not the client.
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            self.on(if thread::panicking() { Event::Panic } else { Event::Drop });
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
