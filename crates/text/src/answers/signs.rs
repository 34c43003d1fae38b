//! Signs that a sentence says what a question asks for, and is not only about the same things.

use super::{
    count,
    evidence::found,
    kinds::Wants,
    light,
    question::{Question, Role},
    reading::{Place, Read},
    words::{Term, Word},
};

/// How far one part of a sentence has both what is wanted and the words of the question.
pub(super) fn in_one_part(read: &Read, question: &Question, place: &Place, above: &[f64]) -> f64 {
    let total = content(question, |_| true).max(f64::MIN_POSITIVE);
    let share = |text: &str| {
        let terms = read.words.pieces(text).filter_map(|it| read.words.term(&it.stem));
        let own = found(question, terms);
        let has = question.asked.iter().zip(own).zip(above);
        let has = has.filter(|it| it.0.0.role != Role::Frame);
        has.map(|((it, own), above)| it.weight * own.max(0.8 * above)).sum::<f64>() / total
    };
    let typed = |text: &str| match question.wants {
        Wants::Anything => 0.5,
        it => it.found(text, &question.text),
    };
    let value = |text: &str| typed(text) * (0.2 + 0.8 * share(text).min(1.0));
    parts(&place.text).into_iter().map(value).fold(0.0, f64::max)
}

/// How much of a question the part of a sentence has that has most of it, and how many new words are
/// in that part, as a logarithm: few if it only says the question again.
pub(super) fn densest_part(read: &Read, question: &Question, place: &Place) -> (f64, f64) {
    let total = content(question, |_| true).max(f64::MIN_POSITIVE);
    let of = |text: &str| {
        let words = read.words.pieces(text).filter(Word::has_meaning);
        let terms: Vec<Term> = words.filter_map(|it| read.words.term(&it.stem)).collect();
        let own = found(question, terms.iter().copied());
        let has = question.asked.iter().zip(own).filter(|it| it.0.role != Role::Frame);
        let share = has.map(|(it, own)| it.weight * own).sum::<f64>() / total;
        let new = terms.iter().filter(|it| !question.by_term.contains_key(it)).count();
        (share, count(new).ln_1p())
    };
    let all = parts(&place.text).into_iter().map(of);
    all.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))).unwrap_or_default()
}

/// How many words that are not found stand right before one that is, as `red` in `the red bin`: then
/// the sentence may be about another thing.
pub(super) fn other_things(question: &Question, near: &[f64]) -> f64 {
    let words: Vec<String> = question
        .own
        .split(|it: char| !it.is_alphanumeric() && it != '-')
        .map(str::to_lowercase)
        .collect();
    let place = |word: &String| question.asked.iter().position(|it| *it.word == **word);
    let is_other = |pair: &&[String]| {
        let (Some(first), Some(second)) = (place(&pair[0]), place(&pair[1])) else { return false };
        let before = &question.asked[first];
        let is_thing =
            |at: usize| question.asked[at].role != Role::Frame && !question.asked[at].is_light;
        near[first] < 0.5
            && near[second] > 0.5
            && is_thing(first)
            && is_thing(second)
            && !before.is_carried
    };
    count(words.windows(2).filter(is_other).count().min(2))
}

/// The parts of a sentence that say something each.
fn parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    let joints = [". ", "; ", ", ", ": ", " (", ") ", " but ", " while ", " – "];
    loop {
        let next = joints.iter().filter_map(|it| Some((rest.find(it)?, it.len()))).min();
        let Some((at, len)) = next else { break };
        let (part, after) = rest.split_at(at);
        parts.push(part);
        rest = after.get(len..).unwrap_or_default();
    }
    parts.push(rest);
    // A part of one or two words belongs to the one before.
    let whole = parts.iter().all(|it| it.split_whitespace().count() < 3);
    if whole || parts.len() > 40 {
        return vec![text];
    }
    parts
}

/// The weight of the words with a meaning that pass a test.
fn content(question: &Question, test: impl Fn(usize) -> bool) -> f64 {
    let all = question.asked.iter().enumerate();
    all.filter(|(at, it)| it.role != Role::Frame && test(*at)).map(|it| it.1.weight).sum()
}

