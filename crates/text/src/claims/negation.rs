//! What is negated in a claim must be negated in the source, and the other way round.

use super::{
    compare::{Fault, Sides, same},
    tokens::{Kind, Token},
};

/// How far a negation reaches, in words.
const REACH: usize = 4;

const DISAGREES: f64 = 0.25;
const UNKNOWN: f64 = 0.5;

/// The negations of both sides.
pub(super) struct Negations<'a> {
    pub claim: Vec<&'a Token>,
    pub said: Vec<&'a Token>,
}

impl Negations<'_> {
    pub(super) fn is_in_claim(&self, at: usize) -> bool {
        is_negated(&self.claim, at)
    }

    pub(super) fn is_in_said(&self, at: usize) -> bool {
        is_negated(&self.said, at)
    }

    pub(super) fn faults(&self, sides: Sides) -> Vec<Fault> {
        let added = heads(&self.claim).into_iter();
        let added = added.filter_map(|(cue, head)| self.added(cue, head, sides));
        let dropped = heads(&self.said).into_iter();
        let dropped = dropped.filter_map(|(cue, head)| self.dropped(cue, head?, sides));
        added.chain(dropped).collect()
    }

    /// The fault of a negation in the source that the claim does not have.
    fn dropped(&self, cue: usize, head: usize, sides: Sides) -> Option<Fault> {
        let near = |it: &usize| sides.nearness(*it..*it + 1, head..head + 1);
        let places = (0..self.claim.len()).filter(|it| same(self.claim[*it], self.said[head]));
        let place = places.min_by(|a, b| near(b).total_cmp(&near(a)))?;
        let is_dropped = !self.is_in_claim(place) && self.place(place, sides) == Some(head);
        let why = format!("`{}`: the source says `{}`", self.said[head].word, self.said[cue].word);
        is_dropped.then_some(Fault { factor: DISAGREES, why })
    }

    /// The fault of a negation in the claim that the source does not have.
    fn added(&self, cue: usize, head: Option<usize>, sides: Sides) -> Option<Fault> {
        let word = &self.claim[cue].word;
        let fault = |factor| Some(Fault { factor, why: format!("`{word}` is not in the source") });
        let has_any = self.said.iter().any(|it| it.kind == Kind::Not);
        let Some(head) = head else { return if has_any { None } else { fault(UNKNOWN) } };
        if let Some(place) = self.place(head, sides) {
            return if self.is_in_said(place) { None } else { fault(DISAGREES) };
        }
        let is_opposite = self.said.iter().any(|it| sides.related[head].has_opposite(&it.word));
        if has_any || is_opposite { None } else { fault(UNKNOWN) }
    }

    /// The place of a word of the claim in the source: the one with the most similar neighbours.
    fn place(&self, at: usize, sides: Sides) -> Option<usize> {
        let places = (0..self.said.len()).filter(|it| same(self.claim[at], self.said[*it]));
        let near = |it: &usize| sides.nearness(at..at + 1, *it..*it + 1);
        places.min_by(|a, b| near(b).total_cmp(&near(a)))
    }
}

/// The negations of a sentence, each with the word that it negates: the next one with a meaning of
/// its own, or else the one before.
fn heads(tokens: &[&Token]) -> Vec<(usize, Option<usize>)> {
    let cues = (0..tokens.len()).filter(|it| is_cue(tokens, *it));
    cues.map(|cue| (cue, head(tokens, cue))).collect()
}

fn head(tokens: &[&Token], cue: usize) -> Option<usize> {
    let is_content = |it: &usize| tokens[*it].is_content();
    let clause = (cue + 1..tokens.len()).take_while(|it| !tokens[*it].is_apart);
    clause.take(REACH + 2).find(is_content).or_else(|| (0..cue).rev().find(is_content))
}

/// Whether a token negates what follows: `No. 5` and `not only` do not.
fn is_cue(tokens: &[&Token], at: usize) -> bool {
    let next = tokens.get(at + 1);
    let is_number = next.is_some_and(|it| matches!(it.kind, Kind::Number(_)));
    tokens[at].kind == Kind::Not
        && !(&*tokens[at].word == "no" && is_number)
        && next.is_none_or(|it| &*it.word != "only")
}

/// Whether the word at a place is in the reach of a negation.
fn is_negated(tokens: &[&Token], at: usize) -> bool {
    let before = (0..at).rev().take(REACH);
    let in_reach = before
        .scan(true, |is_open, it| {
            let was_open = *is_open;
            *is_open &= !tokens[it].is_apart;
            (was_open && !tokens[it + 1].is_apart).then_some(it)
        })
        .any(|it| is_cue(tokens, it));
    in_reach || heads(tokens).iter().any(|(_, head)| *head == Some(at))
}
