use std::{
    fmt,
    net::{Ipv4Addr, SocketAddr},
};

/// Where the page is served, and to whom.
///
/// # Example
///
/// ```
/// use gym_telemetry_dashboard::page::Settings;
///
/// let here = Settings::new().address(([127, 0, 0, 1], 8090).into());
/// let everywhere = Settings::new().address(([0, 0, 0, 0], 8090).into()).allow_remote("a long random word");
/// # let _ = (here, everywhere);
/// ```
#[derive(Clone)]
#[must_use = "settings do nothing until a page is started with them"]
pub struct Settings {
    pub(super) address: SocketAddr,
    pub(super) token: Option<String>,
}

impl Settings {
    /// A free port of 127.0.0.1, for whoever is on this machine.
    pub fn new() -> Self {
        Self { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), token: None }
    }

    /// Where to listen; port 0 takes a free one.
    pub fn address(self, address: SocketAddr) -> Self {
        Self { address, ..self }
    }

    /// Lets the page be reached from other machines by those who know `token`, which must not be empty.
    ///
    /// A browser is given it once, as `?token=` behind the address; programs send `Authorization: Bearer`.
    pub fn allow_remote(self, token: impl Into<String>) -> Self {
        Self { token: Some(token.into()), ..self }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = self.token.as_ref().map(|_| "..");
        f.debug_struct("Settings").field("address", &self.address).field("token", &token).finish()
    }
}
