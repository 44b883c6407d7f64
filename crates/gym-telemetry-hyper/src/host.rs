use std::hash::{Hash, Hasher};

use gym_telemetry_core::HttpScheme;
use http::{
    HeaderValue, Request, Uri, Version,
    header::HOST,
    uri::{Authority, PathAndQuery, Scheme},
};

/// A host as limits see it: scheme, name and port, in whatever way a URI writes them.
///
/// Each call looks for it several times, so what it takes to compare two is found once.
#[derive(Debug, Clone)]
pub(crate) struct HostKey {
    /// In lower case, and without a user.
    authority: Authority,
    name_length: usize,
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
        let authority = plain(uri.authority()?)?;
        let port = authority.port_u16().unwrap_or(default_port(is_https));
        Some(Self { name_length: authority.host().len(), authority, is_https, port })
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
        &self.authority.as_str()[..self.name_length]
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Its name and port, as a `Host` header has them.
    fn header(&self) -> Option<HeaderValue> {
        // Any other port than the default has been written.
        let address = if self.port == default_port(self.is_https) { self.name() } else { self.authority.as_str() };
        HeaderValue::from_str(address).ok()
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
        (self.port, self.is_https, self.name()) == (other.port, other.is_https, other.name())
    }
}

impl Eq for HostKey {}

impl Hash for HostKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u16(self.port);
        state.write(self.name().as_bytes());
    }
}

/// An authority in lower case and without a user, which most are.
fn plain(authority: &Authority) -> Option<Authority> {
    let text = authority.as_str();
    if !text.bytes().any(|byte| byte == b'@' || byte.is_ascii_uppercase()) {
        return Some(authority.clone());
    }
    Authority::try_from(text.rsplit('@').next()?.to_ascii_lowercase()).ok()
}

const fn default_port(is_https: bool) -> u16 {
    if is_https { 443 } else { 80 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(uri: &str) -> Option<HostKey> {
        HostKey::of(&uri.parse().expect("a URI"))
    }

    #[test]
    fn a_host_is_the_same_however_it_is_written() {
        for (one, other) in [
            ("http://Judge.Test/a", "http://judge.test:80/b?c"),
            ("http://me:secret@judge.test:8080/", "http://judge.test:8080"),
            ("https://[::1]/", "https://[::1]:443/"),
        ] {
            assert_eq!(host(one), host(other));
        }
        for other in ["https://judge.test/", "http://judge.test:81/", "http://judge.tes/", "http://[::1]/"] {
            assert_ne!(host("http://judge.test/"), host(other));
        }
        assert_eq!((host("ftp://judge.test/"), host("/path")), (None, None));
    }

    #[test]
    fn the_header_has_the_port_unless_it_is_the_default_and_never_the_user() {
        for (uri, name, header) in [
            ("http://judge.test:80/", "judge.test", "judge.test"),
            ("http://judge.test:443/", "judge.test", "judge.test:443"),
            ("https://me@Judge.test:8443/", "judge.test", "judge.test:8443"),
            ("http://[::1]:8000/", "[::1]", "[::1]:8000"),
        ] {
            let host = host(uri).expect("a host");
            assert_eq!((host.name(), host.header().expect("a header").as_bytes()), (name, header.as_bytes()));
        }
    }
}
