//! Rows of a table as values of a record type.

use std::{collections::HashMap, sync::Arc};

use super::{Record, Text, Type, TypeMismatch, Value, json, times};

/// How the cells of a table become records: which column is which field.
#[derive(Clone, Debug)]
pub struct Columns {
    names: Arc<[Text]>,
    /// For each field of the records, its type and the position of its column, if it has one.
    fields: Vec<(Type, Option<usize>)>,
    /// The number of columns.
    width: usize,
}

impl Columns {
    /// The columns with these names as the fields of `ty`, a record type, or `json` for records of
    /// all columns. Space around a name does not count.
    ///
    /// # Errors
    ///
    /// If a field that is not optional has no column, two columns have the same name, or `ty` is not
    /// the type of rows: why, as a message.
    pub fn named(header: &[Text], ty: &Type) -> Result<Self, String> {
        let header: Vec<&str> = header.iter().map(|it| it.trim()).collect();
        // The place of each name, if it occurs once.
        let mut places: HashMap<&str, Option<usize>> = HashMap::with_capacity(header.len());
        for (idx, name) in header.iter().enumerate() {
            places.entry(name).and_modify(|it| *it = None).or_insert(Some(idx));
        }
        let place = |name: &str| match places.get(name) {
            Some(None) => Err(format!("duplicate column `{name}` in the header")),
            Some(place) => Ok(*place),
            None => Ok(None),
        };
        if matches!(ty, Type::Json) {
            header.iter().try_for_each(|it| place(it).map(drop))?;
            let names = header.iter().map(|it| Text::from(*it)).collect();
            let fields = (0..header.len()).map(|idx| (Type::Json, Some(idx))).collect();
            return Ok(Self { names, fields, width: header.len() });
        }
        let Type::Record(of) = ty else { return Err(not_rows(ty)) };
        let mut fields = Vec::with_capacity(of.fields.len());
        for (name, ty) in &of.fields {
            let place = place(name)?;
            if place.is_none() && !ty.is_optional() {
                let all: Vec<String> = header.iter().map(|it| format!("`{it}`")).collect();
                return Err(format!("missing column `{name}`, found {}", all.join(", ")));
            }
            fields.push((ty.clone(), place));
        }
        Ok(Self { names: names_of(of), fields, width: header.len() })
    }

    /// The fields of `ty`, a record type, as the columns in this order.
    ///
    /// # Errors
    ///
    /// If `ty` is not a record type.
    pub fn in_order(ty: &Type) -> Result<Self, String> {
        let Type::Record(of) = ty else { return Err(not_rows(ty)) };
        let fields = of.fields.iter().enumerate().map(|(idx, (_, ty))| (ty.clone(), Some(idx)));
        Ok(Self { names: names_of(of), fields: fields.collect(), width: of.fields.len() })
    }

    /// The record of a row. A cell after the last column must be empty; a missing one is null.
    ///
    /// # Errors
    ///
    /// If a cell is not of the type of its field: the column and why, as a message.
    pub fn record(&self, cells: &[Value]) -> Result<Value, String> {
        let beyond = cells.get(self.width..).unwrap_or_default();
        if let Some(idx) = beyond.iter().rposition(|it| !is_blank(it)) {
            let found = self.width + idx + 1;
            return Err(format!("expected {} cells, found {found}", self.width));
        }
        let mut values = Vec::with_capacity(self.fields.len());
        for (name, (ty, place)) in self.names.iter().zip(&self.fields) {
            let cell = place.map(|it| cells.get(it));
            values.push(match cell {
                Some(Some(cell)) => {
                    cell.clone().of_cell(ty).map_err(|err| format!("column `{name}`: {err}"))?
                }
                Some(None) if !ty.is_optional() && !matches!(ty, Type::Json) => {
                    return Err(format!("missing cell of column `{name}`"));
                }
                _ => Value::Null,
            });
        }
        Ok(Value::Record(Record::new(self.names.clone(), values)))
    }
}

fn names_of(of: &super::RecordType) -> Arc<[Text]> {
    of.fields.iter().map(|(name, _)| name.clone()).collect()
}

fn not_rows(ty: &Type) -> String {
    format!("expected a record type for the rows, found {ty}")
}

fn is_blank(cell: &Value) -> bool {
    cell.is_null() || cell.as_str().is_some_and(|it| it.trim().is_empty())
}

