//! The vectors of the documents of an index, in a file next to it.
//!
//! A vector is known by the hash of its text and the id of its model: an edit makes only the changed
//! documents be encoded again, and a rebuilt index none. The lock is not that of the index, so
//! searches for words do not wait for an encoder.

use std::collections::{BTreeMap, HashMap};

use svc_contract::{
    registry::{Cx, OpError},
    value::memory,
};
use tantivy::{DocAddress, Searcher, TantivyDocument, schema::Value as _};

use super::{
    notices::Notices,
    place::{Lock, Place, Snapshot},
    rank::Ranked,
    schema::fields,
    trouble::Trouble,
};
use crate::meaning::{Space, titled};

mod file;

use file::{Extent, MOST_ROWS, Row, Vectors};

/// Rows of documents that do not exist any more are removed when there are more of them than of
/// others, and this many.
const MOST_STALE: u64 = 1_000;

/// The environment of a search by meaning.
pub(super) struct Meaning<'a> {
    pub(super) cx: &'a Cx,
    pub(super) there: &'a Snapshot,
    pub(super) place: Option<&'a Place>,
    pub(super) space: &'a Space,
    pub(super) notices: &'a Notices,
}

/// The documents to score: one for each different text, by its key.
type Texts = BTreeMap<u64, DocAddress>;

type Scores = HashMap<u64, f32>;

/// The key of a document's text.
pub(super) fn key(title: &str, text: &str) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(title.len() as u64).to_le_bytes());
    let hash = hasher.update(title.as_bytes()).update(text.as_bytes()).finalize();
    hash.as_bytes().first_chunk().map_or(0, |it| u64::from_le_bytes(*it))
}

