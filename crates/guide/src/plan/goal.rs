//! Splits a goal in words into its steps.

use svc_text::synonyms;

use super::{
    idioms,
    literals::Literal,
    open::{OF_BOUNDS, Open, bound},
    phrases,
    spelling::Spelling,
    tokens::{Token, joined_numbers, tokens},
};

/// One step of a goal.
#[derive(Clone, Debug, Default)]
pub(super) struct Clause {
    pub(super) words: Vec<String>,
    pub(super) literals: Vec<LiteralInContext>,
    /// The original text of the step.
    pub(super) text: String,
    /// Whether it works on the input of the previous step, or starts a new pipeline.
    pub(super) is_beside: bool,
    /// Whether it applies to each item separately.
    pub(super) each: bool,
    /// Whether adjacent literals of the goal were joined.
    pub(super) is_joined: bool,
    /// The number of items to keep, if the step has no other content.
    pub(super) count: Option<usize>,
}

/// A literal, with the words around it.
#[derive(Clone, Debug)]
pub(super) struct LiteralInContext {
    pub(super) literal: Literal,
    /// Whether a number is written in digits.
    pub(super) in_digits: bool,
    /// The words before it, nearest last.
    pub(super) before: Vec<String>,
    /// The words after it, nearest first.
    pub(super) behind: Vec<String>,
}

impl LiteralInContext {
    /// Whether it is a file or a page to read, and not one to write.
    pub(super) fn is_source(&self) -> bool {
        matches!(self.literal, Literal::Path(_) | Literal::Url(_)) && !self.is_target()
    }

    /// Whether it follows `to`, `into` or `as`, with at most a noun in between.
    pub(super) fn is_target(&self) -> bool {
        const NOUNS: [&str; 6] = ["file", "text", "a", "the", "document", "files"];
        let mut behind = self.before.iter().rev().skip_while(|it| NOUNS.contains(&it.as_str()));
        behind.next().is_some_and(|it| matches!(it.as_str(), "to" | "into" | "as"))
    }
}

/// A parsed goal.
#[derive(Clone, Debug, Default)]
pub(super) struct Goal {
    pub(super) clauses: Vec<Clause>,
    /// The forbidden steps.
    pub(super) forbidden: Vec<Clause>,
    /// Bounds of the script, in its syntax.
    pub(super) bounds: Vec<(&'static str, String)>,
}

/// Words between steps.
pub(super) const BETWEEN: [&str; 8] =
    ["then", "and", "but", "before", "after", "afterwards", "finally", "plus"];

/// Words that request something without describing it.
pub(super) const FILLERS: &str = "please give get me let make have turn want need show tell print \
    display output return create produce do i we you can could would what which is are does did \
    using use put set it them this that my the a an all both together result results also now just \
    first ones its their your check whether if or something thing things know meanwhile help out kindly hi hey hello thanks thank like would just some any there here \
    im id calculate compute determine convert transform am was were does so me mine our us with of from in into to for on at by as or about each every over so \
    that without how else otherwise when rest remaining";

/// Words that request a thing, so the next word is not a verb.
const ASKING: [&str; 15] = [
    "give",
    "get",
    "show",
    "tell",
    "make",
    "want",
    "need",
    "print",
    "list",
    "convert",
    "transform",
    "calculate",
    "compute",
    "determine",
    "check",
];

/// Words that only select which items of a list are meant.
const OF_COUNTS: &str = "best top most last closest nearest hits hit documents document results \
    items item passages passage records record entries entry keep only limit few";

/// Whether a word requests something without describing it.
pub(super) fn is_filler(word: &str) -> bool {
    FILLERS.split_whitespace().any(|it| it == word)
}

impl Goal {
    /// Parses a goal; `is_name` returns whether a word names an op.
    pub(super) fn read(text: &str, is_name: &dyn Fn(&str) -> bool, spelling: &Spelling) -> Self {
        let mut goal = Self::default();
        let mut open = Open::default();
        let mut tokens = phrases::read(&spelt(tokens(text), spelling));
        joined_numbers(&mut tokens);
        let tokens = idioms::read(tokens);
        for token in tokens {
            match token {
                Token::Word(word) if BETWEEN.contains(&word.to_lowercase().as_str()) => {
                    goal.close(&mut open);
                    open.is_beside |= word.eq_ignore_ascii_case("but");
                }
                Token::Break => goal.close(&mut open),
                Token::Never => {
                    goal.close(&mut open);
                    open.is_forbidden = true;
                }
                Token::Word(word) => open.word(&word),
                Token::Literal(literal, written) => open.literal(literal, &written),
            }
        }
        goal.close(&mut open);
        goal.join_fragments(is_name);
        goal
    }

    fn close(&mut self, open: &mut Open) {
        let is_forbidden = open.is_forbidden;
        let clause = std::mem::take(open).clause();
        if clause.content().next().is_none() && clause.literals.is_empty() {
            // `in parallel,` refers to the following steps.
            open.is_beside = clause.is_beside && !clause.words.iter().any(|it| it == "both");
            if open.is_beside || clause.words.is_empty() {
                return;
            }
        }
        if is_forbidden {
            return self.forbidden.push(clause);
        }
        let Some((idx, bound)) = bound(&clause) else { return self.clauses.push(clause) };
        self.bounds.push(bound);
        let mut rest = clause;
        rest.literals.remove(idx);
        if rest.content().any(|it| !OF_BOUNDS.contains(&it)) {
            self.clauses.push(rest);
        }
    }

