//! The tools of an MCP server as ops of a component.

mod consent;
mod settings;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use svc_contract::{
    host::{Host, address::Address},
    registry::{
        CallEffects, Component, Cx, DecideEffects, Deferred, Effect, ErrorKind, KnownArgs, OpCode,
        OpDef, OpError, Param, ReadyComponent, Scheme, Scope, Version,
    },
    value::{Record, Text, Type, Value, json},
};
use svc_mcp::{Called, Launch, Lock, LockedTool, Pool, Server};
use svc_openapi::{FieldShape, Operation, Place, Shape, fingerprint};

use crate::{
    made::{self, Terms},
    types::{Types, leaked},
};
pub use consent::Consent;
pub use settings::{McpSettings, ToolSettings};

/// The cluster of components that are made of servers.
const CLUSTER: &str = "mcp";

/// The longest documentation of an op, in characters.
const LONGEST_DOC: usize = 2_000;

/// A server of a project: its lock, and what the settings say.
struct Mcp {
    name: &'static str,
    lock: Lock,
    settings: McpSettings,
    server: Server,
    consent: Option<Consent>,
    types: Types,
    ops: Vec<Made>,
}

/// What was made of a locked tool.
#[derive(Default)]
struct Made {
    operation: OnceLock<Operation>,
    result: OnceLock<Type>,
}

/// The component of a server, as its lock describes it. The same lock and settings make the same
/// component, which is never freed. `host` has the consents of the user.
pub fn component(
    name: &str,
    lock: &str,
    settings: &McpSettings,
    folder: &Path,
    host: &Arc<dyn Host>,
) -> Result<ReadyComponent, String> {
    static KEPT: Mutex<BTreeMap<String, (&'static Mcp, &'static Component)>> =
        Mutex::new(BTreeMap::new());
    let print = fingerprint(lock.as_bytes());
    let key = format!("{name} {settings:?} {} {print}", folder.display());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept.get(&key).copied();
    let (mcp, component) = match known {
        Some(known) => known,
        None => {
            let mcp = Mcp::new(name, lock, settings, folder)?;
            let made = (mcp, mcp.component()?);
            kept.insert(key, made);
            made
        }
    };
    Ok(ReadyComponent { component, code: mcp.code(host) })
}

impl Mcp {
    fn new(
        name: &str,
        lock: &str,
        settings: &McpSettings,
        folder: &Path,
    ) -> Result<&'static Self, String> {
        let lock = Lock::read(lock)
            .map_err(|err| format!("its lock has an {err}; run `svc mcp update {name}`"))?;
        if let Some(unknown) =
            settings.ops.keys().find(|it| !lock.tools.iter().any(|tool| tool.op == **it))
        {
            let all = lock.tools.iter().map(|it| it.op.as_str());
            return Err(made::unknown_op(unknown, "one of its tools", all));
        }
        let ops = lock.tools.iter().map(|_| Made::default()).collect();
        Ok(Box::leak(Box::new(Self {
            name: leaked(name),
            lock,
            settings: settings.clone(),
            server: settings.server(name, folder),
            consent: Consent::of(name, settings, folder),
            types: Types::default(),
            ops,
        })))
    }

    fn component(&'static self) -> Result<&'static Component, String> {
        let mut ops = Vec::with_capacity(self.ops.len());
        for (idx, locked) in self.lock.tools.iter().enumerate() {
            let own = self.settings.of_op(&locked.op);
            let reads = own.reads.unwrap_or(false);
            let is_idempotent = reads || own.idempotent.unwrap_or(false);
            let ToolSettings { price, timeout, max_retries, .. } = own;
            let terms = Terms { price, timeout, max_retries };
            ops.push(OpDef {
                params: Deferred::later(move || self.params(idx)),
                yields: Deferred::later(move || self.yields(idx)),
                effects: self.effects(reads, is_idempotent, own.price.is_some())?,
                decide: if is_idempotent { Some(REPEATABLE) } else { None },
                ..made::op(leaked(&locked.op), &doc(locked), self.version(locked), terms)
            });
        }
        let title = self.lock.title();
        let title = if title.is_empty() { self.name } else { &title };
        Ok(made::component(self.name, CLUSTER, &format!("The MCP server {title}."), ops))
    }

    fn code(&'static self, host: &Arc<dyn Host>) -> Vec<(&'static str, OpCode)> {
        let code = |(idx, locked): (usize, &'static LockedTool)| {
            let host = host.clone();
            let run: OpCode = Arc::new(move |cx, args| {
                let host = host.clone();
                Box::pin(async move { self.call(idx, &cx, args, host.as_ref()).await })
            });
            (locked.op.as_str(), run)
        };
        self.lock.tools.iter().enumerate().map(code).collect()
    }

    /// What a call does: the server may do anything. That it only reads, or that a call may be repeated,
    /// is what the user says in the settings.
    fn effects(
        &self,
        reads: bool,
        idempotent: bool,
        spends: bool,
    ) -> Result<&'static [Effect], String> {
        let named = Scope::Named(leaked(&format!("mcp:{}", self.name)));
        let mut all = vec![Effect::Runs(named)];
        all.push(if reads {
            Effect::Reads(named)
        } else {
            Effect::Writes { scope: named, idempotent }
        });
        if let Launch::Url { url, .. } = &self.server.launch {
            let address = Address::read(url);
            let address =
                address.map_err(|why| format!("the address `{url}` is invalid: {why}"))?;
            // Every call is a POST.
            let scope = Scope::Site(leaked(address.host()));
            all.push(Effect::Writes { scope, idempotent });
        }
        if spends {
            all.push(Effect::Spends);
        }
        Ok(all.leak())
    }

    /// Changes with what a call sends and returns, and with the server.
    fn version(&self, locked: &LockedTool) -> Version {
        made::version_of(&format!("{:?} {}", self.server.launch, locked.fingerprint))
    }

    fn operation(&self, idx: usize) -> &Operation {
        self.ops[idx].operation.get_or_init(|| self.lock.tools[idx].operation())
    }

    fn params(&self, idx: usize) -> &'static [Param] {
        made::params(self.operation(idx), &self.types, None).leak()
    }

    fn yields(&self, idx: usize) -> Scheme {
        self.types.scheme(None, &self.operation(idx).result)
    }

    /// Calls a tool, and returns the value of its result.
    async fn call(
        &self,
        idx: usize,
        cx: &Cx,
        args: Vec<Value>,
        host: &dyn Host,
    ) -> Result<Value, OpError> {
        let locked = &self.lock.tools[idx];
        let arguments = arguments(self.operation(idx), &args)?;
        let may_start = || self.may_start(host);
        let tool = (locked.tool.name.as_str(), Some(locked.fingerprint.as_str()));
        let called =
            cx.of_run::<Pool>().call(cx, &self.server, &may_start, tool, arguments).await?;
        self.value(idx, called)
    }

    fn may_start(&self, host: &dyn Host) -> Result<(), OpError> {
        match &self.consent {
            Some(consent) if !consent.is_given(host) => {
                let message = format!(
                    "you have not agreed that the MCP server `{}` is started: `{}`",
                    self.name,
                    self.settings.shown()
                );
                Err(OpError::new(ErrorKind::Denied, message)
                    .help(format!("run `svc mcp allow {}` in its project", self.name)))
            }
            _ => Ok(()),
        }
    }

    fn value(&self, idx: usize, called: Called) -> Result<Value, OpError> {
        let locked = &self.lock.tools[idx];
        let wrong = |why: String| {
            let op = format!("{}.{}", self.name, locked.op);
            let message = format!("the result of `{op}` is not as its schema says: {why}");
            OpError::new(ErrorKind::InvalidOutput, message)
                .help(format!("run `svc mcp update {} --dry-run` to see if it changed", self.name))
        };
        let is_typed = locked.tool.output.is_some();
        if is_typed && called.structured.is_none() {
            return Err(wrong("it has no structured content".to_owned()));
        }
        let value = called.value();
        let value = json::read(&value.to_string()).map_err(|err| wrong(err.to_string()))?;
        let wanted = self.ops[idx].result.get_or_init(|| self.yields(idx).plain());
        value.cast(wanted).map_err(|misfit| wrong(misfit.to_string()))
    }
}

