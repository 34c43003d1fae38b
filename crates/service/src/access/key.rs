//! The text of a key: `svc_live_ID_SECRETCHECK`.
//!
//! The id is 12 letters of base 32 (60 random bits) and not secret. The secret is 32 letters of base
//! 62 (190 random bits). The check, 6 letters of base 62, is the CRC-32 of everything before it, so
//! that a typing error is noticed without a look into the database, and scanners of published code
//! can recognise a key.

use std::{fmt, io};

use svc_contract::host::Host;

/// The purpose of a key, which its text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyKind {
    /// For ordinary use.
    Live,
    /// For tests.
    Test,
    /// For operators.
    Admin,
}

/// The id of a key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; ID]);

/// A whole key with its secret, which `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey {
    kind: KeyKind,
    id: KeyId,
    text: String,
}

/// Why a text is not a key. No message contains a part of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMisfit {
    /// It does not begin with `svc_live_`, `svc_test_` or `svc_adm_`.
    Prefix,
    /// The id is not 12 letters of base 32.
    Id,
    /// The secret and the check are not 38 letters of base 62.
    Secret,
    /// The check is wrong: a letter was changed.
    Check,
}

const ID: usize = 12;
const SECRET: usize = 32;
const CHECK: usize = 6;

const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl KeyKind {
    pub const ALL: [Self; 3] = [Self::Live, Self::Test, Self::Admin];

    /// As in the text of a key.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Test => "test",
            Self::Admin => "adm",
        }
    }

    /// The kind of this name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }
}

impl KeyId {
    /// Reads an id alone.
    pub fn parse(text: &str) -> Option<Self> {
        let id: [u8; ID] = text.as_bytes().try_into().ok()?;
        id.iter().all(|it| BASE32.contains(it)).then_some(Self(id))
    }

    /// The id that stands for something by its hash.
    pub(super) fn of_digest(digest: &[u8; 32]) -> Self {
        let mut id = [b'a'; ID];
        for (sign, byte) in id.iter_mut().zip(digest) {
            *sign = BASE32.get(usize::from(byte % 32)).copied().unwrap_or(b'a');
        }
        Self(id)
    }

    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.0).unwrap_or_default()
    }

    /// The 60 bits of the id.
    pub(super) fn bits(self) -> u64 {
        self.0.iter().fold(0, |all, sign| all << 5 | u64::from(value32(*sign)))
    }
}

/// The value of a letter of base 32.
fn value32(sign: u8) -> u8 {
    if sign.is_ascii_digit() { sign - b'2' + 26 } else { sign - b'a' }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl ApiKey {
    /// A new key of random bits.
    pub fn new(kind: KeyKind, host: &dyn Host) -> io::Result<Self> {
        let id = KeyId(random(BASE32, host)?);
        let secret: [u8; SECRET] = random(BASE62, host)?;
        let secret = String::from_utf8_lossy(&secret);
        let body = format!("svc_{}_{id}_{secret}", kind.name());
        let text = format!("{body}{}", check(&body));
        Ok(Self { kind, id, text })
    }

    /// A key with this id and secret.
    #[cfg(test)]
    pub(super) fn forged(id: KeyId, secret: &str) -> Self {
        let body = format!("svc_live_{id}_{secret}");
        Self { kind: KeyKind::Live, id, text: format!("{body}{}", check(&body)) }
    }

    /// Reads the text of a key.
    pub fn parse(text: &str) -> Result<Self, KeyMisfit> {
        let rest = text.strip_prefix("svc_").ok_or(KeyMisfit::Prefix)?;
        let (kind, rest) = rest.split_once('_').ok_or(KeyMisfit::Prefix)?;
        let kind = KeyKind::read(kind).ok_or(KeyMisfit::Prefix)?;
        let (id, secret) = rest.split_once('_').ok_or(KeyMisfit::Id)?;
        let id = KeyId::parse(id).ok_or(KeyMisfit::Id)?;
        let is_whole = secret.len() == SECRET + CHECK;
        if !is_whole || !secret.bytes().all(|it| it.is_ascii_alphanumeric()) {
            return Err(KeyMisfit::Secret);
        }
        let (body, found) = text.split_at(text.len() - CHECK);
        if check(body) != found {
            return Err(KeyMisfit::Check);
        }
        Ok(Self { kind, id, text: text.to_owned() })
    }

    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    pub fn id(&self) -> KeyId {
        self.id
    }

    /// The text with the secret.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "svc_{}_{}_***", self.kind.name(), self.id)
    }
}

impl KeyMisfit {
    /// A name for machines.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Prefix => "key_prefix",
            Self::Id => "key_id",
            Self::Secret => "key_secret",
            Self::Check => "key_check",
        }
    }
}

impl fmt::Display for KeyMisfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prefix => "invalid key: expected `svc_live_`, `svc_test_` or `svc_adm_` first",
            Self::Id => "invalid key: expected an id of 12 letters and digits, then `_`",
            Self::Secret => "invalid key: expected 38 letters and digits after the id",
            Self::Check => "invalid key: its last 6 letters do not fit the others",
        })
    }
}

impl std::error::Error for KeyMisfit {}

