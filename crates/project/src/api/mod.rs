//! The operations of an API as ops of a component.

mod call;
mod request;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use svc_contract::{
    host::address::Address,
    registry::{
        CallEffects, DecideEffects, Deferred, Effect, KnownArgs, OpCode, OpDef, Param,
        ReadyComponent, Scheme, Scope, Version,
    },
    value::{Type, Value},
};
use svc_openapi::{Access, Entry, Lock, LockError, Operation, fingerprint};

use crate::{
    made::{self, Terms, param},
    settings::{ApiSettings, OpSettings},
    types::{Types, leaked},
};

/// The cluster of components that are made of documents.
const CLUSTER: &str = "apis";

/// The name of the parameter that makes a write idempotent, as `Idempotency-Key` becomes it.
const IDEMPOTENCY_KEY: &str = "idempotency_key";

/// An API of a project: its lock, and what the settings say.
struct Api {
    name: &'static str,
    lock: Lock<'static>,
    base: String,
    settings: ApiSettings,
    types: Types,
    ops: Vec<Made>,
}

/// What was made of the line of an operation.
#[derive(Default)]
struct Made {
    operation: OnceLock<Result<Operation, LockError>>,
    secrets: OnceLock<Vec<Needed>>,
    result: OnceLock<Type>,
}

/// A secret of an operation.
struct Needed {
    access: Access,
    from: From,
}

enum From {
    /// The secret of this name, which the settings state.
    Settings(String),
    /// An argument.
    Argument { name: String, is_required: bool },
}

/// The component of an API, as its lock describes it. The same lock and settings make the same
/// component, which is never freed.
pub fn component(
    name: &str,
    lock: String,
    settings: &ApiSettings,
) -> Result<ReadyComponent, String> {
    static KEPT: Mutex<BTreeMap<String, ReadyComponent>> = Mutex::new(BTreeMap::new());
    let key = format!("{name} {settings:?} {}", fingerprint(lock.as_bytes()));
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.get(&key) {
        return Ok(known.clone());
    }
    let made = Api::new(name, lock.leak(), settings)?.component()?;
    kept.insert(key, made.clone());
    Ok(made)
}

