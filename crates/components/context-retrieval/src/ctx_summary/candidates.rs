//! The sentences that a summary can be made of.

use std::{ops::Range, rc::Rc};

use svc_contract::registry::{Cx, OpError};
use svc_text::{
    blocks::{Block, Kind, blocks},
    plain::plain,
    sentences::split,
    stems::{Term, Vocabulary, words},
};

use super::{input::Document, pattern::Pattern};

/// The maximum number of sentences that are compared with each other.
const MOST: usize = 1_000;

/// A sentence, ready to be compared and shown.
#[derive(Clone, Debug)]
pub(super) struct Sentence {
    pub doc: usize,
    /// Its position in the document, in bytes.
    pub at: usize,
    pub text: String,
    pub terms: Vec<Term>,
    /// What it says apart from its numbers.
    pub pattern: Pattern,
    /// The terms of the document's title, of the headings above the sentence, and of the sentence
    /// before it in the same paragraph.
    pub context: Vec<Term>,
    /// Whether much of it is the text of links: it says where something is said.
    pub points_away: bool,
}

/// Returns the sentences to choose from, in the order of the documents: sentences of paragraphs and
/// lists that have enough words and are not boilerplate, or all of them if none is left.
pub(super) fn candidates(
    docs: &[Document],
    asked: &[Term],
    words: &mut Vocabulary,
    cx: &Cx,
) -> Result<Vec<Sentence>, OpError> {
    let mut found = Vec::new();
    for (doc, document) in docs.iter().enumerate() {
        read(doc, &document.text, &mut found, cx)?;
    }
    if found.iter().any(|it| it.is_good) {
        found.retain(|it| it.is_good);
    }
    if found.len() > MOST {
        keep_likely(&mut found, docs, asked, words, cx)?;
    }
    cx.check()?;
    Ok(found.iter().map(|it| it.sentence(docs, words)).collect())
}

/// The headings above a sentence, as ranges of the text.
type Headings = Rc<[Range<usize>]>;

/// A sentence as it is in its document.
struct Found {
    doc: usize,
    range: Range<usize>,
    /// The sentence before it in the same paragraph; empty for the first one.
    before: Range<usize>,
    headings: Headings,
    is_good: bool,
}

fn read(doc: usize, text: &str, found: &mut Vec<Found>, cx: &Cx) -> Result<(), OpError> {
    let mut headings: Vec<(u8, Range<usize>)> = Vec::new();
    let mut path = Headings::default();
    for (idx, block) in blocks(text).enumerate() {
        if idx % 1_024 == 0 {
            cx.check()?;
        }
        if let Kind::Heading(level) = block.kind {
            headings.retain(|(it, _)| *it < level);
            headings.push((level, block.body.clone()));
            path = headings.iter().map(|(_, it)| it.clone()).collect();
        }
        if block.is_prose() {
            prose(doc, text, &block, &path, found);
        }
    }
    Ok(())
}

fn prose(doc: usize, text: &str, block: &Block, headings: &Headings, found: &mut Vec<Found>) {
    let mut before = 0..0;
    for range in split(text, block.body.clone()) {
        let said = text.get(range.clone()).unwrap_or_default();
        if said.contains(char::is_alphanumeric) {
            let (is_good, headings) = (is_good(said), headings.clone());
            found.push(Found { doc, range: range.clone(), before, headings, is_good });
        }
        before = range;
    }
}

/// Keeps the sentences with the most words of the question, and among equals those that come first
/// in their documents.
fn keep_likely(
    found: &mut Vec<Found>,
    docs: &[Document],
    asked: &[Term],
    words: &mut Vocabulary,
    cx: &Cx,
) -> Result<(), OpError> {
    let mut keys = Vec::with_capacity(found.len());
    for (idx, it) in found.iter().enumerate() {
        if idx % 4_096 == 0 {
            cx.check()?;
        }
        let read = words.read(it.text(docs)).map(|it| it.term);
        let mut matched: Vec<Term> = read.filter(|it| asked.binary_search(it).is_ok()).collect();
        matched.sort_unstable();
        matched.dedup();
        keys.push((std::cmp::Reverse(matched.len()), it.range.start, idx));
    }
    keys.sort_unstable();
    let mut is_kept = vec![false; found.len()];
    keys.iter().take(MOST).for_each(|(_, _, idx)| is_kept[*idx] = true);
    let mut kept = is_kept.into_iter();
    found.retain(|_| kept.next().unwrap_or(false));
    Ok(())
}

impl Found {
    fn text<'a>(&self, docs: &'a [Document]) -> &'a str {
        docs[self.doc].text.get(self.range.clone()).unwrap_or_default()
    }

    fn sentence(&self, docs: &[Document], words: &mut Vocabulary) -> Sentence {
        let document = &docs[self.doc];
        let mut context = words.terms(&document.title);
        for range in self.headings.iter().chain([&self.before]) {
            context.extend(words.terms(document.text.get(range.clone()).unwrap_or_default()));
        }
        let text = plain(self.text(docs));
        let (terms, pattern) = (words.terms(&text), Pattern::of(&text, words));
        let points_away = points_away(self.text(docs));
        Sentence { doc: self.doc, at: self.range.start, text, terms, pattern, context, points_away }
    }
}

/// Whether a third of the words of a sentence in Markdown are the text of links.
fn points_away(markdown: &str) -> bool {
    let label = |(at, _)| markdown.get(..at)?.rsplit_once('[').map(|(_, label)| label);
    let labels = markdown.match_indices("](").filter_map(label);
    let linked: usize = labels.map(|it| words(it).count()).sum();
    linked > 0 && linked * 3 >= words(&plain(markdown)).count()
}

/// Whether a sentence is meaningful on its own, and is neither code nor a list of links.
fn is_good(text: &str) -> bool {
    const COUNTS: std::ops::RangeInclusive<usize> = 4..=80;
    let count = words(text).take(200).count();
    let links = text.matches("](").count() + text.matches("://").count();
    // Text in backticks is quoted, so only the characters outside count.
    let outside = text.split('`').step_by(2);
    let signs = outside.flat_map(str::chars).filter(|it| "{}<>=|#$~\\@;".contains(*it)).count();
    COUNTS.contains(&count)
        && links * 4 < count
        && signs * 6 < count
        && text.contains(char::is_alphabetic)
        && !text.ends_with(':')
        && !(count <= LONGEST_BOILERPLATE && is_boilerplate(text))
}

/// The most words of a line of boilerplate: a longer sentence with such a phrase is about it.
const LONGEST_BOILERPLATE: usize = 12;

fn is_boilerplate(text: &str) -> bool {
    const PHRASES: &[&str] = &[
        "all rights reserved",
        "click here",
        "copyright (c)",
        "copyright ©",
        "privacy policy",
        "subscribe to our",
        "table of contents",
        "terms of service",
        "this site uses cookies",
        "this website uses cookies",
    ];
    let lower = text.to_lowercase();
    PHRASES.iter().any(|it| lower.contains(it))
}
