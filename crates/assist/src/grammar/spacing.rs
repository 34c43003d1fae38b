//! Writes out the gaps between the parts of rules, which are implicit in pest.
//!
//! Where a word could touch another word, a gap is required: `let x`, and `not (a)`, though
//! `not(a)` could be parsed as well.

use std::collections::BTreeMap;

use super::term::{Kind, Rule, Term, WORD};

/// The possible first and last characters of a term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Edges {
    can_be_empty: bool,
    first_word: bool,
    last_word: bool,
}

struct Spacing {
    edges: BTreeMap<String, Edges>,
}

/// The same rules with every gap written out.
pub(super) fn spaced(rules: Vec<Rule>) -> Vec<Rule> {
    let spacing = Spacing::of(&rules);
    let spaced = |rule: Rule| match rule.kind {
        Kind::Spaced => Rule { body: spacing.term(&rule.body), ..rule },
        Kind::Tight | Kind::Lexical => rule,
    };
    rules.into_iter().map(spaced).collect()
}

impl Spacing {
    fn of(rules: &[Rule]) -> Self {
        let mut spacing = Self { edges: BTreeMap::new() };
        loop {
            let edges = |it: &Rule| (it.name.clone(), spacing.edges(&it.body));
            let found: BTreeMap<String, Edges> = rules.iter().map(edges).collect();
            if found == spacing.edges {
                return spacing;
            }
            spacing.edges = found;
        }
    }

    fn edges(&self, term: &Term) -> Edges {
        let word = |it: char| WORD.iter().any(|(from, to)| (*from..=*to).contains(&it));
        let solid = |first_word, last_word| Edges { can_be_empty: false, first_word, last_word };
        match term {
            Term::Text(text) => solid(text.starts_with(word), text.ends_with(word)),
            Term::Set(set) => {
                let any = WORD.iter().any(|(from, _)| set.contains(*from))
                    || set.ranges.iter().any(|(from, _)| word(*from) && !set.negated);
                solid(any, any)
            }
            Term::NameBut(_) => solid(true, true),
            Term::Space | Term::Gap => solid(false, false),
            Term::Rule(name) => self.edges.get(name).copied().unwrap_or_default(),
            Term::Seq(all) => self.edges_of_all(all),
            Term::Alt(all) => all.iter().map(|it| self.edges(it)).fold(Edges::default(), either),
            Term::Opt(it) | Term::Star(it) => Edges { can_be_empty: true, ..self.edges(it) },
            Term::Plus(it) => self.edges(it),
        }
    }

    fn edges_of_all(&self, all: &[Term]) -> Edges {
        let empty = Edges { can_be_empty: true, ..Edges::default() };
        all.iter().map(|it| self.edges(it)).fold(empty, |before, it| Edges {
            can_be_empty: before.can_be_empty && it.can_be_empty,
            first_word: before.first_word || before.can_be_empty && it.first_word,
            last_word: it.last_word || it.can_be_empty && before.last_word,
        })
    }

    fn term(&self, term: &Term) -> Term {
        match term {
            Term::Seq(all) => self.sequence(all),
            Term::Alt(all) => Term::Alt(all.iter().map(|it| self.term(it)).collect()),
            Term::Opt(it) => self.term(it).opt(),
            Term::Plus(it) => {
                let again = Term::Seq(vec![self.between(it, it), self.term(it)]).star();
                Term::Seq(vec![self.term(it), again])
            }
            Term::Star(it) => self.term(&Term::Plus(it.clone())).opt(),
            it => it.clone(),
        }
    }

    /// Optional parts include the gap to their neighbour: the gap after them if they begin the
    /// sequence, else the gap before them.
    fn sequence(&self, all: &[Term]) -> Term {
        let is_there = |it: &Term| !self.edges(it).can_be_empty;
        let Some(anchor) = all.iter().position(is_there) else {
            return Term::Seq(all.iter().map(|it| self.term(it)).collect());
        };
        let mut terms = Vec::new();
        for (idx, part) in all[..anchor].iter().enumerate() {
            let after = self.edges_of_all(&all[idx + 1..=anchor]).first_word;
            terms.push(self.leading(part, after));
        }
        terms.push(self.term(&all[anchor]));
        let mut word = self.edges(&all[anchor]).last_word;
        for part in &all[anchor + 1..] {
            let edges = self.edges(part);
            terms.extend(self.trailing(part, word));
            word = edges.last_word || edges.can_be_empty && word;
        }
        Term::Seq(terms)
    }

    fn leading(&self, part: &Term, word_after: bool) -> Term {
        let edges = self.edges(part);
        match part {
            Term::Star(it) => {
                let gap = gap(edges.last_word && (word_after || edges.first_word));
                Term::Seq(vec![self.term(it), gap]).star()
            }
            Term::Opt(it) => {
                Term::Seq(vec![self.term(it), gap(edges.last_word && word_after)]).opt()
            }
            it => self.term(it),
        }
    }

    fn trailing(&self, part: &Term, word_before: bool) -> Vec<Term> {
        let edges = self.edges(part);
        let gap = gap(word_before && edges.first_word);
        match part {
            Term::Opt(it) => vec![Term::Seq(vec![gap, self.term(it)]).opt()],
            Term::Star(it) => {
                vec![Term::Seq(vec![self.between_all(it, word_before), self.term(it)]).star()]
            }
            it => vec![gap, self.term(it)],
        }
    }

    fn between(&self, before: &Term, after: &Term) -> Term {
        gap(self.edges(before).last_word && self.edges(after).first_word)
    }

    /// The gap between the text before a repetition and the repetition, and between its turns.
    fn between_all(&self, turn: &Term, word_before: bool) -> Term {
        let edges = self.edges(turn);
        gap((word_before || edges.last_word) && edges.first_word)
    }
}

fn either(a: Edges, b: Edges) -> Edges {
    Edges {
        can_be_empty: a.can_be_empty || b.can_be_empty,
        first_word: a.first_word || b.first_word,
        last_word: a.last_word || b.last_word,
    }
}

fn gap(is_needed: bool) -> Term {
    if is_needed { Term::Gap } else { Term::Space }
}
