//! A request to a model, independent of the provider.

use serde::Serialize;
use svc_contract::{
    registry::{Field, OpError, Scheme},
    value::{
        Type, Value, json,
        schema::{self, Ranges},
    },
};

use super::answer::Tokens;

/// The tokens of a request besides its texts: roles, separators, the frame of a schema.
const OVERHEAD: usize = 512;

/// How often a provider may count the schema: once as a parameter, and once in the instructions
/// that it derives from the schema.
const SCHEMA_COPIES: usize = 2;

/// The field that holds a value whose type is not a record.
pub(super) const VALUE: &str = "value";

/// The sampling temperature of an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Temperature(f64);

impl Field for Temperature {
    const SCHEME: Scheme = Scheme::FloatRange(0.0, 2.0);

    fn decode(value: Value) -> Option<Self> {
        f64::decode(value).filter(|it| (0.0..=2.0).contains(it)).map(Self)
    }

    fn encode(self) -> Value {
        self.0.encode()
    }
}

/// A question, with everything that a provider needs.
pub(super) struct Question<'a> {
    pub(super) prompt: &'a str,
    pub(super) system: &'a str,
    /// The type of the answer; `None` for text.
    pub(super) wanted: Option<&'a Type>,
    pub(super) max_tokens: u64,
    pub(super) temperature: Option<f64>,
    /// The length of the longer of the two possible schemas, in bytes.
    schema_len: usize,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        prompt: &'a str,
        system: &'a str,
        wanted: Option<&'a Type>,
    ) -> Result<Self, OpError> {
        let mut question =
            Self { prompt, system, wanted, max_tokens: 0, temperature: None, schema_len: 0 };
        for ranges in [Ranges::Asserted, Ranges::Described] {
            let len = question.schema(ranges)?.map_or(0, |it| json::write(&it).len());
            question.schema_len = question.schema_len.max(len);
        }
        Ok(question)
    }

    pub(super) fn limited(self, max_tokens: u64, temperature: Option<Temperature>) -> Self {
        Self { max_tokens, temperature: temperature.map(|it| it.0), ..self }
    }

    /// The schema of the answer: always an object, as providers require.
    pub(super) fn schema(&self, ranges: Ranges) -> Result<Option<Value>, OpError> {
        let Some(wanted) = self.wanted else { return Ok(None) };
        let schema = schema::of(wanted, ranges)
            .map_err(|part| OpError::bug(format!("the check accepted {part}")))?;
        Ok(Some(if self.is_wrapped() {
            schema::object([(VALUE.into(), schema)].into_iter().collect())
        } else {
            schema
        }))
    }

    /// Whether the answer is in the field [`VALUE`] of an object.
    pub(super) fn is_wrapped(&self) -> bool {
        !matches!(self.wanted, Some(Type::Record(_)))
    }

    /// Whether the schema describes the answer completely.
    pub(super) fn is_strict(&self) -> bool {
        self.wanted.is_some_and(schema::is_strict)
    }

    /// An upper bound of the tokens: no tokenizer makes more tokens of a text than it has bytes.
    pub(super) fn most_tokens(&self) -> Tokens {
        let texts = self.prompt.len().saturating_add(self.system.len());
        let input = texts.saturating_add(SCHEMA_COPIES * self.schema_len).saturating_add(OVERHEAD);
        Tokens { input: input as u64, output: self.max_tokens }
    }
}

/// A message of a conversation, as all providers have it.
#[derive(Serialize)]
pub(super) struct Message<'a> {
    role: &'static str,
    content: &'a str,
}

impl<'a> Message<'a> {
    pub(super) const fn system(content: &'a str) -> Self {
        Self { role: "system", content }
    }

    pub(super) const fn user(content: &'a str) -> Self {
        Self { role: "user", content }
    }
}

/// The body of a request as JSON.
pub(super) fn body(request: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(request).expect("a request has only string keys and cannot fail to write")
}
