//! Decoding within a limit.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;

use crate::wire::{Fault, Request, check};

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
    Protobuf,
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
/// use gym_telemetry_collector::{Limits, Store};
///
/// let request = decode(br#"{"resourceMetrics": []}"#, Format::Json, 1024)?;
/// assert_eq!(Store::new(Limits::default()).apply(request).partial_success, None);
///
/// assert!(matches!(decode(&[0xff; 9], Format::Protobuf, 1024), Err(DecodeError::Wire)));
/// assert!(matches!(decode(&[0; 9], Format::Protobuf, 8), Err(DecodeError::TooLarge { .. })));
/// # Ok::<(), DecodeError>(())
/// ```
pub fn decode(body: &[u8], format: Format, max_bytes: usize) -> Result<Request<'_>, DecodeError> {
    if body.len() > max_bytes {
        return Err(DecodeError::TooLarge { limit: max_bytes });
    }
    let limit = max_bytes / BYTES_PER_MESSAGE;
    match format {
        Format::Protobuf => {
            look_through(body, limit)?;
            Ok(Request::new(body))
        }
        Format::Json => {
            // Braces in text count as well, which real requests can afford.
            if body.iter().filter(|byte| **byte == b'{').count() > limit {
                return Err(DecodeError::TooManyMessages { limit });
            }
            let request: ExportMetricsServiceRequest = serde_json::from_slice(body).map_err(DecodeError::Json)?;
            let body = request.encode_to_vec();
            look_through(&body, limit)?;
            Ok(Request::new(body))
        }
    }
}

fn look_through(body: &[u8], limit: usize) -> Result<(), DecodeError> {
    check(body, limit).map_err(|fault| match fault {
        Fault::Full => DecodeError::TooManyMessages { limit },
        Fault::Broken => DecodeError::Wire,
        Fault::Other => DecodeError::Protobuf,
    })
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
