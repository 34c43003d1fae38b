//! Whether and how a connection is encrypted.

use std::sync::Arc;

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{self, CryptoProvider},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject as _},
};
use svc_contract::registry::OpError;

/// The encryption of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tls {
    Disable,
    /// If the server offers it, with any certificate.
    Prefer,
    /// With any certificate.
    Require,
    /// With a certificate for the host, from a known authority or from one in this PEM.
    Verified(Option<String>),
}

impl Tls {
    /// The mode of an address. One without is verified, unless the server is near.
    pub(crate) fn of(mode: Option<&str>, ca: Option<&str>, is_near: bool) -> Result<Self, OpError> {
        let verified = Self::Verified(ca.map(str::to_owned));
        let tls = match mode {
            Some("verify-full") => verified,
            None if ca.is_some() || !is_near => verified,
            None | Some("prefer") => Self::Prefer,
            Some("require") => Self::Require,
            Some("disable") => Self::Disable,
            Some(_) => {
                let message = "invalid `sslmode` in the address of the server";
                return Err(OpError::invalid_input(message)
                    .help("use `disable`, `prefer`, `require` or `verify-full`"));
            }
        };
        if ca.is_some() && !tls.is_verified() {
            let message = "`ca` needs `sslmode=verify-full`: no certificate is verified without";
            return Err(OpError::invalid_input(message)
                .help("remove `sslmode` from the address, or leave `ca` out"));
        }
        Ok(tls)
    }

    pub(crate) fn is_verified(&self) -> bool {
        matches!(self, Self::Verified(_))
    }

    /// The settings of a client.
    pub(crate) fn client(&self) -> Result<Arc<ClientConfig>, OpError> {
        // Named, because a program that embeds the engine may have another one, or two.
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(|err| OpError::bug(err.to_string()))?;
        Ok(Arc::new(match self {
            Self::Verified(ca) => {
                builder.with_root_certificates(roots(ca.as_deref())?).with_no_client_auth()
            }
            _ => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)))
                .with_no_client_auth(),
        }))
    }
}

fn roots(ca: Option<&str>) -> Result<RootCertStore, OpError> {
    let mut roots = RootCertStore::empty();
    let Some(ca) = ca else {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        return Ok(roots);
    };
    let invalid = |why: String| {
        OpError::invalid_input(format!("invalid certificates in `ca`: {why}"))
            .help("give the text of a PEM file, which contains `-----BEGIN CERTIFICATE-----`")
    };
    for found in CertificateDer::pem_slice_iter(ca.as_bytes()) {
        let certificate = found.map_err(|err| invalid(err.to_string()))?;
        roots.add(certificate).map_err(|err| invalid(err.to_string()))?;
    }
    if roots.is_empty() { Err(invalid("found none".to_owned())) } else { Ok(roots) }
}

/// Accepts every certificate, whose key must have signed the handshake.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        crypto::verify_tls12_signature(message, cert, signed, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let known = &self.0.signature_verification_algorithms;
        crypto::verify_tls13_signature(message, cert, signed, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
