use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use rustls::ClientConfig;

use super::{Builder, PooledClient, RequestBody};

impl Builder {
    /// A client for `https` and `http`.
    ///
    /// `tls` says whom to trust, and leaves the protocols open: HTTP/2 is offered, and HTTP/1.1 unless the client is
    /// [`http2_only`](Self::http2_only).
    ///
    /// # Panics
    ///
    /// When `tls` names protocols for ALPN.
    pub fn build_https<B: RequestBody>(self, tls: ClientConfig) -> PooledClient<HttpsConnector<HttpConnector>, B> {
        let mut tcp = Self::tcp();
        tcp.enforce_http(false);
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let connector = if self.is_http2_only() {
            https.enable_http2().wrap_connector(tcp)
        } else {
            https.enable_all_versions().wrap_connector(tcp)
        };
        self.build(connector)
    }
}
