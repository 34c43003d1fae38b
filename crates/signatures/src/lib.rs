//! Signatures of webhooks by HMAC-SHA256, in the form of Standard Webhooks and in that of GitHub.
//!
//! Pure functions: no clock and no network. Signatures are compared in constant time.
//!
//! Source: <https://github.com/standard-webhooks/standard-webhooks>, and the documentation of GitHub on
//! validating deliveries.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// The beginning of a secret of Standard Webhooks.
pub const PREFIX: &str = "whsec_";

/// The headers of Standard Webhooks.
pub const ID: &str = "webhook-id";
pub const TIMESTAMP: &str = "webhook-timestamp";
pub const SIGNATURE: &str = "webhook-signature";

/// The header of GitHub with its signature.
pub const GITHUB: &str = "x-hub-signature-256";

/// The key in a secret of Standard Webhooks. It is never shown.
#[derive(Clone)]
pub struct Key(Vec<u8>);

/// The text is not `whsec_` and a key in base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAKey;

impl Key {
    /// Reads a secret, with or without `whsec_`.
    pub fn parse(secret: &str) -> Result<Self, NotAKey> {
        let key = secret.strip_prefix(PREFIX).unwrap_or(secret);
        STANDARD.decode(key).map(Self).map_err(|_| NotAKey)
    }

    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The secret as text, which receivers need.
    pub fn reveal(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(&self.0))
    }

    /// The signature of a message: `v1,` and the HMAC in base64.
    pub fn sign(&self, id: &str, timestamp: &str, body: &[u8]) -> String {
        let mac = mac(&self.0).chain_update(content(id, timestamp, body));
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }

    /// Whether one of several signatures, between spaces, is that of a message.
    pub fn has_signed(&self, id: &str, timestamp: &str, body: &[u8], signatures: &str) -> bool {
        let content = content(id, timestamp, body);
        let all = signatures.split(' ').filter_map(|it| it.strip_prefix("v1,"));
        all.filter_map(|it| STANDARD.decode(it).ok()).any(|it| is_of(&self.0, &content, &it))
    }
}

/// Whether `sha256=..`, as GitHub sends it, is the signature of a body under a secret.
pub fn has_signed_as_github(secret: &str, body: &[u8], signature: &str) -> bool {
    let signature = signature.strip_prefix("sha256=").and_then(unhex);
    signature.is_some_and(|it| is_of(secret.as_bytes(), body, &it))
}

/// What is signed.
fn content(id: &str, timestamp: &str, body: &[u8]) -> Vec<u8> {
    [id.as_bytes(), b".", timestamp.as_bytes(), b".", body].concat()
}

fn mac(key: &[u8]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("a key may have any length")
}

/// Whether a signature is that of the content, in constant time.
fn is_of(key: &[u8], content: &[u8], signature: &[u8]) -> bool {
    mac(key).chain_update(content).verify_slice(signature).is_ok()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |it: &u8| char::from(*it).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|it| Some(digit(it.first()?)? << 4 | digit(it.get(1)?)?)).collect()
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl fmt::Display for NotAKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the secret is not a key in base64")
    }
}

impl std::error::Error for NotAKey {}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector of the libraries of Standard Webhooks.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const MESSAGE: &str = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    const BODY: &[u8] = br#"{"test": 2432232314}"#;
    const SIGNED: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    #[test]
    fn messages_are_signed_as_by_others() {
        let key = Key::parse(SECRET).unwrap();
        assert_eq!(key.sign(MESSAGE, "1614265330", BODY), SIGNED);
        assert_eq!(key.reveal(), SECRET);
        assert_eq!(format!("{key:?}"), "Key(..)");
        let bare = Key::parse(SECRET.strip_prefix(PREFIX).unwrap()).unwrap();
        assert_eq!(bare.sign(MESSAGE, "1614265330", BODY), SIGNED);
        assert_eq!(Key::parse("whsec_!").unwrap_err(), NotAKey);
    }

    #[test]
    fn only_the_message_that_was_signed_is_accepted() {
        let key = Key::parse(SECRET).unwrap();
        let is = |id: &str, time: &str, body: &[u8], all: &str| key.has_signed(id, time, body, all);
        assert!(is(MESSAGE, "1614265330", BODY, SIGNED));
        assert!(is(MESSAGE, "1614265330", BODY, &format!("v2,x v1,AAAA v1,!! {SIGNED}")));
        assert!(!is("msg_other", "1614265330", BODY, SIGNED));
        assert!(!is(MESSAGE, "1614265331", BODY, SIGNED));
        assert!(!is(MESSAGE, "1614265330", b"{}", SIGNED));
        let bare = SIGNED.strip_prefix("v1,").unwrap();
        for wrong in ["", "v1,", "v1", bare, &format!("v1a,{bare}"), &SIGNED.replace('g', "h")] {
            assert!(!is(MESSAGE, "1614265330", BODY, wrong), "{wrong}");
        }
        let other = Key::parse("whsec_AAAA").unwrap();
        assert!(!other.has_signed(MESSAGE, "1614265330", BODY, SIGNED));
    }

    /// The example of GitHub's documentation.
    #[test]
    fn signatures_of_github_are_tested() {
        const SECRET: &str = "It's a Secret to Everybody";
        const RIGHT: &str =
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        assert!(has_signed_as_github(SECRET, b"Hello, World!", RIGHT));
        assert!(!has_signed_as_github(SECRET, b"Hello, World?", RIGHT));
        assert!(!has_signed_as_github("It's a secret", b"Hello, World!", RIGHT));
        for wrong in ["", "sha256=", "sha256=75", "sha256=7", "sha256=zz", "sha256=é", "757107ea"]
        {
            assert!(!has_signed_as_github(SECRET, b"Hello, World!", wrong), "{wrong}");
        }
    }
}
