//! A headline: the sentence that says what a text is about, shortened.

use svc_contract::{
    registry::{Compute, Cx, Example, Op, OpError, Scheme, params},
    value::{Text, Value},
};
use svc_text::{
    language::{self, Forms, lower},
    stems::{Term, Vocabulary, words},
    vectors::vectors,
};

use super::{
    candidates::{Sentence, candidates},
    input::Document,
    lexrank::lexrank,
    question::walk,
};

params! {
    /// Makes a headline of a text: its main sentence without what can be left out.
    ///
    /// The sentence is the one at the centre of the text (`LexRank`, Erkan & Radev 2004), where each
    /// counts less the later it comes. What stands in parentheses is left out, and so are a short
    /// introduction (*However,* or *PARIS –*) and who said it (*.., police said*). Of a sentence that
    /// is still too long, the first clauses remain, or else its first words. All words are those of
    /// the text, in their order. The rules about introductions and who said it are for English.
    ///
    /// A text without sentences returns an empty string.
    pub(super) struct Headline {
        /// The text.
        text: Text,
        /// The maximum number of words.
        #[range(3..=40)]
        max_words: i64 = 12,
    }
}

impl Op for Headline {
    const NAME: &'static str = "headline";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &[
        "write a headline for a text",
        "a title for an article",
        "one short line that says what a text is about",
        "name a note by its content",
        "shorten a text to a few words",
        "subject line for a message",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The main sentence, shortened",
            r#""However, the council (in its last session) approved a budget, officials said. It was late."
  >> summary.headline"#,
            r#""The council approved a budget""#,
        ),
        Example::ok(
            "Fewer words",
            r#""A cat sleeps on the mat of the neighbours." >> summary.headline(max_words: 6)"#,
            r#""A cat sleeps on the mat""#,
        ),
        Example::ok("No text", r#""" >> summary.headline"#, r#""""#),
    ];
}

impl Compute for Headline {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let most = usize::try_from(self.max_words).unwrap_or_default();
        let language = language::most([self.text.as_ref()]);
        let docs = [Document { text: self.text, ..Document::default() }];
        let mut words = Vocabulary::of(language);
        let sentences = candidates(&docs, &[], &mut words, cx)?;
        let said = main(&sentences, &docs, cx)?;
        Ok(said.map(|it| shortened(&it.text, most, &language.forms())).unwrap_or_default().into())
    }
}

/// The sentence at the centre, where the first ones count more.
fn main<'a>(
    sentences: &'a [Sentence],
    docs: &[Document],
    cx: &Cx,
) -> Result<Option<&'a Sentence>, OpError> {
    let terms: Vec<Vec<Term>> = sentences.iter().map(|it| it.terms.clone()).collect();
    let ranks = lexrank(&vectors(&terms), &walk(sentences, docs, &[], 0.0), 0.0, cx)?;
    #[expect(clippy::cast_precision_loss, reason = "counts of sentences are small")]
    let weight = |idx: usize| ranks[idx] * sentences[idx].bearing(false) / (1.0 + idx as f64);
    let best = (0..sentences.len()).min_by(|a, b| weight(*b).total_cmp(&weight(*a)));
    Ok(best.map(|idx| &sentences[idx]))
}

/// A sentence without what can be left out, of at most so many words.
fn shortened(sentence: &str, most: usize, forms: &Forms) -> String {
    let plain = without_asides(sentence);
    let mut clauses = clauses(&plain);
    clauses.drain(..introduction(&clauses));
    while clauses.len() > 1 && clauses.last().is_some_and(|it| names_speaker(it)) {
        clauses.pop();
    }
    let mut end = clauses.len();
    while end > 1 && count(&clauses[..end].concat()) > most {
        end -= 1;
    }
    let (all, kept) = (clauses.concat(), clauses[..end].concat());
    let is_cut = count(&kept) > most || (end < clauses.len() && 2 * count(&kept) < most);
    let kept = if is_cut { first_words(&all, most, forms) } else { kept.as_str() };
    capitalised(kept.trim_matches(|it: char| it.is_whitespace() || ",;:.–—-".contains(it)))
}

/// How many clauses introduce a sentence: *However,*, *In March,* or the place and agency of news,
/// *PARIS, France (AP) –*.
fn introduction(clauses: &[&str]) -> usize {
    /// The most words of an introduction, and the fewest of the clause after it.
    const LONGEST: usize = 5;
    const CLAUSE: usize = 4;
    const FIRST: &[&str] = &[
        "after",
        "also",
        "and",
        "at",
        "before",
        "but",
        "by",
        "during",
        "finally",
        "however",
        "in",
        "meanwhile",
        "moreover",
        "now",
        "on",
        "since",
        "so",
        "still",
        "then",
        "today",
        "yesterday",
        "yet",
    ];
    let is_first = |it: &str| FIRST.iter().any(|first| it.eq_ignore_ascii_case(first));
    let is_place = |it: &str| it.chars().filter(|it| it.is_alphabetic()).all(char::is_uppercase);
    let Some(range) = clauses.first().and_then(|it| words(it).next()) else { return 0 };
    let first = &clauses[0][range];
    let own = |it: &&str| count(it) >= CLAUSE;
    let has_dash = |end: usize| clauses[end - 1].trim_end().ends_with(['–', '—', '-', ':']);
    let introduces = |end: usize| count(&clauses[..end].concat()) <= LONGEST;
    match clauses.iter().position(own) {
        Some(1) if is_first(first) && introduces(1) => 1,
        Some(end) if end > 0 && is_place(first) && has_dash(end) && introduces(end) => end,
        _ => 0,
    }
}

