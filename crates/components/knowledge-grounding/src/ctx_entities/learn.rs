//! `learn`: a tagger from texts in which entities are marked.

use std::collections::HashMap;

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field as _, Limits, Op, OpError, Scheme, State as _, Trained, params,
        record,
    },
    value::{Text, Value},
};

use super::{
    features::features,
    lesson::{Lesson, Sequence},
    tagger::{Tagger, Tags, sequences},
    words::{Word, words},
};

record! {
    /// A marked piece of a text.
    struct Marked {
        /// Where it starts, in bytes.
        start: i64,
        /// Where it ends, in bytes.
        end: i64,
        /// What it is, such as `person`.
        r#type: Text,
    }
}

record! {
    /// A text in which entities are marked.
    struct Annotated {
        /// The text.
        text: Text,
        /// All its entities.
        entities: Vec<Marked>,
    }
}

params! {
    /// Learns to find entities from texts in which they are marked.
    ///
    /// The method is a structured perceptron with averaged weights (Collins 2002) over tags for the
    /// first and the other words of an entity. It sees the words, their shapes, their first and last
    /// letters, and two neighbours on each side. The `entities` of a text are all entities of the
    /// types to learn: what is not marked is learnt as being none.
    ///
    /// The metrics are precision, recall and F1 of whole entities, by cross-validation in three parts.
    /// At least ten texts are necessary, each with the types that it has; hundreds are useful.
    pub(super) struct Learn {
        /// The texts, each with `entities`: `start` and `end` in bytes, and `type`.
        texts: Vec<Annotated>,
        /// How often all texts are read.
        #[range(1..=30)]
        epochs: i64 = 8,
        /// The order in which the texts are read follows from it.
        seed: i64 = 1,
    }
}

impl Op for Learn {
    const NAME: &'static str = "learn";
    const YIELDS: Scheme = Trained::<Tagger>::SCHEME;
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "train a named entity recognizer",
        "learn to find names from annotated texts",
        "teach it my own kinds of entities",
        "fit a tagger on marked examples",
        "custom ner model",
    ];
    const EXAMPLES: &'static [Example] = &[
        Tagger::EXAMPLE,
        Example::err(
            "A piece that is not in the text",
            r#"[{ text: "Anna", entities: [{ start: 0, end: 9, type: "person" }] }] >> ctx_entities.learn"#,
            "entity 1 of text 1 is not a piece of the text: 0..9",
        ),
        Example::err("Too few texts", "[] >> ctx_entities.learn", "needs at least 10 texts"),
    ];
}

/// The fewest texts to learn from, the most words and types, and the longest name of a type.
const FEWEST: usize = 10;
const MOST_WORDS: usize = 1_500_000;
const MOST_TYPES: usize = 60;

impl Compute for Learn {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let types = types(&self.texts)?;
        if self.texts.len() < FEWEST {
            let given = self.texts.len();
            let message = format!("learning needs at least {FEWEST} texts, and this has {given}");
            return Err(OpError::invalid_input(message).help("mark the entities of more texts"));
        }
        let (sequences, hashes) = read(&self.texts, &types, cx)?;
        let epochs = usize::try_from(self.epochs).unwrap_or(1);
        let seed = self.seed.cast_unsigned();
        let lesson = Lesson {
            sequences: &sequences,
            features: hashes.len(),
            tags: Tags(1 + 2 * types.len()),
            epochs,
        };
        let (weights, transitions) = lesson.learn(|_| true, seed, cx)?;
        let tagger = tagger(types, &hashes, &weights, transitions, lesson.tags.0);
        let metrics = lesson.metrics(seed, cx)?;
        Ok(Trained::learn(&tagger, self.texts.len(), metrics)?.encode())
    }
}

