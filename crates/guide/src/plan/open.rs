//! A step while it is being read, word by word.

use super::{
    goal::{Clause, LiteralInContext},
    literals::Literal,
};

/// An unfinished step.
#[derive(Default)]
pub(super) struct Open {
    words: Vec<String>,
    literals: Vec<(Literal, usize, bool)>,
    text: Vec<String>,
    pub(super) is_beside: bool,
    each: bool,
    pub(super) is_forbidden: bool,
}

impl Open {
    pub(super) fn word(&mut self, word: &str) {
        let lower: String =
            word.to_lowercase().chars().filter(|it| it.is_alphanumeric() || *it == '_').collect();
        self.each |= matches!(lower.as_str(), "each" | "every");
        self.is_beside |= matches!(lower.as_str(), "meanwhile" | "both" | "also");
        self.text.push(word.to_owned());
        if let Some((Literal::Number(number), at, digits)) = self.literals.last()
            && *at == self.words.len()
            && let Some(of_unit) = Literal::of_unit(*number, &lower)
        {
            let (at, digits) = (*at, *digits);
            self.literals.pop();
            self.literals.push((of_unit, at, digits));
            return;
        }
        if !lower.is_empty() {
            self.words.push(lower);
        }
    }

    pub(super) fn literal(&mut self, literal: Literal, written: &str) {
        self.text.push(written.to_owned());
        let in_digits = written.contains(|it: char| it.is_ascii_digit());
        self.literals.push((literal, self.words.len(), in_digits));
    }

    pub(super) fn clause(self) -> Clause {
        let words = self.words;
        let given = |(literal, at, in_digits): (Literal, usize, bool)| LiteralInContext {
            literal,
            in_digits,
            before: words[at.saturating_sub(2)..at].to_vec(),
            behind: words[at..(at + 2).min(words.len())].to_vec(),
        };
        let literals = self.literals.into_iter().map(given).collect();
        let text = self.text.join(" ");
        let (is_beside, each) = (self.is_beside, self.each);
        let clause = Clause { words, literals, text, is_beside, each, ..Clause::default() };
        Clause { count: clause.counted(), ..clause }
    }
}

/// Words that introduce a bound.
pub(super) const OF_BOUNDS: [&str; 14] = [
    "spend", "cost", "costs", "pay", "budget", "most", "more", "than", "no", "within", "timeout",
    "longer", "limit", "under",
];

/// A bound in a step, such as `spend no more than $0.10`, and its position.
pub(super) fn bound(clause: &Clause) -> Option<(usize, (&'static str, String))> {
    let says = clause.words.iter().any(|it| OF_BOUNDS.contains(&it.as_str()));
    let is_near =
        |it: &LiteralInContext| it.before.iter().any(|it| OF_BOUNDS.contains(&it.as_str()));
    let key = |it: &LiteralInContext| match &it.literal {
        Literal::Money(_) if says => Some("max_cost"),
        Literal::Duration(_) if is_near(it) => Some("timeout"),
        _ => None,
    };
    let mut all = clause.literals.iter().enumerate();
    all.find_map(|(idx, it)| Some((idx, (key(it)?, it.literal.written()))))
}
