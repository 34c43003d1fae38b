//! The stems of documents, which are kept in memory: reading a document and reducing its words to their
//! stems takes longer than all that is computed from them.
//!
//! A segment of an index never changes, and its id is never used again. So what a document of a segment
//! has is known for as long as the process lives, and nothing has to be forgotten but for its size.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use svc_text::{language::Language, scripts};
use tantivy::{DocAddress, DocId, Searcher, TantivyDocument, index::SegmentId, schema::Value as _};

use super::{
    analyzer,
    schema::{self, fields},
    trouble::Trouble,
};

/// The maximum number of words of a document that are read.
const MOST_WORDS: usize = 5_000;

/// The maximum number of stems that are kept, of all documents together: about 32 MB.
const MOST_KEPT: usize = 2_000_000;

/// The hash of a stem: two stems that have the same one would only be taken for one.
pub(super) type Stem = u64;

/// The stems of a document, each with how often it occurs, in order.
pub(super) type Stems = Arc<[(Stem, u32)]>;

static KEPT: Mutex<Kept> = Mutex::new(Kept { of: None, count: 0 });

/// The stems of documents by their segments.
struct Kept {
    of: Option<HashMap<(SegmentId, DocId), Stems>>,
    count: usize,
}

impl Kept {
    fn get(&self, key: &(SegmentId, DocId)) -> Option<Stems> {
        self.of.as_ref()?.get(key).cloned()
    }

    /// Keeps the stems of a document. If there are too many, all others are forgotten.
    fn insert(&mut self, key: (SegmentId, DocId), stems: Stems, most: usize) {
        let count = stems.len() + 1;
        if self.count + count > most {
            (self.of, self.count) = (None, 0);
        }
        if self.of.get_or_insert_default().insert(key, stems).is_none() {
            self.count += count;
        }
    }
}

/// Reads the stems of documents of an index.
pub(super) struct Reading<'a> {
    searcher: &'a Searcher,
    /// By language, the stem of a word as it is written; none if it is not searched.
    words: HashMap<Language, HashMap<String, Option<Stem>>>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(searcher: &'a Searcher) -> Self {
        Self { searcher, words: HashMap::new() }
    }

    /// The stems of the title and the text of a document.
    pub(super) fn stems(&mut self, doc: DocAddress) -> Result<Stems, Trouble> {
        let key = (self.searcher.segment_reader(doc.segment_ord).segment_id(), doc.doc_id);
        let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().get(&key) {
            return Ok(known);
        }
        let row: TantivyDocument = self.searcher.doc(doc)?;
        let language = schema::language(&row);
        let texts = [fields().title, fields().text].map(|it| row.get_first(it));
        let mut all = Vec::new();
        for text in texts.into_iter().flatten().filter_map(|it| it.as_str()) {
            self.read(language, text, &mut all);
        }
        let stems = counted(all);
        kept().insert(key, stems.clone(), MOST_KEPT);
        Ok(stems)
    }

    /// Adds the stems of a text, up to a number of them.
    fn read(&mut self, language: Language, text: &str, into: &mut Vec<Stem>) {
        let forms = language.forms();
        let words = self.words.entry(language).or_default();
        for place in scripts::words(text) {
            if into.len() >= MOST_WORDS {
                return;
            }
            let word = &text[place];
            let known = words.get(word).copied().unwrap_or_else(|| {
                let stem = analyzer::term(&forms, word).map(|it| hash(&it));
                words.insert(word.to_owned(), stem);
                stem
            });
            into.extend(known);
        }
    }
}

fn counted(mut stems: Vec<Stem>) -> Stems {
    stems.sort_unstable();
    let same = stems.chunk_by(|a, b| a == b);
    same.map(|it| (it[0], u32::try_from(it.len()).unwrap_or(u32::MAX))).collect()
}

/// FNV-1a (Fowler, Noll & Vo 1991): the same in each process, and quick for short texts.
fn hash(text: &str) -> Stem {
    let next = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, next)
}

#[cfg(test)]
mod tests {
    use tantivy::Index;

    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem_and_stop_words_none() {
        let index = Index::create_in_ram(fields().schema.clone());
        let searcher = index.reader().unwrap().searcher();
        let mut reading = Reading::new(&searcher);
        let mut read = |text: &str| {
            let mut stems = Vec::new();
            reading.read(Language::ENGLISH, text, &mut stems);
            stems
        };
        let [heat, pipe] = ["heat", "pipe"].map(hash);
        assert_eq!(read("The heat of heated pipes"), [heat, heat, pipe]);
        assert_eq!(read("a pipe and the Heating"), [pipe, heat]);
        assert_eq!(read(&"heat ".repeat(2 * MOST_WORDS)).len(), MOST_WORDS);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut kept = Kept { of: None, count: 0 };
        let segment = Index::create_in_ram(fields().schema.clone()).new_segment().id();
        let stems: Stems = (0..9).map(|it| (it, 1)).collect();
        for doc in 0..5 {
            kept.insert((segment, doc), stems.clone(), 30);
            kept.insert((segment, doc), stems.clone(), 30);
        }
        assert!(kept.count <= 30 && kept.get(&(segment, 0)).is_none());
        assert_eq!(kept.get(&(segment, 4)), Some(stems));
    }
}
