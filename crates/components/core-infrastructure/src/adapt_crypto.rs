//! Hashes of content.

use svc_contract::{
    choices,
    registry::{Bias, Component, Example, Inline, Op, OpError, Scheme, inline, params},
    value::Value,
};

use super::Content;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_crypto",
    cluster: "core-infrastructure",
    summary: "Computes hashes of strings and bytes.",
    version: 1,
    bias: Bias::new(
        "standard algorithms of RustCrypto, and BLAKE3",
        &["MD5 and SHA-1 only compare with sums of others, as collisions can be made"],
    ),
    aliases: &[("hash", "infer")],
    ops: &[inline::<Infer>()],
};

choices! {
    /// An algorithm for hashes.
    enum Algorithm {
        Sha256 = "sha256",
        Sha512 = "sha512",
        Sha384 = "sha384",
        Blake3 = "blake3",
        Sha1 = "sha1",
        Md5 = "md5",
    }
}

params! {
    /// Returns the hash of a string or bytes, in base 16.
    ///
    /// A string is hashed as its UTF-8. SHA-256, SHA-384 and SHA-512 (FIPS 180-4) and BLAKE3 identify
    /// content; SHA-1 and MD5 are for sums that others publish, and do not protect against a
    /// collision that someone made.
    struct Infer {
        /// The content.
        content: Content,
        /// The algorithm.
        algorithm: Algorithm = Algorithm::Sha256,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "hash a text",
        "sha256 of a file",
        "checksum of the content",
        "fingerprint to see whether it changed",
        "verify a download against its md5 sum",
        "an id made from the content",
        "digest of a string or blob",
        "has this content been tampered with",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "SHA-256",
            r#"hash("abc")"#,
            r#""ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad""#,
        ),
        Example::ok(
            "MD5",
            r#""" >> hash(algorithm: "md5")"#,
            r#""d41d8cd98f00b204e9800998ecf8427e""#,
        ),
    ];
}

impl Inline for Infer {
    fn run(self) -> Result<Value, OpError> {
        use sha2::Digest as _;
        let bytes = self.content.bytes();
        Ok(match self.algorithm {
            Algorithm::Sha256 => hex(&sha2::Sha256::digest(bytes)),
            Algorithm::Sha512 => hex(&sha2::Sha512::digest(bytes)),
            Algorithm::Sha384 => hex(&sha2::Sha384::digest(bytes)),
            Algorithm::Blake3 => blake3::hash(bytes).to_hex().to_string(),
            Algorithm::Sha1 => hex(&sha1::Sha1::digest(bytes)),
            Algorithm::Md5 => hex(&md5::Md5::digest(bytes)),
        }
        .into())
    }
}

fn hex(digest: &[u8]) -> String {
    let mut text = String::with_capacity(digest.len() * 2);
    for byte in digest {
        let digits = [byte >> 4, byte & 0xf].map(|it| char::from_digit(it.into(), 16));
        text.extend(digits.into_iter().flatten());
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives, gives_with};

    use super::*;

    /// Answers of Python's `hashlib` and of b3sum.
    #[test]
    fn sums_are_those_of_others() {
        gives::<Infer>(r#"["größe", "sha1"]"#, r#""93c6a3acf1b4a1beba25d8a45a3ccd719721538b""#);
        gives::<Infer>(
            r#"["größe", "sha384"]"#,
            r#""85969818496f2b8108e6df4bc45692eb3c47b3e1cf208e60a69f77705b25952907810a34c7580cb1779242597017aff5""#,
        );
        gives::<Infer>(
            r#"["größe", "sha512"]"#,
            r#""4079747068d80d483e8aedaf374c5a905dde63f358bb7cdda7cc48b093f791e2d75f94a6b82076c3d0440e4f278b7b65a41ec20b1de47201a55612e8387de0a0""#,
        );
        gives::<Infer>(
            r#"["", "blake3"]"#,
            r#""af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262""#,
        );
        gives_with::<Infer>(
            &[Value::Bytes([0, 255].into())],
            r#""06eb7d6a69ee19e5fbdf749018d3d2abfa04bcbd1365db312eb86dc7169389b8""#,
        );
    }

    #[test]
    fn other_algorithms_are_refused() {
        assert!(fails::<Infer>(r#"["a", "crc32"]"#).message.contains("sha256"));
        assert!(fails::<Infer>("[1]").message.contains("found int"));
    }
}
