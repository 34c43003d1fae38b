//! The values of one field in a segment, as sorted numbers.

use std::{collections::HashMap, ops::Range};

use tantivy::{
    DocId, SegmentReader,
    columnar::{BytesColumn, Column, StrColumn},
};

use super::{
    super::{manifest::Manifest, trouble::Trouble},
    facts::{self, Bounds},
};

/// The fields that a document without them has from its file.
pub(super) const OF_FILE: [&str; 2] = ["modified", "size"];

/// The values of a field. Each has a *key*, a number; keys have the order of the values.
pub(super) struct Field {
    /// The facts of all fields, whose numbers are the keys.
    facts: Option<BytesColumn>,
    /// Values that files give to their documents have no numbers there.
    of_files: Option<OfFiles>,
}

/// A field that is also one of files. Its keys are those of a sorted list.
struct OfFiles {
    facts: Vec<Vec<u8>>,
    /// The keys of the facts in the column.
    own: HashMap<u64, u64>,
    file: StrColumn,
    /// The keys of each file, by its number in the column.
    by_file: Vec<Vec<u64>>,
    /// The identities of records, which have nothing from their file.
    records: Option<Column<u64>>,
}

impl Field {
    pub(super) fn of(
        segment: &SegmentReader,
        manifest: &Manifest,
        path: &str,
    ) -> Result<Self, Trouble> {
        let facts = segment.fast_fields().bytes("facts")?;
        let of_files = if OF_FILE.contains(&path) {
            OfFiles::of(segment, facts.as_ref(), manifest, path)?
        } else {
            None
        };
        Ok(Self { facts, of_files })
    }

    /// The keys of a range of facts.
    pub(super) fn keys(&self, bounds: &Bounds) -> Result<Range<u64>, Trouble> {
        if let Some(of_files) = &self.of_files {
            let key = |it: &Vec<u8>| of_files.facts.partition_point(|fact| fact < it) as u64;
            return Ok(key(&bounds.start)..key(&bounds.end));
        }
        let Some(facts) = &self.facts else { return Ok(0..0) };
        keys(facts, bounds)
    }

    /// Passes on the keys of a document: at least those of the field.
    pub(super) fn each(&self, doc: DocId, mut take: impl FnMut(u64)) {
        let own = self.facts.iter().flat_map(|it| it.term_ords(doc));
        let Some(of_files) = &self.of_files else {
            own.for_each(take);
            return;
        };
        let mut is_known = of_files.records.as_ref().is_some_and(|it| it.first(doc).is_some());
        for key in own.filter_map(|it| of_files.own.get(&it)) {
            is_known = true;
            take(*key);
        }
        if !is_known && let Some(file) = of_files.file.term_ords(doc).next() {
            let keys = usize::try_from(file).ok().and_then(|it| of_files.by_file.get(it));
            keys.into_iter().flatten().for_each(|it| take(*it));
        }
    }

    /// The fact with this key.
    pub(super) fn fact(&self, key: u64) -> Result<Vec<u8>, Trouble> {
        let mut fact = Vec::new();
        match (&self.of_files, &self.facts) {
            (Some(of_files), _) => {
                let known = usize::try_from(key).ok().and_then(|it| of_files.facts.get(it));
                fact.extend(known.into_iter().flatten());
            }
            (None, Some(facts)) => drop(facts.ord_to_bytes(key, &mut fact)?),
            (None, None) => {}
        }
        Ok(fact)
    }
}

/// The numbers of a range of facts in a column.
fn keys(facts: &BytesColumn, bounds: &Bounds) -> Result<Range<u64>, Trouble> {
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let found =
        facts.dictionary().term_bounds_to_ord(Included(&bounds.start), Excluded(&bounds.end));
    let most = facts.num_terms() as u64;
    let number = |it| match it {
        Included(it) | Excluded(it) => most.min(it),
        Unbounded => most,
    };
    let (start, end) = found?;
    Ok(number(start)..number(end))
}

impl OfFiles {
    fn of(
        segment: &SegmentReader,
        column: Option<&BytesColumn>,
        manifest: &Manifest,
        path: &str,
    ) -> Result<Option<Self>, Trouble> {
        let columns = segment.fast_fields();
        let Some(file) = columns.str("file")? else { return Ok(None) };
        let mut own = Vec::new();
        for bounds in [facts::of_field(path, None), facts::inside(path)] {
            if let Some(column) = column {
                read(column, &bounds, &mut own)?;
            }
        }
        let mut by_file = Vec::new();
        let mut files = file.dictionary().stream()?;
        while files.advance() {
            let name = String::from_utf8_lossy(files.key());
            let known = manifest.0.get(name.as_ref()).map(super::super::manifest::File::properties);
            let mut facts = known.map(|it| facts::of(&it)).unwrap_or_default();
            facts.retain(|it| facts::path(it) == Some(path));
            by_file.push(facts);
        }
        let mut all: Vec<Vec<u8>> = by_file.iter().flatten().cloned().collect();
        all.extend(own.iter().map(|it| it.1.clone()));
        all.sort_unstable();
        all.dedup();
        let key = |it: &Vec<u8>| all.partition_point(|fact| fact < it) as u64;
        let by_file = by_file.iter().map(|it| it.iter().map(key).collect()).collect();
        let own = own.iter().map(|(number, it)| (*number, key(it))).collect();
        let records = columns.column_opt::<u64>("hash")?;
        Ok(Some(Self { facts: all, own, file, by_file, records }))
    }
}

/// Adds the facts in a range, with their numbers.
fn read(
    column: &BytesColumn,
    bounds: &Bounds,
    found: &mut Vec<(u64, Vec<u8>)>,
) -> Result<(), Trouble> {
    let range = column.dictionary().range().ge(&bounds.start).lt(&bounds.end);
    let mut facts = range.into_stream()?;
    while facts.advance() {
        found.push((facts.term_ord(), facts.key().to_vec()));
    }
    Ok(())
}

/// The paths of the first fields of a segment, in their order.
pub(super) fn paths(segment: &SegmentReader, most: usize) -> Result<Vec<String>, Trouble> {
    let mut paths = Vec::new();
    let Some(facts) = segment.fast_fields().bytes("facts")? else { return Ok(paths) };
    let mut from = Vec::new();
    while paths.len() < most {
        let mut rest = facts.dictionary().range().ge(&from).limit(1).into_stream()?;
        if !rest.advance() {
            break;
        }
        let Some(path) = facts::path(rest.key()) else { break };
        from = facts::of_field(path, None).end;
        paths.push(path.to_owned());
    }
    Ok(paths)
}
