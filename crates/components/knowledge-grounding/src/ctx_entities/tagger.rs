//! A tagger of names: a structured perceptron over words (Collins 2002), decoded by Viterbi.

use std::{collections::HashMap, ops::Range, sync::OnceLock};

use serde::{Deserialize, Serialize};
use svc_contract::{
    registry::{Cx, Example, OpError, State},
    value::Text,
};

use super::{
    NAME, VERSION,
    features::features,
    found::{Found, Source},
    words::Word,
};

/// What was learnt: the weight of each feature for each tag.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Tagger {
    /// The types of entities. Their tags are `1 + 2 * type` for the first word and one more for the
    /// others; 0 is outside of all.
    pub types: Vec<String>,
    /// The hashes of the features, in order.
    pub features: Vec<u64>,
    /// For each feature the weight of each tag.
    pub weights: Vec<f32>,
    /// For each tag the weight of each tag behind it.
    pub transitions: Vec<f32>,
    #[serde(skip)]
    pub places: OnceLock<HashMap<u64, usize>>,
}

impl State for Tagger {
    const COMPONENT: &'static str = NAME;
    const VERSION: u32 = VERSION;
    const LAYOUT: u32 = 1;
    const EXAMPLE: Example = Example::ok(
        "Learn, save, load",
        r#"let marked = ["oak", "elm", "ash", "yew", "fir", "fig", "bay", "box", "tea", "rye"] >> each {
  { text: "We cut the ${it} in spring.", entities: [{ start: 11, end: 14, type: "plant" }] }
}
let model = marked >> ctx_entities.learn >> ctx_entities.save(path: "plants.svcm") >> ctx_entities.load
"We cut the ivy in spring." >> entities(model: model) >> each { "${.type}: ${.text}" }"#,
        r#"["plant: ivy"]"#,
    );
}

/// The most words of a sequence, and the words after which a new sentence begins one.
const MOST_WORDS: usize = 400;
const ENOUGH_WORDS: usize = 60;

/// Cuts the words of a text into sequences that are tagged one by one.
pub(super) fn sequences(words: &[Word]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        if start == words.len() {
            return None;
        }
        at += 1;
        while at < words.len() {
            let len = at - start;
            if len == MOST_WORDS || (len >= ENOUGH_WORDS && words[at].is_first) {
                break;
            }
            at += 1;
        }
        Some(start..at)
    })
}

/// The tags, of which an entity has a first one and one for its other words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tags(pub usize);

impl Tags {
    /// Whether a tag may follow another: what goes on must have begun.
    pub(super) fn may_follow(before: usize, tag: usize) -> bool {
        let goes_on = tag != 0 && tag.is_multiple_of(2);
        !goes_on || before == tag || before + 1 == tag
    }

    /// Whether a sequence may begin with a tag.
    pub(super) fn may_begin(tag: usize) -> bool {
        tag == 0 || !tag.is_multiple_of(2)
    }

    /// The best tags of words with these scores, by Viterbi. Of equal ones, the lower tag.
    pub(super) fn best(self, scores: &[f32], transitions: &[f32]) -> Vec<usize> {
        let count = self.0;
        let len = scores.len() / count;
        let mut from = vec![0; scores.len()];
        let mut before: Vec<f32> = vec![f32::NEG_INFINITY; count];
        for at in 0..len {
            let mut now = vec![f32::NEG_INFINITY; count];
            for tag in 0..count {
                let own = scores[at * count + tag];
                if at == 0 {
                    now[tag] = if Self::may_begin(tag) { own } else { f32::NEG_INFINITY };
                    continue;
                }
                for (other, sum) in before.iter().enumerate() {
                    let sum = sum + transitions[other * count + tag] + own;
                    if Self::may_follow(other, tag) && sum > now[tag] {
                        (now[tag], from[at * count + tag]) = (sum, other);
                    }
                }
            }
            before = now;
        }
        let mut tag =
            (1..count).fold(0, |best, it| if before[it] > before[best] { it } else { best });
        let mut tags = vec![0; len];
        for at in (0..len).rev() {
            tags[at] = tag;
            tag = from[at * count + tag];
        }
        tags
    }

    /// The entities of tags: the words and the type of each.
    pub(super) fn spans(tags: &[usize]) -> Vec<(Range<usize>, usize)> {
        let mut spans: Vec<(Range<usize>, usize)> = Vec::new();
        for (at, tag) in tags.iter().enumerate().filter(|it| *it.1 != 0) {
            let kind = (tag - 1) / 2;
            match spans.last_mut() {
                Some((range, last))
                    if tag.is_multiple_of(2) && *last == kind && range.end == at =>
                {
                    range.end = at + 1;
                }
                _ => spans.push((at..at + 1, kind)),
            }
        }
        spans
    }
}

