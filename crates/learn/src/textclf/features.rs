//! Texts as weights of hashed words, phrases and pieces of words.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::{Stop, Trouble, float};

/// The features of a text with their weights, in order.
pub(super) type Document = Vec<(u32, f32)>;

/// Which features a feature is weighed with: words and phrases, or pieces of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Words,
    Pieces,
}

/// The most features that are kept, by the number of their texts.
const MOST_FEATURES: usize = 1 << 18;
/// The most features of all texts together.
const MOST_COUNTED: usize = 100_000_000;
/// The shortest piece of a word.
const SHORTEST_PIECE: usize = 2;
/// Longer words are cut for the pieces: they are codes or garbage.
const LONGEST_WORD: usize = 40;

/// Words and numbers in lower case, and each sign alone.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut is_open = false;
    for it in text.chars() {
        if it.is_alphanumeric() || (it == '\'' && is_open) {
            if !is_open {
                all.push(String::new());
            }
            is_open = true;
            if let Some(last) = all.last_mut() {
                last.extend(it.to_lowercase());
            }
        } else {
            is_open = false;
            if !it.is_whitespace() && !it.is_control() {
                all.push(it.to_string());
            }
        }
    }
    all
}

/// FNV-1a, and a last mixing, as low bits are used alone.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn new(kind: u8) -> Self {
        Self(0xcbf2_9ce4_8422_2325).with(&[kind])
    }

    fn with(mut self, bytes: &[u8]) -> Self {
        for it in bytes {
            self.0 = (self.0 ^ u64::from(*it)).wrapping_mul(0x0100_0000_01b3);
        }
        self
    }

    /// The kind of block is the lowest bit, so that both never collide.
    fn end(self, block: Block) -> u32 {
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let high = (mixed >> 32) as u32;
        (high & !1) | u32::from(block == Block::Pieces)
    }
}

/// Calls back with each feature: its hash, its block, and the tokens from which it comes.
pub(super) fn each_feature(
    tokens: &[String],
    ngram: usize,
    char_ngram: usize,
    mut found: impl FnMut(u32, Block, (usize, usize)),
) {
    // Numbers with the same number of digits are one word in phrases.
    let shape = |it: &String| -> String {
        it.chars().map(|it| if it.is_ascii_digit() { '0' } else { it }).collect()
    };
    let shapes: Vec<String> = tokens.iter().map(shape).collect();
    for at in 0..tokens.len() {
        found(
            Hash::new(1).with(tokens[at].as_bytes()).end(Block::Words),
            Block::Words,
            (at, at + 1),
        );
        if shapes[at] != tokens[at] {
            found(
                Hash::new(2).with(shapes[at].as_bytes()).end(Block::Words),
                Block::Words,
                (at, at + 1),
            );
        }
        let mut hash = Hash::new(3).with(shapes[at].as_bytes());
        for len in 2..=ngram.min(tokens.len() - at) {
            hash = hash.with(b" ").with(shapes[at + len - 1].as_bytes());
            found(hash.end(Block::Words), Block::Words, (at, at + len));
        }
        if char_ngram >= SHORTEST_PIECE {
            let padded: Vec<char> = std::iter::once(' ')
                .chain(shapes[at].chars().take(LONGEST_WORD))
                .chain([' '])
                .collect();
            for len in SHORTEST_PIECE..=char_ngram {
                for piece in padded.windows(len) {
                    let mut bytes = [0; 4];
                    let hash = piece.iter().fold(Hash::new(4), |hash, it| {
                        hash.with(it.encode_utf8(&mut bytes).as_bytes())
                    });
                    found(hash.end(Block::Pieces), Block::Pieces, (at, at + 1));
                }
            }
        }
    }
}

/// The hashes of each text with their counts, in order.
pub(super) fn hashed(
    texts: &[&str],
    ngram: usize,
    char_ngram: usize,
    stop: &Stop<'_>,
) -> Result<Vec<Vec<(u32, u32)>>, Trouble> {
    let mut all = Vec::with_capacity(texts.len());
    let mut counted = 0;
    for text in texts {
        stop.check()?;
        let mut hashes = Vec::new();
        each_feature(&tokens(text), ngram, char_ngram, |hash, _, _| hashes.push(hash));
        let counts = runs(hashes);
        counted += counts.len();
        if counted > MOST_COUNTED {
            return Err(Trouble::new(
                "the texts are too long together (limit 100 million features)",
            )
            .help("learn from a part of them, or with `char_ngram: 0`"));
        }
        all.push(counts);
    }
    Ok(all)
}

/// Equal numbers with their count, in order.
fn runs(mut all: Vec<u32>) -> Vec<(u32, u32)> {
    all.sort_unstable();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for it in all {
        match runs.last_mut() {
            Some((last, count)) if *last == it => *count += 1,
            _ => runs.push((it, 1)),
        }
    }
    runs
}

/// The features that are known, with what they weigh.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Vocabulary {
    /// In order.
    hashes: Vec<u32>,
    /// The logarithm of the inverse share of the texts that have the feature.
    idf: Vec<f32>,
}

impl Vocabulary {
    pub(super) fn of(texts: &[Vec<(u32, u32)>], rows: &[usize]) -> Self {
        let mut counts: HashMap<u32, u32> = HashMap::new();
        for it in rows.iter().flat_map(|row| &texts[*row]) {
            *counts.entry(it.0).or_default() += 1;
        }
        let mut all: Vec<(u32, u32)> = counts.into_iter().collect();
        if all.len() > MOST_FEATURES {
            all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
            all.truncate(MOST_FEATURES);
        }
        all.sort_unstable();
        let n = float(rows.len());
        #[expect(clippy::cast_possible_truncation, reason = "weights need no more digits")]
        let idf = |count: u32| (((1.0 + n) / (1.0 + f64::from(count))).ln() + 1.0) as f32;
        Self {
            idf: all.iter().map(|it| idf(it.1)).collect(),
            hashes: all.into_iter().map(|it| it.0).collect(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn place(&self, hash: u32, _: Block) -> Option<u32> {
        self.hashes.binary_search(&hash).ok().and_then(|it| u32::try_from(it).ok())
    }

    pub(super) fn document(&self, counts: &[(u32, u32)]) -> Document {
        let known = counts
            .iter()
            .filter_map(|(hash, count)| Some((self.place(*hash, Block::Words)?, *count)));
        self.normalized(known.collect())
    }

    /// The places of features, each as often as it occurs, as a document.
    pub(super) fn weighted(&self, places: Vec<u32>) -> Document {
        self.normalized(runs(places))
    }

    /// Both blocks have the same length.
    #[expect(clippy::cast_possible_truncation, reason = "weights need no more digits")]
    fn normalized(&self, counts: Vec<(u32, u32)>) -> Document {
        let is_piece = |at: u32| self.hashes[at as usize] & 1 == 1;
        let mut squares = [0.0_f64; 2];
        let mut all: Vec<(u32, f64)> = Vec::with_capacity(counts.len());
        for (at, count) in counts {
            let weight = (1.0 + f64::from(count).ln()) * f64::from(self.idf[at as usize]);
            squares[usize::from(is_piece(at))] += weight * weight;
            all.push((at, weight));
        }
        let blocks = float(squares.iter().filter(|it| **it > 0.0).count());
        let factor = squares.map(|it| if it > 0.0 { 1.0 / (it * blocks).sqrt() } else { 0.0 });
        all.into_iter()
            .map(|(at, it)| (at, (it * factor[usize::from(is_piece(at))]) as f32))
            .collect()
    }
}
