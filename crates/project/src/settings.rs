//! `svc.toml`: the APIs and MCP servers of a project.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use svc_contract::value::{Money, units};
use svc_openapi::is_name;

use crate::mcp::McpSettings;

/// The settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The APIs by the names of their components.
    #[serde(default)]
    pub api: BTreeMap<String, ApiSettings>,
    /// The MCP servers by the names of their components.
    #[serde(default)]
    pub mcp: BTreeMap<String, McpSettings>,
}

/// The settings of an API.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApiSettings {
    /// The file of the document, relative to the folder of the settings.
    pub file: Option<String>,
    /// The address of the document.
    pub url: Option<String>,
    /// The address of the API, instead of the one that the document names.
    pub base: Option<String>,
    /// The names of secrets, by the names of security schemes of the document.
    #[serde(default)]
    pub secrets: BTreeMap<String, String>,
    #[serde(flatten)]
    pub call: OpSettings,
    /// What differs for some operations.
    #[serde(default)]
    pub ops: BTreeMap<String, OpSettings>,
}

/// The settings of calls.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct OpSettings {
    /// The price of a call.
    #[serde(default, deserialize_with = "money")]
    pub price: Option<Money>,
    #[serde(default, deserialize_with = "duration")]
    pub timeout: Option<Duration>,
    pub max_retries: Option<u32>,
    /// The maximum size of an answer.
    #[serde(default, deserialize_with = "size")]
    pub max_size: Option<u64>,
    /// Whether sending a request a second time changes nothing further.
    pub idempotent: Option<bool>,
}

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    File(String),
    Url(String),
}

impl Source {
    /// The path or the address.
    pub fn place(&self) -> &str {
        match self {
            Self::File(it) | Self::Url(it) => it,
        }
    }

    /// A source of the same kind.
    pub(crate) fn at(&self, place: &str) -> Self {
        match self {
            Self::File(_) => Self::File(place.to_owned()),
            Self::Url(_) => Self::Url(place.to_owned()),
        }
    }
}

impl Settings {
    /// Reads settings; returns why they are wrong otherwise.
    pub fn read(text: &str) -> Result<Self, String> {
        let settings: Self = toml::from_str(text).map_err(|err| err.to_string())?;
        for (name, api) in &settings.api {
            if !is_name(name) {
                return Err(format!(
                    "invalid name `{name}` of an API: expected lower case letters, digits and `_`"
                ));
            }
            api.source().map_err(|why| format!("`[api.{name}]`: {why}"))?;
            if let Some(secret) = api.secrets.values().find(|it| !is_secret_name(it)) {
                return Err(format!(
                    "`[api.{name}]`: invalid name `{secret}` of a secret: expected letters, digits and `_`"
                ));
            }
        }
        for (name, server) in &settings.mcp {
            if !is_name(name) {
                return Err(format!(
                    "invalid name `{name}` of an MCP server: expected lower case letters, digits and `_`"
                ));
            }
            server.test().map_err(|why| format!("`[mcp.{name}]`: {why}"))?;
            if settings.api.contains_key(name) {
                return Err(format!("duplicate name `{name}`: of an API and of an MCP server"));
            }
        }
        Ok(settings)
    }
}

/// A secret is named as in a script. Its value would mostly not have this form.
pub(crate) fn is_secret_name(text: &str) -> bool {
    let is_sign = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    text.len() <= 64
        && text.bytes().next().is_some_and(|it| it.is_ascii_alphabetic())
        && text.bytes().all(is_sign)
}

impl ApiSettings {
    pub fn source(&self) -> Result<Source, String> {
        match (&self.file, &self.url) {
            (Some(file), None) => Ok(Source::File(file.clone())),
            (None, Some(url)) => Ok(Source::Url(url.clone())),
            _ => Err("expected one of `file` and `url`".to_owned()),
        }
    }

    /// The settings of an operation.
    pub fn of_op(&self, name: &str) -> OpSettings {
        let (all, own) = (self.call.clone(), self.ops.get(name).cloned().unwrap_or_default());
        OpSettings {
            price: own.price.or(all.price),
            timeout: own.timeout.or(all.timeout),
            max_retries: own.max_retries.or(all.max_retries),
            max_size: own.max_size.or(all.max_size),
            idempotent: own.idempotent.or(all.idempotent),
        }
    }
}

/// Reads an amount that is written as in a script.
pub(crate) fn amount<'de, D: serde::Deserializer<'de>, T>(
    from: D,
    read: impl Fn(&str) -> Option<T>,
    wanted: &str,
) -> Result<Option<T>, D::Error> {
    let text = String::deserialize(from)?;
    let wrong = || serde::de::Error::custom(format!("expected {wanted}, found `{text}`"));
    read(&text).map(Some).ok_or_else(wrong)
}

pub(crate) fn money<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Money>, D::Error> {
    amount(from, Money::read, "an amount such as `$0.01`")
}

pub(crate) fn duration<'de, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<Duration>, D::Error> {
    amount(from, units::parse_duration, "a duration such as `30s`")
}

pub(crate) fn size<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    amount(from, units::parse_size, "a size such as `5MB`")
}

#[cfg(test)]
mod tests {
    use super::{Settings, Source};

    #[test]
    fn settings_are_read_and_mistakes_named() {
        let text = "[api.pets]\nfile = 'pets.json'\ntimeout = '5s'\nsecrets = { api_key = 'pets_key' }\n[api.pets.ops.add_pet]\nprice = '$0.10'\n";
        let settings = Settings::read(text).unwrap();
        let pets = &settings.api["pets"];
        assert_eq!(pets.source(), Ok(Source::File("pets.json".to_owned())));
        assert_eq!(pets.of_op("add_pet").price.unwrap().to_string(), "$0.10");
        assert_eq!(pets.of_op("add_pet").timeout, pets.of_op("list").timeout);
        for (text, why) in [
            ("[api.pets]", "expected one of `file` and `url`"),
            ("[api.pets]\nfile = 'a'\nurl = 'b'", "expected one of"),
            ("[api.Pets]\nfile = 'a'", "invalid name `Pets`"),
            ("[api.pets]\nfile = 'a'\nfiel = 'b'", "fiel"),
            ("[apis]", "unknown field"),
            ("[api.pets]\nfile = 'a'\nsecrets = { k = 'sk-12345' }", "name `sk-12345`"),
            ("[api.pets]\nfile = 'a'\nprice = 'much'", "such as `$0.01`"),
        ] {
            let wrong = Settings::read(text).unwrap_err();
            assert!(wrong.contains(why), "{text}: {wrong}");
        }
    }
}
