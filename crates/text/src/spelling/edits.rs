//! The edits between two words: how many, and how unlikely they are.

/// What an edit costs: the negative logarithm of how likely it is, roughly. Chosen by hand.
const EDIT: f64 = 9.0;

/// Factors of [`EDIT`] for slips that are more frequent than others: a letter doubled or not, two
/// letters swapped, a wrong vowel; and for the first letter, which is seldom wrong.
const DOUBLED: f64 = 0.6;
const SWAPPED: f64 = 0.8;
const VOWEL: f64 = 0.8;
const FIRST: f64 = 1.3;

/// The number of edits that make one word of the other, if it is at most `most`: the optimal string
/// alignment distance.
pub(super) fn edits(one: &[char], other: &[char], most: usize) -> Option<usize> {
    if one.len().abs_diff(other.len()) > most {
        return None;
    }
    let costs = Costs { extra: |_: &[char], _: usize| 1, wrong: |_, _, _| 1, swapped: 1 };
    let found = aligned(one, other, &costs);
    (found <= most).then_some(found)
}

/// How unlikely it is that `written` was written for `meant`: 0 if they are equal.
pub(super) fn cost(written: &[char], meant: &[char]) -> f64 {
    let extra = |word: &[char], at: usize| {
        let is_doubled = at > 0 && word[at] == word[at - 1];
        let factor = if is_doubled { DOUBLED } else { 1.0 };
        EDIT * factor * if at == 0 { FIRST } else { 1.0 }
    };
    let wrong = |a: char, b: char, at: usize| {
        let factor = if is_vowel(a) && is_vowel(b) { VOWEL } else { 1.0 };
        EDIT * factor * if at == 0 { FIRST } else { 1.0 }
    };
    aligned(written, meant, &Costs { extra, wrong, swapped: EDIT * SWAPPED })
}

fn is_vowel(it: char) -> bool {
    matches!(it, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

struct Costs<T, E, W> {
    /// Of the letter of a word at a place that the other one lacks.
    extra: E,
    /// Of one letter for another, at this place.
    wrong: W,
    swapped: T,
}

/// The least cost of an alignment in which no letter is edited twice.
fn aligned<T, E, W>(one: &[char], other: &[char], costs: &Costs<T, E, W>) -> T
where
    T: Copy + Default + PartialOrd + std::ops::Add<Output = T>,
    E: Fn(&[char], usize) -> T,
    W: Fn(char, char, usize) -> T,
{
    let least = |a: T, b: T| if b < a { b } else { a };
    let mut before: Vec<T> = Vec::new();
    let mut last: Vec<T> = vec![T::default()];
    for at in 0..other.len() {
        last.push(last[at] + (costs.extra)(other, at));
    }
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![last[0] + (costs.extra)(one, i)];
        for (j, b) in other.iter().enumerate() {
            let replaced = if a == b { last[j] } else { last[j] + (costs.wrong)(*a, *b, i) };
            let removed = last[j + 1] + (costs.extra)(one, i);
            let added = row[j] + (costs.extra)(other, j);
            let mut found = least(least(replaced, removed), added);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b && a != b {
                found = least(found, before[j - 1] + costs.swapped);
            }
            row.push(found);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(it: &str) -> Vec<char> {
        it.chars().collect()
    }

    #[test]
    fn edits_are_counted() {
        for (one, other, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("abc", "acb", 1),
            ("abcd", "badc", 2),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            assert_eq!(edits(&chars(one), &chars(other), 3), Some(expected), "{one} {other}");
        }
        assert_eq!(edits(&chars("abcd"), &chars("wxyz"), 3), None);
    }

    #[test]
    fn frequent_slips_cost_less() {
        let of = |one: &str, other: &str| cost(&chars(one), &chars(other));
        assert!(of("acess", "access") < of("acess", "caress"));
        assert!(of("seperate", "separate") < of("sepbrate", "separate"));
        assert!(of("hte", "the") < of("xhe", "the"));
        assert!(of("same", "same").abs() < f64::EPSILON);
    }
}
