//! What a question asks for, and in which words.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ages, extremes, irregular,
    kinds::Wants,
    light,
    reading::Read,
    spelling::spelled,
    synonyms::{self, is_form},
    topics::Topic,
    words::{Term, Word},
};
use crate::{
    claims::{named, numeral, related},
    language::Language,
};

/// What a word of a question is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Name,
    Number,
    Word,
    /// A word that forms questions, such as `kind` or `called`.
    Frame,
}

/// A word of a question.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub word: Box<str>,
    pub weight: f64,
    pub role: Role,
    /// Whether it is the new word of a question that continues another one.
    pub is_new: bool,
    /// Whether it is a word of the question before.
    pub is_carried: bool,
    /// Whether a document may well say it in other words.
    pub is_light: bool,
    /// The terms that mean the same, and how nearly, up to 1.
    pub forms: Vec<(Term, f64)>,
}

/// A question, as it is looked for in documents.
pub(super) struct Question {
    /// With the question before, if it continues it.
    pub text: String,
    /// Without it.
    pub own: String,
    pub asked: Vec<Asked>,
    pub wants: Wants,
    /// The word that says what kind of thing is asked for: `river` in `which river`.
    pub focus: Option<usize>,
    /// The words that each term stands for.
    pub by_term: BTreeMap<Term, Vec<(usize, f64)>>,
    /// What the earlier questions were about, the last one last.
    pub topics: Vec<Topic>,
    /// Whether it makes sense only after another one.
    pub follows: Follows,
    /// Whether it is about now (1) or before (-1).
    pub when: f64,
    /// The rows with the highest or lowest number, if it asks for it.
    pub extremes: BTreeSet<usize>,
}

/// How far a question depends on the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follows {
    /// It is whole.
    Not,
    /// It is short, and may be whole.
    Perhaps,
    /// It has a pronoun or begins with `and`.
    Yes,
}

/// Words that form a question and need not be in an answer.
pub(super) const FRAMES: &str = "kind type sort name names called call many much long often happen happened \
    say said mean means meaning term word refer refers describe described known main different \
    number amount person people thing things example list tell explain give given according \
    document documents file files text article information find show please there exactly \
    think someone something anyone anything else way ways get got make made become one time year \
    date day place located location happens work works use used old tall high far large big deep wide heavy \
    fast today now currently end case done yet back wrong go goes going come comes back able possible \
    allowed want wants need needs somebody family lately recently \
    like look looks always simply mind finally completely actually really just else everything \
    anybody everybody nobody none isnt dont doesnt didnt wasnt cant wont whats whos wheres hows \
    didn doesn isn aren wasn weren won wouldn couldn shouldn don ve re ll whose within will would \
    shall might could should supposed let still yet ever altogether normal normally usual usually \
    moment new last first next best arrangement concerning regarding about total overall whole \
    out up down off put take takes took taken give gives gave given know knows knew remind wonder wondering \
    ask asking wanna lemme hey roughly approximately nowadays presently onto upon whilst us mine ours yours hers theirs myself yourself ourselves wen wat waht wich hwo heißt hieß name viel viele jahr llama llamaba nombre año cuántos \
    cuántas";

/// A word of a question without an answer of its own weighs less.
const FRAME_WEIGHT: f64 = 0.35;
const CARRIED_WEIGHT: f64 = 0.7;
const NEW_WEIGHT: f64 = 1.5;
/// A common word that no document has weighs less.
const LIGHT_WEIGHT: f64 = 0.35;
const NAME_WEIGHT: f64 = 1.3;
/// How nearly a compound means the same as its last part.
const COMPOUND: f64 = 0.45;

impl Question {
    pub(super) fn of(text: &str, before: &[&str], topics: &[Topic], read: &Read) -> Self {
        let mut question = Self::without_rows(text, before, topics, read);
        question.extremes = extremes::rows(read, &question);
        question
    }

    fn without_rows(text: &str, before: &[&str], topics: &[Topic], read: &Read) -> Self {
        let text = &*spelled(text, &read.words);
        let mut words = words(text, read);
        // What the documents know nothing of cannot be continued.
        let known = before.iter().rev().filter(|it| is_known(it, read));
        let last = known.clone().find(|it| is_question(it)).or(known.clone().next());
        let mut wants = Wants::of(text);
        let mut full = text.to_owned();
        let follows = depends(text, &words);
        let when = ages::asked(text);
        if let Some(last) = last
            && follows != Follows::Not
        {
            let last = &*spelled(last, &read.words);
            let has = |role| words.iter().any(|it: &(Word, Role)| it.1 == role);
            let (has_name, has_number) = (has(Role::Name), has(Role::Number));
            let is_replaced =
                |role: Role| role == Role::Name && has_name || role == Role::Number && has_number;
            let carried = self::words(last, read).into_iter();
            let known: Vec<Box<str>> = words.iter().map(|it| it.0.stem.clone()).collect();
            let carried: Vec<(Word, Role)> =
                carried.filter(|it| !is_replaced(it.1) && !known.contains(&it.0.stem)).collect();
            if wants == Wants::Anything && begins_short(text) {
                wants = Wants::of(last);
            }
            full = format!("{last} {text}");
            let own = words.len();
            words.extend(carried);
            return Self {
                own: text.to_owned(),
                topics: topics.to_vec(),
                follows,
                when,
                ..Self::made(full, words, own, wants, read)
            };
        }
        let own = words.len();
        Self {
            own: text.to_owned(),
            topics: topics.to_vec(),
            follows,
            when,
            ..Self::made(full, words, own, wants, read)
        }
    }