impl Meaning<'_> {
    /// Replaces the score of each document by the cosine of its vector and that of the query.
    pub(super) fn score(&self, query: &str, found: &mut [Ranked]) -> Result<(), Trouble> {
        let mut wanted = self.space.encoded(&[query])?;
        let wanted = wanted.pop().ok_or_else(|| OpError::bug("no vector"))?;
        let keys = found.iter().map(|it| self.key(it.doc)).collect::<Result<Vec<_>, _>>()?;
        let mut texts = Texts::new();
        for (key, it) in keys.iter().zip(found.iter()) {
            let doc = texts.entry(*key).or_insert(it.doc);
            *doc = it.doc.min(*doc);
        }
        memory::room(texts.len() * 32).map_err(OpError::from)?;
        let scores = self.scores(&wanted, &texts)?;
        for (key, it) in keys.iter().zip(found) {
            let score = scores.get(key).copied().unwrap_or_default();
            // Rounded as other scores are.
            it.score = (f64::from(score.clamp(-1.0, 1.0)) * 1e4).round() / 1e4;
        }
        Ok(())
    }

    fn key(&self, doc: DocAddress) -> Result<u64, Trouble> {
        let columns = self.there.searcher.segment_reader(doc.segment_ord).fast_fields();
        let key = columns.u64("key")?.first(doc.doc_id);
        key.ok_or_else(|| Trouble::Damaged("a document is incomplete".to_owned()))
    }

    /// The product of each text's vector with `wanted`.
    fn scores(&self, wanted: &[f32], texts: &Texts) -> Result<Scores, Trouble> {
        let Some(place) = self.place else { return self.without_file(wanted, texts) };
        let vectors = Vectors::of(&place.vectors(), &self.space.id, self.space.width());
        let (scores, _) = self.known(&vectors, wanted, texts)?;
        if scores.len() == texts.len() {
            return Ok(scores);
        }
        match place.lock_vectors(self.cx) {
            Ok(lock) => self.completed(&vectors, wanted, texts, &lock),
            Err(Trouble::Place(why)) => {
                self.not_stored(&why);
                self.without_file(wanted, texts)
            }
            Err(other) => Err(other),
        }
    }

    fn known(
        &self,
        vectors: &Vectors,
        wanted: &[f32],
        texts: &Texts,
    ) -> Result<(Scores, Extent), Trouble> {
        let mut scores = Scores::new();
        let extent = vectors.scan(self.cx, wanted, |key, score| {
            if texts.contains_key(&key) {
                scores.insert(key, score);
            }
        })?;
        Ok((scores, extent))
    }

    /// Encodes the texts that the file lacks. What is encoded before the call is stopped is kept.
    fn completed(
        &self,
        vectors: &Vectors,
        wanted: &[f32],
        texts: &Texts,
        _: &Lock,
    ) -> Result<Scores, Trouble> {
        // Another process may meanwhile have encoded some or all of them.
        let (mut scores, mut extent) = self.known(vectors, wanted, texts)?;
        let missing = missing(texts, &scores);
        if extent.is_damaged && !missing.is_empty() {
            let texts = missing.len();
            self.notices.add(format!("vectors were damaged, so {texts} texts are encoded again"));
        }
        let mut waiting: Vec<Row> = Vec::new();
        let mut store = |rows: &mut Vec<Row>| {
            if let Err(err) = vectors.append(rows, &mut extent) {
                self.not_stored(&err.to_string());
            }
            rows.clear();
        };
        let encoded = self.encode(&missing, |row| {
            scores.insert(row.0, svc_encoder::dot(&row.1, wanted));
            waiting.push(row);
            if waiting.len() == MOST_ROWS {
                store(&mut waiting);
            }
        });
        store(&mut waiting);
        encoded?;
        self.tidy(vectors, extent)?;
        Ok(scores)
    }

    fn without_file(&self, wanted: &[f32], texts: &Texts) -> Result<Scores, Trouble> {
        let mut scores = Scores::new();
        let all = missing(texts, &scores);
        self.encode(&all, |(key, vector)| {
            scores.insert(key, svc_encoder::dot(&vector, wanted));
        })?;
        Ok(scores)
    }

    fn encode(
        &self,
        texts: &[(u64, DocAddress)],
        mut each: impl FnMut(Row),
    ) -> Result<(), Trouble> {
        let total = texts.len() as u64;
        let mut done = 0;
        self.cx.progress("encoding texts", done, Some(total));
        for batch in texts.chunks(self.space.batch()) {
            self.cx.check()?;
            let read = batch.iter().map(|(_, doc)| text(&self.there.searcher, *doc));
            let read = read.collect::<Result<Vec<_>, _>>()?;
            let encoded = self.space.encoded(&read)?;
            batch.iter().zip(encoded).for_each(|((key, _), vector)| each((*key, vector)));
            done += batch.len() as u64;
            self.cx.progress("encoding texts", done, Some(total));
        }
        Ok(())
    }

    /// Removes the vectors of texts that no document has any more, if they are many.
    fn tidy(&self, vectors: &Vectors, extent: Extent) -> Result<(), Trouble> {
        let live = self.there.searcher.num_docs();
        if extent.rows <= live.saturating_mul(2).saturating_add(MOST_STALE) {
            return Ok(());
        }
        let mut keys = Vec::new();
        for segment in self.there.searcher.segment_readers() {
            self.cx.check()?;
            let column = segment.fast_fields().u64("key")?;
            keys.extend(segment.doc_ids_alive().filter_map(|it| column.first(it)));
        }
        keys.sort_unstable();
        // If it cannot be written, the file stays as it is.
        let _ = vectors.keep(self.cx, |key| keys.binary_search(&key).is_ok())?;
        Ok(())
    }

    fn not_stored(&self, why: &str) {
        self.notices.add(format!("vectors cannot be stored: {why}"));
    }
}

/// The texts without a score, in the order of the index.
fn missing(texts: &Texts, scores: &Scores) -> Vec<(u64, DocAddress)> {
    let missing = texts.iter().filter(|(key, _)| !scores.contains_key(key));
    let mut missing: Vec<_> = missing.map(|(key, doc)| (*key, *doc)).collect();
    missing.sort_unstable_by_key(|it| it.1);
    missing
}

/// The text of a document, with its title.
fn text(searcher: &Searcher, doc: DocAddress) -> Result<String, Trouble> {
    let row: TantivyDocument = searcher.doc(doc)?;
    let text = |field| row.get_first(field).and_then(|it| it.as_str()).unwrap_or_default();
    Ok(titled(text(fields().title), text(fields().text)))
}