impl Value {
    /// The value of a cell as `ty`: text is read as a person writes it.
    ///
    /// Space around everything but strings does not count. An empty cell is null where null is
    /// allowed. `true` and `false` may be in upper case; lists and records are JSON. A cell that is
    /// a number, a boolean, a date or a time already becomes text where text is expected, and a date
    /// becomes its midnight in UTC where a time is.
    ///
    /// # Errors
    ///
    /// If the cell is not a `ty`.
    pub fn of_cell(self, ty: &Type) -> Result<Self, TypeMismatch> {
        if ty.is_optional() && is_blank(&self) {
            return Ok(Self::Null);
        }
        let of = ty.required();
        match (&self, of) {
            (Self::Text(text), _) => read(text, of).unwrap_or_else(|| self.clone()).cast(of),
            (
                Self::Int(_)
                | Self::Float(_)
                | Self::Bool(_)
                | Self::Date(_)
                | Self::Time(_)
                | Self::Duration(_),
                Type::Text,
            ) => Ok(Self::text(self.to_string())),
            (Self::Date(date), Type::Time) => {
                let midnight = times::completed_time(&date.to_string());
                Ok(midnight.map_or(self, Self::Time))
            }
            _ => self.cast(of),
        }
    }
}

/// The value that a text stands for where `ty` is expected, if it is not the text itself.
fn read(text: &str, ty: &Type) -> Option<Value> {
    let text = text.trim();
    match ty {
        Type::Int(_) => text.parse().ok().map(Value::Int),
        Type::Float(_) => text.parse().ok().filter(|it: &f64| it.is_finite()).map(Value::Float),
        Type::Bool if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        Type::Bool if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        Type::Duration | Type::Money | Type::Size => Some(Value::text(text)),
        Type::List(..) | Type::Record(_) => json::read(text).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str, ty: &Type) -> String {
        match Value::text(text).of_cell(ty) {
            Ok(it) => json::write(&it),
            Err(err) => err.to_string(),
        }
    }

    #[test]
    fn cells_are_read_as_people_write_them() {
        assert_eq!(cell(" 7 ", &Type::INT), "7");
        assert_eq!(cell("-1e3", &Type::FLOAT), "-1000.0");
        assert_eq!(cell("TRUE", &Type::Bool), "true");
        assert_eq!(cell(" a ", &Type::Text), r#"" a ""#);
        assert_eq!(cell("", &Type::Text), r#""""#);
        assert_eq!(cell(" ", &Type::INT.optional()), "null");
        assert_eq!(cell(" $2.50 ", &Type::Money), r#""$2.50""#);
        assert_eq!(cell("[1, 2]", &Type::list(Type::INT)), "[1,2]");
        assert_eq!(json::write(&Value::Int(80_331).of_cell(&Type::Text).unwrap()), r#""80331""#);
    }

    #[test]
    fn other_cells_are_shown() {
        assert_eq!(cell("1,5", &Type::FLOAT), "expected float, found \"1,5\"");
        assert_eq!(cell("nan", &Type::FLOAT), "expected float, found \"nan\"");
        assert_eq!(cell("", &Type::INT), "expected int, found \"\"");
        assert_eq!(cell("9", &Type::Int(Some((1, 5)))), "expected int 1..5, found 9");
        assert_eq!(
            cell("99999999999999999999", &Type::INT),
            "expected int, found \"99999999999999999999\""
        );
    }

    #[test]
    fn columns_are_found_by_name() {
        let fields = vec![("b".into(), Type::INT), ("c".into(), Type::Text.optional())];
        let row = Type::record(fields);
        let columns = Columns::named(&["a".into(), " b".into()], &row).unwrap();
        let record = |cells: &[&str]| {
            let cells: Vec<Value> = cells.iter().map(|it| Value::text(*it)).collect();
            columns.record(&cells).map(|it| json::write(&it))
        };
        assert_eq!(record(&["x", "1", ""]).unwrap(), r#"{"b":1,"c":null}"#);
        assert_eq!(record(&["x"]).unwrap_err(), "missing cell of column `b`");
        assert_eq!(record(&["x", "1", "2"]).unwrap_err(), "expected 2 cells, found 3");
        assert_eq!(record(&["x", "y"]).unwrap_err(), "column `b`: expected int, found \"y\"");
        assert_eq!(
            Columns::named(&["a".into()], &row).unwrap_err(),
            "missing column `b`, found `a`"
        );
        assert!(Columns::named(&["b".into(), "b".into()], &row).unwrap_err().contains("duplicate"));
        assert!(Columns::named(&[], &Type::INT).unwrap_err().contains("found int"));
    }
}
