//! What a run writes down of its calls, so that a later one can go on where it was.
//!
//! Whoever keeps the records is outside: a run asks whether a call was made before, says
//! that a write begins, and hands over what came of it. A call is known by its place and by
//! a key of all that decides its result.

use std::{
    collections::{BTreeMap, BTreeSet},
    future::Future,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use serde::{Deserialize, Serialize};
use svc_contract::{
    registry::{self, Effect, ErrorKind, OpError, Price, Usage},
    value::{Text, Type, Value, json, paths},
};
use svc_lang::{check::Call, diag::Span};

use super::{
    Run,
    calls::{looks_outside, made_of},
    error::{Result, RunError},
    events::Event,
    fund::Tried,
    now::flow_of,
    path::{Path, by_input},
    scope::Scope,
    witness,
};

/// What decides the result of a call: the component, its version, what it is asked for, and
/// its arguments; never the attempt or the order.
pub type Key = [u8; 32];

/// A call, as it is written down.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Entry {
    /// The node: `each[3]/summary`.
    pub path: String,
    pub key: Key,
    pub component: &'static str,
    pub op: &'static str,
    /// Of the component.
    pub version: u32,
    /// The arguments as JSON by their names, secrets only as stars. The first one is what
    /// entered.
    pub args: Vec<(&'static str, String)>,
    /// Whether it writes or may cost something: then it must not get lost.
    pub is_dear: bool,
    /// Whether it touches nothing outside.
    pub is_pure: bool,
    /// Whether it is so cheap that it is computed where it stands.
    pub is_inline: bool,
    /// How old a result of another run may be that stands for the call; nothing where none
    /// may.
    pub max_age: Option<Duration>,
    /// Whether it looks at something that is not known of it, so that no result of another run
    /// stands for it: at what a flow reads that it is handed, or at this program itself.
    pub looks_outside: bool,
    pub about: About,
}

/// What else decides a call. A result of another run stands for it only where this is equal;
/// the same run goes on with what it had seen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct About {
    /// The type that it is asked for, as the script names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// The structure of that type, where the name does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Who answers, such as a language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<Text>,
    /// Where that is asked, if it is not the usual place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<Text>,
    /// What the files were like that it reads, by their paths.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The argument that is kept by itself, because it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// The most that one try may take, where it is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most: Option<Most>,
}

/// The most that one try of a call may take.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Most {
    pub tokens: u64,
    /// Billionths of a dollar.
    pub cost: i64,
    /// The table that the price is from, and its day.
    pub prices: Option<Text>,
}

impl About {
    /// Whether a result stands for a call of which this is said. Prices decide no result.
    pub fn is_like(&self, other: &Self) -> bool {
        let is_same_model = self.model == other.model && self.server == other.server;
        is_same_model && self.files == other.files
    }
}

/// What came of a call.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The value as JSON, or why there is none.
    pub result: std::result::Result<String, OpError>,
    pub taken: Taken,
}

/// What a call took, with all its tries.
#[derive(Clone, Debug)]
pub struct Taken {
    pub tries: u32,
    /// Each of them, where there were several.
    pub log: Vec<Tried>,
    pub usage: Usage,
    pub took: Duration,
}

/// What an attempt may use, as it is written down before it begins.
#[derive(Clone, Debug)]
pub struct Reservation {
    /// The node: `each[3]/ask`.
    pub path: String,
    pub component: &'static str,
    pub op: &'static str,
    /// The places of the bounds around it, innermost first.
    pub scopes: Vec<String>,
    pub most: Usage,
}

/// What is known of a call from before.
#[derive(Clone, Debug)]
pub enum Earlier {
    Nothing,
    /// It ended well with this value, as JSON, and used so much.
    Done {
        value: String,
        usage: Usage,
        /// The places of the bounds that know of that already, see [`by_input`]; nothing where
        /// it costs this run nothing.
        known_in: Option<Arc<BTreeSet<String>>>,
    },
    /// It was begun, and nobody knows whether it had its effect.
    Begun,
    /// It failed, and that stands.
    Failed(OpError),
    /// Nothing that is not known may happen: what needs its result waits for ever.
    Withheld,
}

/// An answer of whoever keeps the records.
pub type Kept<'a> = Pin<Box<dyn Future<Output = std::result::Result<(), OpError>> + Send + 'a>>;

