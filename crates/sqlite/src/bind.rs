//! Values of the language as params of statements.

use std::collections::BTreeSet;

use rusqlite::{
    Statement,
    types::{ToSqlOutput, Value as Sql, ValueRef},
};
use svc_contract::{
    registry::{OpError, nearest},
    value::{List, Record, Value, json},
};

use crate::session::Session;

/// The params of a call: by place, or by name.
pub(crate) enum Given<'a> {
    Nothing,
    Listed(&'a List),
    Named(&'a Record),
}

impl<'a> Given<'a> {
    pub(crate) fn of(params: &'a Value) -> Result<Self, OpError> {
        match params {
            Value::Null => Ok(Self::Nothing),
            Value::List(it) => Ok(Self::Listed(it)),
            Value::Record(it) => Ok(Self::Named(it)),
            other => {
                let message =
                    format!("`params`: expected a list or a record, found {}", other.kind());
                Err(OpError::invalid_input(message).help("write `params: [value]`"))
            }
        }
    }

    /// Binds the params of a statement; returns the names that it uses.
    pub(crate) fn bind(
        &self,
        to: &mut Statement<'_>,
        session: &Session<'_>,
    ) -> Result<BTreeSet<String>, OpError> {
        let mut used = BTreeSet::new();
        let count = to.parameter_count();
        if let Self::Listed(all) = self {
            test_count(count, all.len())?;
        }
        for idx in 1..=count {
            let name = to.parameter_name(idx).map(str::to_owned);
            let value = self.value(idx, name.as_deref(), count)?;
            let shown = name.clone().unwrap_or_else(|| format!("?{idx}"));
            let cell = plain(value).map_err(|why| wrong(&shown, &why))?;
            to.raw_bind_parameter(idx, cell).map_err(|err| session.trouble(err))?;
            used.extend(name.map(|it| bare(&it).to_owned()));
        }
        Ok(used)
    }

    fn value(&self, idx: usize, name: Option<&str>, count: usize) -> Result<&Value, OpError> {
        match (self, name.filter(|it| !it.starts_with('?'))) {
            (Self::Listed(all), None) => {
                all.get(idx - 1).ok_or_else(|| OpError::bug("a param without a value"))
            }
            (Self::Named(all), Some(name)) => all.get(bare(name)).ok_or_else(|| {
                let message = format!("missing param `{name}`");
                OpError::invalid_input(message)
                    .help(format!("add `{}: ..` to `params`", bare(name)))
            }),
            (Self::Nothing, _) => {
                let message = format!("expected {}, found none", params(count));
                Err(OpError::invalid_input(message).help("add `params: [..]` or `params: { .. }`"))
            }
            (Self::Listed(_), Some(name)) => {
                let message = format!("`{name}` is a param with a name, and `params` is a list");
                Err(OpError::invalid_input(message)
                    .help(format!("write `params: {{ {}: .. }}`", bare(name))))
            }
            (Self::Named(_), None) => {
                let message = "the statement has params without names, and `params` is a record";
                Err(OpError::invalid_input(message).help("write `:name` instead of `?`"))
            }
        }
    }

    /// Refuses names that no statement uses.
    pub(crate) fn test_used(&self, used: &BTreeSet<String>) -> Result<(), OpError> {
        let Self::Named(all) = self else { return Ok(()) };
        let Some(extra) = all.iter().map(|it| it.0).find(|it| !used.contains(it.as_ref())) else {
            return Ok(());
        };
        let failed = OpError::invalid_input(format!("no statement uses the param `{extra}`"));
        Err(match nearest(extra, used.iter().map(String::as_str)) {
            Some(near) => failed.help(format!("did you mean `{near}`?")),
            None => failed.help(format!("write `:{extra}` in the statement, or remove it")),
        })
    }
}

fn test_count(expected: usize, found: usize) -> Result<(), OpError> {
    if expected == found {
        return Ok(());
    }
    let message = format!("expected {}, found {found}", params(expected));
    Err(OpError::invalid_input(message).help("give one value for each `?`"))
}

fn params(count: usize) -> String {
    if count == 1 { "1 param".to_owned() } else { format!("{count} params") }
}

/// A name without `:`, `@` or `$`.
fn bare(name: &str) -> &str {
    name.strip_prefix([':', '@', '$']).unwrap_or(name)
}

fn wrong(name: &str, why: &str) -> OpError {
    OpError::invalid_input(format!("param `{name}`: {why}"))
}

pub(crate) const NAN: &str = "a database has no NaN; give null instead";

/// A value that a cell of a database can hold.
pub(crate) fn plain(value: &Value) -> Result<ToSqlOutput<'_>, String> {
    match value {
        Value::List(_) | Value::Record(_) => {
            Err(format!("expected a plain value, found {}", value.kind()))
        }
        other => cell(other),
    }
}

/// The same, with lists and records as JSON.
pub(crate) fn cell(value: &Value) -> Result<ToSqlOutput<'_>, String> {
    Ok(match value {
        Value::Null => ToSqlOutput::Borrowed(ValueRef::Null),
        Value::Bool(it) => int(i64::from(*it)),
        Value::Int(it) => int(*it),
        Value::Float(it) if it.is_nan() => {
            return Err(NAN.to_owned());
        }
        Value::Float(it) => ToSqlOutput::Borrowed(ValueRef::Real(*it)),
        Value::Text(it) | Value::Path(it) => ToSqlOutput::Borrowed(ValueRef::Text(it.as_bytes())),
        Value::Bytes(it) => ToSqlOutput::Borrowed(ValueRef::Blob(it)),
        Value::Size(it) => int(i64::try_from(*it).map_err(|_| "the size is too large".to_owned())?),
        Value::Date(_) | Value::Time(_) | Value::Duration(_) | Value::Money(_) => {
            ToSqlOutput::Owned(Sql::Text(value.to_string()))
        }
        Value::List(_) | Value::Record(_) => ToSqlOutput::Owned(Sql::Text(json::write(value))),
        Value::Secret(_) | Value::Flow(_) | Value::Model(_) | Value::Opaque(_) => {
            return Err(format!("a database cannot keep a {}", value.kind()));
        }
    })
}

fn int(it: i64) -> ToSqlOutput<'static> {
    ToSqlOutput::Borrowed(ValueRef::Integer(it))
}
