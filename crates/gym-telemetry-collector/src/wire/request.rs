//! A request as it is on the wire.

use std::borrow::Cow;

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;

/// A metrics request in protobuf. It is made by [`decode`](crate::decode()), or from the generated type.
///
/// # Example
///
/// ```
/// use gym_telemetry_collector::decode::{Format, decode};
/// use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
///
/// let request = decode(br#"{"resourceMetrics": [{}]}"#, Format::Json, 1024)?;
/// assert_eq!(request.as_bytes(), [0x0a, 0]);
/// # Ok::<(), gym_telemetry_collector::decode::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request<'a>(Cow<'a, [u8]>);

impl<'a> Request<'a> {
    pub(crate) fn new(body: impl Into<Cow<'a, [u8]>>) -> Self {
        Self(body.into())
    }

    /// Its bytes in protobuf.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl From<ExportMetricsServiceRequest> for Request<'_> {
    fn from(request: ExportMetricsServiceRequest) -> Self {
        Self::new(request.encode_to_vec())
    }
}
