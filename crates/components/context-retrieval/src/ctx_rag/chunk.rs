//! Cuts documents into passages that cover them.

use std::{ops::Range, sync::Arc};

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field, Items, Max, Op, OpError, RecordDef as _, Scheme,
        documents::{self, Doc, Hit},
        params,
    },
    value::{Record, Slot, Text, Value},
};
use svc_text::{sentences::split, tokens::bytes};

use super::{
    at_least_one,
    passages::{Passage, Sizes, passages, pieces},
    sources::{Source, source},
    title,
};

params! {
    /// Cuts documents into passages, for an index, a model or a table of vectors.
    ///
    /// The borders are those of `rag_retrieval`: headings, blocks and sentences; code and tables stay
    /// whole where they fit. The headings before a passage are part of it. Nothing is lost but the white
    /// space and the rules between blocks.
    ///
    /// The results are hits in the order of the documents: `id` is the document's with `#` and the
    /// number of the passage, `title` includes the headings (`Guide › Budgets`), `query` and `snippet`
    /// are empty and `score` is 0. `text` is the document's text from `start` to `end`, in bytes; if a
    /// document is itself a part of a file, they are places in the file.
    pub(super) struct Chunk {
        /// The documents. Passages work as well.
        docs: Items<Doc>,
        /// The target length of a passage, in tokens of four bytes. A passage with code or a table may
        /// be three times as long.
        #[range(30..=2_000)]
        passage_tokens: i64 = 200,
        /// How many tokens of the passage before it a passage repeats at most, from the beginning of a
        /// sentence or else of a word; less than `passage_tokens`. Nothing is repeated after a
        /// heading.
        #[range(0..=500)]
        overlap: i64 = 0,
    }
}

impl Op for Chunk {
    const NAME: &'static str = "chunk";
    const YIELDS: Scheme = Scheme::List(&Hit::SCHEME, Max::Unknown);
    const SAYS: &'static [&'static str] = &[
        "split documents into chunks",
        "chunk a text for embeddings",
        "cut pages into overlapping pieces",
        "text splitter with a chunk size and an overlap",
        "divide a long document into passages",
        "segment articles for a vector index",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Passages with their places",
            r##"[{ id: "a.md", title: "Guide", path: "a.md", text: "# Caps\nKept by a ledger.\n\n# Colours\nBlue." }]
  >> ctx_rag.chunk >> each { { id: .id, title: .title, text: .text, place: [.start, .end] } }"##,
            r##"[{"id": "a.md#1", "title": "Guide › Caps", "text": "# Caps\nKept by a ledger.", "place": [0, 24]},
                {"id": "a.md#2", "title": "Guide › Colours", "text": "# Colours\nBlue.", "place": [26, 41]}]"##,
        ),
        Example::ok("No documents", "[] >> ctx_rag.chunk", "[]"),
        Example::err(
            "An overlap as long as a passage",
            r#"[] >> ctx_rag.chunk(passage_tokens: 50, overlap: 50)"#,
            "invalid overlap 50: expected less than `passage_tokens`, 50",
        ),
    ];
}

impl Compute for Chunk {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let (overlap, target) = (self.overlap, self.passage_tokens);
        if overlap >= target {
            let expected = format!("expected less than `passage_tokens`, {target}");
            let message = format!("invalid overlap {overlap}: {expected}");
            return Err(OpError::invalid_input(message).help("write a smaller `overlap`"));
        }
        let target = bytes(at_least_one(target));
        let sizes = Sizes { target, most: target.saturating_mul(3) };
        let overlap = usize::try_from(overlap).map_or(0, bytes);
        let mut hits = Vec::new();
        for record in documents::records(&self.docs.0) {
            cx.check()?;
            hits.extend(chunks(source(record?, None), sizes, overlap, cx)?);
        }
        Ok(Value::List(hits.into_iter().collect()))
    }
}

/// A part of a document, and the headings above it.
struct Part {
    range: Range<usize>,
    headings: Arc<[Text]>,
}

