use std::{mem, ops::ControlFlow, sync::Arc, thread, time::Instant};

use gym_telemetry_core::{RequestInFlight, RequestRecorder};
use http::{Request, Response, uri::PathAndQuery};
use http_body::Body;

use super::{
    disconnect,
    payload::Asked,
    progress::{Ending, Event, Payload, Progress},
    settings::Settings,
};

/// Counts for one layer.
pub(super) type Recorder = RequestRecorder<Arc<Settings>>;

/// Watches a request and its response to their end. It is empty once they have ended, and from the start if nothing is
/// counted.
///
/// The future holds it up to the head, then the body. Dropping it is the last event, if there was no ending before.
#[derive(Debug)]
pub(super) struct Exchange(Option<Open>);

#[derive(Debug)]
struct Open {
    request: RequestInFlight<Arc<Settings>>,
    progress: Progress,
    asked: Asked,
    /// What the route is looked up by, if it has to be.
    path: Option<PathAndQuery>,
    /// When it began, if someone wants to know.
    began: Option<Instant>,
}

impl Exchange {
    #[inline]
    pub(super) fn begin<B>(recorder: &Recorder, request: &Request<B>) -> Self {
        let Some(settings) = recorder.context() else { return Self(None) };
        let mut in_flight = recorder.begin();
        let path = match settings.matched(request) {
            Some(template) => {
                in_flight.set_route(template);
                None
            }
            None => settings.path(request),
        };
        Self(Some(Open {
            request: in_flight,
            progress: Progress::Waiting,
            asked: Asked::by(request.method()),
            path,
            began: settings.log_every_disconnect.then(Instant::now),
        }))
    }

    /// Whether there is nothing left to watch.
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.0.is_none()
    }

    /// Runs a part of the service. If it panics, the request ends there.
    #[inline]
    pub(super) fn run<T>(&mut self, part: impl FnOnce() -> T) -> T {
        let watch = OnUnwind(self);
        let value = part();
        mem::forget(watch);
        value
    }

    /// The service answered.
    #[inline]
    pub(super) fn head<B: Body>(&mut self, response: &Response<B>) {
        let Some(open) = &mut self.0 else { return };
        open.request.respond(response.status().as_u16());
        let asked = open.asked;
        let payload = self.run(|| Payload::of(response, asked));
        self.on(Event::Head(payload));
    }

    /// Something happened.
    #[inline]
    pub(super) fn on(&mut self, event: Event) {
        let Some(open) = &mut self.0 else { return };
        match open.progress.on(event) {
            ControlFlow::Continue(progress) => open.progress = progress,
            ControlFlow::Break(ending) => self.end(ending),
        }
    }

    /// The future has done its part, the body goes on.
    #[inline]
    pub(super) fn hand_on(&mut self) -> Self {
        Self(self.0.take())
    }

    #[inline]
    fn end(&mut self, ending: Ending) {
        let Some(open) = self.0.take() else { return };
        match ending {
            Ending::Finished => open.request.finish(),
            Ending::Failed | Ending::Panicked => open.request.fail(),
            Ending::Cancelled => open.cancel(),
        }
    }
}

impl Drop for Exchange {
    /// Whatever unwinds the stack here is not the client.
    #[inline]
    fn drop(&mut self) {
        if !self.has_ended() {
            self.on(if thread::panicking() { Event::Panic } else { Event::Drop });
        }
    }
}

impl Open {
    #[cold]
    fn cancel(mut self) {
        if let (Some(path), Some(settings)) = (&self.path, self.request.context().cloned())
            && let Some(template) = settings.look_up(path)
        {
            self.request.set_route(template);
        }
        if let Some(cancelled) = self.request.cancel() {
            disconnect::log(&cancelled, self.began);
        }
    }
}

/// Dropped by a panic alone: [`Exchange::run`] forgets it otherwise.
struct OnUnwind<'a>(&'a mut Exchange);

impl Drop for OnUnwind<'_> {
    fn drop(&mut self) {
        self.0.on(Event::Panic);
    }
}
