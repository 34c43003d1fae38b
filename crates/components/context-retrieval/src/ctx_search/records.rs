//! The records of a file that the index has already, and where they are in the file now.
//!
//! A record keeps the *place* that it had when it was indexed. An edit of the file moves the
//! records behind it, and would otherwise change every one of them in the index. So the manifest
//! has the [`Moves`] of each file: few pairs, that say at which position a range of places is now.
//! A place is never used again.

use std::ops::{Bound, RangeInclusive};

use serde::{Deserialize, Serialize};
use svc_contract::registry::Cx;
use tantivy::{
    DocSet as _, Searcher, SegmentReader, TERMINATED, Term,
    query::{BooleanQuery, Query, RangeQuery, TermQuery},
    schema::IndexRecordOption,
};

use super::{
    schema::{fields, file_term},
    trouble::Trouble,
};

/// The maximum number of moves of a file. With more, the whole file is indexed again.
const MOST_MOVES: usize = 1_000;

/// Where the records of a file are: pairs of a place and its position, in the order of places. A
/// pair holds up to the next one. Before the first, place and position are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moves(Vec<(u64, u64)>);

impl Moves {
    /// Returns the shortest list for these places and positions.
    fn of(mut places: Vec<(u64, u64)>) -> Self {
        places.sort_unstable();
        let mut last = 0;
        places.retain(|(place, position)| {
            let shift = position.wrapping_sub(*place);
            std::mem::replace(&mut last, shift) != shift
        });
        Self(places)
    }

    /// The position of a place in the file, in bytes.
    pub(super) fn position(&self, place: u64) -> u64 {
        let after = self.0.partition_point(|(from, _)| *from <= place);
        match after.checked_sub(1) {
            Some(idx) => self.0[idx].1.wrapping_add(place - self.0[idx].0),
            None => place,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The identity of a record: two records with the same source are the same document.
pub(super) fn hash(record: &[u8]) -> u64 {
    let hash = blake3::hash(record);
    let (first, _) = hash.as_bytes().split_first_chunk().unwrap_or((&[0; 8], &[]));
    u64::from_le_bytes(*first)
}

/// The records of a file, while it is read again.
pub(super) struct Records {
    /// The hash and the place of each indexed record, sorted.
    known: Vec<(u64, u64)>,
    /// For the first of the records with equal hashes: how many of them were found again.
    found: Vec<u32>,
    /// The first place that was never used.
    pub(super) next: u64,
    /// What the position of the last record must be increased by to become its place.
    shift: u64,
    /// The place and the position of each record of the file.
    places: Vec<(u64, u64)>,
    /// Whether all documents of the file are records.
    are_all: bool,
}

impl Default for Records {
    fn default() -> Self {
        let (known, found, places) = (Vec::new(), Vec::new(), Vec::new());
        Self { known, found, next: 0, shift: 0, places, are_all: true }
    }
}

impl Records {
    /// Reads the records of a file from the index; `next` is the first place that it never used.
    pub(super) fn of(cx: &Cx, searcher: &Searcher, file: &str, next: u64) -> Result<Self, Trouble> {
        let mut known = Vec::new();
        let term = file_term(file);
        for segment in searcher.segment_readers() {
            cx.check()?;
            read(segment, &term, &mut known)?;
        }
        known.sort_unstable();
        Ok(Self { found: vec![0; known.len()], known, next, ..Self::default() })
    }

    /// Whether the index has the record; if so, it is at `position` now.
    pub(super) fn find(&mut self, hash: u64, position: u64) -> bool {
        let first = self.known.partition_point(|it| it.0 < hash);
        let Some(found) = self.found.get_mut(first) else { return false };
        let place = match self.known.get(first + *found as usize) {
            Some((known, place)) if *known == hash => *place,
            _ => return false,
        };
        *found += 1;
        self.put(place, position);
        true
    }

    /// Returns the place of a new document at `start`. One that is not a record stays where it is.
    pub(super) fn add(&mut self, start: u64, end: u64, is_record: bool) -> u64 {
        if !is_record {
            self.are_all = false;
            return start;
        }
        let beside = start.wrapping_add(self.shift);
        // A wrapped sum is larger than the end of any file.
        let is_free = beside >= self.next && beside - self.next <= start;
        let place = if is_free { beside } else { self.next };
        self.next = place + (end - start).max(1);
        self.put(place, start);
        place
    }

    fn put(&mut self, place: u64, position: u64) {
        self.shift = place.wrapping_sub(position);
        self.places.push((place, position));
    }

    /// Returns the queries for the records that were not found again, and where the others are;
    /// `None` if the file has changed in too many places, or has documents that are not records.
    pub(super) fn finish(self, file: &str) -> Option<(Vec<Box<dyn Query>>, Moves)> {
        if !self.are_all && !self.known.is_empty() {
            return None;
        }
        let gone = self.gone();
        let moves = Moves::of(self.places);
        let are_few = gone.len() <= MOST_MOVES && moves.0.len() <= MOST_MOVES;
        are_few.then(|| (gone.iter().map(|it| removal(file, it)).collect(), moves))
    }

    /// The places of the records that were not found again, as few ranges.
    fn gone(&self) -> Vec<RangeInclusive<u64>> {
        let mut first = 0;
        let mut places = Vec::with_capacity(self.known.len());
        for (idx, (hash, place)) in self.known.iter().enumerate() {
            if *hash != self.known[first].0 {
                first = idx;
            }
            places.push((*place, idx - first < self.found[first] as usize));
        }
        places.sort_unstable();
        let runs = places.chunk_by(|a, b| a.1 == b.1).filter(|run| !run[0].1);
        runs.map(|run| run[0].0..=run[run.len() - 1].0).collect()
    }
}

/// The query for the documents of a file in a range of places.
fn removal(file: &str, places: &RangeInclusive<u64>) -> Box<dyn Query> {
    let place = |it: &u64| Bound::Included(Term::from_field_u64(fields().start, *it));
    let places = RangeQuery::new(place(places.start()), place(places.end()));
    let file = TermQuery::new(file_term(file), IndexRecordOption::Basic);
    Box::new(BooleanQuery::intersection(vec![Box::new(file), Box::new(places)]))
}

/// Adds the hash and the place of each record of a file in a segment.
fn read(segment: &SegmentReader, file: &Term, known: &mut Vec<(u64, u64)>) -> Result<(), Trouble> {
    let columns = segment.fast_fields();
    let Some(hashes) = columns.column_opt::<u64>("hash")? else { return Ok(()) };
    let starts = columns.u64("start")?;
    let index = segment.inverted_index(file.field())?;
    let Some(mut rows) = index.read_postings(file, IndexRecordOption::Basic)? else {
        return Ok(());
    };
    while rows.doc() != TERMINATED {
        let row = rows.doc();
        if segment.alive_bitset().is_none_or(|it| it.is_alive(row))
            && let (Some(hash), Some(start)) = (hashes.first(row), starts.first(row))
        {
            known.push((hash, start));
        }
        rows.advance();
    }
    Ok(())
}
