//! Signatures of requests that others send.

use std::sync::Arc;

use svc_contract::{
    record,
    registry::{Example, Field, Inline, Op, OpError, Scheme, Var, params},
    value::{Record, Secret, Text, Value},
};
use svc_signatures::{GITHUB, ID, Key, SIGNATURE, TIMESTAMP, has_signed_as_github};

use super::super::Content;

record! {
    /// A request that was received.
    struct Received {
        /// The body, unchanged.
        body: Arc<[u8]>,
        /// The headers: a record, a map, or a JSON object.
        headers: Var<'H'>,
    }
}

record! {
    /// A request that was received as text.
    struct ReceivedText {
        /// The body, unchanged.
        body: Text,
        /// The headers: a record, a map, or a JSON object.
        headers: Var<'H'>,
    }
}

/// A request: its body, as bytes or text, and its headers.
struct Delivery {
    body: Content,
    headers: Value,
}

impl Field for Delivery {
    const SCHEME: Scheme = Scheme::OneOf(&[Received::SCHEME, ReceivedText::SCHEME]);

    fn decode(value: Value) -> Option<Self> {
        let request = value.as_record()?;
        let body = Content::decode(request.get("body")?.clone())?;
        Some(Self { body, headers: request.get("headers").cloned().unwrap_or_default() })
    }

    fn encode(self) -> Value {
        let fields = [("body", self.body.encode()), ("headers", self.headers)];
        Value::Record(fields.into_iter().map(|(name, it)| (Text::from(name), it)).collect())
    }
}

record! {
    /// Whether a signature is right.
    struct Verified {
        /// Whether the sender knows the secret and the body is unchanged.
        valid: bool,
    }
}

params! {
    /// Tests whether a webhook was signed with a secret, by HMAC-SHA256.
    ///
    /// Reads the headers of Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`;
    /// the secret is `whsec_` with a key in base64) or `x-hub-signature-256` as GitHub sends it. Upper
    /// case and `_` for `-` in their names do not matter. Signatures are compared in constant
    /// time. A request without a signature is not valid. The age of a request is not tested:
    /// compare `webhook-timestamp` with `now`.
    pub(super) struct WebhookVerify {
        /// The request: its body and headers.
        delivery: Delivery,
        /// The secret that the sender knows.
        secret: Secret,
    }
}

impl Op for WebhookVerify {
    const NAME: &'static str = "webhook_verify";
    const YIELDS: Scheme = Verified::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "verify a webhook signature",
        "is this request really from github",
        "hmac sha256 of a body with a secret",
        "check that a webhook was not forged",
        "authenticate an incoming callback by its secret",
        "check the x-hub signature of a payload",
        "is this callback genuine",
        "validate a signed request from stripe or github",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A request of GitHub",
            r#"secret hook
let headers = {
  x_hub_signature_256: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
}
{ body: "Hello, World!", headers: headers } >> webhook_verify(secret: hook)"#,
            r#"{"valid":true}"#,
        )
        .answered(&[("SVC_SECRET_HOOK", "It's a Secret to Everybody")], &[]),
        Example::err(
            "A secret that is not a key",
            r#"secret hook
let headers = { webhook_id: "1", webhook_timestamp: "1614265330", webhook_signature: "v1,AAAA" }
{ body: "{}", headers: headers } >> webhook_verify(secret: hook)"#,
            "the secret is not a key in base64",
        )
        .answered(&[("SVC_SECRET_HOOK", "It's a Secret to Everybody")], &[]),
    ];
}

impl Inline for WebhookVerify {
    fn run(self) -> Result<Value, OpError> {
        let Delivery { body, headers } = self.delivery;
        let headers = headers.as_record();
        let header = |name: &str| headers.and_then(|it| header(it, name));
        let secret = self.secret.reveal();
        let valid = match (header(SIGNATURE), header(GITHUB)) {
            (Some(signatures), _) => {
                let (Some(id), Some(time)) = (header(ID), header(TIMESTAMP)) else {
                    return Ok(Verified { valid: false }.encode());
                };
                key(secret)?.has_signed(id, time, body.bytes(), signatures)
            }
            (None, Some(signature)) => has_signed_as_github(secret, body.bytes(), signature),
            (None, None) => false,
        };
        Ok(Verified { valid }.encode())
    }
}

/// The header of this name, in which upper case does not matter.
fn header<'a>(headers: &'a Record, wanted: &str) -> Option<&'a str> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('_', "-");
    headers.iter().find(|(name, _)| plain(name) == wanted).and_then(|(_, it)| it.as_str())
}

/// The key in a secret of Standard Webhooks.
fn key(secret: &str) -> Result<Key, OpError> {
    Key::parse(secret).map_err(|err| {
        OpError::invalid_input(err.to_string())
            .help("a secret of Standard Webhooks is `whsec_` and a key in base64")
    })
}

#[cfg(test)]
mod tests {
    use svc_contract::value::json;

    use crate::testing::call;

    use super::*;

    fn verified(body: &str, headers: &str, secret: &str) -> Result<bool, String> {
        let headers = json::read(headers).unwrap();
        let delivery = Delivery { body: Content(body.into()), headers };
        let args = vec![delivery.encode(), Value::Secret(Secret::new(secret))];
        let result = call::<WebhookVerify>(args).map_err(|err| err.to_string())?;
        Ok(Verified::decode(result).unwrap().valid)
    }

    /// The example of GitHub's documentation.
    #[test]
    fn signatures_of_github_are_tested() {
        const SECRET: &str = "It's a Secret to Everybody";
        let with = |signature: &str| format!(r#"{{"X-Hub-Signature-256": "{signature}"}}"#);
        let right = with("sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
        assert_eq!(verified("Hello, World!", &right, SECRET), Ok(true));
        assert_eq!(
            verified("Hello, World!", &right.to_lowercase().replace('-', "_"), SECRET),
            Ok(true)
        );
        assert_eq!(verified("Hello, World?", &right, SECRET), Ok(false));
        assert_eq!(verified("Hello, World!", &right, "It's a secret"), Ok(false));
        for wrong in ["", "sha256=", "sha256=75", "sha256=7", "sha256=zz", "sha256=é", "757107ea"]
        {
            assert_eq!(verified("Hello, World!", &with(wrong), SECRET), Ok(false), "{wrong}");
        }
        assert_eq!(verified("Hello, World!", "{}", SECRET), Ok(false));
        assert_eq!(verified("Hello, World!", "[]", SECRET), Ok(false));
    }

    /// The example of the libraries of Standard Webhooks.
    #[test]
    fn signatures_of_standard_webhooks_are_tested() {
        const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        const BODY: &str = r#"{"test": 2432232314}"#;
        let with = |time: &str, signatures: &str| {
            format!(
                r#"{{"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "{time}", "webhook-signature": "{signatures}"}}"#
            )
        };
        let right = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(verified(BODY, &with("1614265330", right), SECRET), Ok(true));
        let several = format!("v2,x v1,AAAA v1,!! {right}");
        assert_eq!(verified(BODY, &with("1614265330", &several), SECRET), Ok(true));
        assert_eq!(verified(BODY, &with("1614265331", right), SECRET), Ok(false));
        assert_eq!(verified("{}", &with("1614265330", right), SECRET), Ok(false));
        assert_eq!(
            verified(BODY, &format!(r#"{{"webhook-signature": "{right}"}}"#), SECRET),
            Ok(false)
        );
        let err = verified(BODY, &with("1614265330", right), "whsec_!").unwrap_err();
        assert!(err.contains("base64") && !err.contains("whsec_!"), "{err}");
    }
}
