//! Base64 (RFC 4648).

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig, general_purpose},
};
use svc_contract::{
    registry::{ErrorKind, Example, Inline, Op, OpError, Scheme, params},
    value::{Text, Value},
};

use super::super::{Content, test_text_len};

/// Reads with or without `=` at the end.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

params! {
    /// Writes a string or bytes in base64 (RFC 4648).
    ///
    /// `url: true` writes `-` and `_` instead of `+` and `/`, and no `=` at the end. Fails if the
    /// result would be larger than 256 MiB.
    pub(super) struct Encode {
        /// The content; a string is taken in UTF-8.
        content: Content,
        /// Whether the result should fit in an address.
        url: bool = false,
    }
}

impl Op for Encode {
    const NAME: &'static str = "to_base64";
    const YIELDS: Scheme = Scheme::Text;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "encode as base64",
        "bytes as text for a json field",
        "basic auth header",
        "make a data url",
        "base64 of a string",
        "turn bytes or a string into base 64",
        "encode binary for a url or an email",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A string", r#"to_base64("größe?")"#, r#""Z3LDtsOfZT8=""#),
        Example::ok("For an address", r#"to_base64("größe?", true)"#, r#""Z3LDtsOfZT8""#),
    ];
}

impl Inline for Encode {
    fn run(self) -> Result<Value, OpError> {
        let bytes = self.content.bytes();
        test_text_len(bytes.len() / 3 * 4 + 4)?;
        let engine =
            if self.url { general_purpose::URL_SAFE_NO_PAD } else { general_purpose::STANDARD };
        Ok(engine.encode(bytes).into())
    }
}

/// The bytes of base64 in either alphabet, with any white space in it.
fn decoded(text: &str) -> Result<Vec<u8>, OpError> {
    let standard: Vec<u8> = text
        .bytes()
        .filter(|it| !it.is_ascii_whitespace())
        .map(|it| match it {
            b'-' => b'+',
            b'_' => b'/',
            other => other,
        })
        .collect();
    LENIENT.decode(standard).map_err(|err| {
        OpError::invalid_input(format!("invalid base64: {}", err.to_string().to_lowercase()))
    })
}

params! {
    /// Reads a string from base64 (RFC 4648).
    ///
    /// Both alphabets are read, with or without `=` at the end; white space does not count. Text that
    /// is not base64, and content that is not UTF-8, is an error of kind `invalid_input`; see
    /// `base64_bytes` for other content.
    pub(super) struct Decode {
        /// The base64.
        text: Text,
    }
}

impl Op for Decode {
    const NAME: &'static str = "from_base64";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "decode base64",
        "read the payload of a token",
        "base64 to text",
        "unpack an encoded string",
        "turn base 64 back into a readable string",
        "what does this encoded blob say",
        "undo base64",
        "show what base64 really says",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A string", r#"from_base64("Z3LDtsOfZT8=")"#, r#""größe?""#),
        Example::err("Not base64", r#"from_base64("a*b")"#, "invalid base64"),
    ];
}

impl Inline for Decode {
    fn run(self) -> Result<Value, OpError> {
        let text = String::from_utf8(decoded(&self.text)?).map_err(|err| {
            let offset = err.utf8_error().valid_up_to();
            let message = format!("the content is not UTF-8 (invalid byte at offset {offset})");
            OpError::invalid_input(message).help("`base64_bytes` returns the bytes").because(err)
        })?;
        Ok(text.into())
    }
}

params! {
    /// Reads bytes from base64 (RFC 4648).
    ///
    /// Both alphabets are read, with or without `=` at the end; white space does not count. Text that
    /// is not base64 is an error of kind `invalid_input`.
    pub(super) struct DecodeBytes {
        /// The base64.
        text: Text,
    }
}

impl Op for DecodeBytes {
    const NAME: &'static str = "base64_bytes";
    const YIELDS: Scheme = Scheme::Bytes;
    const SAYS: &'static [&'static str] = &[
        "decode base64 to bytes",
        "an image in a json field",
        "binary content from text",
        "read a data url",
        "raw bytes behind a base 64 string",
        "rebuild a binary file from base64",
        "picture or attachment out of encoded text",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("Bytes", r#"base64_bytes("AP8=")"#, r#""00ff""#),
        Example::err("Cut off", r#"base64_bytes("A")"#, "invalid base64"),
    ];
}

impl Inline for DecodeBytes {
    fn run(self) -> Result<Value, OpError> {
        Ok(Value::Bytes(decoded(&self.text)?.into()))
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{call, fails, gives, gives_with};

    use super::*;

    #[test]
    fn both_alphabets_are_read() {
        gives::<DecodeBytes>(r#"["-_+/"]"#, r#""fbffbf""#);
        gives::<DecodeBytes>(r#"["QU\nI="]"#, r#""4142""#);
        gives::<Decode>(r#"[""]"#, r#""""#);
        gives_with::<Encode>(&[Value::Bytes([251, 255].into()), true.into()], r#""-_8""#);
    }

    /// The test vectors of RFC 4648.
    #[test]
    fn the_rfc_is_followed() {
        let plain = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let coded = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (plain, coded) in plain.into_iter().zip(coded) {
            assert_eq!(call::<Encode>(vec![plain.into(), false.into()]).unwrap(), coded.into());
            assert_eq!(call::<Decode>(vec![coded.into()]).unwrap(), plain.into());
        }
    }

    #[test]
    fn other_content_says_what_to_do() {
        assert!(fails::<Decode>(r#"["/w=="]"#).help.unwrap().contains("base64_bytes"));
        assert!(fails::<Decode>(r#"["ä"]"#).message.contains("invalid base64"));
    }
}