    fn made(text: String, words: Vec<(Word, Role)>, own: usize, wants: Wants, read: &Read) -> Self {
        let mut asked: Vec<Asked> = Vec::new();
        let count = words.len();
        for (idx, (word, role)) in words.into_iter().enumerate() {
            if asked.iter().any(|it| it.word == word.lower) {
                continue;
            }
            let forms = forms(&word, role, read);
            let best = forms.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|it| it.0);
            let rarity = read.rarity(best);
            let is_carried = idx >= own;
            let factor = match role {
                Role::Frame => FRAME_WEIGHT,
                Role::Name | Role::Number => NAME_WEIGHT,
                Role::Word => 1.0,
            } * if is_carried { CARRIED_WEIGHT } else { 1.0 };
            let is_new = !is_carried && own < count;
            let is_light = role == Role::Word && light::is_light(&word.lower);
            let light = if is_light && forms.is_empty() { LIGHT_WEIGHT } else { 1.0 };
            let weight = rarity * factor * light * if is_new { NEW_WEIGHT } else { 1.0 };
            asked.push(Asked {
                word: word.lower,
                weight,
                role,
                is_new,
                is_carried,
                is_light,
                forms,
            });
        }
        let mut by_term: BTreeMap<Term, Vec<(usize, f64)>> = BTreeMap::new();
        for (idx, it) in asked.iter().enumerate() {
            for (term, quality) in &it.forms {
                by_term.entry(*term).or_default().push((idx, *quality));
            }
        }
        let focus = focus(&text, &asked);
        let (topics, follows, when) = (Vec::new(), Follows::Not, 0.0);
        let own = String::new();
        let extremes = BTreeSet::new();
        Self { text, own, asked, wants, focus, by_term, topics, follows, when, extremes }
    }

    pub(super) fn total(&self) -> f64 {
        self.asked.iter().map(|it| it.weight).sum::<f64>().max(f64::MIN_POSITIVE)
    }

    /// Whether it asks for one of several.
    pub(super) fn is_which(&self) -> bool {
        let lower = self.own.to_lowercase();
        lower.split(|it: char| !it.is_alphanumeric()).any(|it| matches!(it, "which" | "welche"))
    }

    /// Whether several things or steps answer it.
    pub(super) fn wants_list(&self) -> bool {
        const ASKING: &[&str] = &[
            "what are",
            "which are",
            "who are",
            "list",
            "steps",
            "step by step",
            "how do",
            "how to",
            "how can",
            "how should",
            "what should",
            "what do i",
            "what must",
            "what goes",
            "included",
            "what belongs",
            "what counts",
            "ingredients",
            "options",
            "requirements",
            "procedure",
            "instructions",
            "what does it include",
            "what is needed",
            "what do you need",
            "everything",
            "all the",
        ];
        let lower = self.own.to_lowercase();
        let is_whole = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
        let asks = |it: &&str| lower.match_indices(it).any(|(at, _)| is_whole(at));
        ASKING.iter().any(asks) || asks_plural(&lower)
    }

    /// Whether it can be answered with yes or no.
    pub(super) fn is_yes_no(&self) -> bool {
        const BEGINNINGS: &[&str] = &[
            "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "can", "could",
            "may", "must", "should", "will", "would", "ist", "sind", "war", "hat", "haben", "kann",
            "darf", "muss", "wird",
        ];
        let lower = self.own.to_lowercase();
        let mut words = lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
        words
            .find(|it| !matches!(*it, "and" | "but" | "so"))
            .is_some_and(|it| BEGINNINGS.contains(&it))
    }

    pub(super) fn unknown(&self) -> Vec<String> {
        let is_unknown =
            |it: &&Asked| it.forms.is_empty() && !it.is_carried && it.role != Role::Frame;
        let unknown = self.asked.iter().filter(is_unknown);
        unknown.map(|it| it.word.clone().into()).collect()
    }
}

