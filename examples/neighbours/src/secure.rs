//! Requests of both TLS stacks to one server.

use std::sync::Arc;

use rustls::pki_types::PrivateKeyDer;
use svc::{
    host::http::Request,
    registry::{Cx, OpError},
};
use tokio::{io::AsyncReadExt as _, io::AsyncWriteExt as _, net::TcpListener};
use tokio_rustls::TlsAcceptor;

use crate::Result;

/// reqwest trusts the certificate of the server, and svc does not: it has the roots of the web.
pub(crate) async fn requests_of_both() -> Result {
    let signed = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
    let trusted = reqwest::Certificate::from_der(signed.cert.der())?;
    let address = serve(signed).await?;
    let url = format!("https://localhost:{}/", address.port());

    let client = reqwest::Client::builder().tls_certs_only([trusted]).build()?;
    let text = client.get(&url).send().await?.text().await?;
    assert_eq!(text, "hello");

    let get = svc::io_op("web.status", async |cx: Cx, url: String| {
        let answer = cx.host().http(Request::get(url).configured()).await;
        answer.map(|it| i64::from(it.status)).map_err(|err| OpError::failed(err.to_string()))
    });
    let engine = svc::engine().with_ops([get])?;
    let failed = engine.run("web.status").input(url).await.unwrap_err().to_string();
    assert!(failed.contains("certificate"), "{failed}");

    let default = rustls::crypto::CryptoProvider::get_default().ok_or("no process default")?;
    assert!(format!("{:?}", default.key_provider).contains("AwsLc"), "{default:?}");
    println!("TLS: reqwest got `{text}` by aws-lc; svc refused the certificate by ring");
    Ok(())
}

/// A server on this machine that answers every request with `hello`.
async fn serve(signed: rcgen::CertifiedKey<rcgen::KeyPair>) -> Result<std::net::SocketAddr> {
    let key = PrivateKeyDer::try_from(signed.signing_key.serialize_der())?;
    let config = rustls::ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![signed.cert.der().clone()], key)?;
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("localhost:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            // A client that refuses the certificate ends the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello";
            let _ = stream.write_all(answer).await;
            let _ = stream.shutdown().await;
        }
    });
    Ok(address)
}
