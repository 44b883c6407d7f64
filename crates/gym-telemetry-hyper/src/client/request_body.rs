use hyper::body::Body;

use crate::error::BoxError;

/// What hyper can send as the body of a request. It is implemented for all such bodies, and by nothing else.
pub trait RequestBody: Body<Data: Send, Error: Into<BoxError>> + Send + Unpin + 'static {}

impl<B: Body<Data: Send, Error: Into<BoxError>> + Send + Unpin + 'static> RequestBody for B {}
