use gym_telemetry_core::BytesReceived;
use http::Request;
use http_body::Body;
use tower_service::Service;

use super::RequestBody;

/// What a layer does with the bodies of requests, of type `B`.
///
/// The HTTP conventions want their bytes counted, and that takes another type of body: [`Counted`] or, with the feature
/// `axum`, `CountedInAxum`. By default they are [`Untouched`].
pub trait RequestBodies<B> {
    /// The body that the service inside gets.
    type Body;

    /// Hands the request on with that body. `receive` is told whether there is nothing to read, and answers with a
    /// counter if someone wants to know what is read.
    fn call<S: Service<Request<Self::Body>>>(
        service: &mut S,
        request: Request<B>,
        receive: impl FnOnce(bool) -> Option<BytesReceived>,
    ) -> S::Future;
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
    fn call<S: Service<Request<B>>>(
        service: &mut S,
        request: Request<B>,
        _: impl FnOnce(bool) -> Option<BytesReceived>,
    ) -> S::Future {
        service.call(request)
    }
}

impl<B: Body> RequestBodies<B> for Counted {
    type Body = RequestBody<B>;

    #[inline]
    fn call<S: Service<Request<RequestBody<B>>>>(
        service: &mut S,
        request: Request<B>,
        receive: impl FnOnce(bool) -> Option<BytesReceived>,
    ) -> S::Future {
        let received = receive(request.body().is_end_stream());
        service.call(request.map(|body| RequestBody::new(body, received)))
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
    fn call<S: Service<Request<axum::body::Body>>>(
        service: &mut S,
        request: Request<B>,
        receive: impl FnOnce(bool) -> Option<BytesReceived>,
    ) -> S::Future {
        let received = receive(request.body().is_end_stream());
        service.call(request.map(|body| match received {
            Some(received) => axum::body::Body::new(RequestBody::new(body, received)),
            None => axum::body::Body::new(body),
        }))
    }
}
