//! The records of a run's calls, so that the run can be resumed.
//!
//! The records are kept elsewhere: a run asks whether a call was made before, reports that a
//! write begins, and hands over the result. A call is identified by its place and by a key of
//! everything that determines its result.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use svc_contract::{
    registry::{
        self, Effect, ErrorKind, Hint, HintId, MASK, OpError, Param, Price, Usage, Version,
    },
    value::{Learnt, Model, ModelId, Text, Type, Value, Written, paths},
};
use svc_lang::{check::TypedCall, diag::Span};

use super::{
    Run,
    aside::{finish, weight_of},
    calls::{looks_outside, made_of, typed_flows},
    error::{Result, RunError},
    events::Event,
    fingerprint,
    fund::Tried,
    pace::LIGHT,
    path::{Path, by_input},
    scope::Scope,
};

/// Hash of everything that determines the result of a call: the component, its version, the
/// requested type, and the arguments; never the attempt or the order.
pub type Key = [u8; 32];

/// A call, as it is recorded.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Entry {
    /// The node: `each[3]/summary`.
    pub path: String,
    pub key: Key,
    pub component: &'static str,
    pub op: &'static str,
    /// The version of the component.
    pub version: u32,
    /// The arguments by name, with secrets masked by stars. The first one is the input.
    pub args: Vec<(&'static str, Written)>,
    /// Whether the call writes or may cost something: then its record must not get lost.
    pub is_dear: bool,
    /// Whether the call has no effects.
    pub is_pure: bool,
    /// Whether the call is so cheap that it is computed inline.
    pub is_inline: bool,
    /// The maximum age of a result of another run that may replace the call; `None` if none
    /// may.
    pub max_age: Option<Duration>,
    /// Whether the call reads something unknown to the records, so that no result of another
    /// run can replace it: something that a flow argument reads, this program itself, or what a
    /// closure without a version has captured.
    pub looks_outside: bool,
    /// Whether it is a decision that depends on time, and not a call.
    pub is_decision: bool,
    pub about: About,
}

/// Further facts that determine a call's result. A result of another run is reused only if they
/// are equal; the same run resumes with the facts it had seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The requested type, as the script names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The structure of that type, if the name does not determine it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// The answering service, such as a language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Text>,
    /// The address of that service, if it is not the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Text>,
    /// The fingerprints of the files that it reads, by path.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The argument that is stored separately, because it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// Whether it has used a service of the embedding program, which may differ in every run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub has_borrowed: bool,
    /// The maximum usage of one attempt, if it is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Most>,
}

/// The maximum usage of one attempt of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Most {
    pub tokens: u64,
    /// Billionths of a dollar.
    pub cost: i64,
    /// The price table, and its date.
    #[cfg_attr(feature = "schemas", schemars(with = "Option<String>"))]
    pub prices: Option<Text>,
}

impl About {
    /// Whether a result with these facts can be reused for a call with the other ones. Prices
    /// do not affect the result.
    pub fn is_like(&self, other: &Self) -> bool {
        let is_same_model = self.model == other.model && self.server == other.server;
        let has_borrowed = self.has_borrowed || other.has_borrowed;
        is_same_model && self.files == other.files && !has_borrowed
    }
}

/// The outcome of a call.
#[derive(Clone, Debug)]
pub struct Ended {
    pub result: std::result::Result<Written, OpError>,
    pub taken: Taken,
}

/// The usage of a call, with all its attempts.
#[derive(Clone, Debug)]
pub struct Taken {
    pub tries: u32,
    /// The single attempts, if there were several.
    pub log: Vec<Tried>,
    pub usage: Usage,
    pub took: Duration,
}

/// The maximum usage of an attempt, as it is recorded before the attempt begins.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// The node: `each[3]/ask`.
    pub path: String,
    pub component: &'static str,
    pub op: &'static str,
    /// The places of the enclosing bounds, innermost first.
    pub scopes: Vec<String>,
    pub most: Usage,
}

/// The known history of a call.
#[derive(Clone, Debug)]
pub enum Earlier {
    Nothing,
    /// It succeeded with this value and this usage.
    Done {
        value: Written,
        usage: Usage,
        /// The places of the bounds that already include this usage, see [`by_input`]; `None`
        /// if it costs this run nothing.
        known_in: Option<Arc<BTreeSet<String>>>,
    },
    /// It was started, and it is unknown whether it had its effect.
    Begun {
        /// Whether it was seen to fail; otherwise it was interrupted.
        has_failed: bool,
    },
    /// It failed, and the failure is final.
    Failed(OpError),
    /// The call is unknown and must not happen: everything that needs its result waits forever.
    Withheld,
}

