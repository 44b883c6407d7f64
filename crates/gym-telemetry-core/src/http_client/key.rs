use std::sync::Arc;

use gym_telemetry_conventions::attributes;
use opentelemetry::KeyValue;

use crate::{HttpMethod, HttpScheme, HttpVersion};

/// The name and the port of a host.
pub(super) type Host = (Arc<str>, u16);

/// What is said of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) method: HttpMethod,
    pub(super) scheme: HttpScheme,
    /// The place of its host among those that are known.
    pub(super) host: Option<usize>,
    /// Its status and the version of the protocol, once there is a response.
    pub(super) response: Option<(u16, HttpVersion)>,
    /// What broke it, if anything did.
    pub(super) error: Option<&'static str>,
}

impl Key {
    pub(super) fn attributes(self, host: Option<&Host>) -> Vec<KeyValue> {
        let mut all = vec![
            KeyValue::new(attributes::HTTP_REQUEST_METHOD.key, self.method.as_str()),
            KeyValue::new(attributes::URL_SCHEME.key, self.scheme.as_str()),
        ];
        if let Some((name, port)) = host {
            all.push(KeyValue::new(attributes::SERVER_ADDRESS.key, Arc::clone(name)));
            all.push(KeyValue::new(attributes::SERVER_PORT.key, i64::from(*port)));
        } else {
            all.push(KeyValue::new(attributes::SERVER_ADDRESS.key, attributes::EXTERNAL_DESTINATION));
        }
        if let Some((status, version)) = self.response {
            all.push(KeyValue::new(attributes::HTTP_RESPONSE_STATUS_CODE.key, i64::from(status)));
            all.push(KeyValue::new(attributes::NETWORK_PROTOCOL_VERSION.key, version.as_str()));
        }
        let refused = self.response.filter(|(status, _)| *status >= 400).map(|(status, _)| status.to_string());
        let error = self.error.map(str::to_owned).or(refused);
        all.extend(error.map(|error| KeyValue::new(attributes::ERROR_TYPE.key, error)));
        all
    }
}
