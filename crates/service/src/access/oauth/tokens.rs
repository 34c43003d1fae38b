//! Verifies an access token: its signature, who made it, for whom, and for how long.

use jsonwebtoken::{
    Algorithm, DecodingKey, Header, Validation, decode, decode_header,
    jwk::{Jwk, JwkSet, KeyAlgorithm, PublicKeyUse},
};
use serde_json::{Map, Value};

use super::{OAuth, signatures};

/// How far the clocks of the issuer and of this machine may differ, in milliseconds.
const LEEWAY: i64 = 60_000;

/// What a verified token grants. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    pub subject: String,
    pub scopes: Vec<String>,
    pub issued: i64,
    pub expires: i64,
}

/// Why a token is not accepted. Callers are not shown which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenMisfit {
    /// It is not a signed token of three parts.
    Form,
    /// Its algorithm is not one of those that are accepted.
    Algorithm,
    /// The issuer has no such key.
    Key,
    Signature,
    Issuer,
    Audience,
    /// A required claim is missing or has another type.
    Claims,
    Expired,
    /// It is not valid yet.
    Early,
}

impl TokenMisfit {
    /// For the audit.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Form => "token_form",
            Self::Algorithm => "token_algorithm",
            Self::Key => "token_key",
            Self::Signature => "token_signature",
            Self::Issuer => "token_issuer",
            Self::Audience => "token_audience",
            Self::Claims => "token_claims",
            Self::Expired => "token_expired",
            Self::Early => "token_early",
        }
    }

    /// Whether it may be an attempt to forge one.
    pub const fn is_guess(self) -> bool {
        matches!(self, Self::Form | Self::Algorithm | Self::Key | Self::Signature)
    }
}

/// The head of a token, which says how to verify it.
#[derive(Debug)]
pub struct Head(Header);

impl Head {
    /// Reads the head of a token, of which nothing is verified yet.
    pub fn read(token: &str) -> Result<Self, TokenMisfit> {
        let header = decode_header(token).map_err(|_| TokenMisfit::Form)?;
        if !signatures::ALGORITHMS.contains(&header.alg) {
            return Err(TokenMisfit::Algorithm);
        }
        // RFC 9068 wants `at+jwt`; many issuers say `JWT`. Extensions that must be understood are
        // none that are understood here.
        let is_known = |it: &str| {
            ["at+jwt", "application/at+jwt", "jwt"]
                .iter()
                .any(|known| it.eq_ignore_ascii_case(known))
        };
        if header.crit.is_some() || !header.typ.as_deref().is_none_or(is_known) {
            return Err(TokenMisfit::Form);
        }
        Ok(Self(header))
    }

    /// The key that verifies the token; without a name, the only one for its algorithm.
    pub fn key<'a>(&self, keys: &'a JwkSet) -> Option<&'a Jwk> {
        let Header { kid, alg, .. } = &self.0;
        let mut fitting = keys.keys.iter().filter(|it| {
            let is_named = kid.is_none() || it.common.key_id == *kid;
            is_named && is_for(it, *alg)
        });
        let found = fitting.next()?;
        fitting.next().is_none().then_some(found)
    }
}

/// Whether a key is meant for signatures of an algorithm.
fn is_for(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_signing = matches!(key.common.public_key_use, None | Some(PublicKeyUse::Signature));
    let declared = key.common.key_algorithm;
    let is_declared = declared.is_none_or(|it| it == KeyAlgorithm::from(algorithm));
    let family = DecodingKey::from_jwk(key).map(|it| it.family());
    is_signing && is_declared && family.is_ok_and(|it| it.algorithms().contains(&algorithm))
}

/// What a token grants at a time, which its head says how to verify.
pub fn verify(
    token: &str,
    head: &Head,
    key: &Jwk,
    oauth: &OAuth,
    now: i64,
) -> Result<Grant, TokenMisfit> {
    signatures::install();
    let decoding = DecodingKey::from_jwk(key).map_err(|_| TokenMisfit::Key)?;
    // The claims are tested below, by the clock of the host.
    let mut validation = Validation::new(head.0.alg);
    validation.required_spec_claims.clear();
    (validation.validate_exp, validation.validate_aud) = (false, false);
    let claims = decode::<Map<String, Value>>(token, &decoding, &validation);
    let claims = claims.map_err(|_| TokenMisfit::Signature)?.claims;
    granted(&claims, oauth, now)
}

/// What claims grant at a time.
fn granted(claims: &Map<String, Value>, oauth: &OAuth, now: i64) -> Result<Grant, TokenMisfit> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    if !text("iss").is_some_and(|it| oauth.is_issuer(it)) {
        return Err(TokenMisfit::Issuer);
    }
    if !texts(claims.get("aud")).any(|it| oauth.is_audience(it)) {
        return Err(TokenMisfit::Audience);
    }
    let subject = text("sub").filter(|it| !it.is_empty()).ok_or(TokenMisfit::Claims)?;
    let expires = time(claims, "exp")?.ok_or(TokenMisfit::Claims)?;
    if now >= expires.saturating_add(LEEWAY) {
        return Err(TokenMisfit::Expired);
    }
    let starts = time(claims, "nbf")?.unwrap_or(i64::MIN);
    if now < starts.saturating_sub(LEEWAY) {
        return Err(TokenMisfit::Early);
    }
    // Some issuers call them `scp`, and write a list.
    let scopes = [claims.get("scope"), claims.get("scp")];
    let scopes = scopes.into_iter().flat_map(texts).flat_map(str::split_ascii_whitespace);
    Ok(Grant {
        subject: subject.to_owned(),
        scopes: scopes.map(str::to_owned).collect(),
        issued: time(claims, "iat")?.unwrap_or(now),
        expires,
    })
}

/// The texts of a claim that is one text or a list of them.
fn texts(claim: Option<&Value>) -> impl Iterator<Item = &str> {
    let one = claim.and_then(Value::as_str);
    let many = claim.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    one.into_iter().chain(many)
}

/// A claim that is a time: seconds since 1970, maybe with a fraction.
fn time(claims: &Map<String, Value>, name: &str) -> Result<Option<i64>, TokenMisfit> {
    let Some(claim) = claims.get(name) else { return Ok(None) };
    let seconds =
        claim.as_f64().filter(|it| (0.0..1e12).contains(it)).ok_or(TokenMisfit::Claims)?;
    #[expect(clippy::cast_possible_truncation, reason = "it is below 10^15")]
    Ok(Some((seconds * 1000.0) as i64))
}
