use std::{io, net::SocketAddr};

/// Why a page is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Other machines could reach the address, and the settings have no token for them.
    #[error("{address} is not a loopback address: others may only look with a token")]
    #[non_exhaustive]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
    /// The token is empty.
    #[error("an empty token keeps nobody out")]
    #[non_exhaustive]
    EmptyToken,
    /// The address cannot be listened on.
    #[error("cannot listen on {address}")]
    #[non_exhaustive]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
}
