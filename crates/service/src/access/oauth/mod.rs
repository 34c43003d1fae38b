//! Access tokens of an OAuth issuer: a service that has one is a protected resource of it (RFC 9728),
//! and its callers may send a token (RFC 9068) instead of a key.
//!
//! [`OAuth`] is the part of `access.toml` that says whose tokens are accepted. [`tokens`] verifies
//! one, with the keys that [`published`] finds at the issuer.

pub mod published;
mod signatures;
#[cfg(test)]
mod tests;
pub mod tokens;

use std::path::PathBuf;

use svc_contract::value::Value;

use super::{
    key::{KeyId, KeyKind},
    keys::KeyInfo,
};

pub use self::{
    published::Published,
    tokens::{Grant, TokenMisfit},
};

/// Where the metadata of a protected resource is: RFC 9728, section 3.1.
pub const METADATA: &str = "/.well-known/oauth-protected-resource";

/// The paths that clients take for a resource of their own.
const RESOURCES: [&str; 3] = ["", "/mcp", "/mcp/compact"];

/// Whose tokens a service accepts, and for which roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OAuth {
    /// The address of the issuer, as its metadata has it.
    pub issuer: String,
    /// The address by which callers reach this service, without a path.
    pub resource: String,
    pub keys: KeysAt,
    /// The role of each scope, in the order of the file.
    pub roles: Vec<(String, String)>,
}

/// Where the keys of an issuer are, as a JWK set (RFC 7517).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeysAt {
    /// Where its own metadata says.
    Issuer,
    Url(String),
    File(PathBuf),
}

impl OAuth {
    /// Whether a text may be a token. A key has no dots.
    pub fn is_token(text: &str) -> bool {
        text.bytes().filter(|it| *it == b'.').count() == 2
    }

    /// The metadata of the resource with this path: `/mcp`, or nothing.
    pub fn metadata(&self, path: &str) -> Option<Value> {
        let path = RESOURCES.into_iter().find(|it| *it == path)?;
        let text = |it: &str| Value::from(it);
        let scopes: Vec<Value> = self.roles.iter().map(|(scope, _)| text(scope)).collect();
        let fields = [
            ("resource", text(&format!("{}{path}", self.resource))),
            ("authorization_servers", vec![text(&self.issuer)].into()),
            ("scopes_supported", scopes.into()),
            ("bearer_methods_supported", vec![text("header")].into()),
            ("resource_name", text("svc")),
        ];
        Some(Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect()))
    }

    /// Whether a name is that of the issuer: some write a slash at its end, and some do not.
    fn is_issuer(&self, name: &str) -> bool {
        name.trim_end_matches('/') == self.issuer.trim_end_matches('/')
    }

    /// Whether tokens for this audience are meant for the service.
    fn is_audience(&self, audience: &str) -> bool {
        let rest = audience.trim_end_matches('/').strip_prefix(&self.resource);
        rest.is_some_and(|it| RESOURCES.contains(&it))
    }

    /// The value of `WWW-Authenticate` for a caller whose token is missing or not accepted:
    /// `error` is one of RFC 6750.
    pub fn challenge(&self, error: Option<&str>) -> String {
        let scopes: Vec<&str> = self.roles.iter().map(|(scope, _)| scope.as_str()).collect();
        let error = error.map_or_else(String::new, |it| format!("error=\"{it}\", "));
        let Self { resource, .. } = self;
        format!(
            "Bearer {error}scope=\"{}\", resource_metadata=\"{resource}{METADATA}\"",
            scopes.join(" ")
        )
    }

    /// The holder of a token as one of a key: an owner of its own, made of issuer and subject. `None`
    /// if no scope of it has a role. Of several, the role that stands last in the file is taken.
    pub fn holder(&self, grant: &Grant) -> Option<KeyInfo> {
        let has = |scope: &str| grant.scopes.iter().any(|it| it == scope);
        let (_, role) = self.roles.iter().rev().find(|(scope, _)| has(scope))?;
        let digest = |parts: &[&str]| {
            let mut hasher = blake3::Hasher::new_derive_key("svc 2026 holders of tokens");
            for part in parts {
                hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
            }
            *hasher.finalize().as_bytes()
        };
        let person = KeyId::of_digest(&digest(&[&self.issuer, &grant.subject]));
        Some(KeyInfo {
            id: KeyId::of_digest(&digest(&[&self.issuer, &grant.subject, role])),
            kind: KeyKind::Live,
            owner: format!("oauth-{person}"),
            role: role.clone(),
            bias: false,
            created: grant.issued,
            began: grant.issued,
            expires: grant.expires,
            successor: None,
            revoked: None,
        })
    }
}
