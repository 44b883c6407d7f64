//! Whether a request was made to this page by this page, or by its user.
//!
//! A site can let its own name point at this machine once its visitor has loaded it, and then read the page as if it
//! were its own. Such a request names the site in `Host`. One from another page names that in `Origin`.

use std::net::IpAddr;

use axum::http::{HeaderMap, Uri, header, uri::Authority};

/// Whether the host that is asked for is an address or `localhost`, which no site can take over. Without `remote` it
/// must be an address of this machine alone.
pub(super) fn is_ours(headers: &HeaderMap, remote: bool) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return false };
    let Some(host) = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) else { return false };
    let host = host.host();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    address.map_or(host.eq_ignore_ascii_case("localhost"), |address| remote || address.to_canonical().is_loopback())
}

/// Whether a request comes from this page, or from no page.
pub(super) fn is_same_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else { return true };
    let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    origin.as_ref().and_then(Uri::authority).map(Authority::as_str) == host && host.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(header::HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn addresses_of_this_machine_are_ours() {
        let is_ours = |host, remote| is_ours(&headers(&[(header::HOST, host)]), remote);
        for host in ["127.0.0.1:8090", "localhost:8090", "LOCALHOST", "[::1]:8090", "127.9.9.9"] {
            assert!(is_ours(host, false), "{host}");
        }
        for host in ["evil.example", "evil.example:8090", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b"]
        {
            assert!(!is_ours(host, false) && !is_ours(host, true), "{host}");
        }
        assert!(!is_ours("10.0.0.7:8090", false));
        assert!(is_ours("10.0.0.7:8090", true));
        assert!(!super::is_ours(&HeaderMap::new(), true));
    }

    #[test]
    fn other_pages_are_not() {
        let from = |origin| is_same_origin(&headers(&[(header::HOST, "localhost:8090"), (header::ORIGIN, origin)]));
        assert!(from("http://localhost:8090"));
        for origin in ["http://localhost:9999", "http://evil.example", "null"] {
            assert!(!from(origin), "{origin}");
        }
        assert!(is_same_origin(&headers(&[(header::HOST, "localhost:8090")])));
    }
}