fn chunks(source: Source, sizes: Sizes, overlap: usize, cx: &Cx) -> Result<Vec<Value>, OpError> {
    let parts = parts(&source.text, sizes, overlap, cx)?;
    let (mut counted, mut page) = (0, source.page);
    let mut hits = Vec::with_capacity(parts.len());
    for (idx, part) in parts.into_iter().enumerate() {
        let Range { start, end } = part.range;
        let passed = source.text.get(counted..start).unwrap_or_default();
        page = page.map(|it| passed.bytes().filter(|it| *it == b'\x0c').fold(it, |it, _| it + 1));
        counted = start;
        let place = source.place(start, end);
        let text = source.text.get(start..end).unwrap_or_default();
        let title = title(&source, &part.headings);
        let ready = |it: Value| Slot::Ready(it);
        hits.push(Value::Record(Record::of_slots(
            Hit::names(),
            vec![
                ready(format!("{}#{}", source.id, idx + 1).into()),
                ready(title.into()),
                ready(source.path.clone().into()),
                ready(text.into()),
                ready("".into()),
                ready(0.0.into()),
                ready("".into()),
                ready(place.0.into()),
                ready(place.1.into()),
                ready(page.map_or(Value::Null, Value::Int)),
                ready(source.meta.clone()),
            ],
        )));
    }
    Ok(hits)
}

/// Returns the parts of a text in their order.
fn parts(text: &str, sizes: Sizes, overlap: usize, cx: &Cx) -> Result<Vec<Part>, OpError> {
    let (mut parts, mut at) = (Vec::<Part>::new(), 0);
    // The passage before, without what it repeats.
    let mut before: Option<Passage> = None;
    if text.trim().is_empty() {
        return Ok(parts);
    }
    for (idx, passage) in passages(text, sizes, cx)?.into_iter().enumerate() {
        if idx % 256 == 0 {
            cx.check()?;
        }
        let mut range = passage.range.clone();
        let gap = gap(text, at..range.start);
        match &before {
            _ if !gap.is_empty() && range.end - gap.start <= sizes.most => range.start = gap.start,
            _ if !gap.is_empty() => parts.extend(headings(text, gap, sizes)),
            Some(before) if overlap > 0 && Arc::ptr_eq(&before.headings, &passage.headings) => {
                range.start = repeated(text, before, overlap).unwrap_or(range.start);
            }
            _ => {}
        }
        at = range.end;
        parts.push(Part { range, headings: passage.headings.clone() });
        before = Some(passage);
    }
    parts.extend(headings(text, gap(text, at..text.len()), sizes));
    Ok(parts)
}

/// What is between two passages, without white space around it: headings. A rule is nothing.
fn gap(text: &str, range: Range<usize>) -> Range<usize> {
    let between = text.get(range.clone()).unwrap_or_default();
    if !between.contains(char::is_alphanumeric) {
        return range.end..range.end;
    }
    let start = range.end - between.trim_start().len();
    start..range.start + between.trim_end().len()
}

/// Headings under which nothing stands.
fn headings(text: &str, range: Range<usize>, sizes: Sizes) -> impl Iterator<Item = Part> {
    let part = |it: Passage| Part { range: it.range, headings: it.headings };
    pieces(text, range, sizes).into_iter().map(part)
}

