//! Questions with the words of the documents for those with a typo.

use super::{question::FRAMES, slips, synonyms, words::Words};
use crate::{language::Language, scripts, typos::is_near};

/// Shorter words are only corrected if they sound alike, as too many others are near to them.
const SHORTEST: usize = 5;

/// Shorter words do not sound like any one other word.
const SHORTEST_SOUND: usize = 3;

/// Words with which a question begins.
const QUESTION_WORDS: &str = "what when where which who whose why how many much does";

/// Words that are two letters apart are near if they are at least this long.
const LONG: usize = 8;

/// Words of questions that documents may not have.
const ASKING: &str = "which where there their about would could should company museum price phone \
    colour color husband mother father brother sister daughter email address website university school \
    favourite favorite weather temperature birthday parent friend capital recipe doctor lawyer \
    president minister religion language currency married population";

/// The question with its unknown words replaced by the nearest ones of the documents, and usual slips by
/// what is meant.
pub(super) fn spelled(question: &str, words: &Words) -> String {
    let mut out = String::with_capacity(question.len());
    let mut at = 0;
    for range in scripts::words(question) {
        let Some(word) = question.get(range.clone()) else { continue };
        // Words of scripts without spaces overlap.
        if range.start < at || !word.is_ascii() || word.contains(|it: char| it.is_ascii_digit()) {
            continue;
        }
        if let Some(meant) = corrected(word, words) {
            out.push_str(question.get(at..range.start).unwrap_or_default());
            let first = word.chars().next().filter(char::is_ascii_uppercase);
            match first {
                Some(first) => out.extend([first].into_iter().chain(meant.chars().skip(1))),
                None => out.push_str(&meant),
            }
            at = range.end;
        }
    }
    out.push_str(question.get(at..).unwrap_or_default());
    out
}

/// What a word of a question means that the documents do not have.
fn corrected(written: &str, words: &Words) -> Option<String> {
    let word = &*written.to_ascii_lowercase();
    if words.knows(word) {
        return None;
    }
    let is_english = words.language == Language::ENGLISH;
    if let Some(meant) = slips::meant(word).filter(|_| is_english && written == word) {
        return Some(meant.to_owned());
    }
    if word.len() < SHORTEST_SOUND || listed().any(|it| synonyms::is_form(word, it)) {
        return None;
    }
    if let Some(meant) = swapped(word, words).filter(|_| is_english && written == word) {
        return Some(meant);
    }
    if let Some(meant) = nearest(word, words) {
        return Some(meant.to_owned());
    }
    let one = word.strip_suffix('s').filter(|it| is_english && it.len() >= SHORTEST);
    if let Some(one) = one {
        return nearest(one, words).map(|it| format!("{it}s"));
    }
    // Without vowels, as in `lft`. Capitals shorten names of several words.
    let is_short = is_english && written == word && !word.contains(is_vowel);
    let is_meant = |it: &str| it.len() > word.len() && consonants(it) == word;
    is_short.then(|| most_common(word, words, &is_meant).map(str::to_owned)).flatten()
}

/// The word of the documents or of questions that a short word becomes with two letters swapped.
fn swapped(word: &str, words: &Words) -> Option<String> {
    let letters = word.as_bytes();
    let swap = |at: usize| {
        let mut letters = letters.to_vec();
        letters.swap(at, at + 1);
        String::from_utf8(letters).ok()
    };
    let is_word =
        |it: &String| *it != word && (words.knows(it) || listed().any(|other| other == it));
    let is_short = (SHORTEST_SOUND..SHORTEST).contains(&word.len());
    (0..word.len().saturating_sub(1)).filter(|_| is_short).filter_map(swap).find(is_word)
}

/// The usual words of questions.
fn listed() -> impl Iterator<Item = &'static str> {
    let own = [FRAMES, ASKING, QUESTION_WORDS];
    own.into_iter().flat_map(str::split_whitespace).chain(synonyms::words())
}

/// The word of the documents or of questions that is nearest in sound or letters.
fn nearest<'a>(word: &str, words: &'a Words) -> Option<&'a str> {
    let spoken = Some(sound(word)).filter(|_| words.language == Language::ENGLISH);
    let alike = |it: &str| Some(sound(it)) == spoken;
    let nearly = |it: &str| {
        spoken
            .as_deref()
            .is_some_and(|spoken| spoken.len() >= SHORTEST && is_near(&sound(it), spoken))
    };
    let by_letters = |it: &str| word.len() >= SHORTEST && is_near(it, word);
    let by_two = |it: &str| word.len() >= LONG && are_two_apart(it, word);
    let tests: [&dyn Fn(&str) -> bool; 4] = [&alike, &by_letters, &nearly, &by_two];
    tests.into_iter().find_map(|test| most_common(word, words, test))
}