impl Tagger {
    /// The types that it has learnt.
    pub(super) fn types(&self) -> Vec<Text> {
        self.types.iter().map(|it| Text::from(it.as_str())).collect()
    }

    fn tags(&self) -> Tags {
        Tags(1 + 2 * self.types.len())
    }

    /// Whether its parts fit together, as those of a damaged model do not.
    fn is_whole(&self) -> bool {
        let tags = self.tags().0;
        let all = self.weights.iter().chain(&self.transitions);
        self.weights.len() == self.features.len() * tags
            && self.transitions.len() == tags * tags
            && all.copied().all(f32::is_finite)
    }

    /// The scores of words: for each word one of each tag.
    fn scores(&self, features: &[Vec<u64>]) -> Vec<f32> {
        let tags = self.tags().0;
        let places = self
            .places
            .get_or_init(|| self.features.iter().enumerate().map(|(idx, it)| (*it, idx)).collect());
        let mut scores = vec![0.0; features.len() * tags];
        for (own, scores) in features.iter().zip(scores.chunks_exact_mut(tags)) {
            for place in own.iter().filter_map(|it| places.get(it)) {
                let weights = &self.weights[place * tags..(place + 1) * tags];
                scores.iter_mut().zip(weights).for_each(|(score, it)| *score += it);
            }
        }
        scores
    }

    /// Adds the entities of a text.
    pub(super) fn find(
        &self,
        text: &str,
        words: &[Word],
        all: &mut Vec<Found>,
        cx: &Cx,
    ) -> Result<(), OpError> {
        if !self.is_whole() {
            let message = "the model of `ctx_entities` is damaged: its parts do not fit together";
            return Err(OpError::invalid_input(message).help("learn it again"));
        }
        let tags = self.tags();
        for range in sequences(words) {
            cx.check()?;
            let words = &words[range];
            let scores = self.scores(&features(text, words));
            let best = tags.best(&scores, &self.transitions);
            for (span, kind) in Tags::spans(&best) {
                all.push(Found {
                    range: words[span.start].range.start..words[span.end - 1].range.end,
                    kind: self.types[kind].as_str().into(),
                    score: self.sureness(&scores, &best, span),
                    source: Source::Model,
                    id: None,
                });
            }
        }
        Ok(())
    }

    /// How much better the tags of an entity are than others at the same places, from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "entities are short")]
    fn sureness(&self, scores: &[f32], best: &[usize], span: Range<usize>) -> f64 {
        let tags = self.tags().0;
        let len = span.len() as f64;
        let of = |at: usize| {
            let sum = |tag: usize| {
                let before =
                    at.checked_sub(1).map_or(0.0, |it| self.transitions[best[it] * tags + tag]);
                let after = best.get(at + 1).map_or(0.0, |it| self.transitions[tag * tags + it]);
                scores[at * tags + tag] + before + after
            };
            let others = (0..tags).filter(|it| *it != best[at]).map(sum);
            let margin = f64::from(sum(best[at]) - others.fold(f32::NEG_INFINITY, f32::max));
            let margin = margin.max(0.0);
            margin / (margin + 1.0)
        };
        (span.map(of).sum::<f64>() / len).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_path_is_possible_and_best_of_all() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let (count, len) = (5, 4);
            let mut numbers = |n: usize| (0..n).map(|_| rng.f32() - 0.5).collect::<Vec<f32>>();
            let (scores, transitions) = (numbers(count * len), numbers(count * count));
            let sum = |path: &[usize]| {
                let own: f32 =
                    path.iter().enumerate().map(|(at, tag)| scores[at * count + tag]).sum();
                let between = path.windows(2).map(|it| transitions[it[0] * count + it[1]]);
                own + between.sum::<f32>()
            };
            let is_possible = |path: &[usize]| {
                Tags::may_begin(path[0]) && path.windows(2).all(|it| Tags::may_follow(it[0], it[1]))
            };
            let all = (0..count.pow(4)).map(|it| vec![it % 5, it / 5 % 5, it / 25 % 5, it / 125]);
            let most = all.filter(|it| is_possible(it)).map(|it| sum(&it)).fold(f32::MIN, f32::max);
            let best = Tags(count).best(&scores, &transitions);
            assert!(is_possible(&best) && (sum(&best) - most).abs() < 1e-5, "{best:?}");
        }
    }
}