/// The response of the record keeper.
pub type RecordFuture<'a> =
    Pin<Box<dyn Future<Output = std::result::Result<(), OpError>> + Send + 'a>>;

/// The keeper of a run's records.
pub trait Records: Send + Sync + 'static {
    fn earlier(&self, entry: &Entry) -> std::result::Result<Earlier, OpError>;

    /// Records that a call begins. Once the future resolves, no crash can lose the record.
    fn begins(&self, entry: Entry) -> RecordFuture<'_>;

    /// Records the outcome of a call. Once the future resolves for a call with `is_dear`, no
    /// crash can lose the record.
    fn ended(&self, entry: Entry, ended: Ended) -> RecordFuture<'_>;

    /// The content of a stored model.
    fn model(&self, _id: ModelId) -> std::result::Result<Option<Learnt>, OpError> {
        Ok(None)
    }

    /// Records that the run learnt or uses a model, whose content is in memory: as long as the run
    /// is stored, the model is, too.
    fn keeps(&self, _model: &Model) -> std::result::Result<(), OpError> {
        Ok(())
    }

    /// The earlier spending under the bound at a place; that of the whole run if the place is
    /// empty.
    fn spent(&self, _scope: &str) -> Usage {
        Usage::default()
    }

    /// Records the maximum usage of an attempt, and returns the number to settle it by. Once
    /// the future resolves, no crash can lose the record, and the attempt may begin.
    fn reserves(&self, _reservation: Reservation) -> (u64, RecordFuture<'_>) {
        (0, Box::pin(std::future::ready(Ok(()))))
    }

    /// Records the actual usage of an attempt. As long as this record may get lost, the whole
    /// reservation counts.
    fn settles(&self, _number: u64, _used: Usage) -> std::result::Result<(), OpError> {
        Ok(())
    }

    /// Whether only calls in the records are allowed: then nothing waits for its turn.
    fn is_dry_run(&self) -> bool {
        false
    }

    /// Whether inline calls are looked up and recorded, too.
    fn wants_all(&self) -> bool {
        false
    }
}

/// A call with its place in the records.
pub(super) struct Recorded<'a> {
    pub(super) call: &'a TypedCall,
    pub(super) entry: Entry,
    pub(super) ty: &'a Type,
    pub(super) span: Span,
    /// Whether making the call again would do something again.
    writes_once: bool,
}

