//! Analyses texts: sentences, tokens, stems, tags, language, readability, spelling.

mod addresses;
mod analyze;
mod detect;
mod learn;
mod readability;
mod spell;
mod state;
#[cfg(test)]
mod tests;
mod tokens;

use svc_contract::{
    registry::{Bias, Cases, Component, OpError, compute, load, record, save},
    value::Text,
};
use svc_text::language::Language;

use state::Knowledge;

const NAME: &str = "ctx_nlp";
const VERSION: u32 = 1;

pub(super) const COMPONENT: Component = Component {
    name: NAME,
    cluster: "context-retrieval",
    summary: "Sentences, tokens, stems, part-of-speech tags, language, readability and spelling of texts.",
    version: VERSION,
    bias: Bias::new(
        "averaged perceptron",
        &["a tag depends on the word, its shape and two neighbours"],
    )
    .judged_by(CASES),
    aliases: &[
        ("analyze", "infer"),
        ("detect_language", "detect_language"),
        ("readability", "readability"),
        ("spell", "spell"),
    ],
    ops: &[
        compute::<analyze::Infer>(),
        compute::<detect::DetectLanguage>(),
        compute::<readability::Readability>(),
        compute::<spell::Spell>(),
        compute::<learn::Learn>(),
        save::<Knowledge>(),
        load::<Knowledge>(),
    ],
};

const CASES: Cases = cases!("ctx_nlp.jsonl", "spelling_en.jsonl", "spelling_de.jsonl");

record! {
    /// A sentence of a text: `text[start..end]` in bytes.
    struct Sentence {
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// The sentence itself.
        text: Text,
    }
}

record! {
    /// A word, number or sign of a text: `text[start..end]` in bytes.
    struct Token {
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// The token itself.
        text: Text,
        /// The token in lower case.
        lower: Text,
        /// What the forms of its word share, such as `run` for `running`: the Snowball stem. In a
        /// language without a stemmer it is the token in lower case.
        stem: Text,
        /// Its universal part-of-speech tag, such as `NOUN`, if a model with tags was given.
        pos: Option<Text>,
    }
}

record! {
    /// A sentence with the tag of each word, to learn from.
    struct TaggedSentence {
        /// The words, numbers and signs, in order.
        words: Vec<Text>,
        /// The universal part-of-speech tag of each, such as `NOUN`. Without any, the words count
        /// only for spelling.
        tags: Vec<Text>,
    }
}

/// The language of a code of two letters.
fn language_of(code: &str) -> Result<Language, OpError> {
    Language::of_code(code).ok_or_else(|| {
        OpError::invalid_input(format!("unknown language `{}`", shown(code)))
            .help("write a code of two letters, such as `en` or `de`, or leave it out")
    })
}

/// The beginning of a text for a message, on one line.
fn shown(text: &str) -> String {
    text.chars().take(40).collect::<String>().escape_debug().to_string()
}

/// An offset as an int.
fn offset(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}
