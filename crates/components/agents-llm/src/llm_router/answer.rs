//! What a model answered, and the value that is made of it.

use svc_contract::{
    registry::{ErrorKind, OpError},
    value::{Type, Value, json},
};

use super::{
    model::Model,
    question::{Question, VALUE},
};

/// An answer as it comes in.
#[derive(Debug, Default)]
pub(super) struct Answer {
    pub(super) text: String,
    /// Why it ended; nothing while it goes on.
    pub(super) end: Option<End>,
    /// What the provider counted.
    pub(super) tokens: Option<Tokens>,
}

/// Why a model stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Finished,
    /// It came to the most tokens that it was given.
    Cut,
    /// It will not answer, for this reason.
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

/// No tokenizer makes longer tokens than this of a text, on the average.
const LONGEST_TOKEN: u64 = 64;

impl Answer {
    /// The same with stars in the place of the key, should a server give that back.
    pub(super) fn without_key(mut self, model: &Model) -> Self {
        if let Some(key) = &model.key {
            self.text = key.hidden_in(&self.text);
            if let Some(End::Refused(why)) = &mut self.end {
                *why = key.hidden_in(why);
            }
        }
        self
    }

    /// What the provider counted, unless nobody could have counted so: then what was really
    /// used is not known.
    pub(super) fn counted(&self, question: &Question<'_>) -> Option<Tokens> {
        let asked = question.prompt.len().saturating_add(question.system.len());
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

    /// The text, or the value of the type that was asked for.
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

/// The value of a type that an answer's JSON holds, or why it holds none.
fn typed(text: &str, wanted: &Type, wrapped: bool) -> Result<Value, String> {
    let value = json::read(without_fence(text)).map_err(|err| format!("it is no JSON: {err}"))?;
    let value = match (wrapped, &value) {
        (false, _) => value,
        (true, Value::Record(record)) if record.has(VALUE) => {
            record.get(VALUE).cloned().unwrap_or_default()
        }
        (true, other) => {
            return Err(format!("an object with `{VALUE}` is due, not {}", other.kind()));
        }
    };
    value.cast(wanted).map_err(|it| it.to_string())
}

fn misfit(model: &Model, wanted: &Type, why: &str) -> OpError {
    let message = format!("the answer of `{model}` is no {wanted}: {why}");
    OpError::new(ErrorKind::InvalidOutput, message)
}

/// The text inside a Markdown code block. Models that are not held to a schema like to
/// put JSON into one.
fn without_fence(text: &str) -> &str {
    let text = text.trim();
    let inside = text.strip_prefix("```").and_then(|it| it.strip_suffix("```"));
    match inside.and_then(|it| it.split_once('\n')) {
        Some((_, block)) => block,
        None => text,
    }
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
        assert_eq!(why(r#"{"score": 7}"#), "`score` must be float 0..1, but it is 7");
        assert_eq!(why("{}"), "`score` must be float 0..1, but it is missing");
        assert!(why("Sure! Here it is").starts_with("it is no JSON: "));
    }

    #[test]
    fn what_is_no_record_comes_in_one() {
        let wanted = Type::list(Type::INT);
        assert_eq!(typed(r#"{"value": [1]}"#, &wanted, true), Ok(vec![Value::Int(1)].into()));
        let bare = typed("[1]", &wanted, true).unwrap_err();
        assert_eq!(bare, "an object with `value` is due, not list");
    }

    #[test]
    fn a_code_block_is_taken_off() {
        assert_eq!(without_fence("```json\n{}\n```"), "{}\n");
        assert_eq!(without_fence(" {} "), "{}");
        assert_eq!(without_fence("```"), "```");
    }
}
