//! TLS, and the protocol that it agrees on.

use std::{convert::Infallible, sync::Arc};

use bytes::Bytes;
use gym_telemetry_hyper::{CallError, Limits, PooledClient};
use http::{Request, Response, Version};
use http_body_util::Full;
use hyper::{body::Incoming, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer},
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::{Accounts, Body, get, text, until, within};

/// A server that answers `hi` under a certificate of its own, and agrees on one protocol.
struct Server {
    url: String,
    certificate: CertificateDer<'static>,
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

impl Server {
    async fn start(protocol: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://localhost:{}/", listener.local_addr().unwrap().port());
        let own = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let (certificate, key) = (own.cert.der().clone(), PrivateKeyDer::Pkcs8(own.signing_key.serialize_der().into()));
        let config = ServerConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
        let mut config = config.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
        config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        tokio::spawn(serve(listener, TlsAcceptor::from(Arc::new(config))));
        Self { url, certificate }
    }
}

async fn serve(listener: TcpListener, tls: TlsAcceptor) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let tls = tls.clone();
        tokio::spawn(async move {
            // A client that does not trust the certificate goes away.
            let Ok(stream) = tls.accept(stream).await else { return };
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            let answer = service_fn(answer);
            let stream = TokioIo::new(stream);
            if is_http2 {
                drop(
                    hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                        .serve_connection(stream, answer)
                        .await,
                );
            } else {
                drop(hyper::server::conn::http1::Builder::new().serve_connection(stream, answer).await);
            }
        });
    }
}

async fn answer(_: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    Ok(Response::new(Full::from("hi")))
}

/// A client's trust in these certificates alone.
fn trust(certificates: &[&CertificateDer<'static>]) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add((*certificate).clone()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(provider()).with_safe_default_protocol_versions().unwrap();
    config.with_root_certificates(roots).with_no_client_auth()
}

#[tokio::test]
async fn tls_decides_which_protocol_is_spoken_and_is_part_of_the_connection() {
    for (protocol, version) in [("http/1.1", Version::HTTP_11), ("h2", Version::HTTP_2)] {
        let (accounts, server) = (Accounts::new(), Server::start(protocol).await);
        let builder = PooledClient::builder(accounts.pool()).limits(Limits::new().per_host(2));
        let client: PooledClient<_, Body> =
            builder.destination("policy_model").build_https(trust(&[&server.certificate]));
        for _ in 0..3 {
            let answer = within(client.request(get(server.url.clone()))).await.unwrap();
            assert_eq!(answer.version(), version);
            assert_eq!(text(Ok(answer)).await, "hi");
        }
        assert_eq!((accounts.attempts(), accounts.connects()), (3, (1, 0)));
        assert_eq!((client.snapshot().held, client.snapshot().sockets), (0, 1));
    }
}

#[tokio::test]
async fn a_server_that_is_not_trusted_is_a_failed_connection() {
    let (accounts, server) = (Accounts::new(), Server::start("h2").await);
    let client: PooledClient<_, Body> =
        PooledClient::builder(accounts.pool()).destination("policy_model").build_https(trust(&[]));
    let error = within(client.request(get(server.url.clone()))).await.unwrap_err();
    assert!(matches!(error, CallError::Connect(_)), "{error:?}");
    assert_eq!((accounts.connects(), client.snapshot().held, client.snapshot().sockets), ((0, 1), 0, 0));
}

#[tokio::test]
async fn a_burst_that_turns_out_to_share_a_connection_ends_with_one() {
    let (accounts, server) = (Accounts::new(), Server::start("h2").await);
    let client: PooledClient<_, Body> = PooledClient::builder(accounts.pool())
        .limits(Limits::new().per_host(8))
        .build_https(trust(&[&server.certificate]));
    let calls: Vec<_> = (0..50)
        .map(|_| {
            let call = client.request(get(server.url.clone()));
            tokio::spawn(async { text(call.await).await })
        })
        .collect();
    for call in calls {
        assert_eq!(within(call).await.unwrap(), "hi");
    }
    until(|| client.snapshot().sockets == 1).await;
    assert_eq!((client.snapshot().held, client.snapshot().idle), (0, 1));
}
