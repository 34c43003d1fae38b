//! Questions with the words of the documents for those with a typo.

use super::{question::FRAMES, synonyms, words::Words};
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

/// The question with its unknown words replaced by the nearest ones of the documents, if these begin
/// with the same letter.
pub(super) fn spelled(question: &str, words: &Words) -> String {
    let mut out = String::with_capacity(question.len());
    let mut at = 0;
    for range in scripts::words(question) {
        let Some(word) = question.get(range.clone()) else { continue };
        // Words of scripts without spaces overlap.
        if range.start < at || !word.is_ascii() || word.contains(|it: char| it.is_ascii_digit()) {
            continue;
        }
        if let Some(meant) = corrected(&word.to_ascii_lowercase(), words) {
            out.push_str(question.get(at..range.start).unwrap_or_default());
            let first = word.chars().next().filter(char::is_ascii_uppercase);
            match first {
                Some(first) => out.extend([first].into_iter().chain(meant.chars().skip(1))),
                None => out.push_str(meant),
            }
            at = range.end;
        }
    }
    out.push_str(question.get(at..).unwrap_or_default());
    out
}

fn corrected<'a>(word: &str, words: &'a Words) -> Option<&'a str> {
    if word.len() < SHORTEST_SOUND || words.knows(word) {
        return None;
    }
    let own = [FRAMES, ASKING, QUESTION_WORDS];
    let listed = || own.iter().flat_map(|it| it.split_whitespace()).chain(synonyms::words());
    if listed().any(|it| synonyms::is_form(word, it)) {
        return None;
    }
    let in_documents = || {
        let known = words.known.iter();
        known.flat_map(|it| it.words.iter().map(move |word| (&**word, it.count)))
    };
    let all = || in_documents().chain(listed().map(|it| (it, 0)));
    let begins = |it: &str| it.len() >= 4 && it.as_bytes().first() == word.as_bytes().first();
    let nearest = |is_near: &dyn Fn(&str) -> bool| {
        let near = all().filter(|it| begins(it.0) && is_near(it.0));
        near.max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0))).map(|it| it.0)
    };
    let sounds_alike = || {
        let sound = Some(sound(word)).filter(|_| words.language == Language::ENGLISH)?;
        nearest(&|it| self::sound(it) == sound)
    };
    sounds_alike()
        .or_else(|| nearest(&|it| word.len() >= SHORTEST && is_near(it, word)))
        .or_else(|| nearest(&|it| word.len() >= LONG && are_two_apart(it, word)))
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
            ("the hop of wine", "the hop of wine"),
            ("rooms, husband, 1234567, 東京東京東", "rooms, husband, 1234567, 東京東京東"),
        ] {
            assert_eq!(spelled(given, &read.words), expected);
        }
    }
}
