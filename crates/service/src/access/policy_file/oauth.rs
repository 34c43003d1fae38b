//! The table `[oauth]`: whose tokens are accepted, and which role each of their scopes has.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{Given, Reader, Role};
use crate::access::oauth::{KeysAt, OAuth, published::is_private};

const FIELDS: [&str; 4] = ["issuer", "resource", "keys", "roles"];

impl Reader<'_> {
    /// The table `[oauth]`, whose roles are among those of the file.
    pub(super) fn oauth(
        &mut self,
        table: &DeTable<'_>,
        at: usize,
        roles: &[Role],
    ) -> Option<OAuth> {
        let before = self.problems.len();
        let mut oauth = OAuth {
            issuer: String::new(),
            resource: String::new(),
            keys: KeysAt::Issuer,
            roles: Vec::new(),
        };
        for (key, value) in table {
            let field = format!("oauth.{}", key.get_ref().escape_debug());
            let given = Given { value: value.get_ref(), at: value.span().start, field: &field };
            match key.get_ref().as_ref() {
                "issuer" => {
                    self.address(given).unwrap_or_default().clone_into(&mut oauth.issuer);
                }
                "resource" => oauth.resource = self.resource(given).unwrap_or_default(),
                "keys" => oauth.keys = self.keys(given).unwrap_or(KeysAt::Issuer),
                "roles" => oauth.roles = self.scopes(given, roles),
                _ => self.unknown(key, "oauth", &FIELDS),
            }
        }
        for (name, example) in [
            ("issuer", "issuer = \"https://login.example.com\""),
            ("resource", "resource = \"https://svc.example.com\""),
            ("roles", "[oauth.roles]"),
        ] {
            if !table.contains_key(name) {
                let help = Some(format!("add `{example}`"));
                self.wrong(at, "oauth", format!("missing `{name}`"), help);
            }
        }
        (self.problems.len() == before).then_some(oauth)
    }

    /// An address that no one between can answer for.
    pub(super) fn address<'a>(&mut self, given: Given<'a>) -> Option<&'a str> {
        let text = self.text(given)?;
        let is_plain = !text.contains(['?', '#', ' ']) && text.len() > "https://".len();
        if is_plain && is_private(text) {
            return Some(text);
        }
        self.misfit(given, "an address that begins with `https://`")
    }

    fn resource(&mut self, given: Given<'_>) -> Option<String> {
        let text = self.address(given)?.trim_end_matches('/');
        let has_path = text.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
        if !has_path {
            return Some(text.to_owned());
        }
        self.misfit(given, "an address without a path, as in `https://svc.example.com`")
    }

    /// A file next to this one, or an address.
    fn keys(&mut self, given: Given<'_>) -> Option<KeysAt> {
        let text = self.text(given)?;
        if text.contains("://") {
            return self.address(given).map(|it| KeysAt::Url(it.to_owned()));
        }
        let folder = self.source.folder().map_or(Path::new(""), |it| it.as_path());
        Some(KeysAt::File(folder.join(text)))
    }

    /// The roles of scopes, in the order of the file.
    fn scopes(&mut self, given: Given<'_>, roles: &[Role]) -> Vec<(String, String)> {
        let DeValue::Table(table) = given.value else {
            self.misfit::<()>(given, "a table of scopes and roles");
            return Vec::new();
        };
        let mut scopes = Vec::new();
        for (scope, role) in table {
            let at = role.span().start;
            let field = format!("oauth.roles.{}", scope.get_ref().escape_debug());
            let given = Given { value: role.get_ref(), at, field: &field };
            if !is_scope(scope.get_ref()) {
                self.wrong(scope.span().start, &field, "invalid name of a scope", None);
                continue;
            }
            let Some(name) = self.text(given) else { continue };
            if roles.iter().any(|it| it.name == name) {
                scopes.push((scope.span().start, scope.get_ref().to_string(), name.to_owned()));
                continue;
            }
            let known: Vec<&str> = roles.iter().map(|it| it.name.as_str()).collect();
            let message = format!("unknown role `{}`", name.escape_debug());
            self.wrong(at, &field, message, Some(format!("the roles are {}", known.join(", "))));
        }
        if scopes.is_empty() && table.is_empty() {
            let help = Some("add a line such as `\"svc\" = \"free\"`".to_owned());
            self.wrong(given.at, given.field, "no scope has a role", help);
        }
        scopes.sort_unstable();
        scopes.into_iter().map(|(_, scope, role)| (scope, role)).collect()
    }
}

/// Whether a text is a scope: RFC 6749, section 3.3.
fn is_scope(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|it| matches!(it, b'!' | b'#'..=b'[' | b']'..=b'~'))
}
