//! What the earlier questions of a conversation were about: the places of their answers.

use std::collections::BTreeSet;

use super::{
    count,
    question::Question,
    reading::{Form, Read},
    words::Term,
};

/// How many earlier questions count.
pub(super) const QUESTIONS: usize = 3;

/// How much less each older question counts.
const OLDER: f64 = 0.6;

/// How many sentences around a topic are looked at, although they may share no word with the question.
const AROUND: usize = 6;

/// The place of the answer to an earlier question.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub sentence: usize,
    /// From 0 to 1.
    pub weight: f64,
    /// The names in it, for which `she` or `its` may stand.
    pub names: BTreeSet<Term>,
}

impl Topic {
    pub(super) fn of(read: &Read, sentence: usize) -> Self {
        let place = &read.places[sentence];
        // Every German noun has a capital.
        let has_names = read.words.language.code() != "de";
        let is_name = |it: &Term| {
            let known = &read.words.known[*it as usize];
            has_names && known.count > 0 && known.capitals * 10 > known.count * 9
        };
        let names = place.terms.iter().map(|it| it.0).filter(is_name).collect();
        Self { sentence, weight: 1.0, names }
    }

    /// The topics of a conversation after one more question.
    pub(super) fn continued(mut topics: Vec<Self>, next: Option<Self>) -> Vec<Self> {
        for it in &mut topics {
            it.weight *= OLDER;
        }
        topics.extend(next);
        topics
    }

    /// The sentences near to it.
    pub(super) fn around<'a>(&self, read: &'a Read) -> impl Iterator<Item = usize> + 'a {
        let at = self.sentence;
        let section = read.places[at].section;
        let near = at.saturating_sub(AROUND)..(at + AROUND + 1).min(read.places.len());
        near.filter(move |it| read.places[*it].section == section)
    }
}

/// How near a sentence is to what was talked about: the same sentence or row, its neighbours, its
/// section, its document, its names.
pub(super) fn nearness(read: &Read, question: &Question, sentence: usize) -> [f64; 5] {
    let place = &read.places[sentence];
    let mut best = [0.0_f64; 5];
    for topic in &question.topics {
        let other = &read.places[topic.sentence];
        let is_same = topic.sentence == sentence;
        let in_section = place.section == other.section;
        let distance = count(sentence.abs_diff(topic.sentence));
        // The rows of a table are not about the same thing.
        let is_prose = place.form != Form::Row && other.form != Form::Row;
        let near = if in_section && is_prose { 1.0 / distance.max(1.0) } else { 0.0 };
        let shares = place.terms.iter().any(|it| topic.names.contains(&it.0));
        let is = [
            is_same,
            false,
            in_section && is_prose,
            place.source == other.source,
            shares && !is_same,
        ];
        for (at, it) in is.into_iter().enumerate() {
            best[at] = best[at].max(topic.weight * f64::from(u8::from(it)));
        }
        best[1] = best[1].max(topic.weight * if is_same { 0.0 } else { near });
    }
    best
}
