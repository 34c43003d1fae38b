//! Lists, as rows or as columns.

use std::sync::{Arc, OnceLock};

use svc_columns::{Column, Table};

use super::{
    RecordType, Text, Type, UnmadeRows, Value,
    buffers::{self, NotRows},
    data::OVERHEAD,
    memory,
};

/// A shared, immutable list. Its representation is private.
///
/// A list of records may be kept as columns: then its rows are made when they are first needed, and
/// remembered. Nothing that is observed of a list depends on how it is kept.
#[derive(Clone, Debug, Default)]
pub struct List(Arc<Items>);

#[derive(Debug)]
struct Items {
    kept: Kept,
    weight: u64,
    _charge: memory::Charge,
}

#[derive(Debug)]
enum Kept {
    Rows(Vec<Value>),
    Columns(Box<Lazy>),
}

/// Columns, and the rows that were made of them.
#[derive(Debug)]
struct Lazy {
    table: Table<Value>,
    rows: OnceLock<(Vec<Value>, memory::Charge)>,
    /// Rows that were asked for one by one, in parts of [`PART`].
    parts: OnceLock<Box<[OnceLock<Part>]>>,
}

type Part = Box<[Value]>;

/// The number of rows that are made when one is asked for.
const PART: usize = 256;

/// What a row takes besides its fields.
const ROW: usize = OVERHEAD + size_of::<Value>();

impl Default for Items {
    fn default() -> Self {
        Self { kept: Kept::Rows(Vec::new()), weight: 0, _charge: memory::Charge::default() }
    }
}

impl Lazy {
    /// The rows, or none if the run has no memory left: the run fails, and they are not used.
    fn rows(&self) -> &[Value] {
        if let Some((rows, _)) = self.rows.get() {
            return rows;
        }
        let size = ROW + self.table.names.len() * size_of::<super::Slot>();
        if memory::room(self.table.len().saturating_mul(size)).is_err() {
            return &[];
        }
        let Some(made) = self.made(0, self.table.len()) else { return &[] };
        let charge = memory::Charge::of(made.len() * size_of::<Value>());
        &self.rows.get_or_init(|| (made, charge)).0
    }

    fn made(&self, from: usize, to: usize) -> Option<Vec<Value>> {
        let mut rows = Vec::with_capacity(to - from);
        for row in from..to {
            if row.is_multiple_of(ITEMS_PER_CHECK) && row > 0 && memory::is_full() {
                return None;
            }
            rows.push(buffers::row(&self.table, row));
        }
        Some(rows)
    }

    fn get(&self, idx: usize) -> Option<&Value> {
        if let Some((rows, _)) = self.rows.get() {
            return rows.get(idx);
        }
        let len = self.table.len();
        let parts = self.parts.get_or_init(|| {
            std::iter::repeat_with(OnceLock::new).take(len.div_ceil(PART)).collect()
        });
        let from = idx / PART * PART;
        let part = parts.get(idx / PART)?.get_or_init(|| {
            let to = (from + PART).min(len);
            (from..to).map(|row| buffers::row(&self.table, row)).collect()
        });
        part.get(idx - from)
    }
}

impl List {
    pub fn len(&self) -> usize {
        match &self.0.kept {
            Kept::Rows(all) => all.len(),
            Kept::Columns(lazy) => lazy.table.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, idx: usize) -> Option<&Value> {
        match &self.0.kept {
            Kept::Rows(all) => all.get(idx),
            Kept::Columns(lazy) => lazy.get(idx),
        }
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.rows().iter()
    }

    fn rows(&self) -> &[Value] {
        match &self.0.kept {
            Kept::Rows(all) => all,
            Kept::Columns(lazy) => lazy.rows(),
        }
    }

    pub(super) fn weight(&self) -> u64 {
        self.0.weight
    }

    /// Calls `take` with each item, without remembering the rows of a list that is kept as columns.
    ///
    /// # Errors
    ///
    /// The first one of `take`.
    pub fn each<E>(&self, mut take: impl FnMut(&Value) -> Result<(), E>) -> Result<(), E> {
        match &self.0.kept {
            Kept::Columns(lazy) if lazy.rows.get().is_none() => {
                (0..lazy.table.len()).try_for_each(|row| take(&buffers::row(&lazy.table, row)))
            }
            _ => self.iter().try_for_each(take),
        }
    }

    /// Whether each item is as `is` says for this type, in one look at each column.
    pub(super) fn all_are(&self, ty: &Type, is: fn(&Type, &Value) -> bool) -> bool {
        match &self.0.kept {
            Kept::Columns(lazy) if lazy.rows.get().is_none() => {
                buffers::all_are(&lazy.table, ty, is)
            }
            _ => self.iter().all(|it| is(ty, it)),
        }
    }

    /// The items, without copying them if the list is not shared.
    pub fn into_vec(self) -> Vec<Value> {
        match Arc::try_unwrap(self.0) {
            Ok(Items { kept: Kept::Rows(own), .. }) => own,
            Ok(Items { kept: Kept::Columns(lazy), .. }) => {
                lazy.rows();
                lazy.rows.into_inner().map(|(rows, _)| rows).unwrap_or_default()
            }
            Err(shared) => Self(shared).rows().to_vec(),
        }
    }

    /// The items from `from` up to `to`, as far as there are any, kept as this list is.
    #[must_use]
    pub fn part(&self, from: usize, to: usize) -> Self {
        let to = to.min(self.len());
        let from = from.min(to);
        if (from, to) == (0, self.len()) {
            return self.clone();
        }
        match &self.0.kept {
            Kept::Rows(all) => all[from..to].iter().cloned().collect(),
            Kept::Columns(lazy) => Self::from(lazy.table.slice(from, to)),
        }
    }

    /// The list as columns: those that it is kept as, or new ones with every field that an item has.
    /// A field that an item lacks is null.
    ///
    /// # Errors
    ///
    /// If an item is not a record: which one, and what it is. If nearly all cells of a large table would be empty, or
    /// the memory is used up.
    pub fn columns(&self) -> Result<Table<Value>, NotRows> {
        self.columns_unless(&|| false)
    }

    /// The same for a caller that may have to stop, which is asked now and then.
    ///
    /// # Errors
    ///
    /// Those of [`Self::columns`], and [`NotRows::Stopped`].
    pub fn columns_unless(&self, stop: &dyn Fn() -> bool) -> Result<Table<Value>, NotRows> {
        match &self.0.kept {
            Kept::Columns(lazy) => Ok(lazy.table.clone()),
            Kept::Rows(all) => buffers::of_rows(all, stop),
        }
    }

    /// The rows of a list that is kept as columns, if they are not made yet.
    pub fn unmade(&self) -> Option<UnmadeRows<'_>> {
        match &self.0.kept {
            Kept::Columns(lazy) if lazy.rows.get().is_none() => Some(UnmadeRows(&lazy.table)),
            _ => None,
        }
    }