/// How many terms a sentence has that are not in the question, as a logarithm.
pub(super) fn news(question: &Question, terms: &[(Term, u32)]) -> f64 {
    let mut new: Vec<Term> = terms.iter().map(|it| it.0).collect();
    new.retain(|it| !question.by_term.contains_key(it));
    new.sort_unstable();
    new.dedup();
    count(new.len()).ln_1p()
}

/// Whether the thing that is asked for has a word of its own next to it that the question does not
/// have, as `which kiln` has in `kiln 5` but not in `the camera, the case`: 1, or 0 if it has not. A
/// half if no thing is asked for, or if the sentence does not name it.
pub(super) fn is_specified(read: &Read, question: &Question, place: &Place) -> f64 {
    let is_asked = matches!(question.wants, Wants::Anything | Wants::Name);
    let Some(focus) = question.focus.filter(|_| is_asked) else { return 0.5 };
    let words: Vec<Word> = read.words.pieces(&place.text).collect();
    let is_focus = |it: &Word| {
        let term = read.words.term(&it.stem).and_then(|it| question.by_term.get(&it));
        term.into_iter().flatten().any(|it| it.0 == focus)
    };
    let is_new = |it: &&Word| {
        let is_asked =
            read.words.term(&it.stem).is_some_and(|it| question.by_term.contains_key(&it));
        it.has_meaning() && !is_asked
    };
    let joins = |it: &&Word| matches!(&*it.lower, "is" | "was" | "are" | "were" | "called");
    let mut best = 0.5;
    for (at, word) in words.iter().enumerate().filter(|it| is_focus(it.1)) {
        let before = at.checked_sub(1).and_then(|it| words.get(it));
        let before = before.filter(|it| it.end + 1 == word.start && is_new(it));
        let mut after = words.get(at + 1).filter(|it| word.end + 1 == it.start);
        if after.is_some_and(|it| joins(&it)) {
            after = words[at + 2..].iter().take(2).find(is_new);
        }
        let has_mark = place.text.get(word.end..).is_some_and(|it| it.starts_with([':', '=']));
        let is_told = before.is_some() || after.is_some_and(|it| is_new(&it)) || has_mark;
        if is_told {
            return 1.0;
        }
        best = 0.0;
    }
    best
}

/// What the shown sentences and their headings lack of the words of a question.
pub(super) struct Lacking {
    /// The share of the words that are not light.
    pub heavy: f64,
    /// The share of the light words.
    pub light: f64,
    /// How many words are missing that are in other places of the documents, up to three.
    pub elsewhere: f64,
    /// How many words are missing that no document has, up to three.
    pub nowhere: f64,
    /// Whether the kind of the answer is missing, as `brand` in `which brand`.
    pub attribute: f64,
    /// The rarest missing word, of 1.
    pub rarest: f64,
    /// The share of the nouns, names and numbers that were found.
    pub things: f64,
}

impl Lacking {
    pub(super) fn of(read: &Read, question: &Question, near: &[f64]) -> Self {
        let share = |test: &dyn Fn(usize) -> bool| {
            let all = content(question, test);
            if all > 0.0 { content(question, |it| test(it) && near[it] < 0.5) / all } else { 0.0 }
        };
        let asked = &question.asked;
        let is_light = |it: usize| asked[it].is_light;
        let is_missing = |it: &usize| {
            let word = &asked[*it];
            near[*it] < 0.5 && word.role != Role::Frame && !word.is_light && !word.is_carried
        };
        let missing: Vec<usize> = (0..asked.len()).filter(is_missing).collect();
        let number = |test: &dyn Fn(&usize) -> bool| {
            count(missing.iter().filter(|it| test(it)).count().min(3))
        };
        let all = asked.iter().enumerate().filter(|it| !it.1.is_carried && near[it.0] < 0.5);
        let attributes = all.filter(|it| light::is_attribute(&it.1.word)).count();
        let weights = missing.iter().map(|it| asked[*it].weight);
        Self {
            heavy: share(&|it| !is_light(it)),
            light: share(&is_light),
            elsewhere: number(&|it| !asked[*it].forms.is_empty()),
            nowhere: number(&|it| asked[*it].forms.is_empty()),
            attribute: count(attributes.min(2)),
            rarest: weights.fold(0.0, f64::max) / read.rarity(None),
            things: 1.0 - share(&|it| !is_light(it) && !asked[it].is_carried),
        }
    }
}