impl Run {
    /// The place of a call in the records.
    pub(super) async fn recorded<'a>(
        &self,
        call: &'a TypedCall,
        args: &[Value],
        path: &Path<'_>,
        ty: &'a Type,
        span: Span,
        scope: &Scope,
    ) -> Result<Recorded<'a>> {
        let op = call.op.op;
        if !op.is_inline() && (ty.holds_opaque() || call.args.iter().any(|it| it.ty.holds_opaque()))
        {
            let name = format!("a call of `{}`", call.name);
            return Err(RunError::new(unrecordable(&name), span));
        }
        let (key, shown) = self.identity(call, args, scope, span).await?;
        let entry = Entry {
            path: path.recorded(),
            key,
            component: call.op.component.name,
            op: op.name,
            version: call.op.version(),
            args: shown,
            is_dear: op.writes() || !matches!(op.price, Price::Free),
            is_pure: op.is_pure() && !args.iter().any(acts_inside),
            is_inline: op.is_inline(),
            max_age: scope.attempts.max_age.filter(|_| is_reusable(call, args)),
            looks_outside: is_unseen(call, args) || args.iter().any(looks_outside_inside),
            is_decision: false,
            about: self.about(call, args),
        };
        let writes_once = op.call_writes_once(&|it| args.get(it)).unwrap_or(true);
        Ok(Recorded { call, entry, ty, span, writes_once })
    }

    /// The key of a call, and its arguments as JSON.
    async fn identity(
        &self,
        call: &TypedCall,
        args: &[Value],
        scope: &Scope,
        span: Span,
    ) -> Result<(Key, Shown)> {
        let folder = self.host.current_dir().unwrap_or_default();
        if weight_of(args) <= LIGHT {
            return Ok(identity(call, args, &folder));
        }
        let (call, args) = (call.clone(), args.to_vec());
        self.aside(scope, span, move || Ok(identity(&call, &args, &folder))).await
    }

    fn about(&self, call: &TypedCall, args: &[Value]) -> About {
        let quote = match call.op.op.price {
            Price::Free => None,
            _ => self.most_used(call, args).ok(),
        };
        let most = quote.as_ref().map(|it| Most {
            tokens: it.most.tokens,
            cost: it.most.cost.nanos(),
            prices: it.prices.clone(),
        });
        let wanted = call.wanted.as_ref().map(ToString::to_string);
        let structure = call.wanted.as_ref().map(Type::structure);
        let (model, server) = quote.map(|it| (it.model, it.server)).unwrap_or_default();
        About {
            structure: structure.filter(|it| Some(it) != wanted.as_ref()),
            wanted,
            model,
            server,
            files: fingerprint::files(self.host.as_ref(), call.op.op, args),
            input: None,
            has_borrowed: false,
            most,
        }
    }

    /// The value of a call that was made before.
    pub(super) async fn remembered(
        &self,
        it: &Recorded<'_>,
        scope: &Scope,
        path: &Path<'_>,
    ) -> Result<Option<Value>> {
        let Some(records) = &self.records else { return Ok(None) };
        // The program may not have the flow any more; what must not be repeated is not.
        if it.call.op.op.keeps_flows() && !it.writes_once {
            return Ok(None);
        }
        let failed = |err| RunError::new(err, it.span);
        match records.earlier(&it.entry).map_err(failed)? {
            Earlier::Nothing => Ok(None),
            Earlier::Failed(error) => Err(failed(error)),
            Earlier::Withheld => {
                scope.cancel.cancelled().await;
                Err(RunError::cancelled(it.span))
            }
            Earlier::Begun { has_failed } if it.writes_once => {
                Err(failed(in_doubt(&it.entry.path, has_failed)))
            }
            Earlier::Begun { .. } => Ok(None),
            Earlier::Done { value, usage, known_in } => {
                let (weight, ty) = (value.as_bytes().len() as u64 / 8, it.ty.clone());
                let read = move || Ok(value.value().and_then(|it| it.cast(&ty).ok()));
                let value = self.weighed(weight, scope, it.span, read).await?;
                // Ignore a record that does not fit any more.
                let Some(value) = value else { return Ok(None) };
                // A model that is not stored any more is learnt again.
                if it.call.op.op.yields_model() && self.supply(&value).is_err() {
                    return Ok(None);
                }
                // A result that another run paid for costs this run nothing.
                let usage = if known_in.is_some() { usage } else { Usage::default() };
                if let Some(known) = known_in {
                    scope
                        .account
                        .remember(usage, |it| it.is_empty() || known.contains(&by_input(it)));
                }
                let component = &it.call.name;
                self.emit(path, &Event::Reused { component, usage, value: &value });
                Ok(Some(value))
            }
        }
    }

    /// Records the start of a call that must not happen twice.
    pub(super) async fn write_begin(&self, it: &Recorded<'_>) -> Result<()> {
        let Some(records) = self.records.as_ref().filter(|_| it.call.op.op.writes()) else {
            return Ok(());
        };
        let begun = records.begins(it.entry.clone()).await;
        begun.map_err(|err| RunError::new(err, it.span))
    }

    /// Records the outcome of a call. If that fails, the run fails, because an unrecorded call
    /// would be made again.
    pub(super) async fn write_end(
        &self,
        it: Recorded<'_>,
        result: Result<Value>,
        taken: Taken,
    ) -> Result<Value> {
        let Some(records) = &self.records else { return result };
        if let Ok(value) = &result
            && it.call.op.op.yields_model()
        {
            self.keep_models(value).map_err(|err| RunError::new(err, it.span))?;
        }
        let result_to_record = match &result {
            Ok(value) => {
                let (weight, value) = (value.weight(), value.clone());
                Ok(finish(weight, move || Written::of(&value)).await)
            }
            Err(err) => Err(err.error.clone()),
        };
        let kept = records.ended(it.entry, Ended { result: result_to_record, taken }).await;
        // The error of the call matters more than the failure to record it.
        let value = result?;
        kept.map_err(|err| RunError::new(err, it.span)).map(|()| value)
    }
}

