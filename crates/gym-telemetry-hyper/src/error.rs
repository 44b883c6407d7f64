use std::time::Duration;

/// Any error of a connector or a body.
pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Why a call brought no response.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The request's URI does not say where to send it.
    #[error("the URI has no host, or a scheme other than http and https")]
    NoHost,
    /// No slot was free in time. Nothing was sent.
    #[error("no connection slot was free within {} ms", .after.as_millis())]
    AcquireTimeout {
        /// The time that was given.
        after: Duration,
    },
    /// A new connection was not there in time. Nothing was sent.
    #[error("no connection was opened within {} ms", .after.as_millis())]
    ConnectTimeout {
        /// The time that was given.
        after: Duration,
    },
    /// A new connection could not be opened. Nothing was sent.
    #[error("no connection could be opened")]
    Connect(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The request, or the head of its response, was lost on the way.
    #[error("the request or its response was lost")]
    Send(#[source] hyper::Error),
}

impl CallError {
    /// The kind of error in one word, as `error.type` has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoHost => "no_host",
            Self::AcquireTimeout { .. } => "acquire_timeout",
            Self::ConnectTimeout { .. } => "connect_timeout",
            Self::Connect(_) => "connect",
            Self::Send(_) => "send",
        }
    }
}
