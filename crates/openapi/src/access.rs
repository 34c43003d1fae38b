//! How a request shows who sends it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A security scheme: what carries a secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// The name in the document.
    pub name: String,
    pub carrier: Carrier,
}

/// Where a secret stands in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Carrier {
    /// `Authorization: Bearer ..`, also for tokens of OAuth and `OpenID Connect`.
    Bearer,
    /// `Authorization: Basic ..`, made of `user:password`.
    Basic,
    Header(String),
    Query(String),
    Cookie(String),
}

impl Access {
    /// A security scheme of a document; `None` if no secret in a request serves it.
    pub(crate) fn read(name: &str, scheme: &Value) -> Option<Self> {
        let text = |name: &str| scheme.get(name).and_then(Value::as_str);
        let carrier = match text("type")? {
            "apiKey" => {
                let name = text("name")?.to_owned();
                match text("in")? {
                    "header" => Carrier::Header(name),
                    "query" => Carrier::Query(name),
                    "cookie" => Carrier::Cookie(name),
                    _ => return None,
                }
            }
            "http" => match text("scheme")?.to_ascii_lowercase().as_str() {
                "bearer" => Carrier::Bearer,
                "basic" => Carrier::Basic,
                _ => return None,
            },
            "oauth2" | "openIdConnect" => Carrier::Bearer,
            _ => return None,
        };
        Some(Self { name: name.to_owned(), carrier })
    }
}

/// The alternatives of schemes that an operation accepts; an empty one is a call without any.
pub(crate) fn alternatives(security: &Value) -> Vec<Vec<String>> {
    let all = security.as_array().into_iter().flatten();
    all.filter_map(Value::as_object).map(|it| it.keys().cloned().collect()).collect()
}
