//! Columns with names.

use std::{collections::HashMap, sync::Arc};

use crate::{
    Text,
    column::{Column, Other},
    error::TableError,
};

/// A table: columns of one length, each with a name of its own.
#[derive(Clone, Debug)]
pub struct Table<T> {
    pub names: Arc<[Text]>,
    pub columns: Vec<Arc<Column<T>>>,
    len: usize,
}

impl<T: Other> Table<T> {
    /// # Panics
    ///
    /// If the columns have not the names' number, or not all `len` rows.
    pub fn new(names: Arc<[Text]>, columns: Vec<Arc<Column<T>>>, len: usize) -> Self {
        assert_eq!(names.len(), columns.len(), "a table has one name a column");
        assert!(columns.iter().all(|it| it.len() == len), "the columns of a table have one length");
        Self { names, columns, len }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn get(&self, name: &str) -> Option<&Arc<Column<T>>> {
        self.columns.get(self.names.iter().position(|it| it.as_ref() == name)?)
    }

    /// The column of this name.
    ///
    /// # Errors
    ///
    /// If there is none: with the names that there are.
    pub fn column(&self, name: &str) -> Result<&Arc<Column<T>>, TableError> {
        self.get(name).ok_or_else(|| TableError::missing(name, self.names.iter()))
    }

    /// The columns of these names.
    pub fn columns_of(&self, names: &[Text]) -> Result<Vec<&Column<T>>, TableError> {
        Ok(self.found(names)?.into_iter().map(AsRef::as_ref).collect())
    }

    fn found(&self, names: &[Text]) -> Result<Vec<&Arc<Column<T>>>, TableError> {
        const FEW: usize = 16;
        if names.len() <= FEW {
            return names.iter().map(|it| self.column(it)).collect();
        }
        let all = self.names.iter().map(AsRef::as_ref).zip(&self.columns);
        let by_name: HashMap<&str, &Arc<Column<T>>> = all.collect();
        let found = |name: &Text| {
            let found = by_name.get(name.as_ref()).copied();
            found.ok_or_else(|| TableError::missing(name, self.names.iter()))
        };
        names.iter().map(found).collect()
    }

    /// The columns of these names, in this order.
    ///
    /// # Errors
    ///
    /// If there is none of a name.
    pub fn select(&self, names: &[Text]) -> Result<Self, TableError> {
        let columns = self.found(names)?.into_iter().cloned().collect();
        Ok(Self { names: names.into(), columns, len: self.len })
    }

    fn with(&self, len: usize, change: impl Fn(&Column<T>) -> Column<T>) -> Self {
        let columns = self.columns.iter().map(|it| Arc::new(change(it))).collect();
        Self { names: self.names.clone(), columns, len }
    }

    #[must_use]
    pub fn take(&self, rows: &[u32]) -> Self {
        self.with(rows.len(), |it| it.take(rows))
    }

    /// The rows from `from` up to `to`, as far as there are any.
    #[must_use]
    pub fn slice(&self, from: usize, to: usize) -> Self {
        let to = to.min(self.len);
        let from = from.min(to);
        if (from, to) == (0, self.len) {
            return self.clone();
        }
        self.with(to - from, |it| it.slice(from, to))
    }

    /// The rows of this table and those of another one with the same names in the same order.
    #[must_use]
    pub fn concat(&self, other: &Self) -> Self {
        let columns = self.columns.iter().zip(&other.columns);
        let columns = columns.map(|(a, b)| Arc::new(a.concat(b))).collect();
        Self { names: self.names.clone(), columns, len: self.len + other.len }
    }

    /// With one more column, or another one of the same name.
    #[must_use]
    pub fn with_column(&self, name: Text, column: Arc<Column<T>>) -> Self {
        let mut columns = self.columns.clone();
        if let Some(place) = self.names.iter().position(|it| *it == name) {
            columns[place] = column;
            return Self { columns, ..self.clone() };
        }
        columns.push(column);
        let names = self.names.iter().cloned().chain([name]).collect();
        Self { names, columns, len: self.len }
    }

    /// The bytes of all buffers.
    pub fn bytes(&self) -> usize {
        self.columns.iter().map(|it| it.bytes()).sum()
    }
}
