use http::{HeaderMap, Method, Response, StatusCode, header::CONTENT_LENGTH};
use http_body::Body;

use super::progress::Payload;

/// What a request's method says about the body of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// `HEAD`: none goes out.
    Head,
    /// `CONNECT`: none goes out when the tunnel is opened.
    Tunnel,
    /// Anything else.
    Body,
}

impl Asked {
    #[inline]
    pub(super) fn by(method: &Method) -> Self {
        match *method {
            Method::HEAD => Self::Head,
            Method::CONNECT => Self::Tunnel,
            _ => Self::Body,
        }
    }

    /// Whether a response with this status has no body by the rules of HTTP, whatever the service put there.
    #[inline]
    fn rules_out_a_body(self, status: StatusCode) -> bool {
        status.is_informational()
            || matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
            || self == Self::Head
            || (self == Self::Tunnel && status.is_success())
    }
}

impl Payload {
    /// What a server will ask of this response's body.
    #[inline]
    pub(super) fn of<B: Body>(response: &Response<B>, asked: Asked) -> Self {
        let body = response.body();
        if body.is_end_stream() || asked.rules_out_a_body(response.status()) {
            return Self::None;
        }
        let declared = body.size_hint().exact().or_else(|| content_length(response.headers()));
        declared.map_or(Self::Unknown, Self::Bytes)
    }
}

fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use http_body_util::{Empty, Full, StreamBody};

    use super::*;

    fn of<B: Body>(method: Method, status: u16, length: Option<&str>, body: B) -> Payload {
        let builder = length.into_iter().fold(Response::builder(), |b, length| b.header(CONTENT_LENGTH, length));
        Payload::of(&builder.status(status).body(body).unwrap(), Asked::by(&method))
    }

    fn stream() -> impl Body {
        StreamBody::new(futures_util::stream::pending::<Result<http_body::Frame<Bytes>, std::io::Error>>())
    }

    #[test]
    fn some_answers_have_no_body_whatever_the_service_gives() {
        for status in [100, 101, 103, 204, 304] {
            assert_eq!(of(Method::GET, status, None, stream()), Payload::None);
        }
        assert_eq!(of(Method::HEAD, 200, Some("5"), stream()), Payload::None);
        assert_eq!(of(Method::CONNECT, 200, None, stream()), Payload::None);
        assert_eq!(of(Method::CONNECT, 404, None, stream()), Payload::Unknown);
        assert_eq!(of(Method::GET, 200, None, Empty::<Bytes>::new()), Payload::None);
    }

    #[test]
    fn a_length_is_what_the_body_knows_or_the_head_declares() {
        assert_eq!(of(Method::GET, 200, None, Full::<Bytes>::from("12345")), Payload::Bytes(5));
        assert_eq!(of(Method::GET, 200, Some("7"), stream()), Payload::Bytes(7));
        for length in [None, Some("-1"), Some("seven"), Some("99999999999999999999")] {
            assert_eq!(of(Method::GET, 200, length, stream()), Payload::Unknown);
        }
    }
}
