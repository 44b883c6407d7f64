//! Why a collector does not start.

use std::io;
use std::net::SocketAddr;

/// Why a collector does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Other machines could reach the address, and the settings have no token for them.
    #[error("{address} is not a loopback address: others may only send with a token")]
    #[non_exhaustive]
    NotLoopback {
        /// The address.
        address: SocketAddr,
    },
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
