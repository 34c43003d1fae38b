//! The long explanation of each code: the entries of the book's chapter on errors.
//!
//! The chapter is their only source, so the book and `svc explain` never differ. An entry is
//! a heading `### E203: title`, a comment with phrasings of users, prose, a fence with a wrong script, and a fence with the
//! corrected one.

const CHAPTER: &str = include_str!("../../../../docs/errors.md");

/// Precedes the phrasings of users, which are a comment at the start of an entry.
const ASKED: &str = "<!-- asked as:";

/// The explanation of a code, with a wrong script and its correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explanation {
    pub code: &'static str,
    pub title: &'static str,
    /// Phrasings in which users ask for it, separated by semicolons.
    asked: &'static str,
    /// Markdown: paragraphs with `code` in them.
    pub meaning: &'static str,
    pub wrong: Sample,
    pub right: Sample,
}

/// A script as shown in the chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The info string of the fence: `svc`, `svc,error E203`, or `text` for a sample that needs
    /// more than a script.
    pub info: &'static str,
    pub text: &'static str,
}

impl Explanation {
    /// All entries, in the order of the chapter.
    pub fn all() -> impl Iterator<Item = Self> {
        CHAPTER.split("\n### ").skip(1).filter_map(Self::read)
    }

    /// The entry of a code, in upper or lower case.
    pub fn find(code: &str) -> Option<Self> {
        Self::all().find(|it| it.code.eq_ignore_ascii_case(code))
    }

    /// Phrasings in which users ask for it.
    pub fn says(&self) -> impl Iterator<Item = &'static str> {
        self.asked.split(';').map(str::trim)
    }

    /// Parses a section after its `### `; returns `None` for other headings of this level.
    fn read(section: &'static str) -> Option<Self> {
        let (heading, body) = section.split_once('\n')?;
        let (code, title) = heading.split_once(": ")?;
        let (asked, body) = body.split_once(ASKED)?.1.split_once("-->")?;
        let (meaning, samples) = body.split_once("\n```")?;
        let (wrong, samples) = Sample::read(samples)?;
        let (_, samples) = samples.split_once("\n```")?;
        let (right, _) = Sample::read(samples)?;
        Some(Self { code, title, asked, meaning: meaning.trim(), wrong, right })
    }
}

impl Sample {
    /// Parses a fence after its three backticks, and returns the text after the fence.
    fn read(text: &'static str) -> Option<(Self, &'static str)> {
        let (info, text) = text.split_once('\n')?;
        let (text, rest) = text.split_once("\n```")?;
        Some((Self { info, text }, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Code, Explanation};

    #[test]
    fn every_code_has_its_entry_in_order() {
        let entries: Vec<_> = Explanation::all().map(|it| (it.code, it.title)).collect();
        let codes: Vec<_> = Code::ALL.iter().map(|it| (it.as_str(), it.title())).collect();
        assert_eq!(entries, codes, "docs/errors.md has an entry for each code");
    }

    #[test]
    fn an_entry_says_more_than_the_title() {
        for it in Explanation::all() {
            assert!(it.meaning.contains("\n\n"), "{}: the cause, then what to do", it.code);
            assert!(it.meaning.len() > 120, "{}: {}", it.code, it.meaning);
            assert_ne!(it.wrong.text, it.right.text, "{}", it.code);
        }
    }

    #[test]
    fn case_does_not_matter() {
        assert_eq!(Explanation::find("e203"), Explanation::find("E203"));
        assert_eq!(Explanation::find("E203").map(|it| it.code), Some("E203"));
        assert_eq!(Explanation::find("E999"), None);
    }
}
