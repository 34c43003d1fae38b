//! The part of a text that best shows why it was found.

use std::ops::Range;

use svc_text::language::Language;

use super::analyzer;

/// The approximate length of a snippet, in bytes.
const LENGTH: usize = 200;

/// The length of the beginning of a text that is searched for words, in bytes.
const WITHIN: usize = 256 << 10;

/// Returns the window with the most distinct words of `terms`, each in `**`. White space becomes
/// one space; `…` marks text that was cut off.
pub(super) fn of(language: Language, text: &str, terms: &[String]) -> String {
    let text_within = &text[..text.floor_char_boundary(WITHIN)];
    let found = matches(language, text_within, terms);
    let window = window(text, &found);
    let mut marked = String::new();
    let mut at = window.start;
    for word in found.iter().map(|it| &it.place) {
        if word.start >= at && word.end <= window.end {
            marked.push_str(&text[at..word.start]);
            marked.push_str("**");
            marked.push_str(&text[word.clone()]);
            marked.push_str("**");
            at = word.end;
        }
    }
    marked.push_str(&text[at..window.end]);
    let line = marked.split_whitespace().collect::<Vec<_>>().join(" ");
    let before = if text[..window.start].trim().is_empty() { "" } else { "… " };
    let after = if text[window.end..].trim().is_empty() { "" } else { " …" };
    format!("{before}{line}{after}")
}

/// Where the words are that a snippet shows, in bytes.
pub(super) fn place(language: Language, text: &str, terms: &[String]) -> usize {
    let text = &text[..text.floor_char_boundary(WITHIN)];
    best(&matches(language, text, terms)).map_or(0, |it| it.start)
}

/// A matching word of the text.
struct Match {
    place: Range<usize>,
    term: usize,
}

/// The words whose stems are among the sorted `terms`.
fn matches(language: Language, text: &str, terms: &[String]) -> Vec<Match> {
    let found = analyzer::terms(language, text)
        .filter_map(|(place, term)| Some(Match { place, term: terms.binary_search(&term).ok()? }));
    found.collect()
}

/// The part to show: around the most significant matches, bounded by white space.
fn window(text: &str, found: &[Match]) -> Range<usize> {
    let core = best(found).unwrap_or(0..0);
    let spare = LENGTH.saturating_sub(core.len());
    let start = text.floor_char_boundary(core.start.saturating_sub(spare / 2));
    let end = text.ceil_char_boundary((start + LENGTH).max(core.end).min(text.len()));
    let start = match text[start..core.start].find(char::is_whitespace) {
        Some(blank) if start > 0 => start + blank,
        _ if start > 0 => core.start,
        _ => 0,
    };
    let end = match text[core.end..end].rfind(char::is_whitespace) {
        Some(blank) if end < text.len() => core.end + blank,
        _ => end,
    };
    start..end
}

/// The span from the first to the last of the matches that fit into a snippet and have the most
/// distinct words, then the most words; the earliest among equals.
fn best(found: &[Match]) -> Option<Range<usize>> {
    let rate = |first: usize| {
        let start = found[first].place.start;
        let fit = found[first..].iter().take_while(|it| it.place.end - start <= LENGTH);
        let fit: Vec<&Match> = fit.collect();
        let mut terms: Vec<usize> = fit.iter().map(|it| it.term).collect();
        terms.sort_unstable();
        terms.dedup();
        let end = fit.last().map_or(found[first].place.end, |it| it.place.end);
        ((terms.len(), fit.len()), start..end)
    };
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    for first in 0..found.len() {
        let (rating, place) = rate(first);
        if best.as_ref().is_none_or(|(most, _)| rating > *most) {
            best = Some((rating, place));
        }
    }
    best.map(|(_, place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(text: &str, words: &[&str]) -> String {
        let mut terms: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
        terms.sort_unstable();
        of(Language::ENGLISH, text, &terms)
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        assert_eq!(snippet("Cats\n\nlike a cat.", &["cat"]), "**Cats** like a **cat**.");
        assert_eq!(snippet("", &["cat"]), "");
        assert_eq!(snippet("no match", &["cat"]), "no match");
    }

    #[test]
    fn the_window_with_most_words_wins() {
        let gap = "lorem ".repeat(100);
        let text = format!("one {gap} one two {gap} two");
        let shown = snippet(&text, &["one", "two"]);
        assert!(shown.contains("**one** **two**"), "{shown}");
        assert!(shown.starts_with("… lorem") && shown.ends_with("lorem …"), "{shown}");
        assert!(shown.len() < LENGTH + 20, "{shown}");
    }

    #[test]
    fn letters_are_never_cut() {
        let text = format!("{} cat {}", "é".repeat(301), "ü".repeat(301));
        assert_eq!(snippet(&text, &["cat"]), "… **cat** …");
        let long = "é".repeat(400);
        assert!(snippet(&long, &[]).ends_with('…'));
    }
}