/// The most common word that passes a test and begins with the same letter.
fn most_common<'a>(word: &str, words: &'a Words, test: &dyn Fn(&str) -> bool) -> Option<&'a str> {
    let known = words.known.iter();
    let known = known.flat_map(|it| it.words.iter().map(move |word| (&**word, it.count)));
    let begins = |it: &str| it.len() >= 4 && it.as_bytes().first() == word.as_bytes().first();
    let all = known.chain(listed().map(|it| (it, 0)));
    let near = all.filter(|it| begins(it.0) && test(it.0));
    near.max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0))).map(|it| it.0)
}

fn is_vowel(it: char) -> bool {
    matches!(it, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

fn consonants(word: &str) -> String {
    word.chars().filter(|it| !is_vowel(*it)).collect()
}

/// How an English word sounds, roughly: letters that are often written for each other are the same.
fn sound(word: &str) -> String {
    const ALIKE: &[(&str, &str)] = &[
        ("tch", "ch"),
        ("ch", "ch"),
        ("ph", "f"),
        ("wh", "w"),
        ("wr", "r"),
        ("kn", "n"),
        ("gh", ""),
        ("ck", "k"),
        ("qu", "kw"),
        ("ce", "se"),
        ("ci", "si"),
        ("cy", "si"),
        ("ea", "e"),
        ("ee", "e"),
        ("ei", "e"),
        ("ie", "e"),
        ("ai", "a"),
        ("ay", "a"),
        ("oa", "o"),
        ("ou", "o"),
        ("ue", "u"),
        ("y", "i"),
        ("z", "s"),
        ("c", "k"),
    ];
    let mut rest = word;
    let mut sound = String::with_capacity(word.len());
    while let Some(letter) = rest.chars().next() {
        let alike = ALIKE.iter().find(|(written, _)| rest.starts_with(written));
        let (written, said) = match alike {
            Some((written, said)) => (written.len(), *said),
            None => (letter.len_utf8(), &rest[..letter.len_utf8()]),
        };
        // A double letter sounds as one.
        if !sound.ends_with(said) || said.is_empty() {
            sound += said;
        }
        rest = &rest[written..];
    }
    // An `e` at the end is silent, but makes short words differ: `hop` and `hope`.
    let spoken = sound.strip_suffix('e').filter(|_| word.len() >= SHORTEST).map(str::len);
    sound.truncate(spoken.unwrap_or(sound.len()));
    sound
}

/// Whether two words differ by at most two letters.
fn are_two_apart(one: &str, other: &str) -> bool {
    if one.len().abs_diff(other.len()) > 2 || !one.is_ascii() {
        return false;
    }
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (idx, a) in one.bytes().enumerate() {
        let mut row = vec![idx + 1];
        for (at, b) in other.bytes().enumerate() {
            let changed = last[at] + usize::from(a != b);
            row.push(changed.min(last[at + 1] + 1).min(row[at] + 1));
        }
        last = row;
    }
    last.last().is_some_and(|it| *it <= 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        answers::{Source, reading::Read, words::Words},
        language::Language,
    };

    #[test]
    fn words_with_a_typo_become_those_of_the_documents() {
        let text = "The dishwasher of Larkfield runs in the conditioning room. Carry it each year.";
        let sources = [Source { title: "", text }];
        let read = Read::of(&sources, Words::of(Language::ENGLISH), || Ok::<(), ()>(())).unwrap();
        for (given, expected) in [
            ("when does the dishwaser run?", "when does the dishwasher run?"),
            ("Who runs Larkfeild?", "Who runs Larkfield?"),
            ("the cnoditioning", "the conditioning"),
            ("how many poeple", "how many people"),
            ("who can cary it next yeer?", "who can carry it next year?"),
            ("how mutch", "how much"),
            ("teh rom of larkfeild", "the room of larkfield"),
            ("wich condishioning", "which conditioning"),
            ("waht tiem is the orom used", "what time is the room used"),
            ("dshwshr and DSHWSHR", "dishwasher and DSHWSHR"),
            ("the hop of wine", "the hop of wine"),
            ("rooms, husband, 1234567, 東京東京東", "rooms, husband, 1234567, 東京東京東"),
        ] {
            assert_eq!(spelled(given, &read.words), expected);
        }
    }
}
