//! The tools of a server, as it describes them.

use rmcp::model;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use svc_openapi::fingerprint;

/// What a server says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    pub server: String,
    pub version: String,
    pub protocol: String,
    pub tools: Vec<Tool>,
}

/// A tool, as its server describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    pub input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What the server says of its effects: hints that are not trusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
}

impl Tool {
    /// The fingerprint of what a call sends and returns.
    pub fn fingerprint(&self) -> String {
        // The fields of JSON objects are sorted, so equal schemas have equal texts.
        let text = serde_json::json!([self.name, self.input, self.output]).to_string();
        fingerprint(text.as_bytes())[..16].to_owned()
    }
}

impl From<model::Tool> for Tool {
    fn from(tool: model::Tool) -> Self {
        let title = tool.title.unwrap_or_default();
        let description = tool.description.map_or(title, String::from);
        Self {
            name: tool.name.into_owned(),
            description,
            input: Value::Object((*tool.input_schema).clone()),
            output: tool.output_schema.map(|it| Value::Object((*it).clone())),
            annotations: tool.annotations.and_then(|it| serde_json::to_value(it).ok()),
        }
    }
}
