//! Decoding within a limit.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;

use super::scan;

/// No real message takes fewer bytes than this, on average.
const BYTES_PER_MESSAGE: usize = 8;

/// How a body is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Protobuf, as in `application/x-protobuf`.
    Protobuf,
    /// JSON, as in `application/json`. Of a metric or a point whose inside is not what it should be, the outside is
    /// decoded and the inside is missing, which a store then refuses.
    Json,
}

/// Why a body is not a request.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// It is too long, compressed or not.
    #[error("the body is longer than {limit} bytes")]
    #[non_exhaustive]
    TooLarge {
        /// How long it may be.
        limit: usize,
    },
    /// It is made of too many messages.
    #[error("the body holds more than {limit} messages")]
    #[non_exhaustive]
    TooManyMessages {
        /// How many there may be.
        limit: usize,
    },
    /// It says that it is compressed with gzip, and is not.
    #[error("the body cannot be decompressed")]
    Gzip(#[source] io::Error),
    /// It does not have the shape of a protobuf message.
    #[error("the body is not protobuf")]
    Wire,
    /// It is a protobuf message, but not this one.
    #[error("the body is not an OTLP metrics request")]
    Protobuf(#[source] prost::DecodeError),
    /// It is not JSON, or JSON that is not a request.
    #[error("the body is not an OTLP metrics request in JSON")]
    Json(#[source] serde_json::Error),
}

/// Decodes `body`, which may be `max_bytes` long and hold a message for every eight of them.
///
/// # Errors
///
/// Whatever the bytes are, the answer is a request or an error.
///
/// # Example
///
/// ```
/// use gym_telemetry_collector::decode::{DecodeError, Format, decode};
///
/// let request = decode(br#"{"resourceMetrics": []}"#, Format::Json, 1024)?;
/// assert!(request.resource_metrics.is_empty());
///
/// assert!(matches!(decode(&[0xff; 9], Format::Protobuf, 1024), Err(DecodeError::Wire)));
/// assert!(matches!(decode(&[0; 9], Format::Protobuf, 8), Err(DecodeError::TooLarge { .. })));
/// # Ok::<(), DecodeError>(())
/// ```
pub fn decode(body: &[u8], format: Format, max_bytes: usize) -> Result<ExportMetricsServiceRequest, DecodeError> {
    if body.len() > max_bytes {
        return Err(DecodeError::TooLarge { limit: max_bytes });
    }
    let limit = max_bytes / BYTES_PER_MESSAGE;
    match format {
        Format::Protobuf => {
            scan::protobuf(body, limit)?;
            ExportMetricsServiceRequest::decode(body).map_err(DecodeError::Protobuf)
        }
        Format::Json => {
            scan::json(body, limit)?;
            serde_json::from_slice(body).map_err(DecodeError::Json)
        }
    }
}

/// Decompresses `body` to at most `max_bytes`.
///
/// # Errors
///
/// When it is not gzip, or longer than that.
pub fn inflate(body: &[u8], max_bytes: usize) -> Result<Vec<u8>, DecodeError> {
    let mut inflated = Vec::new();
    let bound = u64::try_from(max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    MultiGzDecoder::new(body).take(bound).read_to_end(&mut inflated).map_err(DecodeError::Gzip)?;
    if inflated.len() > max_bytes {
        return Err(DecodeError::TooLarge { limit: max_bytes });
    }
    Ok(inflated)
}