/// The arguments of a tool, without those that are left out.
fn arguments(
    operation: &Operation,
    args: &[Value],
) -> Result<serde_json::Map<String, serde_json::Value>, OpError> {
    let mut fields = Vec::new();
    for (param, value) in operation.params.iter().zip(args) {
        if value.is_null() && !matches!(param.shape, Shape::Nullable(_) | Shape::Json) {
            continue;
        }
        match (param.place, value) {
            (Place::Body, Value::Record(all)) => {
                fields.extend(all.iter().map(|it| (it.0.clone(), it.1.clone())));
            }
            (Place::Body, other) => {
                let message = format!("expected a record of arguments, found {}", other.kind());
                return Err(OpError::invalid_input(message));
            }
            _ => fields.push((Text::from(param.wire()), sent(&param.shape, value))),
        }
    }
    let text = json::write(&Value::Record(fields.into_iter().collect::<Record>()));
    serde_json::from_str(&text)
        .map_err(|err| OpError::invalid_input(format!("cannot write the arguments as JSON: {err}")))
}

/// The value without the fields that are left out.
fn sent(shape: &Shape, value: &Value) -> Value {
    match (shape, value) {
        (Shape::Opt(it) | Shape::Nullable(it), value) => sent(it, value),
        (Shape::List(it), Value::List(items)) => {
            Value::List(items.iter().map(|value| sent(it, value)).collect())
        }
        (Shape::Map(it), Value::Record(values)) => {
            let values = values.iter().map(|(key, value)| (key.clone(), sent(it, value)));
            Value::Record(values.collect())
        }
        (Shape::Record(fields), Value::Record(values)) => {
            let field = |FieldShape(name, shape, _): &FieldShape| {
                let value = values.get(name)?;
                let is_left_out = value.is_null() && matches!(shape, Shape::Opt(_));
                (!is_left_out).then(|| (Text::from(name.as_str()), sent(shape, value)))
            };
            Value::Record(fields.iter().filter_map(field).collect())
        }
        (_, value) => value.clone(),
    }
}

/// The user says that a call may be repeated.
const REPEATABLE: DecideEffects =
    |args: &KnownArgs<'_, '_>| Some(CallEffects { effects: args.effects(), is_idempotent: true });

/// What the server says of a tool, and what a call does.
fn doc(locked: &LockedTool) -> String {
    let tool = &locked.tool;
    let visible = |it: char| if it.is_control() && it != '\n' { ' ' } else { it };
    let said: String = tool.description.trim().chars().take(LONGEST_DOC).map(visible).collect();
    let call = format!("Calls the tool `{}`.", tool.name.replace('`', "'"));
    if said.is_empty() { call } else { format!("{said}\n\n{call}") }
}
