use std::{mem, ops::ControlFlow, sync::Arc, thread};

use bytes::Buf;
use gym_telemetry_core::{BytesReceived, RequestRecorder};
use http::{Request, Response};
use http_body::{Body, Frame};

use super::{progress::Event, settings::Settings, under_way::UnderWay};

/// Counts for one layer.
pub(super) type Recorder = RequestRecorder<Arc<Settings>>;

/// Watches a request and its response to their end; there is nothing in it from then on.
///
/// The future holds it up to the head, then the body. Dropping it is the last event, if there was no ending before.
#[derive(Debug, Default)]
pub(super) struct Exchange(Option<Box<UnderWay>>);

impl Exchange {
    #[inline]
    pub(super) fn begin<B>(recorder: &Recorder, request: &Request<B>) -> Self {
        let Some(settings) = recorder.context() else { return Self(None) };
        Self(Some(UnderWay::begin(recorder, settings, request)))
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

    /// The service answered.
    #[inline]
    pub(super) fn answer<B: Body>(&mut self, response: &Response<B>) {
        let Some(under_way) = &mut self.0 else { return };
        under_way.request.respond(response.status().as_u16());
        let head = self.run(|| Event::head(response));
        self.on(head);
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
        let Some(mut under_way) = self.0.take() else { return };
        match under_way.progress.on(event) {
            ControlFlow::Continue(progress) => {
                under_way.progress = progress;
                self.0 = Some(under_way);
            }
            ControlFlow::Break(ending) => under_way.end(ending),
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