/// The arguments of a call by name, as they are recorded.
type Shown = Vec<(&'static str, Written)>;

/// Hashes everything that determines the result of a call. Paths start from `folder`.
fn identity(call: &TypedCall, args: &[Value], folder: &std::path::Path) -> (Key, Shown) {
    let params = call.op.op.params.iter();
    let mask = Value::from(MASK);
    let shown = |it: &Param, arg| Written::of(if it.is_masked { &mask } else { arg });
    let shown: Shown = params.zip(args).map(|(it, arg)| (it.name, shown(it, arg))).collect();
    let mut hasher = blake3::Hasher::new();
    let mut part = |it: &[u8]| {
        hasher.update(&(it.len() as u64).to_le_bytes());
        hasher.update(it);
    };
    part(call.op.to_string().as_bytes());
    part(call.op.version().to_string().as_bytes());
    part(call.wanted.as_ref().map(Type::structure).unwrap_or_default().as_bytes());
    if let Version::Own(_) = call.op.op.version {
        let params = call.op.op.params.iter();
        params.for_each(|it| part(it.scheme.plain().structure().as_bytes()));
        part(call.op.op.yields.plain().structure().as_bytes());
    }
    for ((name, shown), arg) in shown.iter().zip(args) {
        part(name.as_bytes());
        match arg {
            Value::Flow(_) | Value::List(_)
                if call.op.op.takes_flows() && !arg.flows().is_empty() =>
            {
                for flow in typed_flows(arg) {
                    part(flow.name.as_bytes());
                    for it in made_of(&flow, folder) {
                        part(it.as_bytes());
                    }
                }
            }
            // A run may be resumed from another folder.
            Value::Path(it) => part(paths::join(folder, it).as_bytes()),
            // Secrets are masked here: the owner of the store must not be able to guess them.
            _ => part(shown.as_bytes()),
        }
    }
    (*hasher.finalize().as_bytes(), shown)
}

/// Whether an argument is a flow that does more than compute.
fn acts_inside(arg: &Value) -> bool {
    typed_flows(arg).iter().any(|it| it.acts)
}

/// Whether an argument is a flow that reads something outside.
fn looks_outside_inside(arg: &Value) -> bool {
    typed_flows(arg).iter().any(|it| looks_outside(&it.body))
}

/// Whether a result of another run may replace a call: the call changes nothing, asks no one,
/// and depends on nothing unknown to the records.
fn is_reusable(call: &TypedCall, args: &[Value]) -> bool {
    let holds = |arg: &Value| match arg {
        Value::Secret(_) => false,
        Value::Flow(_) | Value::List(_) => !looks_outside_inside(arg),
        _ => true,
    };
    let op = call.op.op;
    let acts = op.writes() || op.effects.contains(&Effect::Asks) || op.keeps_flows();
    !acts && !is_unseen(call, args) && args.iter().all(holds)
}

/// Whether a call reads something without a path or an address, and no service is named: the
/// components of this program, which differ in another version of it. A closure has a version if
/// its author says when its result changes.
fn is_unseen(call: &TypedCall, args: &[Value]) -> bool {
    let is_named = |it: &Effect| matches!(it, Effect::Reads(registry::Scope::Named(_)));
    let op = call.op.op;
    match op.version {
        Version::Own(_) => false,
        // A write is not repeated where a run is resumed with another script.
        Version::Unknown => !op.writes(),
        Version::OfComponent => {
            let effects = op.effects_of(&|idx| args.get(idx));
            matches!(op.price, Price::Free) && effects.iter().any(is_named)
        }
    }
}

/// The error of something that a stored run would have to record, but cannot: it contains a
/// value of the embedding program.
pub(crate) fn unrecordable(what: &str) -> OpError {
    let message = format!("cannot record {what}: it contains a value of the program");
    OpError::new(ErrorKind::Unsupported, message)
        .help("pass it between inline ops only, or run the script on an engine without a store")
}

fn in_doubt(path: &str, has_failed: bool) -> OpError {
    let message = "it was started earlier, and it is unknown whether it wrote";
    let help = Hint::new(HintId::RetryWrite).with("path", path);
    OpError::new(ErrorKind::Failed, message)
        .help(help)
        .because(InDoubt { path: path.to_owned(), has_failed })
}

/// The cause of the error of a write that an earlier run started.
#[derive(Debug)]
pub(crate) struct InDoubt {
    pub(crate) path: String,
    /// Whether the write failed then, so that the script could go on without it, and still can.
    pub(crate) has_failed: bool,
}

impl std::fmt::Display for InDoubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the outcome of `{}` is unknown", self.path)
    }
}

impl std::error::Error for InDoubt {}