fn count(text: &str) -> usize {
    words(text).count()
}

/// The text without what stands in parentheses, and with single spaces.
fn without_asides(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut open = Vec::new();
    for it in text.chars() {
        kept.push(it);
        match it {
            '(' => open.push(kept.len() - 1),
            ')' => kept.truncate(open.pop().unwrap_or(kept.len())),
            _ => {}
        }
    }
    let joined = kept.split_whitespace().collect::<Vec<_>>().join(" ");
    joined.replace(" ,", ",").replace(" .", ".")
}

/// The clauses of a sentence, each with the signs after it.
fn clauses(text: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    let mut start = 0;
    for (at, sign) in text.match_indices([',', ';', ':', '–', '—', '-']) {
        let end = at + sign.len();
        // A comma in a number and a hyphen in a word are not boundaries.
        let is_alone = sign != "-" || text[..at].ends_with(char::is_whitespace);
        if is_alone && text[end..].starts_with(char::is_whitespace) {
            clauses.push(&text[start..end]);
            start = end;
        }
    }
    clauses.push(&text[start..]);
    clauses
}

/// Whether a clause only names who said the rest.
fn names_speaker(clause: &str) -> bool {
    const SAYS: &[&str] =
        &["said", "says", "reported", "reports", "according", "announced", "added", "wrote"];
    let is_one = |it: &str| SAYS.iter().any(|says| it.eq_ignore_ascii_case(says));
    count(clause) <= 10 && words(clause).any(|it| is_one(&clause[it]))
}

/// The first words, without stop words at the end.
fn first_words<'a>(text: &'a str, most: usize, forms: &Forms) -> &'a str {
    let all: Vec<_> = words(text).take(most).collect();
    let last = all.iter().rposition(|it| !forms.is_stop_word(&lower(&text[it.clone()])));
    let end = all.get(last.unwrap_or(all.len().saturating_sub(1))).map_or(text.len(), |it| it.end);
    &text[..end]
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use svc_text::language::Language;

    use super::*;
    use crate::testing::{cancelled, cx, decode};

    fn short(sentence: &str, most: usize) -> String {
        shortened(sentence, most, &Language::ENGLISH.forms())
    }

    #[test]
    fn what_can_be_left_out_is() {
        for (sentence, headline) in [
            ("However, the sea (which is deep) rose by a metre.", "The sea rose by a metre"),
            ("The sea rose by a metre, the agency said on Monday.", "The sea rose by a metre"),
            ("In March, the sea rose by 1,000 metres.", "The sea rose by 1,000 metres"),
            ("Yes, it did.", "Yes, it did"),
            ("PARIS, France (AP) — The sea rose by a metre.", "The sea rose by a metre"),
            ("The dog, a cat and a mouse sleep.", "The dog, a cat and a mouse sleep"),
            (
                "NASA, which is old, flew to the moon again.",
                "NASA, which is old, flew to the moon again",
            ),
            ("He said so.", "He said so"),
            ("A smile :) and (one more", "A smile :) and (one more"),
            ("Rain (a lot (or more)) fell there.", "Rain fell there"),
        ] {
            assert_eq!(short(sentence, 12), headline);
        }
    }

    #[test]
    fn a_headline_has_at_most_so_many_words() {
        let long = "The committee of the parliament met in the capital, where it rained, and left.";
        assert_eq!(short(long, 11), "The committee of the parliament met in the capital");
        assert_eq!(short(long, 8), "The committee of the parliament met");
        assert_eq!(short("A smile, the long one of the old man, won.", 7), "A smile, the long one");
        assert_eq!(short("of the of the of the", 3), "Of the of");
        for text in ["", ",", ", ; :", "(", "()", "…", "ß, ß"] {
            let _ = short(text, 3);
        }
    }

    #[test]
    fn any_text_has_one_and_cancelling_ends_it() {
        let of = |text: &str| decode::<Headline>(Value::text(text), &[]).run(&cx()).unwrap();
        assert_eq!(of(""), Value::text(""));
        assert_eq!(of("# Only a heading"), Value::text(""));
        for text in ["word ".repeat(100_000), "a, ".repeat(50_000), "Der Rat tagt. ".repeat(5_000)]
        {
            assert!(count(of(&text).as_str().unwrap()) <= 12);
        }
        let op = decode::<Headline>(Value::text("One sentence of some words."), &[]);
        assert!(op.run(&cancelled()).is_err());
    }
}
