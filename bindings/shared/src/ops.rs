//! Ops of other languages, declared as data.

use serde::Deserialize;
use svc::{
    Engine,
    registry::{ClosureOp, OpError, OpSignature, Price},
    value::{Value, json},
};

use crate::{options::Dollars, types::read_type};

/// The declaration of an op.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpDeclaration {
    /// `crm.score`, or `score` for a component with a single op.
    pub name: String,
    #[serde(default)]
    pub doc: String,
    /// The first one is the input.
    #[serde(default)]
    pub params: Vec<ParamDeclaration>,
    /// The type of the result.
    pub returns: String,
    /// Effects, such as `reads crm`; none for a pure op.
    #[serde(default)]
    pub effects: Vec<String>,
    /// A short name for scripts.
    #[serde(default)]
    pub alias: Option<String>,
    /// What a call costs; nothing if it is left out.
    #[serde(default)]
    pub price: Option<Dollars>,
    /// Only the results of an op with a version may be used by other runs.
    #[serde(default)]
    pub version: Option<u32>,
}

/// A parameter of an op.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParamDeclaration {
    pub name: String,
    /// The type, as a script writes it.
    pub r#type: String,
    #[serde(default)]
    pub doc: String,
    /// Without a default, the parameter is required.
    #[serde(default, deserialize_with = "given")]
    pub default: Option<serde_json::Value>,
}

/// A default that is there, also if it is null.
fn given<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(from).map(Some)
}

impl OpDeclaration {
    /// The parameters and the result. The types are read by `engine`.
    pub fn signature(&self, engine: &Engine) -> Result<OpSignature, OpError> {
        let read =
            |of: &str, text: &str| read_type(engine, text).map_err(|err| self.wrong(of, err));
        let mut signature = OpSignature::returning(&read("the result", &self.returns)?);
        for param in &self.params {
            let ty = read(&format!("`{}`", param.name), &param.r#type)?;
            let default = param.default.as_ref().map(value_of).transpose()?;
            signature = signature.param(&param.name, &ty, &param.doc, default);
        }
        Ok(signature)
    }

    /// The op with everything else that is declared.
    pub fn declared(&self, op: ClosureOp) -> Result<ClosureOp, OpError> {
        let mut op = if self.doc.trim().is_empty() { op } else { op.doc(&self.doc) };
        for effect in &self.effects {
            op = op.effect(effect.as_str());
        }
        if let Some(alias) = &self.alias {
            op = op.alias(alias);
        }
        if let Some(price) = &self.price {
            op = op.price(Price::Fixed(price.money()?));
        }
        Ok(match self.version {
            Some(version) => op.version(version),
            None => op,
        })
    }

    fn wrong(&self, of: &str, err: OpError) -> OpError {
        OpError { message: format!("cannot add `{}`: {of} has an {err}", self.name), ..err }
    }
}

fn value_of(it: &serde_json::Value) -> Result<Value, OpError> {
    json::read(&it.to_string()).map_err(|err| OpError::invalid_input(err.to_string()))
}