impl Api {
    fn new(
        name: &str,
        lock: &'static str,
        settings: &ApiSettings,
    ) -> Result<&'static Self, String> {
        let lock = Lock::read(lock)
            .map_err(|err| format!("its lock has an {err}; run `svc api update {name}`"))?;
        let base = base(&lock, settings)?;
        let ops = lock.entries.iter().map(|_| Made::default()).collect();
        let api = Self {
            name: leaked(name),
            lock,
            base,
            settings: settings.clone(),
            types: Types::default(),
            ops,
        };
        api.test()?;
        Ok(Box::leak(Box::new(api)))
    }

    /// Whether the settings name what the lock has.
    fn test(&self) -> Result<(), String> {
        let names = |all: &[&str]| {
            let names: Vec<String> = all.iter().map(|it| format!("`{it}`")).collect();
            names.join(", ")
        };
        let schemes: Vec<&str> = self.lock.head.access.iter().map(|it| it.name.as_str()).collect();
        let unknown = |it: &&String| !schemes.iter().any(|known| is_scheme(known, it));
        if let Some(unknown) = self.settings.secrets.keys().find(unknown) {
            let known = if schemes.is_empty() { "none".to_owned() } else { names(&schemes) };
            return Err(format!(
                "`secrets` names `{unknown}`, but the security schemes of the document are {known}"
            ));
        }
        if let Some(unknown) = self.settings.ops.keys().find(|it| self.lock.entry(it).is_none()) {
            let all = self.lock.entries.iter().map(|it| it.name);
            return Err(made::unknown_op(unknown, "an operation", all));
        }
        Ok(())
    }

    fn component(&'static self) -> Result<ReadyComponent, String> {
        let mut effects: HashMap<(String, bool, bool, bool), &'static [Effect]> = HashMap::new();
        let mut ops = Vec::with_capacity(self.ops.len());
        let mut code: Vec<(&'static str, OpCode)> = Vec::with_capacity(self.ops.len());
        for (idx, entry) in self.lock.entries.iter().enumerate() {
            let host = self.host(entry)?;
            let own = self.settings.of_op(entry.name);
            let is_idempotent = own.idempotent.unwrap_or(matches!(entry.method, "PUT" | "DELETE"));
            let key = (host, entry.reads(), is_idempotent, own.price.is_some());
            let effects = *effects.entry(key).or_insert_with_key(|it| declared(it));
            let decides = !entry.reads() && !is_idempotent;
            let OpSettings { price, timeout, max_retries, .. } = own;
            let terms = Terms { price, timeout, max_retries };
            ops.push(OpDef {
                params: Deferred::later(move || self.params(idx)),
                yields: Deferred::later(move || self.yields(idx)),
                effects,
                decide: if decides { Some(DECIDE) } else { None },
                ..made::op(entry.name, &doc(entry), self.version(entry), terms)
            });
            let run: OpCode = Arc::new(move |cx, args| Box::pin(self.call(idx, cx, args)));
            code.push((entry.name, run));
        }
        let component = made::component(self.name, CLUSTER, &self.summary(), ops);
        Ok(ReadyComponent { component, code })
    }

    fn summary(&self) -> String {
        let head = &self.lock.head;
        let title = if head.title.is_empty() { self.name } else { &head.title };
        let version = if head.version.is_empty() { "" } else { " " };
        format!("The API {title}{version}{}.", head.version)
    }

    /// Changes with what a call sends and returns, and where.
    fn version(&self, entry: &Entry<'_>) -> Version {
        made::version_of(&format!("{} {} {}", self.base, entry.path, entry.fingerprint))
    }

    /// The address of an operation, with the names in its path.
    fn address(&self, entry: &Entry<'_>) -> String {
        if entry.path.starts_with("http://") || entry.path.starts_with("https://") {
            return entry.path.to_owned();
        }
        format!("{}{}", self.base, entry.path)
    }

    fn host(&self, entry: &Entry<'_>) -> Result<String, String> {
        let address = self.address(entry);
        let end = address.match_indices('/').nth(2).map_or(address.len(), |it| it.0);
        let read = Address::read(&address[..end]);
        let read = read.map_err(|why| format!("the address `{address}` is invalid: {why}"))?;
        Ok(read.host().to_owned())
    }

    /// The operation; one whose line is damaged is called with nothing, and fails.
    fn operation(&self, idx: usize) -> Result<&Operation, &LockError> {
        self.ops[idx].operation.get_or_init(|| self.lock.entries[idx].operation()).as_ref()
    }

    fn params(&self, idx: usize) -> &'static [Param] {
        let Ok(operation) = self.operation(idx) else { return &[] };
        let mut all = made::params(operation, &self.types, Some(&self.lock));
        for needed in self.secrets(idx) {
            let From::Argument { name, is_required } = &needed.from else { continue };
            let doc = format!("The secret for `{}`.", needed.access.name);
            all.push(if *is_required {
                param(name, &doc, Scheme::Secret, None)
            } else {
                param(name, &doc, Scheme::Optional(&Scheme::Secret), Some(Value::Null))
            });
        }
        all.leak()
    }

    fn yields(&self, idx: usize) -> Scheme {
        self.operation(idx)
            .map_or(Scheme::Json, |it| self.types.scheme(Some(&self.lock), &it.result))
    }

    fn result(&self, idx: usize) -> &Type {
        self.ops[idx].result.get_or_init(|| self.yields(idx).plain())
    }

    /// The secrets that an operation sends: those of the first alternative that the settings have
    /// in full, or else arguments.
    fn secrets(&self, idx: usize) -> &[Needed] {
        self.ops[idx]
            .secrets
            .get_or_init(|| self.operation(idx).map_or(Vec::new(), |it| self.needed(it)))
    }

    fn needed(&self, operation: &Operation) -> Vec<Needed> {
        let access = |name: &String| self.lock.head.access.iter().find(|it| it.name == *name);
        let configured = |name: &String| {
            let found = self.settings.secrets.iter().find(|it| is_scheme(name, it.0))?;
            let access = access(name)?.clone();
            Some(Needed { access, from: From::Settings(found.1.clone()) })
        };
        let full = operation.access.iter().filter(|it| !it.is_empty());
        for alternative in full {
            let all: Option<Vec<Needed>> = alternative.iter().map(configured).collect();
            if let Some(all) = all {
                return all;
            }
        }
        let is_required = operation.access.len() == 1;
        let mut all: Vec<Needed> = Vec::new();
        for access in operation.access.iter().flatten().filter_map(access) {
            if all.iter().any(|it| it.access.name == access.name) {
                continue;
            }
            let name = svc_openapi::snake(&access.name);
            let taken = operation.params.iter().any(|it| it.name == name) || name.is_empty();
            let name = if taken { format!("{name}_secret") } else { name };
            let name = name.trim_start_matches('_').to_owned();
            all.push(Needed { access: access.clone(), from: From::Argument { name, is_required } });
        }
        all
    }
}

/// A call with a key may be repeated: the server knows it.
const DECIDE: DecideEffects = |args: &KnownArgs<'_, '_>| {
    let is_idempotent =
        if args.has(IDEMPOTENCY_KEY) { !args.get(IDEMPOTENCY_KEY)?.is_null() } else { false };
    Some(CallEffects { effects: args.effects(), is_idempotent })
};

fn declared(
    (host, reads, is_idempotent, spends): &(String, bool, bool, bool),
) -> &'static [Effect] {
    let scope = Scope::Site(leaked(host));
    let first = if *reads {
        Effect::Reads(scope)
    } else {
        Effect::Writes { scope, idempotent: *is_idempotent }
    };
    let mut all = vec![first];
    if *spends {
        all.push(Effect::Spends);
    }
    all.leak()
}

