//! Part-of-speech tags by an averaged perceptron (Collins 2002), greedily from left to right.
//!
//! The tags are the 17 universal ones of Universal Dependencies. Weights are whole numbers, so that
//! a tagger is the same on every machine.

mod features;
mod train;

use std::collections::HashMap;

use features::{Hashed, Parts, TEMPLATES};

pub use train::{Lesson, Tagged, Weights};

/// The universal part-of-speech tags.
pub const TAGS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X",
];

/// The number of tags.
const COUNT: usize = TAGS.len();

/// A tag, as its place in [`TAGS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(u8);

impl Tag {
    /// The tag of a name, such as `NOUN`.
    pub fn of_name(name: &str) -> Option<Self> {
        let at = TAGS.binary_search(&name).ok()?;
        u8::try_from(at).ok().map(Self)
    }

    pub fn name(self) -> &'static str {
        TAGS[self.place()]
    }

    pub fn place(self) -> usize {
        usize::from(self.0)
    }
}

/// The weights of a feature for each tag.
type Row = [i32; COUNT];

/// What a tagger keeps: the weights of each feature that are not 0, by the place of their tag.
pub type Stored = Vec<(u64, Vec<(u8, i32)>)>;

/// A tagger.
#[derive(Clone, Debug, Default)]
pub struct Tagger {
    index: HashMap<u64, u32, Hashed>,
    rows: Vec<Row>,
}

impl Tagger {
    /// The tagger of stored weights; `None` if a tag is none, or a feature repeats.
    pub fn of(stored: &Stored) -> Option<Self> {
        let mut index = HashMap::with_capacity_and_hasher(stored.len(), Hashed::default());
        let mut rows = Vec::with_capacity(stored.len());
        for (feature, weights) in stored {
            let mut row = [0; COUNT];
            for (tag, weight) in weights {
                *row.get_mut(usize::from(*tag))? = *weight;
            }
            let id = u32::try_from(rows.len()).ok()?;
            rows.push(row);
            if index.insert(*feature, id).is_some() {
                return None;
            }
        }
        Some(Self { index, rows })
    }

    /// The weights, in the order of their features.
    pub fn stored(&self) -> Stored {
        let weights = |id: u32| {
            let row = self.rows.get(id as usize).into_iter().flatten();
            let row = row.enumerate().filter(|(_, it)| **it != 0);
            row.filter_map(|(tag, it)| Some((u8::try_from(tag).ok()?, *it))).collect()
        };
        let mut stored: Stored = self.index.iter().map(|(it, id)| (*it, weights(*id))).collect();
        stored.sort_unstable_by_key(|(feature, _)| *feature);
        stored
    }

    /// The tag of each word of a sentence. `check` is called for each word, and ends the work with
    /// its error.
    pub fn tag<E>(
        &self,
        words: &[&str],
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<Tag>, E> {
        let parts: Vec<Parts> = words.iter().map(|it| Parts::of(it)).collect();
        let mut tags: Vec<Tag> = Vec::with_capacity(words.len());
        for at in 0..words.len() {
            check()?;
            let mut scores = [0; COUNT];
            for feature in features::all(&parts, at, &tags) {
                if let Some(id) = self.index.get(&feature) {
                    add(&mut scores, &self.rows[*id as usize]);
                }
            }
            tags.push(best(&scores));
        }
        Ok(tags)
    }
}

fn add(scores: &mut Row, row: &Row) {
    for (score, weight) in scores.iter_mut().zip(row) {
        *score = score.saturating_add(*weight);
    }
}

/// The first of the tags with the highest score.
fn best(scores: &Row) -> Tag {
    let mut best = 0;
    for (tag, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = tag;
        }
    }
    Tag(u8::try_from(best).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A language of three words to a sentence: a noun ends in `-o`, a verb in `-as`.
    fn sentences() -> Vec<(Vec<String>, Vec<Tag>)> {
        let sentence = |idx: usize| {
            let noun = ["kat", "hund", "bird", "arb", "dom"][idx % 5];
            let verb = ["kur", "dorm", "vid"][idx % 3];
            let words = vec!["la".to_owned(), format!("{noun}o"), format!("{verb}as"), ".".into()];
            let tags = ["DET", "NOUN", "VERB", "PUNCT"].map(|it| Tag::of_name(it).unwrap());
            (words, tags.to_vec())
        };
        (0..30).map(sentence).collect()
    }

    fn learnt(seed: u64) -> Tagger {
        let all = sentences();
        let tagged: Vec<Tagged<'_>> = all
            .iter()
            .map(|(words, tags)| Tagged {
                words: words.iter().map(String::as_str).collect(),
                tags: tags.clone(),
            })
            .collect();
        let mut check = || Ok::<(), ()>(());
        let lesson = Lesson::new(&tagged, &mut check).unwrap();
        let which: Vec<usize> = (0..tagged.len()).collect();
        lesson.train(&which, 5, seed, &mut check).unwrap().averaged(&lesson)
    }

    fn tags(tagger: &Tagger, words: &[&str]) -> Vec<&'static str> {
        let tags = tagger.tag(words, || Ok::<(), ()>(())).unwrap();
        tags.into_iter().map(Tag::name).collect()
    }

    #[test]
    fn unknown_words_have_the_tag_of_their_ending() {
        let tagger = learnt(1);
        let expected = ["DET", "NOUN", "VERB", "PUNCT"];
        assert_eq!(tags(&tagger, &["la", "tablo", "saltas", "."]), expected);
        assert_eq!(tags(&tagger, &[]), [""; 0]);
    }

    #[test]
    fn a_tagger_comes_back_from_what_it_stores_and_follows_from_its_seed() {
        let tagger = learnt(1);
        let stored = tagger.stored();
        assert_eq!(Tagger::of(&stored).unwrap().stored(), stored);
        assert_eq!(learnt(1).stored(), stored);
        assert!(Tagger::of(&vec![(1, vec![(17, 1)])]).is_none());
        assert!(Tagger::of(&vec![(1, vec![]), (1, vec![])]).is_none());
    }

    #[test]
    fn names_of_tags_are_sorted() {
        assert!(TAGS.is_sorted());
        assert!(TAGS.iter().all(|it| Tag::of_name(it).is_some_and(|tag| tag.name() == *it)));
        assert_eq!(Tag::of_name("NN"), None);
    }
}