/// The types of all entities, in order; checks the entities.
fn types(texts: &[Annotated]) -> Result<Vec<String>, OpError> {
    let mut all: Vec<String> = Vec::new();
    for (number, text) in (1..).zip(texts) {
        let mut ranges: Vec<(i64, i64, usize)> = Vec::new();
        for (idx, it) in (1..).zip(&text.entities) {
            let place = |at: i64| usize::try_from(at).ok();
            let piece = place(it.start).zip(place(it.end)).and_then(|(a, b)| text.text.get(a..b));
            if piece.is_none_or(|it| it.trim().is_empty()) {
                let message = format!(
                    "entity {idx} of text {number} is not a piece of the text: {}..{}",
                    it.start, it.end
                );
                let help = "count bytes, not letters; `start` and `end` are borders of letters";
                return Err(OpError::invalid_input(message).help(help));
            }
            if it.r#type.trim().is_empty() || it.r#type.len() > 60 {
                let message = format!("entity {idx} of text {number} has no usable type");
                return Err(OpError::invalid_input(message).help("name a type of 1 to 60 bytes"));
            }
            ranges.push((it.start, it.end, idx));
            if !all.iter().any(|known| **known == *it.r#type) {
                all.push(it.r#type.to_string());
            }
        }
        ranges.sort_unstable();
        if let Some(it) = ranges.windows(2).find(|it| it[0].1 > it[1].0) {
            let (a, b) = (it[0].2, it[1].2);
            let message = format!("entities {a} and {b} of text {number} overlap");
            return Err(OpError::invalid_input(message).help("keep one of them"));
        }
        if all.len() > MOST_TYPES {
            return Err(OpError::invalid_input(format!("too many types (limit {MOST_TYPES})")));
        }
    }
    all.sort();
    Ok(all)
}

/// All texts as sequences, and the hashes of their features.
fn read(
    texts: &[Annotated],
    types: &[String],
    cx: &Cx,
) -> Result<(Vec<Sequence>, Vec<u64>), OpError> {
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut hashes = Vec::new();
    let mut all = Vec::new();
    let mut count = 0;
    for (number, text) in texts.iter().enumerate() {
        let words = words(&text.text, cx)?;
        count += words.len();
        if count > MOST_WORDS {
            let message = format!("the texts are too long (limit {MOST_WORDS} words)");
            return Err(OpError::invalid_input(message).help("learn from a part of them"));
        }
        let tags = tags(text, &words, types);
        for range in sequences(&words) {
            cx.check()?;
            let hashed = features(&text.text, &words[range.clone()]);
            let mut number_of = |hash: u64| {
                *numbers.entry(hash).or_insert_with(|| {
                    hashes.push(hash);
                    u32::try_from(hashes.len() - 1).unwrap_or(u32::MAX)
                })
            };
            let features =
                hashed.into_iter().map(|it| it.into_iter().map(&mut number_of).collect()).collect();
            all.push(Sequence { text: number, features, tags: tags[range].to_vec() });
        }
    }
    Ok((all, hashes))
}

/// The tag of each word: those that have a part of an entity belong to it.
fn tags(text: &Annotated, words: &[Word], types: &[String]) -> Vec<usize> {
    let mut tags = vec![0; words.len()];
    for it in &text.entities {
        let place = |at: i64| usize::try_from(at).unwrap_or_default();
        let (start, end) = (place(it.start), place(it.end));
        let kind = types.iter().position(|known| **known == *it.r#type).unwrap_or_default();
        let from = words.partition_point(|word| word.range.end <= start);
        let inside = words[from..].iter().take_while(|word| word.range.start < end).count();
        for (idx, tag) in tags[from..from + inside].iter_mut().enumerate() {
            *tag = 1 + 2 * kind + usize::from(idx > 0);
        }
    }
    tags
}

/// The tagger of weights, without features that have none.
fn tagger(
    types: Vec<String>,
    hashes: &[u64],
    weights: &[f32],
    transitions: Vec<f32>,
    tags: usize,
) -> Tagger {
    let mut rows: Vec<(u64, &[f32])> =
        hashes.iter().copied().zip(weights.chunks_exact(tags)).collect();
    rows.retain(|it| it.1.iter().any(|it| *it != 0.0));
    rows.sort_unstable_by_key(|it| it.0);
    Tagger {
        types,
        features: rows.iter().map(|it| it.0).collect(),
        weights: rows.iter().flat_map(|it| it.1.iter().copied()).collect(),
        transitions,
        ..Tagger::default()
    }
}
