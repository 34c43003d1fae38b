//! TLS: the certificate of the server, and how callers begin with it.

use std::{
    io,
    path::Path,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
};
use svc_api::rest::TlsFiles;
use svc_contract::host::{self, Host, Stat};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// The largest file of a certificate or a key.
const LARGEST: u64 = 1 << 20;

/// How often the files are looked at: a renewed certificate is used from then on.
const LOOKS: Duration = Duration::from_secs(30);

/// The certificate of a server.
pub(super) struct Tls {
    files: TlsFiles,
    host: Arc<dyn Host>,
    current: RwLock<TlsAcceptor>,
}

impl Tls {
    /// Reads the files. What is wrong with them is an error of the kind `InvalidInput`.
    pub(super) fn read(files: TlsFiles, host: Arc<dyn Host>) -> io::Result<Self> {
        let current = RwLock::new(acceptor(&files, host.as_ref())?);
        Ok(Self { files, host, current })
    }

    /// The encrypted connection over another one.
    pub(super) async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: S,
        within: Duration,
    ) -> io::Result<TlsStream<S>> {
        let acceptor = self.current.read().unwrap_or_else(PoisonError::into_inner).clone();
        tokio::time::timeout(within, acceptor.accept(stream)).await?
    }

    /// Reads the files again whenever they have changed. If they are wrong, the old certificate
    /// stays.
    pub(super) async fn follow(&self) {
        let mut known = self.stats();
        loop {
            tokio::time::sleep(LOOKS).await;
            let stats = self.stats();
            if stats == known {
                continue;
            }
            known = stats;
            match acceptor(&self.files, self.host.as_ref()) {
                Ok(it) => *self.current.write().unwrap_or_else(PoisonError::into_inner) = it,
                Err(error) => tracing::warn!(%error, "the old certificate stays"),
            }
        }
    }

    /// What would differ if a file had changed.
    fn stats(&self) -> [Option<Stat>; 2] {
        let of = |path: &Path| self.host.stat(path).ok();
        [of(&self.files.certificate), of(&self.files.key)]
    }
}

fn acceptor(files: &TlsFiles, host: &dyn Host) -> io::Result<TlsAcceptor> {
    let TlsFiles { certificate, key } = files;
    let text = read(certificate, host)?;
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .map_err(|err| wrong(certificate, &shown(&err)))?;
    if chain.is_empty() {
        return Err(wrong(certificate, "expected a certificate in PEM, found none"));
    }
    let secret =
        PrivateKeyDer::from_pem_slice(&read(key, host)?).map_err(|err| wrong(key, &shown(&err)))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|err| match err {
            rustls::Error::InconsistentKeys(_) => {
                wrong(key, &format!("it is not the key of `{}`", certificate.display()))
            }
            err => wrong(certificate, &err.to_string()),
        })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read(path: &Path, host: &dyn Host) -> io::Result<Vec<u8>> {
    host::read(host, path, LARGEST).map_err(|err| wrong(path, &err.to_string()))
}

fn shown(error: &pem::Error) -> String {
    match error {
        pem::Error::NoItemsFound => {
            "expected a private key in PEM without a password, found none".to_owned()
        }
        error => format!("expected PEM: {error}"),
    }
}

fn wrong(path: &Path, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("`{}`: {what}", path.display()))
}

#[cfg(test)]
mod tests {
    use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
    use rustls::{ClientConfig, RootCertStore};
    use svc_contract::host::{MemoryFiles, WithFiles};
    use svc_host_os::OsHost;
    use tokio_rustls::TlsConnector;

    use super::*;

    fn files() -> TlsFiles {
        TlsFiles { certificate: "cert.pem".into(), key: "key.pem".into() }
    }

    fn made() -> CertifiedKey<KeyPair> {
        generate_simple_self_signed([String::from("svc.example.com")]).unwrap()
    }

    fn host(files: &MemoryFiles) -> WithFiles {
        WithFiles::new(files.clone(), Arc::new(OsHost::default()))
    }

    fn put(files: &MemoryFiles, made: &CertifiedKey<KeyPair>) {
        files.put("cert.pem", made.cert.pem());
        files.put("key.pem", made.signing_key.serialize_pem());
    }

    /// Whether a caller that trusts only this certificate gets a connection.
    async fn is_trusted(tls: &Tls, made: &CertifiedKey<KeyPair>) -> bool {
        let mut roots = RootCertStore::empty();
        roots.add(made.cert.der().clone()).unwrap();
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let name = "svc.example.com".try_into().unwrap();
        let calling = TlsConnector::from(Arc::new(config)).connect(name, theirs);
        let (_, called) = tokio::join!(tls.accept(ours, Duration::from_secs(5)), calling);
        called.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn a_renewed_certificate_is_used_and_a_wrong_one_is_not() {
        let (kept, old, new) = (MemoryFiles::new(), made(), made());
        put(&kept, &old);
        let tls = Tls::read(files(), Arc::new(host(&kept))).unwrap();
        assert!(is_trusted(&tls, &old).await && !is_trusted(&tls, &new).await);
        let looks = |tls| tokio::time::timeout(2 * LOOKS, Tls::follow(tls));
        kept.put("cert.pem", "half of a");
        assert!(looks(&tls).await.is_err() && is_trusted(&tls, &old).await);
        let changing = async {
            tokio::time::sleep(LOOKS / 2).await;
            put(&kept, &new);
        };
        let _ = tokio::join!(looks(&tls), changing);
        assert!(is_trusted(&tls, &new).await && !is_trusted(&tls, &old).await);
    }

    #[test]
    fn what_is_wrong_with_the_files_is_said() {
        let (one, other) = (made(), made());
        let cert = one.cert.pem();
        let (key, foreign) = (one.signing_key.serialize_pem(), other.signing_key.serialize_pem());
        let cases: [(&[u8], &[u8], &str); 7] = [
            (b"", key.as_bytes(), "`cert.pem`: expected a certificate in PEM, found none"),
            (b"\xff\x00", key.as_bytes(), "`cert.pem`: expected a certificate in PEM, found none"),
            (cert.as_bytes(), b"", "`key.pem`: expected a private key in PEM without a password"),
            (cert.as_bytes(), cert.as_bytes(), "`key.pem`: expected a private key in PEM"),
            (cert.as_bytes(), &key.as_bytes()[..40], "`key.pem`: expected"),
            (cert.as_bytes(), foreign.as_bytes(), "`key.pem`: it is not the key of `cert.pem`"),
            (key.as_bytes(), key.as_bytes(), "`cert.pem`: expected a certificate in PEM"),
        ];
        for (certificate, key, wanted) in cases {
            let kept = MemoryFiles::from([("cert.pem", certificate), ("key.pem", key)]);
            let err = acceptor(&files(), &host(&kept)).err().unwrap();
            assert!(err.to_string().contains(wanted), "{wanted}: {err}");
            assert_eq!(err.kind(), io::ErrorKind::InvalidInput);
        }
        let err = acceptor(&files(), &host(&MemoryFiles::new())).err().unwrap().to_string();
        assert!(err.contains("`cert.pem`: "), "{err}");
    }
}
