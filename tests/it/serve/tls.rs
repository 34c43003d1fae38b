//! A server with a certificate.

use std::{
    io::{Read as _, Write as _},
    process::Command,
    sync::Arc,
};

use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto::ring};

use super::{SCRIPTS, Server};

#[test]
fn a_server_with_a_certificate_answers_only_over_tls() {
    let made = rcgen::generate_simple_self_signed([String::from("localhost")]).unwrap();
    let (cert, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let scripts = [SCRIPTS[0], ("cert.pem", cert.as_str()), ("key.pem", key.as_str())];
    let args = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let server = Server::with(&scripts, &args);
    assert!(server.notes.contains("listening at https://127.0.0.1:"), "{}", server.notes);

    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let connection =
        ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut stream = StreamOwned::new(connection, server.client.open());
    let body = r#"{"text": "three small words"}"#;
    // A page of this server may call it.
    let request = format!(
        "POST /scripts/word_count HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\
         Origin: https://localhost:{port}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len(),
        port = server.client.port(),
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8(answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains(r#""words":3"#), "{answer}");

    // Without TLS nothing answers, and others are still answered.
    let mut plain = server.client.open();
    plain.write_all(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut rest = Vec::new();
    let _ = plain.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&rest));
}

#[test]
fn a_certificate_that_cannot_be_used_ends_the_server_at_once() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("cert.pem"), "no certificate").unwrap();
    let serve = |args: &[&str]| {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("svc"))
            .args(["serve", "--bind", "127.0.0.1:0"])
            .args(args)
            .current_dir(place.path())
            .env("SVC_STORE", place.path().join("runs.db"))
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = serve(&["--tls-cert", "cert.pem", "--tls-key", "none.pem"]);
    assert_eq!(code, Some(78), "{said}");
    assert!(said.contains("`cert.pem`: expected a certificate in PEM, found none"), "{said}");
    let (code, said) = serve(&["--tls-cert", "cert.pem"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--tls-key"), "{said}");
}
