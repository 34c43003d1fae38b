//! What documents say about themselves: conditions, order, and counts of values.

use svc_contract::registry::{OpError, nearest};
use tantivy::{DocId, SegmentReader};

use super::{manifest::Manifest, notices::Notices, place::Snapshot, trouble::Trouble};

mod condition;
mod counts;
pub(super) mod facts;
mod field;
mod filter;
mod order;

pub(super) use condition::{Condition, Conditions};
pub(super) use counts::Counts;
pub(super) use order::{Order, Sorted};

use facts::Kind;
use field::{Field, OF_FILE, paths};
use filter::Filter;

/// The maximum number of fields that a notice names.
const NAMED: usize = 12;

/// The maximum number of fields that are compared with an unknown one.
const COMPARED: usize = 1_000;

/// Checks the names and kinds that conditions, order and counts use against those of the documents.
/// Reports what no document has.
pub(super) struct Known<'a> {
    pub(super) there: &'a Snapshot,
    pub(super) notices: &'a Notices,
}

impl Known<'_> {
    /// Reports fields that no document has, and comparisons with values that a field never has.
    pub(super) fn check(&self, condition: &Condition) -> Result<(), Trouble> {
        for field in condition.fields() {
            let found = self.kinds(&field.path)?;
            if found.is_empty() {
                self.unknown(&field.path, true)?;
            }
            for kind in field.kinds.iter().filter(|it| !found.is_empty() && !found.contains(it)) {
                let found: Vec<_> = found.iter().map(|it| it.plural()).collect();
                let (path, wanted, found) = (&field.path, kind.plural(), found.join(" and "));
                self.notices.add_of_query(format!(
                    "`where` compares `{path}` with {wanted}, but it has only {found}"
                ));
            }
        }
        Ok(())
    }

    /// Reports a field that no document has.
    pub(super) fn check_field(&self, path: &str) -> Result<(), Trouble> {
        if self.kinds(path)?.is_empty() { self.unknown(path, false) } else { Ok(()) }
    }

    /// The kinds of values that a field has in any document. One with fields in it has all.
    fn kinds(&self, path: &str) -> Result<Vec<Kind>, Trouble> {
        if OF_FILE.contains(&path) {
            return Ok(Kind::ALL.into());
        }
        let mut found = Vec::new();
        for segment in self.there.searcher.segment_readers() {
            let field = Field::of(segment, &self.there.manifest, path)?;
            for kind in Kind::ALL {
                if !field.keys(&facts::of_field(path, Some(kind)))?.is_empty() {
                    found.push(kind);
                }
            }
            if !field.keys(&facts::inside(path))?.is_empty() {
                return Ok(Kind::ALL.into());
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn unknown(&self, path: &str, is_condition: bool) -> Result<(), Trouble> {
        if let Some((outer, name)) = path.rsplit_once('.')
            && is_condition
            && condition::is_near_operator(name)
            && !self.kinds(outer)?.is_empty()
        {
            return Err(condition::unknown_operator(outer, name).into());
        }
        let mut names: Vec<String> = OF_FILE.map(str::to_owned).into();
        for segment in self.there.searcher.segment_readers() {
            names.extend(paths(segment, COMPARED)?);
        }
        names.sort_unstable();
        names.dedup();
        let near = nearest(path, names.iter().map(String::as_str));
        let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
        let shown: Vec<_> = names.iter().take(NAMED).map(|it| format!("`{it}`")).collect();
        let more = if names.len() > NAMED { " and more" } else { "" };
        self.notices.add_of_query(format!(
            "no document has the field `{path}`{near} (fields: {}{more})",
            shown.join(", ")
        ));
        Ok(())
    }
}

/// What a search needs of a segment besides scores.
pub(super) struct Segment {
    filter: Option<Filter>,
    pub(super) sorted: Option<Sorted>,
}

impl Segment {
    pub(super) fn of(
        segment: &SegmentReader,
        manifest: &Manifest,
        condition: Option<&Condition>,
        order: Option<&Order>,
    ) -> Result<Self, Trouble> {
        let filter = condition.map(|it| Filter::of(segment, manifest, it)).transpose()?;
        let sorted = order.map(|it| it.of_segment(segment, manifest)).transpose()?;
        Ok(Self { filter, sorted })
    }

    /// Whether a document fulfils the conditions.
    pub(super) fn holds(&self, doc: DocId) -> bool {
        self.filter.as_ref().is_none_or(|it| it.holds(doc))
    }
}

/// The error for a field without a name.
pub(super) fn unnamed(param: &str) -> OpError {
    let message = format!("invalid `{param}`: expected the name of a field, found an empty text");
    OpError::invalid_input(message)
}
