//! A single value of a file: `the version of the project in pyproject.toml`.

use svc_contract::value::{Value, literal};
use svc_text::stems::{Term, Vocabulary};

use super::{
    Answer, Content, Seen,
    lexicon::{Lexicon, has},
    words::{Literal, Token},
};

/// Values that are deeper are not found.
const DEEPEST: usize = 5;

struct Leaf {
    path: Vec<String>,
    is_number: bool,
    /// The words of each key.
    terms: Vec<Vec<Term>>,
}

impl Leaf {
    /// Whether a word is the last key as it is written: `LOG_LEVEL`.
    fn is_key(&self, token: &Token) -> bool {
        self.path.last().is_some_and(|it| *it == token.text)
    }
}

/// The script that returns the value that a goal names, if its words are the keys that lead to it.
pub(super) fn answer(
    seen: &Seen,
    tokens: &[Token],
    lexicon: &Lexicon,
    words: &mut Vocabulary,
) -> Option<Answer> {
    let Content::One(value @ Value::Record(_)) = &seen.content else { return None };
    // `turn debug on` does not ask for a value.
    let is_verb = |it: &Token| matches!(it.lower.as_str(), "turn" | "switch" | "set" | "toggle");
    if tokens.iter().any(is_verb) && tokens.iter().any(|it| matches!(&*it.lower, "on" | "off")) {
        return None;
    }
    let mut leaves = Vec::new();
    collect(value, &mut Vec::new(), words, &mut leaves);
    let wanted = tokens.iter().filter(|it| !it.is_stop && !lexicon.requests(it));
    let wanted: Vec<&Token> =
        wanted.filter(|it| it.literal != Some(Literal::Path(seen.path.clone()))).collect();
    // Words that say no more than that something is in there.
    let is_vague =
        |it: &Token| matches!(it.lower.as_str(), "somewhere" | "value" | "setting" | "entry");
    let names = |leaf: &Leaf, token: &Token| {
        leaf.terms.iter().any(|it| has(it, token))
            || leaf.is_key(token)
            || leaf.is_number && lexicon.counts(token)
            || is_vague(token)
    };
    let is_named = |leaf: &&Leaf| {
        let last = leaf.terms.last().is_some_and(|terms| wanted.iter().any(|it| has(terms, it)))
            || wanted.iter().any(|it| leaf.is_key(it));
        last && wanted.iter().all(|it| names(leaf, it))
    };
    let score =
        |leaf: &Leaf| leaf.terms.iter().filter(|it| wanted.iter().any(|at| has(it, at))).count();
    let mut named: Vec<&Leaf> = leaves.iter().filter(is_named).collect();
    let most = named.iter().map(|it| score(it)).max()?;
    named.retain(|it| score(it) == most);
    let shallow = named.iter().map(|it| it.path.len()).min()?;
    named.retain(|it| it.path.len() == shallow);
    let [leaf] = named.as_slice() else { return None };
    let reader = seen.reader.replace("<{T}>", "");
    let path = leaf.path.join(".");
    let stage = format!("at(path: {})", literal::text(&path));
    let parts = wanted.iter().map(|it| (it.text.clone(), stage.clone())).collect();
    Some(Answer { script: format!("{reader}\n  >> {stage}\n"), parts })
}

fn collect(value: &Value, path: &mut Vec<String>, words: &mut Vocabulary, leaves: &mut Vec<Leaf>) {
    let Value::Record(record) = value else {
        if !matches!(value, Value::List(_)) {
            let terms = path.iter().map(|it| words.read(&spaced(it)).map(|it| it.term).collect());
            let is_number = matches!(value, Value::Int(_) | Value::Float(_));
            leaves.push(Leaf { terms: terms.collect(), path: path.clone(), is_number });
        }
        return;
    };
    if path.len() == DEEPEST {
        return;
    }
    for (name, it) in record.iter() {
        let is_plain = name.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '-'));
        path.push(if is_plain { name.to_string() } else { format!("[{}]", literal::text(name)) });
        collect(it, path, words, leaves);
        path.pop();
    }
}

/// The words of a key: `max_size`, `chapter2`.
fn spaced(key: &str) -> String {
    let mut spaced = String::new();
    let mut before = ' ';
    for it in key.chars() {
        if it.is_ascii_digit() && before.is_alphabetic() {
            spaced.push(' ');
        }
        spaced.push(if matches!(it, '_' | '-' | '.') { ' ' } else { it });
        before = it;
    }
    spaced
}
