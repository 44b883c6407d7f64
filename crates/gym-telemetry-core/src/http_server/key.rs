use std::sync::Arc;

use gym_telemetry_conventions::attributes::{self, OTHER_METHOD, UNMATCHED_ROUTE};
use opentelemetry::{KeyValue, StringValue};

use super::{HttpRequest, names::old};
use crate::requests::RouteIndex;

/// The attribute of a series that stands for all beyond a limit, as the SDK has it.
const OVERFLOW: &str = "otel.metric.overflow";

/// What the series of a request is found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub(crate) request: HttpRequest,
    /// None if there was no response.
    pub(crate) status: Option<u16>,
    pub(crate) error: ErrorType,
    pub(crate) route: RouteIndex,
}

/// What `error.type` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ErrorType {
    /// The status if it is a server's error, else nothing.
    Status,
    Cancelled,
    Panic,
    /// An error instead of a response, or in its body.
    Other,
}

impl Key {
    /// The attributes of its series. They are cloned at each collection, so that none may be text of its own.
    pub(super) fn attributes(self, route: &Arc<str>) -> Vec<KeyValue> {
        let HttpRequest { method, scheme, version } = self.request;
        let status =
            self.status.map(|status| KeyValue::new(attributes::HTTP_RESPONSE_STATUS_CODE.key, i64::from(status)));
        let error = self.error_type().map(|error| KeyValue::new(attributes::ERROR_TYPE.key, error));
        let all = [
            KeyValue::new(attributes::HTTP_REQUEST_METHOD.key, method.as_str()),
            KeyValue::new(attributes::HTTP_ROUTE.key, Arc::clone(route)),
            KeyValue::new(attributes::URL_SCHEME.key, scheme.as_str()),
            KeyValue::new(attributes::NETWORK_PROTOCOL_VERSION.key, version.as_str()),
        ];
        all.into_iter().chain(status).chain(error).collect()
    }

    /// The same by the older names.
    pub(super) fn old_attributes(self, route: &Arc<str>) -> Vec<KeyValue> {
        let HttpRequest { method, scheme, version } = self.request;
        let status = self.status.map(|status| KeyValue::new(old::STATUS_CODE, i64::from(status)));
        let all = [
            KeyValue::new(old::METHOD, method.as_str()),
            KeyValue::new(old::TARGET, Arc::clone(route)),
            KeyValue::new(old::SCHEME, scheme.as_str()),
            KeyValue::new(old::FLAVOR, version.as_str()),
        ];
        all.into_iter().chain(status).collect()
    }

    fn error_type(self) -> Option<StringValue> {
        match self.error {
            ErrorType::Cancelled => Some("cancelled".into()),
            ErrorType::Panic => Some("panic".into()),
            ErrorType::Other => Some("_OTHER".into()),
            ErrorType::Status => {
                let status = self.status.filter(|status| *status >= 500)?;
                Some(Arc::<str>::from(status.to_string()).into())
            }
        }
    }
}

/// The attributes of the series that stands for all beyond the limit.
pub(super) fn overflow() -> [KeyValue; 3] {
    [
        KeyValue::new(OVERFLOW, true),
        KeyValue::new(attributes::HTTP_REQUEST_METHOD.key, OTHER_METHOD),
        KeyValue::new(attributes::HTTP_ROUTE.key, UNMATCHED_ROUTE),
    ]
}
