//! What a run writes down of its calls, so that a later one can go on where it was.
//!
//! Whoever keeps the records is outside: a run asks whether a call was made before, says
//! that a write begins, and hands over what came of it. A call is known by its place and by
//! a key of all that decides its result.

use std::{future::Future, pin::Pin, time::Duration};

use super::{
    Run,
    error::{Result, RunError},
    events::Event,
    path::Path,
    scope::Scope,
};
use crate::{
    check::{Call, Flow},
    diag::Span,
    registry::{ErrorKind, OpError, Price, Usage},
    value::{Record, Type, Value, json, paths},
};

/// What decides the result of a call: the component, its version, what it is asked for, and
/// its arguments; never the attempt or the order.
pub type Key = [u8; 32];

/// A call, as it is written down.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The node: `each[3]/summary`.
    pub path: String,
    pub key: Key,
    pub component: &'static str,
    pub op: &'static str,
    /// Of the component.
    pub version: u32,
    /// The arguments as JSON, secrets only as stars.
    pub args: String,
    /// Whether it writes or may cost something: then it must not get lost.
    pub is_dear: bool,
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The value as JSON, or why there is none.
    pub result: std::result::Result<String, OpError>,
    pub taken: Taken,
}

/// What a call took, with all its tries.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    pub tries: u32,
    pub usage: Usage,
    pub took: Duration,
}

/// What is known of a call from before.
#[derive(Clone, Debug)]
pub enum Earlier {
    Nothing,
    /// It ended well with this value, as JSON, and used so much.
    Done {
        value: String,
        usage: Usage,
    },
    /// It was begun, and nobody knows whether it had its effect.
    Begun,
}

/// An answer of whoever keeps the records.
pub type Kept<'a> = Pin<Box<dyn Future<Output = std::result::Result<(), OpError>> + Send + 'a>>;

/// Whoever keeps the records of a run.
pub trait Records: Send + Sync + 'static {
    fn earlier(&self, path: &str, key: &Key) -> std::result::Result<Earlier, OpError>;

    /// Writes down that a call begins. When it is answered, no crash can lose that.
    fn begins(&self, entry: Entry) -> Kept<'_>;

    /// Writes down what came of a call. When it is answered for a dear one, no crash can
    /// lose that.
    fn ended(&self, entry: Entry, ended: Ended) -> Kept<'_>;
}

/// A call with its place in the records.
pub(super) struct Recorded<'a> {
    pub(super) call: &'a Call,
    pub(super) entry: Entry,
    pub(super) ty: &'a Type,
    pub(super) span: Span,
}

impl Run {
    /// The place of a call in the records, where there are any.
    pub(super) fn recorded<'a>(
        &self,
        call: &'a Call,
        args: &[Value],
        path: &Path<'_>,
        ty: &'a Type,
        span: Span,
    ) -> Option<Recorded<'a>> {
        self.records.as_ref()?;
        let op = call.op.op;
        let entry = Entry {
            path: path.to_string(),
            key: self.key(call, args),
            component: call.op.component.name,
            op: op.name,
            version: call.op.component.version,
            args: shown(call, args),
            is_dear: op.writes() || !matches!(op.price, Price::Free),
        };
        Some(Recorded { call, entry, ty, span })
    }

    /// What decides the result of a call.
    fn key(&self, call: &Call, args: &[Value]) -> Key {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        let here = self.host.current_dir().unwrap_or_default();
        part(&call.op.to_string());
        part(&call.op.component.version.to_string());
        part(&call.wanted.as_ref().map(ToString::to_string).unwrap_or_default());
        for (param, arg) in call.op.op.params.iter().zip(args) {
            part(param.name);
            match arg {
                // Whoever has the store must not be able to guess at it.
                Value::Secret(_) => part("***"),
                Value::Flow(it) => {
                    part(it.name());
                    let flow = it.downcast::<Flow>();
                    part(flow.as_ref().map_or("", |it| it.source.text()));
                }
                // A run may go on from another folder.
                Value::Path(it) => part(&paths::join(&here, it)),
                other => part(&json::write(other)),
            }
        }
        *hasher.finalize().as_bytes()
    }

    /// The value of a call that was made before.
    pub(super) fn remembered(
        &self,
        it: &Recorded<'_>,
        scope: &Scope,
        path: &Path<'_>,
    ) -> Result<Option<Value>> {
        let Some(records) = &self.records else { return Ok(None) };
        let failed = |err| RunError::new(err, it.span);
        match records.earlier(&it.entry.path, &it.entry.key).map_err(failed)? {
            Earlier::Nothing => Ok(None),
            Earlier::Begun if it.call.op.op.writes_once() => Err(failed(in_doubt(&it.entry.path))),
            Earlier::Begun => Ok(None),
            Earlier::Done { value, usage } => {
                let value = json::read(&value).ok().and_then(|value| value.cast(it.ty).ok());
                // A record that fits no longer is none.
                let Some(value) = value else { return Ok(None) };
                scope.account.remember(usage);
                self.tell(path, &Event::Reused { component: &it.call.name, usage });
                Ok(Some(value))
            }
        }
    }

    /// Writes down that a call begins whose second time would not be harmless.
    pub(super) async fn write_begin(&self, it: &Recorded<'_>) -> Result<()> {
        let Some(records) = self.records.as_ref().filter(|_| it.call.op.op.writes()) else {
            return Ok(());
        };
        let begun = records.begins(it.entry.clone()).await;
        begun.map_err(|err| RunError::new(err, it.span))
    }

    /// Writes down what came of a call. A failure to do so is one of the run, because what
    /// is not written down would be done again.
    pub(super) async fn write_end(
        &self,
        it: Recorded<'_>,
        result: Result<Value>,
        taken: Taken,
    ) -> Result<Value> {
        let Some(records) = &self.records else { return result };
        let told = match &result {
            Ok(value) => Ok(json::write(value)),
            Err(err) => Err(err.error.clone()),
        };
        let kept = records.ended(it.entry, Ended { result: told, taken }).await;
        // Why a call failed matters more than that this could not be written down.
        let value = result?;
        kept.map_err(|err| RunError::new(err, it.span)).map(|()| value)
    }
}

fn shown(call: &Call, args: &[Value]) -> String {
    let named = call.op.op.params.iter().zip(args);
    let record: Record = named.map(|(it, arg)| (it.name.into(), arg.clone())).collect();
    json::write(&Value::Record(record))
}

fn in_doubt(path: &str) -> OpError {
    let message = "it was begun before, and nobody knows whether it wrote";
    let help = format!("look whether it did; then repeat it with `--retry-write '{path}'`");
    OpError::new(ErrorKind::Failed, message).help(help)
}
