//! The rules of the grammar files, in terms of the other notations.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    files::{self, Expr, RuleKind},
    term::{Kind, Rule, Set, Term},
};

/// The rules of both files by name: rules without lookahead replace the others.
pub(super) struct Sources {
    rules: BTreeMap<String, (RuleKind, Expr)>,
}

impl Sources {
    pub(super) fn read() -> Self {
        let rules = files::svc().into_iter().chain(files::context_free());
        Self { rules: rules.map(|it| (it.name, (it.kind, it.expr))).collect() }
    }

    /// Adds a rule for a choice of words.
    pub(super) fn with_words(mut self, name: &str, words: &BTreeSet<String>) -> Self {
        let words = words.iter().cloned().map(Expr::Str);
        let choice = words.reduce(|all, it| Expr::Choice(Box::new(all), Box::new(it)));
        if let Some(choice) = choice {
            self.rules.insert(name.to_owned(), (RuleKind::Silent, choice));
        }
        self
    }

    /// All rules in terms of this module, each with the gaps between its parts.
    pub(super) fn rules(&self) -> Vec<Rule> {
        let tight = self.tight();
        let rule = |(name, (ty, expr)): (&String, &(RuleKind, Expr))| {
            let kind = match ty {
                RuleKind::Atomic => Kind::Lexical,
                _ if tight.contains(name.as_str()) => Kind::Tight,
                _ => Kind::Spaced,
            };
            Some(Rule { name: name.clone(), kind, body: self.term(expr)? })
        };
        self.rules.iter().filter_map(rule).collect()
    }

    /// The rules without gaps between their parts: pest marks some of them, and the rules they
    /// call have none either.
    fn tight(&self) -> BTreeSet<&str> {
        let atomic = |it: &RuleKind| matches!(it, RuleKind::Atomic | RuleKind::CompoundAtomic);
        let mut tight = BTreeSet::new();
        let mut open: Vec<&str> =
            self.rules.iter().filter(|(_, (ty, _))| atomic(ty)).map(|it| it.0.as_str()).collect();
        while let Some(name) = open.pop() {
            let Some((ty, expr)) = self.rules.get(name) else { continue };
            if *ty != RuleKind::NonAtomic && tight.insert(name) {
                open.extend(expr.names());
            }
        }
        tight
    }

    /// The term that an expression accepts; `None` for a common mistake that the parser
    /// reports.
    fn term(&self, expr: &Expr) -> Option<Term> {
        Some(match expr {
            Expr::Str(text) => Term::text(text),
            Expr::Range(from, to) => Term::Set(Set::of(&[(*from, *to)])),
            Expr::Ident(name) => return self.called(name),
            Expr::Seq(..) => self.sequence(&parts(expr))?,
            Expr::Choice(..) => self.choice(&parts(expr))?,
            Expr::Opt(it) => self.term(it).map_or(Term::empty(), Term::opt),
            Expr::Rep(it) => self.term(it).map_or(Term::empty(), Term::star),
            Expr::RepOnce(it) => Term::Plus(Box::new(self.term(it)?)),
            // Words and signs are separated by the gaps between them.
            Expr::NegPred(_) => Term::empty(),
            // The grammar has none of these, which a test checks.
            Expr::PosPred(_) => return None,
        })
    }

    fn called(&self, name: &str) -> Option<Term> {
        let set = |ranges: &[(char, char)]| Some(Term::Set(Set::of(ranges)));
        match name {
            "ASCII_DIGIT" => set(&[('0', '9')]),
            "ASCII_HEX_DIGIT" => set(&[('0', '9'), ('A', 'F'), ('a', 'f')]),
            "ASCII_ALPHA" => set(&[('A', 'Z'), ('a', 'z')]),
            "ASCII_ALPHA_LOWER" => set(&[('a', 'z')]),
            "ASCII_ALPHA_UPPER" => set(&[('A', 'Z')]),
            "ASCII_ALPHANUMERIC" => set(&[('0', '9'), ('A', 'Z'), ('a', 'z')]),
            "ANY" => Some(Term::Set(Set { ranges: Vec::new(), negated: true })),
            // Nothing precedes the first character or follows the last one.
            "SOI" | "EOI" => Some(Term::text("")),
            "hole" | "hole_name" | "any_hole" | "loose_args" => None,
            // Lookahead that only saves work does not restrict the rule.
            it if it.starts_with("at_") => Some(Term::empty()),
            it if it.starts_with("wrong_") => None,
            it => match self.rules.get(it) {
                // Rules without a name in the syntax tree are abbreviations.
                Some((RuleKind::Silent, expr)) if !it.starts_with("registry_") => self.term(expr),
                _ => Some(Term::rule(it)),
            },
        }
    }

