use gym_telemetry_core::BytesReceived;
use http::Request;
use http_body::Body;

use super::RequestBody;

/// What a layer does with the bodies of requests, of type `B`.
///
/// The HTTP conventions want their bytes counted, and that takes another type of body: [`Counted`] or, with the feature
/// `axum`, `CountedInAxum`. By default they are [`Untouched`].
pub trait RequestBodies<B> {
    /// The body that the service inside gets.
    type Body;

    /// Gives the request the other body. `receive` is told whether there is nothing to read, and answers with a counter
    /// if someone wants to know what is read.
    fn count(
        request: Request<B>,
        receive: impl FnOnce(/* is empty */ bool) -> Option<BytesReceived>,
    ) -> Request<Self::Body>;
}

/// They go through as they are, and `http.server.request.body.size` does not see them.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Untouched;

/// They become [`RequestBody`]s.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Counted;

/// They become axum's, which axum makes of them anyway. One that is axum's already stays as it is if it is empty, or if
/// nobody wants to know.
#[cfg(feature = "axum")]
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct CountedInAxum;

impl<B> RequestBodies<B> for Untouched {
    type Body = B;

    #[inline]
    fn count(request: Request<B>, _: impl FnOnce(bool) -> Option<BytesReceived>) -> Request<B> {
        request
    }
}

impl<B: Body> RequestBodies<B> for Counted {
    type Body = RequestBody<B>;

    #[inline]
    fn count(request: Request<B>, receive: impl FnOnce(bool) -> Option<BytesReceived>) -> Request<RequestBody<B>> {
        let received = receive(request.body().is_end_stream());
        request.map(|body| RequestBody::new(body, received))
    }
}

#[cfg(feature = "axum")]
impl<B> RequestBodies<B> for CountedInAxum
where
    B: Body<Data = bytes::Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Body = axum::body::Body;

    #[inline]
    fn count(request: Request<B>, receive: impl FnOnce(bool) -> Option<BytesReceived>) -> Request<axum::body::Body> {
        let received = receive(request.body().is_end_stream());
        request.map(|body| match received {
            Some(received) => axum::body::Body::new(RequestBody::new(body, received)),
            None => axum::body::Body::new(body),
        })
    }
}
