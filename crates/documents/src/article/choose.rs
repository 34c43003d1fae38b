//! Finds the element that contains the article: the algorithm of Readability (Mozilla, after
//! Arc90).

use std::collections::BTreeMap;

use super::{
    super::tree::{Id, Tree},
    facts::Facts,
    signs,
};

/// The number of elements around a paragraph that it speaks for.
const LEVELS: usize = 5;

pub(super) struct Choice<'a> {
    pub(super) html: &'a Tree,
    pub(super) facts: &'a [Facts],
    /// The minimum number of letters of a paragraph that counts.
    min_text: usize,
    scores: BTreeMap<Id, f64>,
}

impl<'a> Choice<'a> {
    /// Scores the elements around the paragraphs.
    pub(super) fn new(html: &'a Tree, facts: &'a [Facts], min_text: usize) -> Self {
        let mut choice = Self { html, facts, min_text, scores: BTreeMap::new() };
        for id in html.ids() {
            if facts[id].chars >= min_text && choice.is_paragraph(id) {
                choice.speak(id);
            }
        }
        for (id, score) in &mut choice.scores {
            *score *= 1.0 - facts[*id].link_density();
        }
        choice
    }

    fn is_paragraph(&self, id: Id) -> bool {
        match self.html.name(id) {
            Some("p" | "td" | "pre" | "section" | "h2" | "h3" | "h4" | "h5" | "h6") => true,
            Some("div") => self.facts[id].blocks == 1,
            _ => false,
        }
    }

    fn speak(&mut self, paragraph: Id) {
        let facts = &self.facts[paragraph];
        let long = u8::try_from((facts.chars / 100).min(3)).unwrap_or(3);
        let score =
            1.0 + f64::from(u32::try_from(facts.commas).unwrap_or(u32::MAX)) + f64::from(long);
        let mut around = self.html.parent(paragraph);
        for level in 0..LEVELS {
            let Some(id) = around else { break };
            let Some(name) = self.html.name(id) else { break };
            let divider = [1.0, 2.0, 6.0, 9.0, 12.0][level];
            let html = self.html;
            *self.scores.entry(id).or_insert_with(|| base(name) + signs::weight(html, id)) +=
                score / divider;
            around = html.parent(id);
        }
    }

    fn score(&self, id: Id) -> f64 {
        self.scores.get(&id).copied().unwrap_or_default()
    }

    /// The element with the highest score, or one around it that has other good ones.
    pub(super) fn top(&self) -> Option<Id> {
        let mut best: Vec<_> = self.scores.iter().map(|(id, score)| (*id, *score)).collect();
        best.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
        best.truncate(5);
        let (first, score) = *best.first()?;
        let others = best[1..].iter().filter(|it| it.1 >= score * 0.75).map(|it| it.0);
        Some(self.only_child(self.climb(self.common(first, &others.collect::<Vec<_>>()))))
    }

    /// The nearest element around the best one that also has three others that are nearly as good.
    fn common(&self, first: Id, others: &[Id]) -> Id {
        if others.len() < 3 {
            return first;
        }
        let holds = |id: &Id| {
            let inside = |other: &&Id| self.above(**other).any(|it| it == *id);
            others.iter().filter(inside).count() >= 3
        };
        self.above(first).take_while(|it| !self.is_outer(*it)).find(holds).unwrap_or(first)
    }

    /// Goes up as long as the score rises.
    fn climb(&self, first: Id) -> Id {
        let (mut top, mut last) = (first, self.score(first));
        let least = last / 3.0;
        for id in self.above(first).take_while(|it| !self.is_outer(*it)) {
            let Some(score) = self.scores.get(&id).copied() else { continue };
            if score < least {
                break;
            }
            if score > last {
                top = id;
                break;
            }
            last = score;
        }
        top
    }

    /// Goes up as long as there is nothing else, as the siblings of the article are around it.
    fn only_child(&self, top: Id) -> Id {
        let mut top = top;
        while let Some(parent) = self.html.parent(top).filter(|it| !self.is_outer(*it)) {
            let mut elements =
                self.html.children(parent).filter(|it| self.html.name(*it).is_some());
            if elements.nth(1).is_some() {
                break;
            }
            top = parent;
        }
        top
    }

    /// The siblings that belong to the article, with it, in the order of the page.
    pub(super) fn with_siblings(&self, top: Id) -> Vec<Id> {
        let Some(parent) = self.html.parent(top).filter(|it| self.html.name(*it).is_some()) else {
            return vec![top];
        };
        let score = self.score(top);
        let least = (score * 0.2).max(10.0);
        let class = self.html.attribute(top, "class").filter(|it| !it.is_empty());
        let belongs = |id: &Id| {
            let same = class.is_some() && self.html.attribute(*id, "class") == class;
            let bonus = if same { score * 0.2 } else { 0.0 };
            *id == top
                || self.scores.get(id).is_some_and(|it| it + bonus >= least)
                || self.is_loose_paragraph(*id)
        };
        self.html.children(parent).filter(belongs).collect()
    }

    fn is_loose_paragraph(&self, id: Id) -> bool {
        let facts = &self.facts[id];
        self.html.name(id) == Some("p")
            && (facts.chars > 80 && facts.link_density() < 0.25
                || facts.chars > self.min_text && facts.linked == 0)
    }

    fn is_outer(&self, id: Id) -> bool {
        matches!(self.html.name(id), None | Some("body" | "html"))
    }

    fn above(&self, id: Id) -> impl Iterator<Item = Id> + '_ {
        std::iter::successors(self.html.parent(id), |it| self.html.parent(*it))
    }
}

fn base(name: &str) -> f64 {
    match name {
        "div" => 5.0,
        "pre" | "td" | "blockquote" => 3.0,
        "address" | "ol" | "ul" | "dl" | "dd" | "dt" | "li" | "form" => -3.0,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "th" => -5.0,
        _ => 0.0,
    }
}