/// Whether a question in lower case asks which of several things, as in `which tests are there`.
fn asks_plural(lower: &str) -> bool {
    let mut words = lower.split(|it: char| !it.is_alphanumeric()).filter(|it| !it.is_empty());
    let is_asking = |it: &str| matches!(it, "which" | "what" | "whose");
    words.any(is_asking) && {
        let named: Vec<&str> = words.take(3).collect();
        let is_plural = |it: &&&str| it.len() > 3 && it.ends_with('s') && !it.ends_with("ss");
        let first_verb = named.iter().position(|it| FINITE.contains(it)).unwrap_or(named.len());
        named[..first_verb].iter().any(|it| is_plural(&it))
    }
}

/// Words that end what is asked for in `which tests are there`.
const FINITE: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "may", "must", "has", "have", "had",
    "will", "of", "in", "for", "to", "on", "at",
];

/// Whether the documents have most words of a question.
pub(super) fn is_known(text: &str, read: &Read) -> bool {
    let words: Vec<(Word, Role)> =
        words(text, read).into_iter().filter(|it| it.1 != Role::Frame).collect();
    let found = words.iter().filter(|it| !forms(&it.0, it.1, read).is_empty()).count();
    found * 2 > words.len()
}

fn is_question(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？'])
}

/// The words of a question with a meaning, and what they are.
fn words(text: &str, read: &Read) -> Vec<(Word, Role)> {
    let frames: Vec<&str> = FRAMES.split_whitespace().collect();
    let named: Vec<String> =
        named(text).into_iter().filter_map(|it| Some(text.get(it.0)?.to_lowercase())).collect();
    let is_all_capital = !text.contains(char::is_lowercase);
    let pieces = read.words.pieces(text).filter(|it| it.has_meaning() || is_numeral(&it.lower));
    // In `how thin is it`, the second word says only what is to be measured.
    let hows: Vec<u32> =
        read.words.pieces(text).filter(|it| &*it.lower == "how").map(|it| it.at + 1).collect();
    let role = |it: &Word| {
        let known = read.words.term(&it.stem).map(|it| &read.words.known[it as usize]);
        // Every German noun has a capital.
        let has_capitals = read.words.language.code() != "de";
        let is_name_here = has_capitals && it.is_capital && it.at > 0 && !is_all_capital;
        let is_often_lower = known.is_some_and(|it| it.count > 2 && it.capitals * 2 < it.count);
        let is_mostly_name =
            has_capitals && known.is_some_and(|it| it.count > 1 && it.capitals * 10 > it.count * 9);
        match () {
            () if it.lower.contains(|it: char| it.is_ascii_digit()) => Role::Number,
            () if is_mostly_name || is_name_here && !is_often_lower => Role::Name,
            () if has_capitals
                && it.is_capital
                && named.iter().any(|name| name.starts_with(&*it.lower)) =>
            {
                Role::Name
            }
            () if frames.contains(&&*it.lower) || hows.contains(&it.at) => Role::Frame,
            () => Role::Word,
        }
    };
    let mut all: Vec<(Word, Role)> = pieces.map(|it| (it.clone(), role(&it))).collect();
    if all.is_empty() {
        let pieces = read.words.pieces(text);
        all = pieces.map(|it| (it, Role::Frame)).collect();
    }
    all
}

fn is_numeral(word: &str) -> bool {
    numeral(word).is_some() && !matches!(word, "a" | "an" | "one")
}

/// Whether a question makes sense only after another one.
fn depends(text: &str, words: &[(Word, Role)]) -> Follows {
    const PRONOUNS: &[&str] = &[
        "he", "she", "it", "they", "him", "her", "them", "his", "its", "their", "there", "that",
        "this", "these", "those", "then", "er", "sie", "es", "ihr", "sein", "seine", "dort", "él",
        "ella", "su", "ellos", "allí",
    ];
    let lower = text.to_lowercase();
    let has_pronoun =
        lower.split(|it: char| !it.is_alphanumeric()).any(|it| PRONOUNS.contains(&it));
    let content = words.iter().filter(|it| it.1 != Role::Frame).count();
    let has_name = words.iter().any(|it| it.1 == Role::Name);
    match () {
        () if begins_short(text) && content <= 3
            || content == 0
            || has_pronoun && !has_name && content <= 5 =>
        {
            Follows::Yes
        }
        () if has_pronoun || content <= 2 && !has_name => Follows::Perhaps,
        () => Follows::Not,
    }
}

fn begins_short(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "and ",
        "what about",
        "how about",
        "but ",
        "or ",
        "also ",
        "und ",
        "was ist mit",
        "y ",
        "¿y ",
        "qué tal",
        "那",
        "还有",
        "so ",
    ];
    let lower = text.trim().to_lowercase();
    BEGINNINGS.iter().any(|it| lower.starts_with(it))
}

