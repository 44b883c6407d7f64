use std::borrow::Cow;

use gym_telemetry_conventions::attributes::{EXTERNAL_DESTINATION, REMOTE_AGENT_SERVICE_DESTINATION};

/// The configured name of the server that a request goes to, as an extension of that request.
///
/// It counts for this one request. Without it, a request counts for the client's default destination.
///
/// # Example
///
/// ```
/// use gym_telemetry_hyper::Destination;
///
/// let request = http::Request::get("http://127.0.0.1:8000/health")
///     .extension(Destination::new("policy_model"))
///     .body(())?;
/// # Ok::<_, http::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "it is an extension of a request"]
pub struct Destination(Cow<'static, str>);

impl Destination {
    /// The server of this name, which should be one of a few: a name from the configuration, never from a URL.
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// Another agent service.
    pub const fn remote_agent_service() -> Self {
        Self(Cow::Borrowed(REMOTE_AGENT_SERVICE_DESTINATION))
    }

    /// Anything that has no name here.
    pub const fn external() -> Self {
        Self(Cow::Borrowed(EXTERNAL_DESTINATION))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0
    }
}
