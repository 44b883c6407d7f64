use std::fmt;

use http::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};

use super::{SettingsError, form::pairs};

/// Headers that go with every OTLP request, written as `key=value,key2=value2` with percent-encoded values.
///
/// They often hold credentials, so `Debug` shows their names alone.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Headers {
    text: String,
    pairs: Vec<(String, String)>,
}

impl Headers {
    pub(crate) const ACCEPTED: &'static str = "a list such as `key=value,key2=value2`, its values percent-encoded";

    /// Reads a list of headers; `None` when one of them is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let pairs = pairs(text)?;
        let sound = |(name, value): &(String, String)| {
            HeaderName::from_bytes(name.as_bytes()).is_ok() && HeaderValue::from_str(value).is_ok()
        };
        pairs.iter().all(sound).then(|| Self { text: text.to_owned(), pairs })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The list as it was written.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Each name with its decoded value.
    #[cfg(any(feature = "otlp-grpc", feature = "otlp-http"))]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl TryFrom<String> for Headers {
    type Error = SettingsError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or_else(|| SettingsError::secret("otlp_headers", Self::ACCEPTED))
    }
}

impl From<Headers> for String {
    fn from(headers: Headers) -> Self {
        headers.text
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.pairs.iter().map(|(name, _)| name)).finish()
    }
}
