//! Pages in a text: a form feed ends a page, and a slide, a sheet or a chapter.

/// The mark between two pages.
const FORM_FEED: char = '\u{c}';

/// What stands between two pages: an empty line for all readers of text, with the mark.
pub const BREAK: &str = "\n\u{c}\n";

/// The extensions of files that always have pages, with what a page is called.
const PAGED: &[(&str, &str)] = &[
    ("pdf", "p."),
    ("pptx", "slide"),
    ("odp", "slide"),
    ("xlsx", "sheet"),
    ("xlsm", "sheet"),
    ("xlsb", "sheet"),
    ("xls", "sheet"),
    ("ods", "sheet"),
    ("epub", "chapter"),
];

fn name(path: &str) -> Option<&'static str> {
    let (_, ending) = path.rsplit_once('.')?;
    PAGED.iter().find(|(it, _)| it.eq_ignore_ascii_case(ending)).map(|(_, name)| *name)
}

/// Whether the text of a file has pages.
pub fn has_pages(path: &str, text: &str) -> bool {
    name(path).is_some() || text.contains(FORM_FEED)
}

/// The page of a position of a text that starts on the page `first`.
pub fn at(first: i64, text: &str, position: usize) -> i64 {
    let before = text.as_bytes().get(..position).unwrap_or(text.as_bytes());
    let ended = before.split(|it| *it == b'\x0c').count() - 1;
    first.saturating_add(i64::try_from(ended).unwrap_or(i64::MAX))
}

/// The page on which the text of a hit starts: that of the hit if it is a passage, whose id ends
/// in `#` and a number, and the first one if it is a document with pages.
pub fn first(page: Option<i64>, id: &str, path: &str, text: &str) -> Option<i64> {
    let number = id.rsplit_once('#').map(|(_, number)| number);
    let is_passage = number.is_some_and(|it| it.parse::<u64>().is_ok());
    page.filter(|_| is_passage).or_else(|| has_pages(path, text).then_some(1))
}

/// A page as it is cited: `p. 3`, `slide 3`.
pub fn cited(path: &str, page: i64) -> String {
    format!("{} {page}", name(path).unwrap_or("p."))
}

/// The text with an empty line between its pages instead of the mark.
pub fn without_marks(text: &str) -> String {
    text.replace(BREAK, "\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_counted_by_their_ends() {
        let text = ["one", "", "three"].join(BREAK);
        let of = |word: &str| at(1, &text, text.find(word).unwrap());
        assert_eq!((of("one"), of("three")), (1, 3));
        assert_eq!(at(5, &text, usize::MAX), 7);
        assert_eq!(without_marks("a\n\u{c}\nb"), "a\n\nb");
    }

    #[test]
    fn a_passage_starts_on_its_page_and_a_document_on_the_first() {
        assert_eq!(first(Some(3), "a.pdf#2", "a.pdf", "x"), Some(3));
        assert_eq!(first(Some(3), "a.pdf", "a.pdf", "x"), Some(1));
        assert_eq!(first(None, "a.md#2", "a.md", "x"), None);
    }

    #[test]
    fn a_page_is_named_by_its_file() {
        assert_eq!(cited("a/b.pdf", 3), "p. 3");
        assert_eq!(cited("a.zip/b.PPTX", 1), "slide 1");
        assert_eq!(cited("rfc.txt", 2), "p. 2");
        assert!(has_pages("a.pdf", "x") && has_pages("rfc.txt", "x\u{c}"));
        assert!(!has_pages("a.md", "x") && !has_pages("", ""));
    }
}
