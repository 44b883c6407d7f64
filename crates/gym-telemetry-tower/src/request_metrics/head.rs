//! What the heads of a request and its response say about how the request will end.

use gym_telemetry_core::{HttpMethod, HttpScheme, HttpVersion};
use http::{HeaderMap, Method, Response, Uri, Version, header::CONTENT_LENGTH, uri::Scheme};
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

/// The method as the HTTP conventions tell methods apart.
pub(super) fn method(method: &Method) -> HttpMethod {
    match *method {
        Method::GET => HttpMethod::Get,
        Method::POST => HttpMethod::Post,
        Method::HEAD => HttpMethod::Head,
        Method::PUT => HttpMethod::Put,
        Method::DELETE => HttpMethod::Delete,
        Method::PATCH => HttpMethod::Patch,
        Method::OPTIONS => HttpMethod::Options,
        Method::CONNECT => HttpMethod::Connect,
        Method::TRACE => HttpMethod::Trace,
        _ if method.as_str() == HttpMethod::Query.as_str() => HttpMethod::Query,
        _ => HttpMethod::Other,
    }
}

/// The scheme that a URI names, if it is one of HTTP's.
pub(super) fn scheme(uri: &Uri) -> Option<HttpScheme> {
    let scheme = uri.scheme()?;
    match scheme {
        _ if *scheme == Scheme::HTTP => Some(HttpScheme::Http),
        _ if *scheme == Scheme::HTTPS => Some(HttpScheme::Https),
        _ => None,
    }
}

pub(super) fn version(version: Version) -> HttpVersion {
    match version {
        Version::HTTP_09 => HttpVersion::Http09,
        Version::HTTP_10 => HttpVersion::Http10,
        Version::HTTP_2 => HttpVersion::Http2,
        Version::HTTP_3 => HttpVersion::Http3,
        _ => HttpVersion::Http11,
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
    fn r06_methods_and_schemes_are_few() {
        for known in HttpMethod::ALL.iter().filter(|known| **known != HttpMethod::Other) {
            assert_eq!(method(&known.as_str().parse().unwrap()), *known);
        }
        for unknown in ["FOO1", "FOO2", "_OTHER", "get"] {
            assert_eq!(method(&unknown.parse().unwrap()), HttpMethod::Other);
        }
        for (uri, known) in [
            ("https://a/b", Some(HttpScheme::Https)),
            ("http://a/b", Some(HttpScheme::Http)),
            ("ftp://a/b", None),
            ("/b", None),
        ] {
            assert_eq!(scheme(&uri.parse().unwrap()), known);
        }
    }

    #[test]
    fn a_body_without_data_may_have_trailers() {
        assert_eq!(payload(None, Empty::<Bytes>::new()), Payload::Empty);
        let trailers = Empty::<Bytes>::new().with_trailers(async { Some(Ok(HeaderMap::new())) });
        assert_eq!(payload(None, trailers), Payload::Bytes(0));
    }
}