/// The terms of the documents that mean the same as a word.
fn forms(word: &Word, role: Role, read: &Read) -> Vec<(Term, f64)> {
    let mut forms: Vec<(Term, f64)> = Vec::new();
    if let Some(term) = read.words.term(&word.stem) {
        forms.push((term, 1.0));
    }
    let add = |forms: &mut Vec<(Term, f64)>, term: Term, quality: f64| {
        if forms.iter().all(|it| it.0 != term) {
            forms.push((term, quality));
        }
    };
    if let Some(value) = numeral(&word.lower) {
        for (term, known) in (0..).zip(&read.words.known) {
            if known.words.iter().any(|it| numeral(it) == Some(value)) {
                add(&mut forms, term, 1.0);
            }
        }
        return forms;
    }
    if role == Role::Number {
        return forms;
    }
    let related = related(&word.lower);
    let said = synonyms::said_for(&word.lower);
    let irregular: Vec<&str> = irregular::forms(&word.lower).collect();
    for (term, known) in (0..).zip(&read.words.known) {
        let is_synonym = |it: &str| {
            said.iter()
                .any(|base| base.as_bytes().first() == it.as_bytes().first() && is_form(it, base))
        };
        let is_form = |it: &str| irregular.iter().any(|form| irregular::is_of(it, form));
        if known.words.iter().any(|it| is_compared(&word.lower, it) || is_form(it)) {
            add(&mut forms, term, 0.9);
        } else if known
            .words
            .iter()
            .any(|it| related(it) || is_synonym(it) || is_derived(&word.lower, it))
        {
            add(&mut forms, term, 0.7);
        }
    }
    if forms.is_empty() && read.words.language == Language::ENGLISH {
        for (term, known) in (0..).zip(&read.words.known) {
            if known.words.iter().any(|it| is_compound(&word.lower, it)) {
                add(&mut forms, term, COMPOUND);
            }
        }
    }
    forms
}

/// Whether one word ends with the other and says of which kind it is, as `songbooks` and `books`.
fn is_compound(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        let kind = long
            .strip_suffix(short)
            .or(long.strip_suffix('s').and_then(|it| it.strip_suffix(short)));
        short.len() > 3 && !light::is_light(short) && kind.is_some_and(|it| it.len() > 2)
    };
    ends(one, other) || ends(other, one)
}

/// Whether one word is the comparative or superlative of the other.
fn is_compared(one: &str, other: &str) -> bool {
    let ends = |long: &str, short: &str| {
        short.len() > 2
            && long.strip_prefix(short).is_some_and(|it| matches!(it, "er" | "est" | "r" | "st"))
    };
    ends(one, other) || ends(other, one)
}

/// Whether two words have the same beginning and differ in their ending, such as `invent` and
/// `invention`.
fn is_derived(one: &str, other: &str) -> bool {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    let longest = one.len().max(other.len());
    same >= 5 && same * 100 >= longest * 65 && longest - same <= 5 && one.is_char_boundary(same)
}

/// The word that says what kind of thing is asked for: the one behind `which`, or the head of what
/// follows `what is the`.
fn focus(text: &str, asked: &[Asked]) -> Option<usize> {
    const ASKING: &[&str] = &["what", "which", "many", "much"];
    const IS: &[&str] = &["is", "was", "are", "were", "'s"];
    const ENDS: &[&str] = &[
        "of", "for", "in", "on", "at", "to", "by", "from", "with", "that", "who", "which", "when",
        "after", "before", "during", "did", "does", "do", "is", "was", "are", "were", "has",
        "have", "had", "can", "could", "would", "should", "will", "between", "as", "into", "per",
        "under",
    ];
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|it: char| !it.is_alphanumeric() && it != '-')
        .filter(|it| !it.is_empty())
        .collect();
    let place = |word: &str| asked.iter().position(|it| &*it.word == word);
    let at = words.iter().rposition(|it| ASKING.contains(it));
    if let Some(at) = at
        && words.get(at + 1).is_some_and(|it| !ENDS.contains(it))
    {
        let phrase = words[at + 1..].iter().take_while(|it| !ENDS.contains(it)).take(4);
        let near: Vec<usize> = phrase.filter_map(|it| place(it)).collect();
        return near.first().copied();
    }
    let at = words.iter().position(|it| IS.contains(it))?;
    let phrase = words[at + 1..].iter().take_while(|it| !ENDS.contains(it)).take(6);
    phrase.filter_map(|it| place(it)).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compounds_end_with_what_they_are() {
        assert!(is_compound("songbooks", "book") && is_compound("boat", "sailboat"));
        assert!(!is_compound("cook", "book") && !is_compound("ebook", "book"));
    }
}
