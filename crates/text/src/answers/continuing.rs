//! Signs that a question which continues another one is answered, and about the same thing.

use super::{
    count,
    evidence::Candidate,
    question::{Follows, Question, Role},
    reading::{Place, Read},
    topics,
    words::Word,
};

/// How many signs there are.
pub(super) const SIGNS: usize = 10;

/// The signs for the best sentence. `near` is how nearly each word of the question is found in it and
/// what is shown with it, `typed` how far that has what the question wants.
pub(super) fn signs(
    read: &Read,
    question: &Question,
    best: &Candidate,
    near: &[f64],
    typed: f64,
) -> [f64; SIGNS] {
    let follows = match question.follows {
        Follows::Yes => 1.0,
        Follows::Perhaps => 0.4,
        Follows::Not => 0.0,
    };
    let has_topic = !question.topics.is_empty();
    let own = || {
        let own = question.asked.iter().zip(near);
        own.filter(|it| it.0.role != Role::Frame && !it.0.is_carried)
    };
    let number = own().count();
    let missing = own().filter(|it| *it.1 < 0.5).count();
    let [same, next, section, source, names] = topics::nearness(read, question, best.sentence);
    let related = same.max(next).max(names).max(0.7 * section);
    let is_apart = has_topic && related < 0.2;
    let is = |it: bool| f64::from(u8::from(it));
    let share = if number > 0 { count(missing) / count(number) } else { 0.0 };
    let person = is(has_topic && stands_for_person(&question.own));
    [
        follows * share,
        follows * is(number == 0),
        follows * (typed - 0.5),
        follows * same,
        follows * is(is_apart),
        follows * (source - related).max(0.0),
        person * (1.0 - same.max(names).max(next)),
        other_names(read, question, best, near),
        is(question.follows == Follows::Yes) * count(missing.min(2)),
        follows * same * share,
    ]
}

/// Whether a question has a word such as `he` that stands for a person.
fn stands_for_person(text: &str) -> bool {
    const WORDS: &[&str] = &["he", "she", "him", "her", "his", "hers"];
    let lower = text.to_lowercase();
    lower.split(|it: char| !it.is_alphanumeric()).any(|it| WORDS.contains(&it))
}

/// How many names of a question, which the documents have, are missing where a sentence has other
/// names instead: then it may be about somebody else.
fn other_names(read: &Read, question: &Question, best: &Candidate, near: &[f64]) -> f64 {
    let is_missing = |it: usize| {
        let asked = &question.asked[it];
        asked.role == Role::Name && !asked.is_carried && !asked.forms.is_empty() && near[it] < 0.5
    };
    let missing = (0..near.len()).filter(|it| is_missing(*it)).count();
    let has_others = has_other_name(read, question, &read.places[best.sentence]);
    if has_others { count(missing.min(2)) } else { 0.0 }
}

fn has_other_name(read: &Read, question: &Question, place: &Place) -> bool {
    let words: Vec<Word> = read.words.pieces(&place.text).collect();
    words.iter().any(|it| {
        let term = read.words.term(&it.stem);
        let is_name = term.is_some_and(|it| {
            let known = &read.words.known[it as usize];
            known.count > 0 && known.capitals * 10 > known.count * 9
        });
        it.is_capital && is_name && !term.is_some_and(|it| question.by_term.contains_key(&it))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_words_stand_for_persons() {
        assert!(stands_for_person("And where was he born?"));
        assert!(!stands_for_person("And where is the other one?"));
    }
}
