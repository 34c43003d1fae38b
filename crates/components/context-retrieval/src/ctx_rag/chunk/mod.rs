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
            "[] >> ctx_rag.chunk(passage_tokens: 50, overlap: 50)",
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
            hits.extend(chunks(&source(record?, None), sizes, overlap, cx)?);
        }
        Ok(Value::List(hits.into_iter().collect()))
    }
}

/// A part of a document, and the headings above it.
struct Part {
    range: Range<usize>,
    headings: Arc<[Text]>,
}

fn chunks(source: &Source, sizes: Sizes, overlap: usize, cx: &Cx) -> Result<Vec<Value>, OpError> {
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
        let title = title(source, &part.headings);
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
mod tests;
