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
    "st", "viz", "vs", //
    // German, Spanish, French, Italian, Russian
    "bzw", "chr", "d.h", "evtl", "geb", "ggf", "inkl", "sog", "vgl", "z.b", "dña", "sr", "sra",
    "srta", "ud", "uds", "dott", "mlle", "mme", "sig", "sigra", "т.е", "ул",
];

const NUMBERED: &[&str] = &[
    "abb", "abs", "apr", "art", "aug", "bd", "ca", "cap", "ch", "chap", "dec", "eq", "eqs", "feb",
    "fig", "figs", "jan", "jul", "jun", "mar", "no", "nos", "nov", "nr", "núm", "oct", "p", "pp",
    "pág", "págs", "ref", "refs", "rif", "sec", "sect", "sep", "sept", "tab", "v", "ver", "vol",
    "vols", "рис", "стр",
];

const TAILS: &[&str] = &[
    "a.m", "al", "bros", "co", "corp", "dept", "ed", "eds", "est", "etc", "inc", "jr", "ltd",
    "p.m", "ph.d", "u.a", "usf", "usw", "г", "гг", "др", "млн", "млрд", "пр", "руб", "тыс",
];

/// The nouns that follow German ordinals most often.
const AFTER_ORDINALS: &str = "Abschnitt Absatz April Artikel Auflage August Band Dezember Etage \
    Februar Geburtstag Januar Jahrestag Jahrhundert Jahrhunderts Jahrtausend Jh Jhd Juli Juni \
    Jänner Kapitel Klasse Lebensjahr Liga Mai März November Oktober Platz Quartal Rang Runde \
    September Stock Tag Weltkrieg Woche";

/// Whether a German noun often follows an ordinal, as in `3. Oktober`.
pub(super) fn follows_ordinals(noun: &str) -> bool {
    AFTER_ORDINALS.split_whitespace().any(|it| it == noun)
}

/// Classifies `word`, without its last full stop, as an abbreviation.
pub(super) fn abbreviation(word: &str) -> Option<Abbreviation> {
    let is_in = |list: &[&str]| list.iter().any(|it| it.eq_ignore_ascii_case(word));
    if word.len() > 8 {
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
