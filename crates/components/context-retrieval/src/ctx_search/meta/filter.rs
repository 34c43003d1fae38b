//! Conditions on the documents of a segment.

use std::ops::Range;

use tantivy::{DocId, SegmentReader};

use super::{
    super::{manifest::Manifest, trouble::Trouble},
    condition::Condition,
    field::Field,
};

/// A condition with the keys of a segment in place of values.
pub(super) enum Filter {
    Has(Box<Field>, Vec<Range<u64>>),
    Not(Box<Filter>),
    All(Vec<Filter>),
}

impl Filter {
    pub(super) fn of(
        segment: &SegmentReader,
        manifest: &Manifest,
        condition: &Condition,
    ) -> Result<Self, Trouble> {
        Ok(match condition {
            Condition::Has(named, bounds) => {
                let field = Field::of(segment, manifest, &named.path)?;
                let keys = bounds.iter().map(|it| field.keys(it)).collect::<Result<_, _>>()?;
                Self::Has(Box::new(field), keys)
            }
            Condition::Not(inner) => Self::Not(Box::new(Self::of(segment, manifest, inner)?)),
            Condition::All(all) => {
                let all = all.iter().map(|it| Self::of(segment, manifest, it));
                Self::All(all.collect::<Result<_, _>>()?)
            }
        })
    }

    pub(super) fn holds(&self, doc: DocId) -> bool {
        match self {
            Self::Has(field, keys) => {
                let mut has = false;
                field.each(doc, |key| has = has || keys.iter().any(|it| it.contains(&key)));
                has
            }
            Self::Not(inner) => !inner.holds(doc),
            Self::All(all) => all.iter().all(|it| it.holds(doc)),
        }
    }
}
