use std::hash::{Hash, Hasher};

use gym_telemetry_core::HttpScheme;
use http::{
    HeaderValue, Request, Uri, Version,
    header::HOST,
    uri::{Authority, PathAndQuery, Scheme},
};

/// A host as limits see it: scheme, name and port, in whatever way a URI writes them.
#[derive(Debug, Clone)]
pub(crate) struct HostKey {
    authority: Authority,
    is_https: bool,
    port: u16,
}

impl HostKey {
    /// The host of an absolute URI with a scheme that this client speaks.
    pub(crate) fn of(uri: &Uri) -> Option<Self> {
        let is_https = match uri.scheme()? {
            scheme if *scheme == Scheme::HTTP => false,
            scheme if *scheme == Scheme::HTTPS => true,
            _ => return None,
        };
        let authority = uri.authority()?.clone();
        let port = authority.port_u16().unwrap_or(default_port(is_https));
        Some(Self { authority, is_https, port })
    }

    /// What a connector is told to connect to.
    pub(crate) fn uri(&self) -> Uri {
        let scheme = if self.is_https { Scheme::HTTPS } else { Scheme::HTTP };
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(scheme);
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(PathAndQuery::from_static("/"));
        // All three parts are there, so it is a URI.
        Uri::from_parts(parts).unwrap_or_default()
    }

    pub(crate) fn scheme(&self) -> HttpScheme {
        if self.is_https { HttpScheme::Https } else { HttpScheme::Http }
    }

    /// Its name without a port.
    pub(crate) fn name(&self) -> &str {
        self.authority.host()
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its name and port, as a `Host` header has them.
    fn header(&self) -> Option<HeaderValue> {
        let host = self.authority.host();
        if self.port == default_port(self.is_https) {
            return HeaderValue::from_str(host).ok();
        }
        HeaderValue::from_maybe_shared(format!("{host}:{}", self.port)).ok()
    }

    /// Writes a request as HTTP/1.1 wants it: with a `Host` header, and with no more of the URI than is needed.
    pub(crate) fn prepare_http1<B>(&self, request: &mut Request<B>, is_proxied: bool) {
        if request.version() == Version::HTTP_2 {
            *request.version_mut() = Version::HTTP_11;
        }
        if !request.headers().contains_key(HOST)
            && let Some(host) = self.header()
        {
            request.headers_mut().insert(HOST, host);
        }
        if !is_proxied || self.is_https {
            let path = request.uri().path_and_query().cloned();
            *request.uri_mut() = path.unwrap_or_else(|| PathAndQuery::from_static("/")).into();
        }
    }
}

impl PartialEq for HostKey {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |key: &Self| (key.is_https, key.port);
        is_same(self) == is_same(other) && self.authority.host().eq_ignore_ascii_case(other.authority.host())
    }
}

impl Eq for HostKey {}

impl Hash for HostKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u16(self.port);
        for byte in self.authority.host().bytes() {
            state.write_u8(byte.to_ascii_lowercase());
        }
    }
}

const fn default_port(is_https: bool) -> u16 {
    if is_https { 443 } else { 80 }
}
