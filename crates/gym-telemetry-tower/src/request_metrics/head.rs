//! What the heads of a request and its response say about how the request will end.

use http::{HeaderMap, Method, Response, header::CONTENT_LENGTH};
use http_body::Body;

use super::progress::{Asked, Event, Payload};

impl From<&Method> for Asked {
    #[inline]
    fn from(method: &Method) -> Self {
        match *method {
            Method::HEAD => Self::Head,
            Method::CONNECT => Self::Tunnel,
            _ => Self::Body,
        }
    }
}

impl Event {
    /// The service answered with this.
    #[inline]
    pub(super) fn head<B: Body>(response: &Response<B>) -> Self {
        Self::Head { status: response.status().as_u16(), body: Payload::of(response) }
    }
}

impl Payload {
    #[inline]
    fn of<B: Body>(response: &Response<B>) -> Self {
        let body = response.body();
        match body.size_hint().exact() {
            // There may be trailers without any data before them.
            Some(0) | None if body.is_end_stream() => Self::Empty,
            Some(bytes) => Self::Bytes(bytes),
            None => content_length(response.headers()).map_or(Self::Unknown, Self::Bytes),
        }
    }
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use bytes::Bytes;
    use futures_util::stream;
    use http_body::Frame;
    use http_body_util::{BodyExt as _, Empty, Full, StreamBody};

    use super::*;

    fn payload<B: Body>(length: Option<&str>, body: B) -> Payload {
        let builder = length.into_iter().fold(Response::builder(), |b, length| b.header(CONTENT_LENGTH, length));
        Payload::of(&builder.body(body).unwrap())
    }

    fn stream() -> impl Body {
        StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>())
    }

    #[test]
    fn a_length_is_what_the_body_knows_or_the_head_declares() {
        assert_eq!(payload(None, Full::<Bytes>::from("12345")), Payload::Bytes(5));
        assert_eq!(payload(Some("7"), stream()), Payload::Bytes(7));
        for length in [None, Some("-1"), Some("seven"), Some("99999999999999999999")] {
            assert_eq!(payload(length, stream()), Payload::Unknown);
        }
    }

    #[test]
    fn a_body_without_data_may_have_trailers() {
        assert_eq!(payload(None, Empty::<Bytes>::new()), Payload::Empty);
        let trailers = Empty::<Bytes>::new().with_trailers(async { Some(Ok(HeaderMap::new())) });
        assert_eq!(payload(None, trailers), Payload::Bytes(0));
    }
}
