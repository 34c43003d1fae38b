//! The answer of a model, and its conversion to a value.

use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{Type, Value, json},
};

use super::{
    model::Model,
    question::{Question, VALUE},
};

/// An answer as it streams in.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    /// Why the answer ended; `None` while it continues.
    pub(super) end: Option<End>,
    /// The token counts reported by the provider.
    pub(super) tokens: Option<Tokens>,
    /// The calls of tools that the model asks for.
    pub(super) calls: Vec<Requested>,
}

/// A call of a tool, as it streams in.
#[derive(Debug, Default)]
pub(super) struct Requested {
    /// Empty if the provider gives none.
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments as JSON.
    pub(super) args: String,
}

/// Why a model stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Finished,
    /// The answer reached `max_tokens`.
    Cut,
    /// The model refuses to answer, for this reason.
    Refused(String),
}

/// The tokens of one call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tokens {
    pub(super) input: u64,
    pub(super) output: u64,
}

impl Tokens {
    pub(super) fn sum(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// The average token of a text is never longer than this, with any tokenizer, in bytes.
const LONGEST_TOKEN: u64 = 64;

impl Answer {
    /// Replaces the key with stars, in case a server echoes it.
    pub(super) fn without_key(mut self, model: &Model) -> Self {
        if let Some(key) = &model.key {
            self.text = key.hidden_in(&self.text);
            for call in &mut self.calls {
                call.args = key.hidden_in(&call.args);
            }
            if let Some(End::Refused(why)) = &mut self.end {
                *why = key.hidden_in(why);
            }
        }
        self
    }

    /// Returns the counts reported by the provider, unless they are too low to be true: then the
    /// real usage is unknown.
    pub(super) fn counted(&self, question: &Question<'_>) -> Option<Tokens> {
        self.counted_for(question.prompt.len().saturating_add(question.system.len()))
    }

    /// The same for a request with so many bytes of texts.
    pub(super) fn counted_for(&self, asked: usize) -> Option<Tokens> {
        let holds =
            |tokens: u64, bytes: usize| tokens.saturating_mul(LONGEST_TOKEN) >= bytes as u64;
        let is_plausible = |it: &Tokens| {
            it.input > 0 && holds(it.input, asked) && holds(it.output, self.text.len())
        };
        self.tokens.filter(is_plausible)
    }

    pub(super) fn is_cut(&self) -> bool {
        self.end == Some(End::Cut)
    }

    /// Returns the text, or the value of the requested type.
    pub(super) fn value(self, model: &Model, question: &Question<'_>) -> Result<Value, OpError> {
        let cut = self.is_cut();
        if let Some(End::Refused(why)) = self.end {
            return Err(OpError::failed(format!("`{model}` refuses to answer: {why}")));
        }
        if cut && (question.wanted.is_some() || self.text.is_empty()) {
            let most = question.max_tokens;
            let message = format!("`{model}` needs more than {most} tokens for its answer");
            let help = "raise `max_tokens`";
            return Err(OpError::new(ErrorKind::InvalidOutput, message).help(help));
        }
        match question.wanted {
            None => Ok(self.text.into()),
            Some(wanted) => typed(&self.text, wanted, question.is_wrapped())
                .map_err(|why| misfit(model, wanted, &why)),
        }
    }
}

/// Parses the JSON of an answer as a value of the type `wanted`, or explains why that fails.
fn typed(text: &str, wanted: &Type, wrapped: bool) -> Result<Value, String> {
    let read = json::read(without_fence(text));
    let value = read.or_else(|err| embedded(text).ok_or(err));
    let value = value.map_err(|err| format!("not valid JSON: {err}"))?;
    let value = match (wrapped, &value) {
        (false, _) => value,
        (true, Value::Record(record)) if record.has(VALUE) => {
            record.get(VALUE).cloned().unwrap_or_default()
        }
        (true, other) => {
            return Err(format!("expected an object with `{VALUE}`, found {}", other.kind()));
        }
    };
    value.cast(wanted).map_err(|it| it.to_string())
}

fn misfit(model: &Model, wanted: &Type, why: &str) -> OpError {
    let message = format!("the answer of `{model}` is not of type `{wanted}`: {why}");
    OpError::new(ErrorKind::InvalidOutput, message)
}

/// Returns the text inside a Markdown code block. Models without an enforced schema often wrap JSON
/// in one.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    match inside.and_then(|it| it.split_once('\n')) {
        Some((_, block)) => block,
        None => text,
    }
}

/// Returns the JSON object of an answer that has words around it, or a code block that is not
/// closed.
fn embedded(text: &str) -> Option<Value> {
    const MOST_BEGINNINGS: usize = 50;
    let end = text.rfind('}')? + 1;
    let mut beginnings = text[..end].match_indices('{').take(MOST_BEGINNINGS);
    beginnings.find_map(|(start, _)| json::read(&text[start..end]).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score() -> Type {
        Type::record(vec![("score".into(), Type::Float(Some((0.0, 1.0))))])
    }

    #[test]
    fn a_misfit_says_where_and_why() {
        let why = |text: &str| typed(text, &score(), false).unwrap_err();
        assert_eq!(why(r#"{"score": 7}"#), "expected float 0..1 for `score`, found 7");
        assert_eq!(why("{}"), "expected float 0..1 for `score`, found nothing");
        assert!(why("Sure! Here it is").starts_with("not valid JSON: "));
    }

    #[test]
    fn what_is_no_record_comes_in_one() {
        let wanted = Type::list(Type::INT);
        assert_eq!(typed(r#"{"value": [1]}"#, &wanted, true), Ok(vec![Value::Int(1)].into()));
        let bare = typed("[1]", &wanted, true).unwrap_err();
        assert_eq!(bare, "expected an object with `value`, found list");
    }

    #[test]
    fn words_around_an_object_are_left_out() {
        let half = Value::Float(0.5);
        for text in [
            "Sure {x}! {\"score\": 0.5} Done.",
            "```json\n{\"score\": 0.5}",
            "Here:\n```json\n{\"score\": 0.5}\n```\nDone.",
        ] {
            let read = typed(text, &score(), false).unwrap();
            assert_eq!(read.as_record().and_then(|it| it.get("score")), Some(&half), "{text}");
        }
    }

    #[test]
    fn a_code_block_is_taken_off() {
        assert_eq!(without_fence("```json\n{}\n```"), "{}\n");
        assert_eq!(without_fence(" {} "), "{}");
        assert_eq!(without_fence("```"), "```");
    }
}