    /// Whether it is kept as columns.
    pub fn is_columns(&self) -> bool {
        matches!(self.0.kept, Kept::Columns(_))
    }
}

impl Value {
    /// With the columns that a type has, where a table of it has no rows: an op over tables finds no
    /// names in an empty list. `None` if nothing changes. Tables in fields of a record are looked at, too.
    #[must_use]
    pub fn with_known_columns(&self, ty: &Type) -> Option<Self> {
        match (self, ty.required()) {
            (Self::List(list), Type::List(row, _)) => {
                let Type::Record(of) = row.as_ref() else { return None };
                list.with_known_columns(of).map(Self::List)
            }
            (Self::Record(record), Type::Record(of)) => {
                let change = |(name, it): (&Text, &Self)| it.with_known_columns(of.get(name)?);
                if !record.iter().any(|it| change(it).is_some()) {
                    return None;
                }
                let changed = |(name, it): (&Text, &Self)| {
                    (name.clone(), change((name, it)).unwrap_or_else(|| it.clone()))
                };
                Some(Self::Record(record.iter().map(changed).collect()))
            }
            _ => None,
        }
    }
}

impl List {
    fn with_known_columns(&self, row: &RecordType) -> Option<Self> {
        let has_columns = match &self.0.kept {
            Kept::Rows(_) => false,
            Kept::Columns(lazy) => !lazy.table.names.is_empty(),
        };
        if !self.is_empty() || has_columns || row.fields.is_empty() {
            return None;
        }
        let names: Vec<Text> = row.fields.iter().map(|(name, _)| name.clone()).collect();
        let columns = names.iter().map(|_| Arc::new(Column::nulls(0))).collect();
        Some(Self::from(Table::new(names.into(), columns, 0)))
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        let (mut weight, mut held) = (0_u64, OVERHEAD + items.len() * size_of::<Value>());
        for item in &items {
            weight = weight.saturating_add(item.weight());
            held += item.held();
        }
        let charge = memory::Charge::of(held);
        Self(Arc::new(Items { kept: Kept::Rows(items), weight, _charge: charge }))
    }
}

impl From<Table<Value>> for List {
    fn from(table: Table<Value>) -> Self {
        let (weight, held) = (buffers::weight(&table), OVERHEAD + table.bytes());
        let charge = memory::Charge::of(held);
        let lazy = Lazy { table, rows: OnceLock::new(), parts: OnceLock::new() };
        let kept = Kept::Columns(Box::new(lazy));
        Self(Arc::new(Items { kept, weight, _charge: charge }))
    }
}

/// The number of items collected between two checks of the memory.
pub const ITEMS_PER_CHECK: usize = 1024;

impl FromIterator<Value> for List {
    /// Stops when the run has no memory left: the run fails, and the list is never used.
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        let mut items = items.into_iter();
        let (least, most) = items.size_hint();
        if most.is_some_and(|it| it <= ITEMS_PER_CHECK) {
            return Self::from(items.collect::<Vec<_>>());
        }
        let mut list = Vec::new();
        if memory::room(least.saturating_mul(size_of::<Value>())).is_ok() {
            list.reserve(least);
        }
        loop {
            let before = list.len();
            list.extend(items.by_ref().take(ITEMS_PER_CHECK));
            memory::makes((list.len() - before) * size_of::<Value>());
            // Small lists are always complete.
            if list.len() < before + ITEMS_PER_CHECK || memory::is_full() {
                break;
            }
        }
        Self::from(list)
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests;
