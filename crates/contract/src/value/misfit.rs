//! The reason why a value is not of the expected type, with its place in the value.

use std::fmt;

use super::{Text, Type, Value};

/// The reason why a value is not of the expected type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeMismatch {
    /// The place in the value, as `items[3].score`; empty for the value itself.
    pub path: String,
    pub wanted: String,
    pub given: String,
}

impl fmt::Display for TypeMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, wanted, given } = self;
        match path.as_str() {
            "" => write!(f, "expected {wanted}, found {given}"),
            path => write!(f, "expected {wanted} for `{path}`, found {given}"),
        }
    }
}

impl std::error::Error for TypeMismatch {}

impl TypeMismatch {
    /// A value that is not of the expected type.
    pub fn of(wanted: impl Into<String>, value: &Value) -> Self {
        Misfit::of(wanted, value).whole()
    }

    /// The same for a value that is the content of `name`.
    #[must_use]
    pub fn within(self, name: &str) -> Self {
        let dot = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        Self { path: format!("{name}{dot}{}", self.path), ..self }
    }
}

impl Type {
    /// The first part of a value that is not of this type, if there is one. An int is a float.
    pub fn mismatch(&self, value: &Value) -> Option<TypeMismatch> {
        misfit(value, self).map(Misfit::whole)
    }
}

/// A mismatch whose path is still being collected, from the inside out.
#[derive(Clone, Debug)]
pub(super) struct Misfit {
    steps: Vec<Step>,
    wanted: String,
    given: String,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Field(Text),
    Item(usize),
}

impl Misfit {
    pub(super) fn new(wanted: impl Into<String>, given: impl Into<String>) -> Self {
        Self { steps: Vec::new(), wanted: wanted.into(), given: given.into() }
    }

    /// A value of another kind, or of the expected kind and outside its range.
    pub(super) fn of(wanted: impl Into<String>, value: &Value) -> Self {
        let (wanted, kind) = (wanted.into(), value.kind());
        let is_number = matches!(value, Value::Int(_) | Value::Float(_));
        let is_outside = is_number && wanted.starts_with(kind);
        let given = if is_outside { value.to_string() } else { kind.to_owned() };
        Self::new(wanted, given)
    }

    pub(super) fn inside(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The mismatch with its whole path.
    pub(super) fn whole(self) -> TypeMismatch {
        let mut path = String::new();
        for step in self.steps.iter().rev() {
            match step {
                Step::Field(name) if path.is_empty() => path.push_str(name),
                Step::Field(name) => path.push_str(&format!(".{name}")),
                Step::Item(idx) => path.push_str(&format!("[{idx}]")),
            }
        }
        TypeMismatch { path, wanted: self.wanted, given: self.given }
    }
}

fn misfit(value: &Value, wanted: &Type) -> Option<Misfit> {
    match (value, wanted) {
        (Value::Null, Type::Optional(_)) => None,
        (it, Type::Optional(inner)) => misfit(it, inner),
        (Value::List(items), Type::List(item, _)) => items
            .iter()
            .enumerate()
            .find_map(|(idx, it)| Some(misfit(it, item)?.inside(Step::Item(idx)))),
        (Value::Record(record), Type::Record(of)) => of.fields.iter().find_map(|(name, ty)| {
            let found = match record.get(name) {
                Some(it) => misfit(it, ty),
                None if ty.is_optional() => None,
                None => Some(Misfit::new(ty.to_string(), "nothing")),
            };
            Some(found?.inside(Step::Field(name.clone())))
        }),
        (Value::Int(_), Type::Float(None)) => None,
        (it, wanted) if wanted.admits(it) => None,
        (it, wanted) => Some(Misfit::of(wanted.to_string(), it)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    #[test]
    fn the_first_misfit_is_found_with_its_place() {
        let row = Type::record(vec![
            ("n".into(), Type::Int(Some((0, 255)))),
            ("note".into(), Type::Text.optional()),
        ]);
        let rows = Type::list(row);
        let found = |text: &str| {
            let found = rows.mismatch(&json::read(text).unwrap());
            found.map(|it| it.within("rows").to_string()).unwrap_or_default()
        };
        assert_eq!(found(r#"[{"n": 1}, {"n": 255, "note": null}]"#), "");
        assert_eq!(found(r#"[{"n": 256}]"#), "expected int 0..255 for `rows[0].n`, found 256");
        assert_eq!(found(r#"[{"n": "1"}]"#), "expected int 0..255 for `rows[0].n`, found string");
        assert_eq!(found("[{}]"), "expected int 0..255 for `rows[0].n`, found nothing");
        assert_eq!(
            found(r#"[{"n": 1, "note": 2}]"#),
            "expected string for `rows[0].note`, found int"
        );
        assert!(found("{}").ends_with("for `rows`, found record"), "{}", found("{}"));
    }
}