/// Where the end of a passage begins that the next one repeats, of at most `most` bytes.
fn repeated(text: &str, passage: &Passage, most: usize) -> Option<usize> {
    let Range { start, end } = passage.range;
    let first = text.ceil_char_boundary(end.saturating_sub(most).max(start + 1));
    let within = text.get(first..end)?;
    let border = if passage.is_prose {
        split(text, passage.range.clone()).map(|it| it.start).find(|it| *it >= first)
    } else {
        within.find('\n').map(|it| first + it + 1)
    };
    let is_word = |at: usize| text.get(..at).is_some_and(|it| it.ends_with(char::is_whitespace));
    let word = || {
        if is_word(first) {
            return Some(first);
        }
        let space = within.find(char::is_whitespace)?;
        Some(first + space)
    };
    let begins = |at: usize| {
        let rest = text.get(at..end)?;
        (!rest.trim().is_empty()).then(|| end - rest.trim_start().len())
    };
    border.and_then(begins).or_else(|| word().and_then(begins))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cancelled, cx, decode, hit};

    fn run(docs: Vec<Value>, args: &[(&str, Value)]) -> Vec<Record> {
        let found = decode::<Chunk>(docs.into(), args).run(&cx()).unwrap();
        found.as_list().unwrap().iter().map(|it| it.as_record().unwrap().clone()).collect()
    }

    fn doc(text: &str) -> Value {
        let doc = Doc::new("d".into(), "D".into(), "d".into(), text.into());
        doc.encode()
    }

    fn place(hit: &Record) -> Range<usize> {
        let int = |name| match hit.get(name) {
            Some(Value::Int(it)) => usize::try_from(*it).unwrap(),
            other => panic!("{other:?}"),
        };
        int("start")..int("end")
    }

    fn text(hit: &Record) -> &str {
        hit.get("text").and_then(Value::as_str).unwrap()
    }

    /// A document of random parts.
    fn random(random: &mut fastrand::Rng) -> String {
        const PARTS: &[&str] = &[
            "# A heading\n",
            "## Ü\n",
            "\n\n",
            "---\n",
            "A sentence. ",
            "Another one, of more words! ",
            "- item\n",
            "```\nlet x = 1;\n```\n",
            "| a | b |\n|---|---|\n| 1 | 2 |\n",
            "東京は大きい。雨。",
            "word ",
            "\u{c}\n",
            "verylongwordwithoutanyspace",
            "Title\n=====\n",
            "<p>\nx\n\n",
            " \t",
        ];
        (0..random.usize(0..400)).map(|_| PARTS[random.usize(0..PARTS.len())]).collect()
    }

    #[test]
    fn passages_are_pieces_of_the_text_and_nothing_is_lost() {
        let mut random_of = fastrand::Rng::with_seed(7);
        for _ in 0..300 {
            let written = random(&mut random_of);
            let tokens = random_of.i64(30..200);
            let overlap = random_of.i64(0..tokens);
            let args = [("passage_tokens", tokens.into()), ("overlap", overlap.into())];
            let mut is_covered = vec![false; written.len()];
            let mut before: Option<Range<usize>> = None;
            for hit in run(vec![doc(&written)], &args) {
                let range = place(&hit);
                assert_eq!(&written[range.clone()], text(&hit));
                assert!(!text(&hit).trim().is_empty());
                if let Some(before) = before {
                    let repeated = before.end.saturating_sub(range.start);
                    assert!(repeated <= bytes(usize::try_from(overlap).unwrap()), "{written:?}");
                    assert!(range.start > before.start && range.end > before.end);
                }
                is_covered[range.clone()].fill(true);
                before = Some(range);
            }
            for (at, letter) in written.char_indices() {
                assert!(is_covered[at] || !letter.is_alphanumeric(), "{at} of {written:?}");
            }
        }
    }

    #[test]
    fn an_overlap_begins_at_a_sentence() {
        let text_of = "One sentence has some words here. Two sentences have some more words, too. \
            Three of them are a whole paragraph. Four of them are even longer than that one was.";
        let args = [("passage_tokens", 30.into()), ("overlap", 20.into())];
        let found = run(vec![doc(text_of)], &args);
        let said: Vec<&str> = found.iter().map(text).collect();
        assert_eq!(
            said[0],
            "One sentence has some words here. Two sentences have some more words, too."
        );
        assert!(said[1].starts_with("Two sentences have some more words, too. Three"), "{said:?}");
        let words = "word ".repeat(100);
        let found = run(vec![doc(&words)], &args);
        let repeated = place(&found[0]).end - place(&found[1]).start;
        assert!((70..=80).contains(&repeated) && text(&found[1]).starts_with("word"), "{repeated}");
    }

    #[test]
    fn headings_and_pages_are_kept() {
        let found = run(vec![doc("# A\n## B\none\n\u{c}\ntwo\n\u{c}\n# C\nthree\n# End\n")], &[]);
        let shown: Vec<(&str, String, String)> = found
            .iter()
            .map(|it| {
                (
                    text(it),
                    it.get("title").unwrap().to_string(),
                    it.get("page").unwrap().to_string(),
                )
            })
            .collect();
        let expected = [
            ("# A\n## B\none\n\u{c}\ntwo", "\"D › A › B\"", "1"),
            ("# C\nthree", "\"D › C\"", "3"),
            ("# End", "\"D\"", "3"),
        ];
        assert_eq!(shown, expected.map(|(a, b, c)| (a, b.to_owned(), c.to_owned())));
    }

    #[test]
    fn bad_and_large_input() {
        assert!(run(vec![doc(""), doc(" \n\u{c}\n")], &[]).is_empty());
        assert!(!run(vec![doc("---")], &[]).is_empty());
        let op = decode::<Chunk>(vec![Value::from("text")].into(), &[]);
        assert!(op.run(&cx()).unwrap_err().message.contains("found string as item 1"));
        let huge = "\u{c}word ".repeat(400_000);
        let found = run(vec![hit("a", "A", &huge, "", 0.0)], &[("overlap", 100.into())]);
        assert!(
            found.len() > 1_000 && found.last().unwrap().get("page") > Some(&Value::Int(390_000))
        );
        let op = decode::<Chunk>(vec![doc("x")].into(), &[]);
        assert_eq!(op.run(&cancelled()).unwrap_err().message, "cancelled");
    }
}
