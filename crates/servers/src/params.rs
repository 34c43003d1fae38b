//! Values of the language as params of statements.

use std::collections::BTreeSet;

use svc_contract::{
    registry::{OpError, nearest},
    value::{List, Record, Value},
};

use crate::sql::Written;

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

    /// Refuses a param with a name where `params` has none.
    pub(crate) fn test_named(&self, shown: &str) -> Result<(), OpError> {
        let name = &shown[1..];
        match self {
            Self::Named(all) if all.has(name) => Ok(()),
            Self::Named(_) => Err(OpError::invalid_input(format!("missing param `{shown}`"))
                .help(format!("add `{name}: ..` to `params`"))),
            Self::Listed(_) => {
                let message = format!("`{shown}` is a param with a name, and `params` is a list");
                Err(OpError::invalid_input(message)
                    .help(format!("write `params: {{ {name}: .. }}`")))
            }
            Self::Nothing => Err(OpError::invalid_input(format!("missing param `{shown}`"))
                .help(format!("add `params: {{ {name}: .. }}`; a slice is `[1 : n]`"))),
        }
    }

    /// Refuses a param without a name where `params` is a record.
    pub(crate) fn test_marks(&self, shown: &str) -> Result<(), OpError> {
        if !matches!(self, Self::Named(_)) {
            return Ok(());
        }
        let message = format!("`{shown}` is a param without a name, and `params` is a record");
        Err(OpError::invalid_input(message).help(format!("write `:name` instead of `{shown}`")))
    }

    /// The values of a statement, which has so many params.
    pub(crate) fn values(
        &self,
        written: &Written,
        count: usize,
    ) -> Result<Vec<(String, &'a Value)>, OpError> {
        match self {
            Self::Named(all) => {
                let value = |name: &String| {
                    let missing = || OpError::bug("a param without a value");
                    Ok((format!(":{name}"), all.get(name).ok_or_else(missing)?))
                };
                written.names.iter().map(value).collect()
            }
            Self::Nothing if count == 0 => Ok(Vec::new()),
            Self::Nothing => {
                let message = format!("expected {}, found none", params(count));
                Err(OpError::invalid_input(message).help("add `params: [..]`"))
            }
            Self::Listed(all) if all.len() == count => {
                let shown = |idx: usize| format!("${}", idx + 1);
                Ok(all.iter().enumerate().map(|(idx, it)| (shown(idx), it)).collect())
            }
            Self::Listed(all) => {
                let message = format!("expected {}, found {}", params(count), all.len());
                Err(OpError::invalid_input(message).help("give one value for each param"))
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

    /// Refuses a list for several statements.
    pub(crate) fn test_several(&self, statements: usize) -> Result<(), OpError> {
        if statements > 1 && matches!(self, Self::Listed(_)) {
            let message = "a list of params is for one statement, found several";
            return Err(OpError::invalid_input(message)
                .help("give the params names: `:name` in the statements, `params: { name: .. }`"));
        }
        Ok(())
    }
}

fn params(count: usize) -> String {
    if count == 1 { "1 param".to_owned() } else { format!("{count} params") }
}

/// A value that a server cannot keep.
pub(crate) fn unkept(value: &Value) -> String {
    format!("a database cannot keep a {}", value.kind())
}

/// An amount as a decimal number, without the sign of the currency.
pub(crate) fn amount(nanos: i64) -> String {
    const UNIT: u64 = 1_000_000_000;
    let (sign, all) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    let text = format!("{sign}{}.{:09}", all / UNIT, all % UNIT);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
