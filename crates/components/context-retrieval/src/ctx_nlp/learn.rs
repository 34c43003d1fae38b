//! Learns tags and words from tagged sentences.

use std::collections::HashMap;

use svc_contract::{
    registry::{Compute, Cx, Example, Field, Limits, Op, OpError, Scheme, State, Trained, params},
    value::{Metric, Text, Value},
};
use svc_text::{
    spelling::{self, Lexicon},
    tagger::{Lesson, TAGS, Tag, Tagged, Tagger},
};

use super::{TaggedSentence, shown, state::Knowledge, tokens::plain};

/// The parts of a cross-validation, each of which is left out once.
const FOLDS: usize = 5;

/// The fewest tagged sentences to learn from: two in each part.
const FEWEST: usize = 2 * FOLDS;

/// The maximum number of tagged words.
const MOST_TAGGED: usize = 1_000_000;

params! {
    /// Learns part-of-speech tags and the spelling of words from sentences.
    ///
    /// The tags are the 17 universal ones of Universal Dependencies, such as `NOUN` and `VERB`. The
    /// tagger is an averaged perceptron (Collins 2002): a tag depends on the word, its beginning, end
    /// and shape, two words on each side, and the two tags before it. The metric of the model is the
    /// share of words with the right tag, by cross-validation in five parts. It needs at least ten tagged
    /// sentences, and takes at most 1,000,000 tagged words.
    ///
    /// For `spell`, the model has the 100,000 most frequent words with their counts. A sentence without
    /// tags counts for these only, so a large text without tags is useful, too.
    pub(super) struct Learn {
        /// The sentences: `words`, and as many `tags`, or none.
        sentences: Vec<TaggedSentence>,
        /// How often all sentences are read.
        #[range(1..=30)]
        epochs: i64 = 8,
        /// The order in which sentences are read, and the parts of the cross-validation, follow from
        /// it.
        seed: i64 = 1,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<Knowledge>::SCHEME;
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "train a part-of-speech tagger",
        "learn tags from annotated sentences",
        "train on a treebank",
        "learn the spelling of words from a corpus",
        "build a dictionary for spell checking from texts",
        "perceptron tagger from labelled words",
    ];
    const EXAMPLES: &'static [Example] = &[
        Knowledge::EXAMPLE,
        Example::err(
            "An invalid tag",
            r#"[{ words: ["cats"], tags: ["NNS"] }] >> analyze.learn"#,
            "invalid tag `NNS` of word 1 in item 1",
        ),
    ];
}

impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let tagged = tagged(&self.sentences, cx)?;
        let words = words(&self.sentences, cx)?;
        if tagged.is_empty() && words.is_empty() {
            let message = "learning needs words, and this has none";
            return Err(OpError::invalid_input(message)
                .help("pass sentences with words, and tags if they should be learnt"));
        }
        let epochs = usize::try_from(self.epochs).unwrap_or(1);
        let (tagger, metrics) = learn(&tagged, epochs, self.seed.cast_unsigned(), cx)?;
        let knowledge = Knowledge::new(words, tagger);
        Ok(Trained::learn(&knowledge, self.sentences.len(), metrics)?.encode())
    }
}

/// The sentences with tags, all of which are valid.
fn tagged<'a>(sentences: &'a [TaggedSentence], cx: &Cx) -> Result<Vec<Tagged<'a>>, OpError> {
    let mut tagged = Vec::new();
    let mut total = 0;
    for (idx, it) in sentences.iter().enumerate() {
        cx.check()?;
        let item = idx + 1;
        if let Some(at) = it.words.iter().position(|it| it.trim().is_empty()) {
            let message = format!("word {} in item {item} is empty", at + 1);
            return Err(OpError::invalid_input(message).help("leave empty words out"));
        }
        if it.tags.is_empty() {
            continue;
        }
        let (words, tags) = (it.words.len(), it.tags.len());
        if words != tags {
            let message =
                format!("expected a tag for each of {words} words in item {item}, found {tags}");
            return Err(
                OpError::invalid_input(message).help("give each word a tag, or leave all tags out")
            );
        }
        total += words;
        if total > MOST_TAGGED {
            let message = format!("too many tagged words (limit {MOST_TAGGED})");
            return Err(OpError::invalid_input(message).help("add `take` before it"));
        }
        let tags = it.tags.iter().enumerate().map(|(at, tag)| valid(tag, at, item));
        let tags = tags.collect::<Result<_, _>>()?;
        tagged.push(Tagged { words: it.words.iter().map(AsRef::as_ref).collect(), tags });
    }
    Ok(tagged)
}