/// Whoever keeps the records of a run.
pub trait Records: Send + Sync + 'static {
    fn earlier(&self, entry: &Entry) -> std::result::Result<Earlier, OpError>;

    /// Writes down that a call begins. When it is answered, no crash can lose that.
    fn begins(&self, entry: Entry) -> Kept<'_>;

    /// Writes down what came of a call. When it is answered for a dear one, no crash can
    /// lose that.
    fn ended(&self, entry: Entry, ended: Ended) -> Kept<'_>;

    /// What was spent before under the bound at a place; of the whole run where that is empty.
    fn spent(&self, _scope: &str) -> Usage {
        Usage::default()
    }

    /// Writes down what an attempt may use, and gives the number that it is settled by. When
    /// it is answered, no crash can lose that, and the attempt may begin.
    fn reserves(&self, _reservation: Reservation) -> (u64, Kept<'_>) {
        (0, Box::pin(std::future::ready(Ok(()))))
    }

    /// Writes down what an attempt has used. As long as that may get lost, all that it
    /// reserved counts.
    fn settles(&self, _number: u64, _used: Usage) -> std::result::Result<(), OpError> {
        Ok(())
    }

    /// Whether nothing is done but what the records allow: then nothing waits for its turn.
    fn is_rehearsal(&self) -> bool {
        false
    }

    /// Whether also calls are asked for and told of that are computed where they stand.
    fn wants_all(&self) -> bool {
        false
    }
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
        scope: &Scope,
    ) -> Option<Recorded<'a>> {
        self.records.as_ref()?;
        let op = call.op.op;
        let shown: Vec<(&str, String)> =
            op.params.iter().zip(args).map(|(it, arg)| (it.name, json::write(arg))).collect();
        let entry = Entry {
            path: path.to_string(),
            key: self.key(call, args, &shown),
            component: call.op.component.name,
            op: op.name,
            version: call.op.component.version,
            args: shown,
            is_dear: op.writes() || !matches!(op.price, Price::Free),
            is_pure: op.is_pure() && !args.iter().any(acts_inside),
            is_inline: op.is_inline(),
            max_age: scope.attempts.max_age.filter(|_| is_reusable(call, args)),
            looks_outside: is_unseen(call) || args.iter().any(looks_outside_inside),
            about: self.about(call, args),
        };
        Some(Recorded { call, entry, ty, span })
    }

    fn about(&self, call: &Call, args: &[Value]) -> About {
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
            files: witness::files(self.host.as_ref(), call.op.op, args),
            input: None,
            most,
        }
    }

    /// What decides the result of a call. `shown` are its arguments as JSON.
    fn key(&self, call: &Call, args: &[Value], shown: &[(&str, String)]) -> Key {
        let mut hasher = blake3::Hasher::new();
        let mut part = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        let folder = self.folder();
        part(&call.op.to_string());
        part(&call.op.component.version.to_string());
        part(&call.wanted.as_ref().map(Type::structure).unwrap_or_default());
        for ((name, shown), arg) in shown.iter().zip(args) {
            part(name);
            match arg {
                Value::Flow(it) => {
                    part(it.name());
                    let flow = flow_of(arg, Span::default());
                    let made = flow.iter().flat_map(|it| made_of(it, &folder));
                    made.for_each(|it| part(&it));
                }
                // A run may go on from another folder.
                Value::Path(it) => part(&paths::join(&folder, it)),
                // Secrets are stars here: whoever has the store must not be able to guess.
                _ => part(shown),
            }
        }
        *hasher.finalize().as_bytes()
    }

    fn folder(&self) -> std::path::PathBuf {
        self.host.current_dir().unwrap_or_default()
    }

    /// The value of a call that was made before.
    pub(super) async fn remembered(
        &self,
        it: &Recorded<'_>,
        scope: &Scope,
        path: &Path<'_>,
    ) -> Result<Option<Value>> {
        let Some(records) = &self.records else { return Ok(None) };
        let failed = |err| RunError::new(err, it.span);
        match records.earlier(&it.entry).map_err(failed)? {
            Earlier::Nothing => Ok(None),
            Earlier::Failed(error) => Err(failed(error)),
            Earlier::Withheld => {
                scope.cancel.cancelled().await;
                Err(RunError::cancelled(it.span))
            }
            Earlier::Begun if it.call.op.op.writes_once() => Err(failed(in_doubt(&it.entry.path))),
            Earlier::Begun => Ok(None),
            Earlier::Done { value, usage, known_in } => {
                let value = json::read(&value).ok().and_then(|value| value.cast(it.ty).ok());
                // A record that fits no longer is none.
                let Some(value) = value else { return Ok(None) };
                // What another run has paid for costs this one nothing.
                let usage = if known_in.is_some() { usage } else { Usage::default() };
                if let Some(known) = known_in {
                    scope
                        .account
                        .remember(usage, |it| it.is_empty() || known.contains(&by_input(it)));
                }
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

/// Whether an argument is a flow that does more than compute.
fn acts_inside(arg: &Value) -> bool {
    let flow = matches!(arg, Value::Flow(_)).then(|| flow_of(arg, Span::default()));
    flow.is_some_and(|it| it.is_ok_and(|it| it.acts))
}

/// Whether an argument is a flow that looks outside.
fn looks_outside_inside(arg: &Value) -> bool {
    let flow = matches!(arg, Value::Flow(_)).then(|| flow_of(arg, Span::default()));
    flow.is_some_and(|it| it.is_ok_and(|it| looks_outside(&it.body)))
}

/// Whether a result of another run may stand for a call: it changes nothing, asks nobody,
/// and depends on nothing that the records do not know.
fn is_reusable(call: &Call, args: &[Value]) -> bool {
    let holds = |arg: &Value| match arg {
        Value::Secret(_) => false,
        Value::Flow(_) => !looks_outside_inside(arg),
        _ => true,
    };
    let op = call.op.op;
    let acts = op.writes() || op.effects.contains(&Effect::Asks);
    !acts && !is_unseen(call) && args.iter().all(holds)
}

/// Whether a call reads something that has neither a path nor an address, and nobody says who
/// answers: the components of this program, which another version of it has others of.
fn is_unseen(call: &Call) -> bool {
    let is_named = |it: &Effect| matches!(it, Effect::Reads(registry::Scope::Named(_)));
    matches!(call.op.op.price, Price::Free) && call.op.op.effects.iter().any(is_named)
}

fn in_doubt(path: &str) -> OpError {
    let message = "it was begun before, and nobody knows whether it wrote";
    let help = format!("look whether it did; then repeat it with `--retry-write '{path}'`");
    OpError::new(ErrorKind::Failed, message).help(help)
}
