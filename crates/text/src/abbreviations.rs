//! Words whose full stop does not end a sentence, or not always.

/// The text that may follow an abbreviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abbreviation {
    /// Another word always follows: `Dr.`, `e.g.`
    Title,
    /// A number may follow: `Fig. 3`; otherwise it is an ordinary word.
    Numbered,
    /// It may be the last word of a sentence: `etc.`, `Inc.`
    Tail,
}

const TITLES: &[&str] = &[
    "adm", "approx", "capt", "cf", "col", "dr", "e.g", "eg", "gen", "gov", "hon", "i.e", "ie",
    "incl", "lt", "maj", "messrs", "mr", "mrs", "ms", "prof", "rep", "resp", "rev", "sen", "sgt",
    "st", "viz", "vs",
];

const NUMBERED: &[&str] = &[
    "apr", "art", "aug", "ch", "chap", "dec", "eq", "eqs", "feb", "fig", "figs", "jan", "jul",
    "jun", "mar", "no", "nos", "nov", "nr", "oct", "p", "pp", "ref", "refs", "sec", "sect", "sep",
    "sept", "tab", "v", "ver", "vol", "vols",
];

const TAILS: &[&str] = &[
    "a.m", "al", "bros", "co", "corp", "dept", "ed", "eds", "est", "etc", "inc", "jr", "ltd",
    "p.m", "ph.d", "sr",
];

/// Classifies `word`, without its last full stop, as an abbreviation.
pub(super) fn abbreviation(word: &str) -> Option<Abbreviation> {
    let is_in = |list: &[&str]| list.iter().any(|it| it.eq_ignore_ascii_case(word));
    if word.len() > 6 {
        None
    } else if is_in(TITLES) {
        Some(Abbreviation::Title)
    } else if is_in(NUMBERED) {
        Some(Abbreviation::Numbered)
    } else if is_in(TAILS) {
        Some(Abbreviation::Tail)
    } else {
        None
    }
}
