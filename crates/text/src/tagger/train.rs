//! Learns the weights of a tagger.

use std::collections::HashMap;

use super::{
    COUNT, Row, TEMPLATES, Tag, Tagger, add, best,
    features::{self, FIXED, Hashed, Parts},
};

/// The maximum number of features: those that occur most often are kept.
const MOST_FEATURES: usize = 1 << 18;

/// How many features are counted at a time. Beyond that, those that were seen once are forgotten.
const MOST_COUNTED: usize = 1 << 22;

/// A whole number of this size is a weight of 1.
const SCALE: f64 = 256.0;

/// A feature that is not kept.
const NONE: u32 = u32::MAX;

/// A sentence with the tag of each word.
#[derive(Clone, Debug)]
pub struct Tagged<'a> {
    pub words: Vec<&'a str>,
    pub tags: Vec<Tag>,
}

/// Sentences, read once for several trainings.
#[derive(Debug)]
pub struct Lesson {
    sentences: Vec<Sentence>,
    index: HashMap<u64, u32, Hashed>,
}

#[derive(Debug)]
struct Sentence {
    parts: Vec<Parts>,
    tags: Vec<Tag>,
    /// The numbers of the features that do not depend on other tags.
    fixed: Vec<[u32; FIXED]>,
}

/// The weights during a training.
#[derive(Debug)]
pub struct Weights {
    rows: Vec<Row>,
    /// The sum of the changes, each times the number of words before it.
    late: Vec<[i64; COUNT]>,
    words: i64,
}

