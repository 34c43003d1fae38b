//! What the tagger sees of a word.

use super::{known, words::Word};

/// The features of each word: the word and its neighbours, their shapes, its first and last letters,
/// and the lists of known places, titles and forms of organisations.
pub(super) fn features(text: &str, words: &[Word]) -> Vec<Vec<u64>> {
    let places = known::in_places(text, words);
    let lower: Vec<String> = words.iter().map(|it| lower(it.of(text))).collect();
    let shapes: Vec<String> = words.iter().map(|it| shape(it.of(text))).collect();
    let at = |all: &[String], idx: usize, by: isize| {
        let place = idx.checked_add_signed(by);
        place.and_then(|it| all.get(it)).map_or_else(|| "\u{1}".to_owned(), Clone::clone)
    };
    let of = |idx: usize| {
        let (word, shape) = (&lower[idx], &shapes[idx]);
        let (before, after) = (at(&lower, idx, -1), at(&lower, idx, 1));
        let (shape_before, shape_after) = (at(&shapes, idx, -1), at(&shapes, idx, 1));
        let joins = idx > 0 && words[idx - 1].range.end == words[idx].range.start;
        let mut all = Vec::with_capacity(26);
        let mut add = |name: u8, parts: &[&str]| all.push(hash(name, parts));
        add(0, &[]);
        add(1, &[word]);
        add(2, &[&before]);
        add(3, &[&after]);
        add(4, &[&at(&lower, idx, -2)]);
        add(5, &[&at(&lower, idx, 2)]);
        add(6, &[&before, word]);
        add(7, &[word, &after]);
        add(8, &[shape]);
        add(9, &[&shape_before, shape]);
        add(10, &[shape, &shape_after]);
        add(11, &[&shape_before, shape, &shape_after]);
        add(12, &[&before, shape]);
        add(13, &[shape, &after]);
        add(14, &[&at(&lower, idx, -2), &before, shape]);
        for len in 1..=4 {
            add(20 + u8::try_from(len).unwrap_or(0), &[beginning(word, len)]);
            add(30 + u8::try_from(len).unwrap_or(0), &[end(word, len)]);
        }
        if words[idx].is_first {
            add(40, &[shape]);
        }
        if joins {
            add(41, &[shape]);
        }
        if places[idx] {
            add(42, &[]);
        }
        for (name, by) in [(50, -2), (51, -1), (52, 0), (53, 1), (54, 2)] {
            let other = idx.checked_add_signed(by).and_then(|it| words.get(it));
            if let Some(class) = other.and_then(|it| known::class(it.of(text))) {
                add(name, &[class]);
            }
        }
        all
    };
    (0..words.len()).map(of).collect()
}

/// The longest part of a word that is compared.
const LONGEST: usize = 64;

/// A word in small letters, with 0 for every digit.
fn lower(word: &str) -> String {
    let word = &word[..word.floor_char_boundary(LONGEST)];
    let plain = |it: char| if it.is_ascii_digit() { '0' } else { it };
    word.chars().flat_map(char::to_lowercase).map(plain).collect()
}

/// The shape of a word: `Xx` for `Berlin`, `XX` for `NATO`, `0` for `1990`. The number of letters of a
/// kind counts up to two, that of digits up to four.
fn shape(word: &str) -> String {
    let mut out = String::new();
    let (mut last, mut count) = ('\0', 0);
    for it in word[..word.floor_char_boundary(LONGEST)].chars() {
        let kind = match it {
            it if it.is_uppercase() => 'X',
            it if it.is_alphabetic() => 'x',
            it if it.is_numeric() => '0',
            it => it,
        };
        count = if kind == last { count + 1 } else { 1 };
        last = kind;
        if count <= if kind == '0' { 4 } else { 2 } {
            out.push(kind);
        }
    }
    out
}

fn beginning(word: &str, len: usize) -> &str {
    word.char_indices().nth(len).map_or(word, |(at, _)| &word[..at])
}

fn end(word: &str, len: usize) -> &str {
    word.char_indices().rev().nth(len - 1).map_or(word, |(at, _)| &word[at..])
}

/// FNV-1a of 64 bits over the name of a feature and its parts, which are kept apart.
fn hash(name: u8, parts: &[&str]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |byte: u8| {
        hash ^= u64::from(byte);
        hash = hash.wrapping_mul(0x0100_0000_01b3);
    };
    take(name);
    for part in parts {
        part.bytes().for_each(&mut take);
        take(0);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::shape;

    #[test]
    fn shapes_are_short() {
        let all = ["Berlin", "NATO", "1990", "12345", "iPhone", "x86", "B", "'"].map(shape);
        assert_eq!(all, ["Xxx", "XX", "0000", "0000", "xXxx", "x00", "X", "'"]);
    }
}