    fn sequence(&self, parts: &[&Expr]) -> Option<Term> {
        let mut terms = Vec::new();
        let mut rest = parts;
        while let [first, others @ ..] = rest {
            (rest, terms) = match (first, others) {
                (Expr::NegPred(but), [Expr::Ident(any), others @ ..]) if any == "ANY" => {
                    let mut ranges = Vec::new();
                    for text in self.words(but) {
                        let it = single(&text)?;
                        ranges.push((it, it));
                    }
                    (others, pushed(terms, Term::Set(Set { ranges, negated: true })))
                }
                // `!(words ~ !wc)`, the first character of a name, its further characters.
                (Expr::NegPred(but), [_, Expr::Rep(_), others @ ..]) => {
                    let words = self.words(but).into_iter().collect();
                    (others, pushed(terms, Term::NameBut(words)))
                }
                (first, others) => (others, pushed(terms, self.term(first)?)),
            };
        }
        Some(flat(terms))
    }

    fn choice(&self, parts: &[&Expr]) -> Option<Term> {
        let mut ways: Vec<Term> = parts.iter().filter_map(|it| self.term(it)).collect();
        let sets: Option<Vec<Set>> = ways.iter().map(as_set).collect();
        match sets {
            Some(sets) if !sets.is_empty() => {
                let mut ranges: Vec<_> = sets.into_iter().flat_map(|it| it.ranges).collect();
                ranges.sort_unstable();
                Some(Term::Set(Set::of(&ranges)))
            }
            _ if ways.len() < 2 => ways.pop(),
            _ => Some(Term::Alt(ways)),
        }
    }

    /// The words of a choice of words.
    fn words(&self, expr: &Expr) -> Vec<String> {
        match expr {
            Expr::Str(text) => vec![text.clone()],
            Expr::Ident(name) => self.rules.get(name).map_or(Vec::new(), |it| self.words(&it.1)),
            Expr::Choice(a, b) => [self.words(a), self.words(b)].concat(),
            Expr::Seq(before, words) if only_looks(before) => self.words(words),
            // The lookahead after them.
            Expr::Seq(words, _) => self.words(words),
            _ => Vec::new(),
        }
    }
}

/// The members of a nested sequence or choice.
fn parts(expr: &Expr) -> Vec<&Expr> {
    let is_choice = matches!(expr, Expr::Choice(..));
    let mut all = Vec::new();
    let mut open = vec![expr];
    while let Some(it) = open.pop() {
        match it {
            Expr::Seq(a, b) if !is_choice => open.extend([b.as_ref(), a.as_ref()]),
            Expr::Choice(a, b) if is_choice => open.extend([b.as_ref(), a.as_ref()]),
            it => all.push(it),
        }
    }
    all
}

/// Whether an expression only skips what cannot match here.
fn only_looks(expr: &Expr) -> bool {
    matches!(expr, Expr::Ident(name) if name.starts_with("at_"))
}

fn single(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn as_set(term: &Term) -> Option<Set> {
    match term {
        Term::Set(set) if !set.negated => Some(set.clone()),
        Term::Text(text) => single(text).map(|it| Set::of(&[(it, it)])),
        _ => None,
    }
}

fn pushed(mut terms: Vec<Term>, term: Term) -> Vec<Term> {
    if !term.is_empty() {
        terms.push(term);
    }
    terms
}

fn flat(mut terms: Vec<Term>) -> Term {
    if terms.len() == 1 { terms.remove(0) } else { Term::Seq(terms) }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{files::Expr, reachable},
        Sources, parts, single,
    };

    /// Lookahead that is neither understood nor safe to leave out.
    fn lost(sources: &Sources, expr: &Expr) -> Vec<String> {
        match expr {
            Expr::Seq(..) | Expr::Choice(..) => {
                let parts = parts(expr);
                let all = parts.iter().enumerate().filter(|(idx, it)| {
                    !matches!(it, Expr::NegPred(but) if understood(sources, but, &parts[idx + 1..]))
                });
                all.flat_map(|(_, it)| lost(sources, it)).collect()
            }
            Expr::Opt(it) | Expr::Rep(it) | Expr::RepOnce(it) => lost(sources, it),
            Expr::Str(_) | Expr::Range(..) | Expr::Ident(_) => Vec::new(),
            it => vec![format!("{it:?}")],
        }
    }

    /// All characters but some, a name that is not a keyword, the end of a word.
    fn understood(sources: &Sources, but: &Expr, behind: &[&Expr]) -> bool {
        match behind {
            [Expr::Ident(any), ..] if any == "ANY" => {
                sources.words(but).iter().all(|it| single(it).is_some())
            }
            [_, Expr::Rep(_), ..] => !sources.words(but).is_empty(),
            _ => *but == Expr::Ident("wc".to_owned()),
        }
    }

    #[test]
    fn nothing_looks_ahead_but_what_is_understood() {
        let sources = Sources::read();
        let needed = reachable(sources.rules());
        let lost: Vec<_> = needed
            .iter()
            .filter_map(|it| Some((&it.name, lost(&sources, &sources.rules.get(&it.name)?.1))))
            .filter(|(_, lost)| !lost.is_empty())
            .collect();
        assert!(lost.is_empty(), "grammar/context_free.pest must say it otherwise: {lost:?}");
    }

    #[test]
    fn no_mistake_is_part_of_the_grammar() {
        let names: Vec<String> =
            reachable(Sources::read().rules()).into_iter().map(|it| it.name).collect();
        assert!(names.iter().all(|it| !it.starts_with("wrong_")), "{names:?}");
        assert!(names.iter().any(|it| it == "pipeline"), "{names:?}");
    }
}
