//! The part of a text that shows why it was found.

use std::ops::Range;

use super::{
    plain::plain,
    sentences::sentences,
    stems::{Term, Vocabulary},
};

/// The length limit of a snippet in bytes, without its marks.
const LONGEST: usize = 240;

/// Returns the sentence of `text` with most of the words of `query`, which are marked with `**`; if
/// no sentence has any of them, the lines around the first one, or the beginning of the text.
pub fn snippet(text: &str, query: &str) -> String {
    let mut words = Vocabulary::default();
    let asked = words.question(query);
    let found = best_sentence(text, &asked, &mut words)
        .or_else(|| environment(text, &asked, &mut words))
        .or_else(|| sentences(text).next())
        .unwrap_or(0..text.len());
    let end = text.floor_char_boundary(found.end.min(found.start.saturating_add(4 * LONGEST)));
    let shown = plain(text.get(found.start..end).unwrap_or_default());
    mark(&shown, &asked, &mut words)
}

fn best_sentence(text: &str, asked: &[Term], words: &mut Vocabulary) -> Option<Range<usize>> {
    let mut best = None;
    let mut most = 0;
    for sentence in sentences(text) {
        let terms = words.read(text.get(sentence.clone())?).map(|it| it.term);
        let mut matched: Vec<Term> = terms.filter(|it| asked.binary_search(it).is_ok()).collect();
        matched.sort_unstable();
        matched.dedup();
        if matched.len() > most {
            most = matched.len();
            best = Some(sentence);
        }
    }
    best
}

/// The lines around the first word of the query, for words in headings, code and tables.
fn environment(text: &str, asked: &[Term], words: &mut Vocabulary) -> Option<Range<usize>> {
    let word = words.read(text).find(|it| asked.binary_search(&it.term).is_ok())?.range;
    let near = text.ceil_char_boundary(word.start.saturating_sub(LONGEST));
    let line = text.get(near..word.start)?.rfind('\n');
    Some(line.map_or(near, |it| near + it + 1)..text.len())
}

/// The window of `text` around its first word of the query, with all such words in `**`.
fn mark(text: &str, asked: &[Term], words: &mut Vocabulary) -> String {
    let found: Vec<Range<usize>> = words
        .read(text)
        .filter(|it| asked.binary_search(&it.term).is_ok())
        .map(|it| it.range)
        .collect();
    let window = window(text, found.first().map_or(0, |it| it.start));
    let mut out = String::with_capacity(window.len() + 4 * found.len() + 6);
    out.push_str(if window.start > 0 { "…" } else { "" });
    let mut at = window.start;
    for word in found.into_iter().filter(|it| window.start <= it.start && it.end <= window.end) {
        let (before, marked) = (text.get(at..word.start), text.get(word.clone()));
        out.extend([before.unwrap_or_default(), "**", marked.unwrap_or_default(), "**"]);
        at = word.end;
    }
    out.push_str(text.get(at..window.end).unwrap_or_default());
    out.push_str(if window.end < text.len() { "…" } else { "" });
    out
}

/// A window of at most [`LONGEST`] bytes around `focus`, cut between words.
fn window(text: &str, focus: usize) -> Range<usize> {
    if text.len() <= LONGEST {
        return 0..text.len();
    }
    let early = focus.saturating_sub(LONGEST / 3).min(text.len() - LONGEST);
    let start = match text.get(text.ceil_char_boundary(early)..focus) {
        Some(part) if early > 0 => focus - part.len() + part.find(' ').map_or(0, |it| it + 1),
        _ => 0,
    };
    let end = text.floor_char_boundary((start + LONGEST).min(text.len()));
    let space =
        if end < text.len() { text.get(focus..end).and_then(|it| it.rfind(' ')) } else { None };
    start..space.map_or(end, |it| focus + it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matched_words_are_marked() {
        let text = "# Top\nNothing here. **Budgets** are [enforced](x) by a budget ledger.";
        assert_eq!(
            snippet(text, "how is a budget enforced?"),
            "**Budgets** are **enforced** by a **budget** ledger."
        );
        assert_eq!(snippet("One. Two.", "three"), "One.");
        assert_eq!(snippet("One. Two.\n```\nlet three = 3;\n```", "three"), "let **three** = 3;");
        assert_eq!(snippet("", "three"), "");
    }

    #[test]
    fn long_text_is_cut_between_words() {
        let text = format!("{} needle {}", "hay ".repeat(100), "straw ".repeat(100));
        let shown = snippet(&text, "needles");
        assert!(shown.starts_with("…hay ") && shown.ends_with("straw…"), "{shown}");
        assert!(shown.contains("**needle**") && shown.len() < LONGEST + 20, "{shown}");
        let wide = "ü".repeat(5_000);
        assert!(snippet(&wide, "ü").len() < LONGEST + 20);
    }
}
