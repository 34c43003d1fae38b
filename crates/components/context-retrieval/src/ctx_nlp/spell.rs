//! Misspelt words, with corrections.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use svc_contract::{
    registry::{
        Compute, Cx, ErrorKind, Example, Field, Max, Op, OpError, Scheme, Trained,
        documents::Span,
        findings::{Finding, Severity},
        params,
    },
    value::{Text, Value},
};
use svc_text::{
    blocks::{Kind, blocks},
    segments,
    sentences::split,
    spelling::{Choice, LONGEST, Lexicon},
};

use super::{addresses, learn::is_spelt, offset, state::Knowledge, tokens::plain};

params! {
    /// Returns the words of a text that a model does not know, with corrections.
    ///
    /// The model comes from `analyze.learn`, and knows the words of the sentences it was given, so
    /// these should be large and correct: tags are not needed. Each unknown word is a finding with its
    /// place; `fix` is the known word that was most likely meant, and `null` if none is near enough.
    ///
    /// Candidates are at most `edit_distance` edits away: an extra, missing or wrong letter, or two
    /// neighbours swapped (symmetric deletes, Garbe 2012). They are ranked by how frequent they are,
    /// against how likely the edits are (a noisy channel, Kernighan, Church & Gale 1990).
    ///
    /// Code is not checked, also in backticks inside a sentence, and neither are words with digits or capitals inside, single letters,
    /// parts of addresses such as `https://example.org`, `me@example.org` and `docs/a.md`, names of variables, and names: words with a capital that stand inside a sentence, here or
    /// elsewhere in the text.
    pub(super) struct Spell {
        /// The text.
        text: Text,
        /// What `analyze.learn` returned.
        model: Trained<Knowledge>,
        /// The maximum number of edits between a word and its correction.
        #[tune]
        #[range(1..=3)]
        edit_distance: i64 = 2,
        /// How much the frequency of a correction counts, against its edits.
        #[tune]
        #[range(0.0..=1.0)]
        prior: f64 = 0.5,
    }
}

impl Op for Spell {
    const NAME: &'static str = "spell";
    const YIELDS: Scheme = Scheme::List(&Finding::SCHEME, Max::Unknown);
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const SAYS: &'static [&'static str] = &[
        "check the spelling of a text",
        "find typos",
        "spelling mistakes with corrections",
        "suggest the right spelling of words",
        "correct misspelled words",
        "spell checker with my own dictionary",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A typo",
            r#"let model = [{ words: ["the", "cat", "sleeps"], tags: [] }] >> analyze.learn
spell("The caat sleeps.", model: model) >> each { { word: .span?.text, fix: .fix } }"#,
            r#"[{"word":"caat","fix":"cat"}]"#,
        ),
        Example::err(
            "A model without words",
            r#"let numbers = "1 2 3 4 5 6 7 8 9 10" >> split(sep: " ")
let model = numbers >> each { { words: [it], tags: ["NUM"] } } >> analyze.learn
spell("A text.", model: model)"#,
            "the model has no words",
        ),
    ];
}

impl Compute for Spell {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let knowledge = self.model.state()?;
        if knowledge.words().is_empty() {
            return Err(OpError::invalid_input("the model has no words")
                .help("learn it from sentences with words"));
        }
        let edits = usize::try_from(self.edit_distance).unwrap_or(1);
        let search = Choice { edits, prior: self.prior };
        let mut speller = Speller { words: knowledge.words(), search, known: HashMap::new() };
        let mut found = Vec::new();
        for word in unknown(&self.text, knowledge.words(), cx)? {
            let text = &self.text[word.clone()];
            found.push(finding(text, word, speller.correct(text, cx)?));
        }
        Ok(found.encode())
    }
}

fn finding(word: &str, range: Range<usize>, fix: Option<Text>) -> Finding {
    Finding {
        rule: "spelling".into(),
        severity: if fix.is_some() { Severity::Warning } else { Severity::Info },
        message: format!("unknown word `{word}`").into(),
        path: "".into(),
        span: Some(Span { start: offset(range.start), end: offset(range.end), text: word.into() }),
        fix,
    }
}

/// The unknown words of a text.
fn unknown(text: &str, words: &Lexicon, cx: &Cx) -> Result<Vec<Range<usize>>, OpError> {
    let mut names: HashSet<&str> = HashSet::new();
    let mut unknown = Vec::new();
    let code = addresses::code(text);
    let prose = blocks(text).filter(|it| !matches!(it.kind, Kind::Code | Kind::Markup));
    for sentence in prose.flat_map(|it| split(text, it.body)) {
        cx.check()?;
        let mut is_first = true;
        let start = sentence.start;
        for token in segments::tokens(&text[sentence]) {
            let range = start + token.start..start + token.end;
            let word = &text[range.clone()];
            let is_start = is_first;
            is_first = is_first && !segments::is_word(word);
            let is_code = addresses::is_within(&code, &range) || has_inner_capital(word);
            if !is_spelt(word) || is_code || addresses::has(text, &range) {
                continue;
            }
            let is_name = !is_start && word.starts_with(char::is_uppercase);
            if is_name {
                names.insert(word);
                continue;
            }
            unknown.extend(misspelt(word, words).map(|len| range.start..range.start + len));
        }
    }
    unknown.retain(|it| !names.contains(&text[it.clone()]));
    Ok(unknown)
}

/// The length of the part of a word that may be misspelt: without the `'s` of `cat's`.
fn misspelt(word: &str, words: &Lexicon) -> Option<usize> {
    let lower = plain(word);
    let length = word.chars().count();
    if !(2..=LONGEST).contains(&length) || words.has(&lower) {
        return None;
    }
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    (owner.len() == word.len() || !words.has(&plain(owner))).then_some(owner.len())
}

fn has_inner_capital(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase)
}

/// Corrects words, each distinct one once.
struct Speller<'a> {
    words: &'a Lexicon,
    search: Choice,
    known: HashMap<String, Option<Text>>,
}

impl Speller<'_> {
    fn correct(&mut self, word: &str, cx: &Cx) -> Result<Option<Text>, OpError> {
        if let Some(known) = self.known.get(word) {
            return Ok(known.clone());
        }
        let best = self.words.correct(&plain(word), self.search, &mut || cx.check())?;
        let best = best.into_iter().next().map(|it| as_written(word, &it.word));
        self.known.insert(word.to_owned(), best.clone());
        Ok(best)
    }
}

/// A correction with the capital of the word that it replaces.
fn as_written(word: &str, correction: &str) -> Text {
    let mut letters = correction.chars();
    match letters.next() {
        Some(first) if word.starts_with(char::is_uppercase) => {
            first.to_uppercase().chain(letters).collect::<String>().into()
        }
        _ => correction.into(),
    }
}
