//! Signatures of certificates: Ed25519, with keys as `openssl` writes them.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Certificate;

/// A signature of everything else in the certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Seal {
    /// The public key, in base64.
    pub public_key: String,
    /// The Ed25519 signature, in base64, of the certificate without its seal as compact JSON.
    pub signature: String,
}

/// A key that signs.
pub struct PrivateKey(Ed25519KeyPair);

/// A key that tests signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey(Vec<u8>);

/// The reason why a text is not a key.
#[derive(Debug)]
pub struct KeyError(String);

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What precedes the 32 bytes of a public key in its DER form.
const PUBLIC_HEAD: [u8; 12] =
    [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

impl PrivateKey {
    /// Reads a key in PEM: PKCS #8, as `openssl genpkey -algorithm ed25519` writes it.
    pub fn read(pem: &str) -> Result<Self, KeyError> {
        let der = block(pem, "PRIVATE KEY")?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der);
        pair.map(Self).map_err(|err| KeyError(format!("not a private Ed25519 key: {err}")))
    }

    /// Signs a certificate.
    pub fn seal(&self, certificate: &mut Certificate) {
        let signature = self.0.sign(&certificate.signed());
        certificate.seal = Some(Seal {
            public_key: STANDARD.encode(self.0.public_key().as_ref()),
            signature: STANDARD.encode(signature.as_ref()),
        });
    }
}

impl PublicKey {
    /// Reads a key in PEM, as `openssl pkey -pubout` writes it.
    pub fn read(pem: &str) -> Result<Self, KeyError> {
        let der = block(pem, "PUBLIC KEY")?;
        let key = der.strip_prefix(&PUBLIC_HEAD[..]).filter(|it| it.len() == 32);
        key.map(|it| Self(it.to_vec()))
            .ok_or_else(|| KeyError("not a public Ed25519 key".to_owned()))
    }
}

impl Seal {
    /// Returns why the seal is not valid, if so: the signature must fit, and if a key is expected, be
    /// made with it.
    pub(super) fn problem(
        &self,
        certificate: &Certificate,
        expected: Option<&PublicKey>,
    ) -> Option<String> {
        let decode = |text: &str| STANDARD.decode(text).ok();
        let (Some(key), Some(signature)) = (decode(&self.public_key), decode(&self.signature))
        else {
            return Some("the seal is not valid base64".to_owned());
        };
        if expected.is_some_and(|it| it.0 != key) {
            return Some("the seal was made with another key".to_owned());
        }
        let fits = UnparsedPublicKey::new(&ED25519, key).verify(&certificate.signed(), &signature);
        fits.err().map(|_| "the signature does not fit: the certificate was changed".to_owned())
    }
}

/// The content of the first block of this kind in a PEM file.
fn block(pem: &str, kind: &str) -> Result<Vec<u8>, KeyError> {
    let (begin, end) = (format!("-----BEGIN {kind}-----"), format!("-----END {kind}-----"));
    let body = pem.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
    let (body, _) = body.ok_or_else(|| KeyError(format!("expected a file with `{begin}`")))?;
    let text: String = body.split_whitespace().collect();
    STANDARD.decode(text).map_err(|_| KeyError("the key is not valid base64".to_owned()))
}
