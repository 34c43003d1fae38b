//! The signatures of tokens, verified by `ring`, which TLS uses as well.

use std::sync::Once;

use jsonwebtoken::{
    Algorithm, DecodingKey, DecodingKeyKind, EncodingKey,
    crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils},
    errors::{Error, ErrorKind, Result},
    signature::{self, Verifier},
};
use ring::signature as crypto;

/// The accepted algorithms: none of those that share a secret.
pub(super) const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
];

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: no_signer,
    verifier_factory: verifier,
    key_utils: KeyUtils::new_unimplemented(),
};

/// Makes `ring` what verifies tokens in this process, unless the program has chosen something.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let _ = PROVIDER.install_default();
    });
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the type of the provider")]
fn no_signer(_: &Algorithm, _: &EncodingKey) -> Result<Box<dyn JwtSigner>> {
    Err(ErrorKind::InvalidAlgorithm.into())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the type of the provider")]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>> {
    let means = Means::of(*algorithm).ok_or_else(|| Error::from(ErrorKind::InvalidAlgorithm))?;
    Ok(Box::new(OfRing { algorithm: *algorithm, means, key: key.kind().clone() }))
}

/// How `ring` calls an algorithm.
#[derive(Clone, Copy)]
enum Means {
    Plain(&'static dyn crypto::VerificationAlgorithm),
    Rsa(&'static crypto::RsaParameters),
}

impl Means {
    fn of(algorithm: Algorithm) -> Option<Self> {
        Some(match algorithm {
            Algorithm::ES256 => Self::Plain(&crypto::ECDSA_P256_SHA256_FIXED),
            Algorithm::ES384 => Self::Plain(&crypto::ECDSA_P384_SHA384_FIXED),
            Algorithm::EdDSA => Self::Plain(&crypto::ED25519),
            Algorithm::RS256 => Self::Rsa(&crypto::RSA_PKCS1_2048_8192_SHA256),
            Algorithm::RS384 => Self::Rsa(&crypto::RSA_PKCS1_2048_8192_SHA384),
            Algorithm::RS512 => Self::Rsa(&crypto::RSA_PKCS1_2048_8192_SHA512),
            Algorithm::PS256 => Self::Rsa(&crypto::RSA_PSS_2048_8192_SHA256),
            Algorithm::PS384 => Self::Rsa(&crypto::RSA_PSS_2048_8192_SHA384),
            Algorithm::PS512 => Self::Rsa(&crypto::RSA_PSS_2048_8192_SHA512),
            _ => return None,
        })
    }
}

struct OfRing {
    algorithm: Algorithm,
    means: Means,
    key: DecodingKeyKind,
}

impl Verifier<Vec<u8>> for OfRing {
    fn verify(
        &self,
        message: &[u8],
        given: &Vec<u8>,
    ) -> core::result::Result<(), signature::Error> {
        let verified = match (self.means, &self.key) {
            (Means::Plain(means), DecodingKeyKind::SecretOrDer(key)) => {
                crypto::UnparsedPublicKey::new(means, key).verify(message, given)
            }
            (Means::Rsa(means), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                crypto::RsaPublicKeyComponents { n, e }.verify(means, message, given)
            }
            _ => Err(ring::error::Unspecified),
        };
        verified.map_err(|_| signature::Error::new())
    }
}

impl JwtVerifier for OfRing {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