/// What the document says, and the request.
fn doc(entry: &Entry<'static>) -> String {
    let request = format!("Sends `{} {}`.", entry.method, entry.path);
    match entry.doc() {
        doc if doc.is_empty() => request,
        doc => format!("{doc}\n\n{request}"),
    }
}

/// Whether a name in the settings is that of a security scheme, as written or in snake case.
fn is_scheme(scheme: &str, name: &str) -> bool {
    scheme == name || svc_openapi::snake(scheme) == *name
}

/// The address of an API, without a `/` at its end.
fn base(lock: &Lock<'_>, settings: &ApiSettings) -> Result<String, String> {
    let head = &lock.head;
    let own = settings.base.as_deref().unwrap_or(&head.server).trim_end_matches('/');
    if own.starts_with("http://") || own.starts_with("https://") {
        return Ok(own.to_owned());
    }
    let source = settings.url.as_deref().and_then(|it| Address::read(it).ok());
    match source.and_then(|it| it.join(if own.is_empty() { "/" } else { own }).ok()) {
        Some(address) if !own.contains("://") => {
            Ok(address.to_string().trim_end_matches('/').to_owned())
        }
        _ => Err("its document names no address; set `base = \"https://..\"`".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Api, ApiSettings, From, component};
    use crate::lock_of;

    const DOCUMENT: &str = r#"{"openapi": "3.0.0", "info": {"title": "T", "version": "1"},
        "servers": [{"url": "https://a.example/v1"}], "security": [{"key": []}, {"token": []}],
        "components": {"securitySchemes": {"key": {"type": "apiKey", "in": "query", "name": "k"},
            "token": {"type": "oauth2"}}},
        "paths": {"/a": {"get": {"operationId": "a", "responses": {"204": {}}}},
            "/b": {"post": {"operationId": "b", "security": [], "responses": {"204": {}}}}}}"#;

    fn lock() -> String {
        let document = svc_openapi::parse(DOCUMENT.as_bytes()).unwrap();
        lock_of("a.json", &document, DOCUMENT.as_bytes()).unwrap()
    }

    #[test]
    fn lines_are_parsed_when_an_op_is_asked_for() {
        let api = Api::new("a", lock().leak(), &ApiSettings::default()).unwrap();
        let made = api.component().unwrap();
        assert!(api.ops.iter().all(|it| it.operation.get().is_none()));
        let op = &made.component.ops[0];
        assert_eq!(op.effects[0].to_string(), "reads web:a.example");
        assert_eq!(op.params.len(), 2);
        assert!(api.ops[0].operation.get().is_some() && api.ops[1].operation.get().is_none());
    }

    #[test]
    fn the_same_lock_and_settings_make_the_same_component() {
        let settings = ApiSettings::default();
        let of = |name: &str, settings: &ApiSettings| component(name, lock(), settings).unwrap();
        assert!(std::ptr::eq(of("x", &settings).component, of("x", &settings).component));
        assert!(!std::ptr::eq(of("x", &settings).component, of("y", &settings).component));
        let other = ApiSettings { base: Some("https://b.example".to_owned()), ..settings.clone() };
        let (one, two) = (of("x", &settings).component, of("x", &other).component);
        assert_ne!(one.ops[0].version, two.ops[0].version, "results are not reused");
        assert_eq!(two.ops[1].effects[0].to_string(), "writes web:b.example on every attempt");
    }

    #[test]
    fn secrets_are_those_of_the_settings_or_arguments() {
        let mut settings = ApiSettings::default();
        let api = Api::new("a", lock().leak(), &settings).unwrap();
        let asked =
            |it: &super::Needed| matches!(it.from, From::Argument { is_required: false, .. });
        assert!(api.secrets(0).len() == 2 && api.secrets(0).iter().all(asked));
        assert_eq!(api.secrets(1).len(), 0);
        settings.secrets.insert("token".to_owned(), "my_token".to_owned());
        let api = Api::new("a", lock().leak(), &settings).unwrap();
        let from = &api.secrets(0)[0].from;
        assert!(matches!(from, From::Settings(name) if name == "my_token"));
        assert_eq!(api.params(0).len(), 0);
    }

    #[test]
    fn a_lock_with_endless_types_takes_little() {
        let mut text = lock();
        for it in 0..60 {
            let next = format!("{{\"ref\":\"T{}\"}}", it + 1);
            text +=
                &format!("type\tT{it}\t{{\"record\":[[\"a\",{next},\"\"],[\"b\",{next},\"\"]]}}\n");
        }
        text += "type\tT60\t{\"ref\":\"T0\"}\n";
        text += "op\tz\tGET\t/z\tf\t\"\"\t{\"params\":[],\"result\":{\"ref\":\"T0\"},\"gives\":\"json\"}\n";
        let made = component("z", text, &ApiSettings::default()).unwrap();
        let shown = made.component.op("z").unwrap().yields.show();
        assert!(shown.len() < 100_000, "{}", shown.len());
    }
}
