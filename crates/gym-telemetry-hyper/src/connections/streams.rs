use std::{
    error::Error as _,
    pin::Pin,
    task::{Context, Poll},
};

use http::{Request, Response};
use hyper::{
    body::{Body, Frame, Incoming, SizeHint},
    client::conn::{TrySendError, http2},
};

use super::Unanswered;
use crate::client::RequestBody;

/// What sends requests as streams of one connection.
pub(super) type Streams<B> = http2::SendRequest<StreamBody<B>>;

/// A server has not looked at a request, and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It would not take the stream.
    Stream,
    /// It gives the connection up, and told the number of the last stream that it serves, which is a lower one.
    Connection,
}

/// The body of a request on a stream.
#[derive(Debug)]
pub(super) enum StreamBody<B> {
    Whole(B),
    /// There is nothing to send, so the request stays with whoever sends it.
    Nothing,
}

/// Sends a request as a stream.
///
/// One without a body is sent as a copy, so that it is still there if the server says that it has not looked at it.
pub(super) async fn send<B: RequestBody>(
    streams: &mut Streams<B>,
    request: Box<Request<B>>,
) -> Result<Response<Incoming>, Unanswered<B>> {
    if request.body().is_end_stream() {
        let (head, body) = request.into_parts();
        let copy = Request::from_parts(head.clone(), StreamBody::Nothing);
        return streams.try_send_request(copy).await.map_err(|mut error| {
            let refusal = refusal(error.error());
            let kept = || Box::new(Request::from_parts(head, body));
            let request = (refusal.is_some() || error.take_message().is_some()).then(kept);
            Unanswered { request, refusal, error: error.into_error() }
        });
    }
    let sent = streams.try_send_request(request.map(StreamBody::Whole)).await;
    sent.map_err(|mut error: TrySendError<_>| {
        let request = error.take_message().and_then(|request| {
            let (head, body) = request.into_parts();
            let StreamBody::Whole(body) = body else { return None };
            Some(Box::new(Request::from_parts(head, body)))
        });
        Unanswered { request, refusal: refusal(error.error()), error: error.into_error() }
    })
}

/// What a server says of a stream that it has not looked at, if this error is that.
fn refusal(error: &hyper::Error) -> Option<Refusal> {
    let cause = error.source()?.downcast_ref::<h2::Error>().filter(|cause| cause.is_remote())?;
    if cause.is_go_away() {
        return Some(Refusal::Connection);
    }
    (cause.is_reset() && cause.reason() == Some(h2::Reason::REFUSED_STREAM)).then_some(Refusal::Stream)
}

impl<B: Body + Unpin> Body for StreamBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        match &mut *self {
            Self::Whole(body) => Pin::new(body).poll_frame(cx),
            Self::Nothing => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_end_stream(),
            Self::Nothing => true,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => body.size_hint(),
            Self::Nothing => SizeHint::with_exact(0),
        }
    }
}