/// Whether a text decides a question for yes or no: it says what must, may or may not be.
pub(super) fn decides(text: &str) -> f64 {
    const DECIDING: &[&str] = &[
        "not",
        "no",
        "never",
        "only",
        "must",
        "may",
        "can",
        "cannot",
        "allowed",
        "permitted",
        "forbidden",
        "prohibited",
        "banned",
        "yes",
        "free",
        "without",
        "except",
        "unless",
        "required",
        "need",
        "compulsory",
        "optional",
        "nobody",
        "none",
        "neither",
        "nor",
        "included",
        "includes",
        "don't",
        "doesn't",
        "won't",
        "can't",
        "isn't",
        "aren't",
        "nothing",
        "always",
        "every",
        "all",
        "any",
        "nicht",
        "kein",
        "keine",
        "nur",
        "darf",
        "muss",
    ];
    let lower = text.to_lowercase().replace('’', "'");
    let mut words = lower.split(|it: char| !it.is_alphanumeric() && it != '\'');
    if words.any(|it| DECIDING.contains(&it)) { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        answers::{Source, words::Words},
        language::Language,
    };

    const TEXT: &str = "Nils: camera, binoculars.\n\nKiln 5 has no gas alarm.\n\nThe fee is 40 euros, the hall \
        was built in May.\n\nSomeone stole the bicycles.";

    fn read() -> Read {
        let sources = [Source { title: "", text: TEXT }];
        Read::of(&sources, Words::of(Language::ENGLISH), || Ok::<(), ()>(())).unwrap()
    }

    fn asked(text: &str, read: &Read) -> Question {
        Question::of(text, &[], &[], read)
    }

    #[test]
    fn which_thing_is_told_by_a_word_beside_it() {
        let read = read();
        let told = |question: &str, place: usize| {
            is_specified(&read, &asked(question, &read), &read.places[place])
        };
        assert!(told("Which kiln has no alarm?", 1) > 0.9);
        assert!(told("Which camera does Nils have?", 0) < 0.1);
        assert!((told("Who has a camera?", 2) - 0.5).abs() < 0.1);
    }

    #[test]
    fn what_is_wanted_stands_in_the_part_with_the_words() {
        let read = read();
        let part = |question: &str| {
            let question = asked(question, &read);
            in_one_part(&read, &question, &read.places[2], &vec![0.0; question.asked.len()])
        };
        assert!(part("How much is the fee?") > part("How much is the hall?"));
        assert!(densest_part(&read, &asked("zebra", &read), &read.places[2]).0 < 0.1);
    }

    #[test]
    fn lacking_words_are_told_apart() {
        let read = read();
        let lacking = |text: &str| {
            let question = asked(text, &read);
            Lacking::of(&read, &question, &vec![0.0; question.asked.len()])
        };
        let zebra = lacking("Which zebra has binoculars?");
        assert!(zebra.nowhere > 0.9 && zebra.elsewhere > 0.9 && zebra.heavy > 0.9);
        assert!(lacking("What is the salary?").attribute > 0.9);
        assert!(decides("Dogs are not allowed.") > 0.9);
        assert!(decides("The mill is red.") < 0.1);
    }

    #[test]
    fn an_unknown_word_before_a_known_one_names_another_thing() {
        let read = read();
        let question = asked("Where is the violet hall?", &read);
        let near: Vec<f64> =
            question.asked.iter().map(|it| if &*it.word == "hall" { 1.0 } else { 0.0 }).collect();
        assert!(other_things(&question, &near) > 0.9);
    }
}
