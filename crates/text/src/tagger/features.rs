//! What a tag depends on: the word, its beginning, end and shape, two words on each side, and the
//! two tags before it. Features are hashes, so that no text is kept.

use std::hash::{BuildHasherDefault, Hasher};

use super::Tag;

/// The features that do not depend on other tags.
pub(super) const FIXED: usize = 21;

/// The features of a word with the tags before it.
pub(super) const TEMPLATES: usize = FIXED + 5;

/// Longer words are data: of what is longer, only the beginning is read.
const LONGEST: usize = 64;

/// The runs of a shape.
const RUNS: usize = 8;

/// The hashes of the parts of a word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Parts {
    word: u64,
    lower: u64,
    /// The last one to four letters.
    ends: [u64; 4],
    /// The first one to three letters.
    starts: [u64; 3],
    /// Capitals, small letters, digits and signs, each run once.
    shape: u64,
}

impl Parts {
    pub(super) fn of(word: &str) -> Self {
        let near = &word[..word.floor_char_boundary(LONGEST)];
        let far = &word[word.ceil_char_boundary(word.len().saturating_sub(LONGEST))..];
        let plain = |it: char| if it.is_numeric() { '0' } else { it };
        let lower: Vec<char> = near.chars().flat_map(char::to_lowercase).map(plain).collect();
        let end: Vec<char> = far.chars().flat_map(char::to_lowercase).map(plain).collect();
        let last = |len: usize| hash(&end[end.len().saturating_sub(len)..]);
        let first = |len: usize| hash(&lower[..len.min(lower.len())]);
        Self {
            word: hash(&near.chars().map(plain).collect::<Vec<_>>()),
            lower: hash(&lower),
            ends: [last(1), last(2), last(3), last(4)],
            starts: [first(1), first(2), first(3)],
            shape: shape(near),
        }
    }

    /// A place before the first word, or behind the last one.
    fn outside(side: u64) -> Self {
        Self { word: side, lower: side, ends: [side; 4], starts: [side; 3], shape: side }
    }
}

fn shape(word: &str) -> u64 {
    let kind = |it: char| match it {
        it if it.is_uppercase() => 'X',
        it if it.is_alphabetic() => 'x',
        it if it.is_numeric() => '0',
        it => it,
    };
    let mut runs: Vec<char> = word.chars().map(kind).collect();
    runs.dedup();
    runs.truncate(RUNS);
    hash(&runs)
}

/// FNV-1a over the characters.
fn hash(chars: &[char]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325_u64;
    chars.iter().fold(start, |hash, it| (hash ^ u64::from(*it)).wrapping_mul(0x0100_0000_01b3))
}

/// The finalizer of `SplitMix64` over both.
fn mix(one: u64, other: u64) -> u64 {
    let mut it = one.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(other);
    it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    it ^ (it >> 31)
}

/// The features that do not depend on other tags.
pub(super) fn fixed(parts: &[Parts], at: usize) -> [u64; FIXED] {
    let near = |offset: isize| match at.checked_add_signed(offset) {
        Some(it) => parts.get(it).copied().unwrap_or(Parts::outside(2)),
        None => Parts::outside(1),
    };
    let (this, before, after) = (near(0), near(-1), near(1));
    let all = [
        0,
        this.word,
        this.lower,
        this.ends[0],
        this.ends[1],
        this.ends[2],
        this.ends[3],
        this.starts[0],
        this.starts[1],
        this.starts[2],
        this.shape,
        mix(this.shape, before.shape),
        before.lower,
        after.lower,
        near(-2).lower,
        near(2).lower,
        before.ends[2],
        after.ends[2],
        after.shape,
        mix(this.lower, after.lower),
        mix(before.lower, this.lower),
    ];
    let mut template = 0;
    all.map(|it| {
        template += 1;
        mix(template, it)
    })
}

/// The features that depend on the tags before the word.
pub(super) fn with_tags(parts: &[Parts], at: usize, tags: &[Tag]) -> [u64; TEMPLATES - FIXED] {
    let tag = |back: usize| {
        let found = at.checked_sub(back).and_then(|it| tags.get(it));
        found.map_or(0, |it| u64::try_from(it.place()).unwrap_or_default() + 1)
    };
    let (one, two) = (tag(1), tag(2));
    let this = parts.get(at).copied().unwrap_or_default();
    let after = parts.get(at + 1).map_or(2, |it| it.lower);
    let all = [one, mix(one, two), mix(one, this.lower), mix(one, this.ends[2]), mix(one, after)];
    let mut template = 100;
    all.map(|it| {
        template += 1;
        mix(template, it)
    })
}

/// All features of a word, given the tags before it.
pub(super) fn all(parts: &[Parts], at: usize, tags: &[Tag]) -> impl Iterator<Item = u64> {
    fixed(parts, at).into_iter().chain(with_tags(parts, at, tags))
}

/// A hasher for what is a hash already.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Same(u64);

pub(super) type Hashed = BuildHasherDefault<Same>;

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, it: u64) {
        self.0 = it;
    }
}
