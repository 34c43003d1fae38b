//! Choosing rows.

use crate::{
    column::{Column, Data, Other, code},
    error::TableError,
};

impl<T: Other> Column<T> {
    /// The rows in which the column is true; those without a value are not among them.
    pub fn trues(&self) -> Result<Vec<u32>, TableError> {
        match &self.data {
            Data::Bool(all) => {
                let all = all.iter().enumerate();
                Ok(all
                    .filter(|(row, it)| **it && self.is_valid(*row))
                    .map(|it| code(it.0))
                    .collect())
            }
            _ if !self.has_values() => Ok(vec![]),
            _ => Err(TableError::no_condition(self.kind_name())),
        }
    }
}