    /// Joins fragments that are not steps to the previous step: `bug or other`.
    fn join_fragments(&mut self, is_name: &dyn Fn(&str) -> bool) {
        let mut joined: Vec<Clause> = Vec::new();
        for clause in self.clauses.drain(..) {
            if let Some(full) = joined.last().and_then(|it| clause.in_full(it)) {
                joined.push(full);
                continue;
            }
            let is_fragment =
                |it: &&mut Clause| clause.is_fragment(is_name) || clause.ends_list(it, is_name);
            match joined.last_mut().filter(is_fragment) {
                Some(before) => before.take(clause),
                None => joined.push(clause),
            }
        }
        self.clauses = joined;
    }
}

/// Corrects the spelling of words towards names of ops; proper names stay unchanged.
fn spelt(mut tokens: Vec<Token>, spelling: &Spelling) -> Vec<Token> {
    for (at, token) in tokens.iter_mut().enumerate() {
        if let Token::Word(word) = token
            && (at == 0 || !word.starts_with(char::is_uppercase))
            && let Some(right) = spelling.corrected(&word.to_lowercase())
        {
            right.clone_into(word);
        }
    }
    tokens
}

impl Clause {
    /// The words that describe the request.
    pub(super) fn content(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).filter(|it| !is_filler(it))
    }

    /// Whether it may start a new pipeline: it names its own input.
    pub(super) fn has_source(&self) -> bool {
        let begins = |it: &LiteralInContext| match it.literal {
            Literal::Path(_) => it.is_source(),
            Literal::Url(_) | Literal::Quoted(_) => true,
            _ => false,
        };
        self.is_beside || self.literals.iter().any(begins)
    }

    /// Whether it is a condition of the next step: `if it contains "x"`.
    pub(super) fn is_condition(&self) -> bool {
        self.words.first().is_some_and(|it| matches!(it.as_str(), "if" | "when"))
    }

    /// Whether it is the alternative to a condition.
    pub(super) fn is_otherwise(&self) -> bool {
        self.words.first().is_some_and(|it| matches!(it.as_str(), "else" | "otherwise"))
    }

    /// Whether it names a file or a page to read.
    pub(super) fn has_place(&self) -> bool {
        self.literals.iter().any(LiteralInContext::is_source)
    }

    /// Whether it starts with an action rather than with a noun.
    pub(super) fn is_imperative(&self) -> bool {
        let asks = |it: &String| ASKING.contains(&it.as_str());
        let Some(head) = self.content().next() else { return false };
        !self.words.iter().take_while(|it| *it != head).any(asks)
    }

    fn is_fragment(&self, is_name: &dyn Fn(&str) -> bool) -> bool {
        const PRONOUNS: [&str; 4] = ["it", "them", "that", "this"];
        let refers = self.words.iter().any(|it| PRONOUNS.contains(&it.as_str()));
        let content = self.content().count();
        let names = self.content().any(is_name);
        let most = 1 + usize::from(self.words.iter().any(|it| it == "or"));
        let is_thing = self.literals.is_empty() && content <= most && !refers && !names;
        // `.., focusing on "costs"`
        let is_aside = |it: &String| {
            it.len() > 5 && it.ends_with("ing") && synonyms::meanings(it).next().is_none()
        };
        if !names && self.words.first().is_some_and(is_aside) {
            return true;
        }
        if content == 0 && !self.literals.is_empty() && !refers {
            return true;
        }
        // `b.log into one file all.log`
        let is_piece = || {
            let starts = self.literals.first().is_some_and(|it| it.before.is_empty());
            starts && !refers && self.content().all(|it| matches!(it, "file" | "text" | "document"))
        };
        !self.is_beside
            && !self.is_condition()
            && !self.is_otherwise()
            && self.count.is_none()
            && (is_thing || content == 0 || is_piece())
    }

    /// Whether it ends a list that the previous step began: `total and date from a.txt`.
    fn ends_list(&self, before: &Self, is_name: &dyn Fn(&str) -> bool) -> bool {
        let is_from = |it: &String| matches!(it.as_str(), "from" | "of" | "in" | "out");
        let names = self.content().any(is_name);
        let of_model = |it: &&str| {
            matches!(*it, "ai" | "llm" | "model" | "gpt" | "language" | "file" | "text")
        };
        before.literals.is_empty() && !names && !self.words.is_empty() && {
            self.content().filter(|it| !of_model(it)).count() == 1
                && self.words.get(1).is_some_and(is_from)
        }
    }

    /// The index of its only number, if the step only contains a number of items.
    pub(super) fn counted(&self) -> Option<usize> {
        let is_count = |it: &str| OF_COUNTS.split_whitespace().any(|word| word == it);
        let [LiteralInContext { literal: Literal::Number(_), .. }] = self.literals.as_slice()
        else {
            return None;
        };
        self.content().all(is_count).then_some(0)
    }

    pub(super) fn take(&mut self, other: Self) {
        self.text = format!("{}, {}", self.text, other.text);
        self.words.extend(other.words);
        self.literals.extend(other.literals);
        self.each |= other.each;
        self.is_joined = true;
    }
}