/// Random letters of an alphabet, all equally likely.
fn random<const N: usize>(alphabet: &[u8], host: &dyn Host) -> io::Result<[u8; N]> {
    let len = u8::try_from(alphabet.len()).unwrap_or(u8::MAX);
    // Bytes from here on would make the first letters more likely.
    let fair = u8::MAX - (u8::MAX % len + 1) % len;
    let mut letters = [0; N];
    let mut filled = 0;
    // A source that yields nothing else is broken.
    for _ in 0..64 {
        let mut bytes = [0; 64];
        host.random(&mut bytes)?;
        if bytes.iter().all(|it| *it == bytes[0]) {
            break;
        }
        for byte in bytes.into_iter().filter(|it| *it <= fair) {
            let Some(letter) = letters.get_mut(filled) else { return Ok(letters) };
            *letter = alphabet[usize::from(byte % len)];
            filled += 1;
        }
    }
    Err(io::Error::other("the source of random bytes is broken"))
}

/// The check of a key: its CRC-32 in base 62.
fn check(body: &str) -> String {
    let mut sum = crc32(body.as_bytes());
    let mut letters = [b'0'; CHECK];
    for letter in letters.iter_mut().rev() {
        *letter = BASE62[(sum % 62) as usize];
        sum /= 62;
    }
    String::from_utf8_lossy(&letters).into_owned()
}

/// CRC-32 as in ISO 3309, which ZIP and PNG use.
fn crc32(bytes: &[u8]) -> u32 {
    const TABLE: [u32; 256] = table();
    !bytes
        .iter()
        .fold(u32::MAX, |sum, byte| TABLE[usize::from(sum.to_le_bytes()[0] ^ byte)] ^ (sum >> 8))
}

#[expect(clippy::cast_possible_truncation, reason = "the index is below 256")]
const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        let mut sum = at as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { 0xedb8_8320 ^ (sum >> 1) } else { sum >> 1 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use svc_host_os::{OsHost, test::TestHost};

    use super::*;

    fn made(kind: KeyKind) -> ApiKey {
        ApiKey::new(kind, &OsHost::default()).unwrap()
    }

    #[test]
    fn the_check_is_a_known_crc() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(check(""), "000000");
    }

    #[test]
    fn a_key_is_read_as_it_was_made() {
        for kind in KeyKind::ALL {
            for _ in 0..200 {
                let key = made(kind);
                assert_eq!(ApiKey::parse(key.reveal()).unwrap(), key);
                assert_eq!(KeyId::parse(key.id().as_str()), Some(key.id()));
                assert_eq!(key.reveal().len(), "svc__".len() + kind.name().len() + 12 + 1 + 38);
            }
        }
    }

    #[test]
    fn a_host_without_randomness_makes_no_key() {
        let err = ApiKey::new(KeyKind::Live, &TestHost::new()).unwrap_err();
        assert_eq!(err.to_string(), "the source of random bytes is broken");
    }

    #[test]
    fn ids_have_different_bits() {
        let ids: Vec<KeyId> = (0..500).map(|_| made(KeyKind::Live).id()).collect();
        let bits: std::collections::BTreeSet<u64> = ids.iter().map(|it| it.bits()).collect();
        assert_eq!(bits.len(), ids.len());
        assert_eq!(KeyId::parse("aaaaaaaaaaab").unwrap().bits(), 1);
        assert_eq!(KeyId::parse("777777777777").unwrap().bits(), (1 << 60) - 1);
    }

    #[test]
    fn letters_are_equally_likely() {
        let mut seen = [0_u32; 256];
        for _ in 0..2_000 {
            let secret: [u8; SECRET] = random(BASE62, &OsHost::default()).unwrap();
            for letter in secret {
                seen[usize::from(letter)] += 1;
            }
        }
        let expected = 2_000.0 * 32.0 / 62.0;
        let chi: f64 = BASE62
            .iter()
            .map(|it| (f64::from(seen[usize::from(*it)]) - expected).powi(2) / expected)
            .sum();
        // 61 degrees of freedom: above 120 once in 10^5 runs.
        assert!(chi < 120.0, "{chi}");
    }

    #[test]
    fn misfits_differ_and_do_not_contain_the_text() {
        let good = made(KeyKind::Live);
        let secret = &good.reveal()[22..];
        for (text, why) in [
            (String::new(), KeyMisfit::Prefix),
            ("Bearer x".to_owned(), KeyMisfit::Prefix),
            (good.reveal().to_uppercase(), KeyMisfit::Prefix),
            (good.reveal().replace("live", "dead"), KeyMisfit::Prefix),
            (format!("svc_live_{}", good.id()), KeyMisfit::Id),
            (format!("svc_live_short_{secret}"), KeyMisfit::Id),
            (format!("svc_live_ABCDEFGHIJKL_{secret}"), KeyMisfit::Id),
            (format!("{} ", good.reveal()), KeyMisfit::Secret),
            (format!("{}é", &good.reveal()[..58]), KeyMisfit::Secret),
            (good.reveal()[..59].to_owned(), KeyMisfit::Secret),
            (good.reveal().replace("live", "test"), KeyMisfit::Check),
            ("svc_live_".repeat(100_000), KeyMisfit::Id),
        ] {
            assert_eq!(ApiKey::parse(&text), Err(why));
            assert!(!why.to_string().contains(secret));
        }
        assert!(!format!("{good:?}").contains(secret));
    }

    proptest! {
        #[test]
        fn any_changed_letter_is_refused(at in 0_usize..60, sign in 0x20_u8..0x7f) {
            let key = made(KeyKind::Live);
            let mut changed = key.reveal().as_bytes().to_vec();
            prop_assume!(changed[at] != sign);
            changed[at] = sign;
            prop_assert!(ApiKey::parse(str::from_utf8(&changed).unwrap()).is_err());
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            prop_assert!(ApiKey::parse(&text).is_err());
            let begun = ["svc_live_", &text].concat();
            prop_assert!(ApiKey::parse(&begun).is_err());
        }
    }
}