impl Lesson {
    /// Reads sentences, each with as many tags as words. `check` is called for each word, and ends
    /// the work with its error.
    pub fn new<E>(
        tagged: &[Tagged<'_>],
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut sentences: Vec<Sentence> = tagged.iter().map(Sentence::new).collect();
        let index = index(&sentences, check)?;
        for it in &mut sentences {
            for at in 0..it.parts.len() {
                check()?;
                let number = |it: u64| index.get(&it).copied().unwrap_or(NONE);
                it.fixed.push(features::fixed(&it.parts, at).map(number));
            }
        }
        Ok(Self { sentences, index })
    }

    /// Learns from the sentences at these places.
    pub fn train<E>(
        &self,
        which: &[usize],
        epochs: usize,
        seed: u64,
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Weights, E> {
        let features = self.index.len();
        let mut weights = Weights {
            rows: vec![[0; COUNT]; features],
            late: vec![[0; COUNT]; features],
            words: 1,
        };
        let mut order = which.to_vec();
        let mut chance = Chance(seed);
        for _ in 0..epochs {
            chance.shuffle(&mut order);
            for sentence in order.iter().filter_map(|it| self.sentences.get(*it)) {
                self.learn(sentence, &mut weights, check)?;
            }
        }
        Ok(weights)
    }

    fn learn<E>(
        &self,
        sentence: &Sentence,
        weights: &mut Weights,
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<(), E> {
        let mut guessed = Vec::with_capacity(sentence.tags.len());
        for (at, tag) in sentence.tags.iter().enumerate() {
            check()?;
            let features = self.numbers(sentence, at, &guessed);
            let guess = weights.guess(&features);
            if guess != *tag {
                weights.change(&features, *tag, 1);
                weights.change(&features, guess, -1);
            }
            weights.words += 1;
            guessed.push(guess);
        }
        Ok(())
    }

    fn numbers(&self, sentence: &Sentence, at: usize, tags: &[Tag]) -> [u32; TEMPLATES] {
        let mut numbers = [NONE; TEMPLATES];
        numbers[..FIXED].copy_from_slice(&sentence.fixed[at]);
        let others = features::with_tags(&sentence.parts, at, tags);
        for (number, it) in numbers[FIXED..].iter_mut().zip(others) {
            *number = self.index.get(&it).copied().unwrap_or(NONE);
        }
        numbers
    }

    /// For each of the sentences at these places, how many words have their tag, and how many
    /// words it has.
    pub fn score<E>(
        &self,
        which: &[usize],
        weights: &Weights,
        check: &mut impl FnMut() -> Result<(), E>,
    ) -> Result<Vec<(usize, usize)>, E> {
        let rows = weights.average();
        let mut scores = Vec::with_capacity(which.len());
        for sentence in which.iter().filter_map(|it| self.sentences.get(*it)) {
            let mut tags = Vec::with_capacity(sentence.tags.len());
            for at in 0..sentence.tags.len() {
                check()?;
                tags.push(guess(&rows, &self.numbers(sentence, at, &tags)));
            }
            let right = tags.iter().zip(&sentence.tags).filter(|(a, b)| a == b).count();
            scores.push((right, tags.len()));
        }
        Ok(scores)
    }
}

impl Sentence {
    fn new(tagged: &Tagged<'_>) -> Self {
        let parts: Vec<Parts> = tagged.words.iter().map(|it| Parts::of(it)).collect();
        let fixed = Vec::with_capacity(parts.len());
        let tags = tagged.tags.iter().copied().take(parts.len()).collect();
        Self { parts, tags, fixed }
    }
}

/// The numbers of the features that occur most often.
fn index<E>(
    sentences: &[Sentence],
    check: &mut impl FnMut() -> Result<(), E>,
) -> Result<HashMap<u64, u32, Hashed>, E> {
    let mut counts: HashMap<u64, u32, Hashed> = HashMap::default();
    for it in sentences {
        for at in 0..it.tags.len() {
            check()?;
            for feature in features::all(&it.parts, at, &it.tags[..at]) {
                *counts.entry(feature).or_default() += 1;
            }
        }
        if counts.len() > MOST_COUNTED {
            counts.retain(|_, count| *count > 1);
        }
    }
    let mut kept: Vec<(u64, u32)> = counts.into_iter().collect();
    kept.sort_unstable_by(|(a, one), (b, other)| other.cmp(one).then(a.cmp(b)));
    kept.truncate(MOST_FEATURES);
    Ok(kept.into_iter().zip(0..).map(|((feature, _), id)| (feature, id)).collect())
}

fn guess(rows: &[Row], features: &[u32]) -> Tag {
    let mut scores = [0; COUNT];
    for row in features.iter().filter_map(|it| rows.get(*it as usize)) {
        add(&mut scores, row);
    }
    best(&scores)
}

impl Weights {
    fn guess(&self, features: &[u32]) -> Tag {
        guess(&self.rows, features)
    }

    fn change(&mut self, features: &[u32], tag: Tag, by: i32) {
        let tag = tag.place();
        for id in features.iter().map(|it| *it as usize) {
            if let (Some(row), Some(late)) = (self.rows.get_mut(id), self.late.get_mut(id)) {
                row[tag] += by;
                late[tag] += i64::from(by) * self.words;
            }
        }
    }

    /// The mean of the weights over all words that were read.
    fn average(&self) -> Vec<Row> {
        #[expect(clippy::cast_precision_loss, reason = "at most 30 times a million words")]
        let mean = |weight: i32, late: i64| f64::from(weight) - late as f64 / self.words as f64;
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
        let whole = |it: f64| (it * SCALE).round() as i32;
        let row = |(row, late): (&Row, &[i64; COUNT])| {
            let mut means = [0; COUNT];
            for (it, (weight, late)) in means.iter_mut().zip(row.iter().zip(late)) {
                *it = whole(mean(*weight, *late));
            }
            means
        };
        self.rows.iter().zip(&self.late).map(row).collect()
    }

    /// The tagger with the mean weights.
    pub fn averaged(&self, lesson: &Lesson) -> Tagger {
        let means = self.average();
        let mut features: Vec<(u64, u32)> =
            lesson.index.iter().map(|(feature, id)| (*feature, *id)).collect();
        features.sort_unstable();
        let mut tagger = Tagger::default();
        for (feature, id) in features {
            let row = means.get(id as usize).filter(|it| it.iter().any(|it| *it != 0));
            if let (Some(row), Ok(id)) = (row, u32::try_from(tagger.rows.len())) {
                tagger.rows.push(*row);
                tagger.index.insert(feature, id);
            }
        }
        tagger
    }
}

/// Random numbers from a seed (`SplitMix64`, Steele et al. 2014).
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// Fisher and Yates, as by Durstenfeld.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let below = u64::try_from(last + 1).unwrap_or(u64::MAX);
            let at = usize::try_from(self.next() % below).unwrap_or_default();
            items.swap(last, at);
        }
    }
}
