//! What a job was asked to do, as it is kept.

use std::time::Duration;

use svc_contract::value::{Money, Text, Value, json, merge_patch};
use svc_store::book::{JobKind, JobRow, NewJob, ScheduleRow};

use crate::{Args, Bounds, Call, Fault, Why, Work, decode::object};
use svc_contract::{registry::ErrorKind, store::RunId};

/// Work to be queued.
#[derive(Clone, Debug)]
pub struct NewWork {
    pub kind: JobKind,
    /// The tool or the script.
    pub name: String,
    pub args: Args,
    pub bounds: Bounds,
    pub session: Option<String>,
    /// The address that its end is reported to.
    pub notify: Option<String>,
}

impl NewWork {
    /// The call of a tool as work.
    pub(crate) fn of_tool(call: &Call) -> Option<Self> {
        let Work::Tool { name, args } = &call.work else { return None };
        Some(Self {
            kind: JobKind::Tool,
            name: name.clone(),
            args: args.clone(),
            bounds: call.bounds,
            session: None,
            notify: None,
        })
    }

    /// The work of a job.
    pub(crate) fn of(row: &JobRow) -> Result<Self, Fault> {
        Ok(Self {
            kind: row.kind,
            name: row.name.clone(),
            args: object(read(&row.input)?, "input")?,
            bounds: bounds_of(row)?,
            session: row.session.clone(),
            notify: row.notify.clone(),
        })
    }

    /// The work of a schedule.
    pub(crate) fn scheduled(row: &ScheduleRow) -> Result<Self, Fault> {
        Ok(Self {
            kind: row.kind,
            name: row.name.clone(),
            args: object(read(&row.input)?, "input")?,
            bounds: of_bounds(&row.bounds)?,
            session: None,
            notify: None,
        })
    }

    pub(crate) fn call(&self) -> Call {
        let (name, args) = (self.name.clone(), self.args.clone());
        let work = match self.kind {
            JobKind::Tool => Work::Tool { name, args },
            JobKind::Script => Work::Served { name, args },
        };
        Call { work, bounds: self.bounds }
    }

    pub(crate) fn row(&self, owner: &str, id: String, run: RunId, created: i64) -> NewJob {
        NewJob {
            id,
            owner: owner.to_owned(),
            kind: self.kind,
            name: self.name.clone(),
            input: json::write(&record(self.args.clone())),
            bounds: json::write(&written(self.bounds)),
            session: self.session.clone(),
            parent: None,
            run,
            created,
            notify: self.notify.clone(),
        }
    }
}

/// The call of a job.
pub(crate) fn call_of(row: &JobRow) -> Result<Call, Fault> {
    Ok(NewWork::of(row)?.call())
}

/// The bounds of a job.
pub(crate) fn bounds_of(row: &JobRow) -> Result<Bounds, Fault> {
    of_bounds(&row.bounds)
}

fn of_bounds(text: &str) -> Result<Bounds, Fault> {
    let value = read(text)?;
    let number = |name: &str| match value.as_record().and_then(|it| it.get(name)) {
        Some(Value::Int(it)) => Some(*it),
        _ => None,
    };
    Ok(Bounds {
        max_tokens: number("max_tokens").map(i64::cast_unsigned),
        max_cost: number("max_cost_nanos").map(Money::from_nanos),
        timeout: number("timeout_ms").map(|it| Duration::from_millis(it.cast_unsigned())),
        max_retries: number("max_retries").and_then(|it| u32::try_from(it).ok()),
    })
}

fn written(bounds: Bounds) -> Value {
    let whole = |it: u64| Value::Int(i64::try_from(it).unwrap_or(i64::MAX));
    let millis = |it: Duration| whole(u64::try_from(it.as_millis()).unwrap_or(u64::MAX));
    let fields = [
        ("max_tokens", bounds.max_tokens.map(whole)),
        ("max_cost_nanos", bounds.max_cost.map(|it| Value::Int(it.nanos()))),
        ("timeout_ms", bounds.timeout.map(millis)),
        ("max_retries", bounds.max_retries.map(|it| Value::Int(it.into()))),
    ];
    let set = fields.into_iter().filter_map(|(name, it)| Some((Text::from(name), it?)));
    Value::Record(set.collect())
}

pub(crate) fn record(args: Args) -> Value {
    Value::Record(args.into_iter().map(|(name, it)| (Text::from(name), it)).collect())
}

/// JSON of the book.
pub(crate) fn read(text: &str) -> Result<Value, Fault> {
    json::read(text).map_err(|err| {
        Fault::new(
            Why::Op(ErrorKind::Bug),
            format!("the database of the service is damaged: {err}"),
        )
    })
}

/// The input after changes, as a JSON merge patch (RFC 7396): null removes a field.
pub(crate) fn patched(args: Args, changes: Args) -> Args {
    match merge_patch(record(args), &record(changes)) {
        Value::Record(of) => of.iter().map(|(name, it)| (name.to_string(), it.clone())).collect(),
        _ => Args::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 7396 whose two sides are objects.
    #[test]
    fn changes_are_a_merge_patch() {
        for (target, patch, result) in [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
        ] {
            let of = |it: &str| object(read(it).unwrap(), "").unwrap();
            assert_eq!(patched(of(target), of(patch)), of(result), "{target} {patch}");
        }
    }

    #[test]
    fn bounds_are_read_back() {
        let bounds = Bounds {
            max_tokens: Some(7),
            max_cost: Some(Money::cents(3)),
            timeout: Some(Duration::from_millis(1500)),
            max_retries: Some(2),
        };
        for bounds in [bounds, Bounds::default()] {
            let work = NewWork {
                kind: JobKind::Tool,
                name: "a".to_owned(),
                args: Args::new(),
                bounds,
                session: None,
                notify: None,
            };
            let new = work.row("o", "i".to_owned(), RunId::new(1), 1);
            let value = read(&new.bounds).unwrap();
            assert_eq!(json::write(&written(bounds)), json::write(&value));
        }
    }
}