fn valid(tag: &Text, at: usize, item: usize) -> Result<Tag, OpError> {
    Tag::of_name(tag).ok_or_else(|| {
        let (tag, word) = (shown(tag), at + 1);
        OpError::invalid_input(format!("invalid tag `{tag}` of word {word} in item {item}"))
            .help(format!("use one of {}", TAGS.join(", ")))
    })
}

/// The words with letters, as they are spelt, with their counts.
fn words(sentences: &[TaggedSentence], cx: &Cx) -> Result<Lexicon, OpError> {
    let mut counts: HashMap<String, u64> = HashMap::new();
    for it in sentences {
        cx.check()?;
        for word in it.words.iter().filter(|it| is_spelt(it)) {
            let word = plain(word);
            match counts.get_mut(&word) {
                Some(count) => *count += 1,
                None => drop(counts.insert(word, 1)),
            }
        }
    }
    Ok(Lexicon::new(counts.into_iter().map(|(word, count)| (word.into(), count))))
}

/// Whether a token is a word that can be misspelt: letters, and apostrophes between or around them.
pub(super) fn is_spelt(word: &str) -> bool {
    let is_sign = |it: char| matches!(it, '\'' | '’');
    word.len() <= 4 * spelling::LONGEST
        && word.contains(char::is_alphabetic)
        && word.chars().all(|it| it.is_alphabetic() || is_sign(it))
}

/// The tagger and how good it is; none without tags.
fn learn(
    tagged: &[Tagged<'_>],
    epochs: usize,
    seed: u64,
    cx: &Cx,
) -> Result<(Option<Tagger>, Vec<Metric>), OpError> {
    if tagged.is_empty() {
        return Ok((None, Vec::new()));
    }
    if tagged.len() < FEWEST {
        let given = tagged.len();
        let message =
            format!("learning tags needs at least {FEWEST} tagged sentences, and this has {given}");
        return Err(OpError::invalid_input(message)
            .help("tag more sentences, or leave all tags out to learn only spelling"));
    }
    let mut check = checks(cx);
    let lesson = Lesson::new(tagged, &mut check)?;
    let mut all: Vec<usize> = (0..tagged.len()).collect();
    let tagger = lesson.train(&all, epochs, seed, &mut check)?.averaged(&lesson);
    fastrand::Rng::with_seed(seed).shuffle(&mut all);
    let (mut right, mut total) = (0, 0);
    for fold in 0..FOLDS {
        let part = |held: bool| {
            let of = all.iter().enumerate().filter(move |(idx, _)| (idx % FOLDS == fold) == held);
            of.map(|(_, it)| *it).collect::<Vec<_>>()
        };
        let weights = lesson.train(&part(false), epochs, seed, &mut check)?;
        for (these, of) in lesson.score(&part(true), &weights, &mut check)? {
            right += these;
            total += of;
        }
    }
    Ok((Some(tagger), vec![accuracy(right, total)]))
}

/// A check at every few words.
fn checks(cx: &Cx) -> impl FnMut() -> Result<(), OpError> + '_ {
    /// Less than a millisecond of work.
    const BETWEEN: usize = 256;
    let mut words = 0_usize;
    move || {
        words += 1;
        if words.is_multiple_of(BETWEEN) { cx.check() } else { Ok(()) }
    }
}

/// The share of words with the right tag, with its interval of 95 %.
#[expect(clippy::cast_precision_loss, reason = "at most a million words")]
fn accuracy(right: usize, total: usize) -> Metric {
    let n = total.max(1) as f64;
    let value = right as f64 / n;
    let margin = 1.96 * (value * (1.0 - value) / n).sqrt();
    Metric {
        name: "upos accuracy, cross-validated".into(),
        value,
        low: Some((value - margin).max(0.0)),
        high: Some((value + margin).min(1.0)),
        n: total as u64,
    }
}
