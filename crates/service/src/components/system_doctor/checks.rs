//! The checks. Each reads, and changes nothing.
#![expect(clippy::unnecessary_wraps, reason = "a check may know nothing, and may fail")]

use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicI64, Ordering},
};

use svc_contract::{
    host::Host,
    registry::{Cx, OpError, OpRef, choices},
    store::{Filter, Store},
    value::units::show_size,
};
use svc_engine::Engine;

use crate::{
    access::{redact, roles::AccessPolicy, roles::PolicyError},
    components::{KeptStore, RolesFile, invariants},
    tools,
};

choices! {
    /// What a check found.
    pub(super) enum Status {
        Ok = "ok",
        Warn = "warn",
        Fail = "fail",
    }
}

impl Status {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

choices! {
    /// What is checked.
    pub(super) enum Area {
        All = "all",
        Runtime = "runtime",
        Storage = "storage",
        Policy = "policy",
        Mcp = "mcp",
    }
}

/// What one check found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) name: &'static str,
    pub(super) status: Status,
    pub(super) detail: String,
    /// What only the operator of the machine may know, such as paths and addresses.
    pub(super) private: Option<String>,
}

/// What the checks look at.
pub(super) struct Patient<'a> {
    pub(super) engine: &'a Engine,
    pub(super) host: &'a dyn Host,
    pub(super) store: Option<&'a dyn Store>,
    pub(super) roles: Option<&'a RolesFile>,
    /// Hides secrets.
    pub(super) redact: fn(&str) -> String,
    /// The latest time that was seen, in milliseconds since 1970.
    pub(super) latest: &'a AtomicI64,
    pub(super) look: &'a dyn Fn() -> Result<(), OpError>,
}

/// A check: its name, its area, what it is about, and itself; `None` where nothing is known.
type Row = (&'static str, Area, &'static str, fn(&Patient<'_>) -> Result<Option<Found>, OpError>);

pub(super) const ALL: &[Row] = &[
    ("registry", Area::Runtime, "names, documentation and defaults of all components", registry),
    ("clock", Area::Runtime, "a plausible time that does not run backwards", clock),
    ("memory", Area::Runtime, "the memory of this process against the limit of a run", memory),
    ("open_files", Area::Runtime, "open files against the limit of this process", open_files),
    ("model", Area::Runtime, "a language model and its key", model),
    ("data_folder", Area::Storage, "the folder for data can be written", data_folder),
    ("cache_folder", Area::Storage, "the folder for the cache can be written", cache_folder),
    ("free_space", Area::Storage, "space on the disk of the data", free_space),
    ("store", Area::Storage, "the store of runs opens and is intact", kept_runs),
    ("effects", Area::Policy, "what the policy lets scripts do", effects),
    ("access_file", Area::Policy, "the file of roles can be read and has no mistakes", access_file),
    ("redaction", Area::Policy, "secrets of keys are hidden", redaction),
    ("tools", Area::Mcp, "every tool has a closed schema and a description", tool_table),
];

/// Runs the checks of an area. What cannot be known on this host is left out.
pub(super) fn checked(area: Area, patient: &Patient<'_>) -> Result<Vec<Found>, OpError> {
    let mut all = Vec::new();
    for (_, own, _, check) in ALL {
        (patient.look)()?;
        if area == Area::All || *own == area {
            all.extend(check(patient)?);
        }
    }
    for found in &mut all {
        found.detail = redact(&found.detail).into_owned();
        found.private = found.private.take().map(|it| redact(&it).into_owned());
    }
    Ok(all)
}

/// Checks the machine of a call.
pub(super) fn of_call(area: Area, cx: &Cx, engine: &Engine) -> Result<Vec<Found>, OpError> {
    static LATEST: AtomicI64 = AtomicI64::new(0);
    let store = cx.lent::<KeptStore>().ok();
    let roles = cx.lent::<RolesFile>().ok();
    let look = || cx.check();
    checked(
        area,
        &Patient {
            engine,
            host: cx.host(),
            store: store.as_ref().map(|it| it.0.as_ref()),
            roles: roles.as_deref(),
            redact: |text| redact(text).into_owned(),
            latest: &LATEST,
            look: &look,
        },
    )
}

fn found(name: &'static str, status: Status, detail: impl Into<String>) -> Found {
    Found { name, status, detail: detail.into(), private: None }
}

fn says(
    name: &'static str,
    status: Status,
    detail: impl Into<String>,
) -> Result<Option<Found>, OpError> {
    Ok(Some(found(name, status, detail)))
}

fn registry(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let broken = invariants::unsound(patient.engine)?;
    let components = Engine::registry(patient.engine).components();
    let ops: usize = components.iter().map(|it| it.ops.len()).sum();
    match broken.first() {
        None => says("registry", Status::Ok, format!("{} components, {ops} ops", components.len())),
        Some(first) => {
            let detail = format!("{} problems, the first one: {first}", broken.len());
            says("registry", Status::Fail, detail)
        }
    }
}

/// 2025-01-01 and 2100-01-01, in milliseconds since 1970.
const PLAUSIBLE: std::ops::Range<i64> = 1_735_689_600_000..4_102_444_800_000;

/// A clock that is corrected may go back a little.
const CORRECTION: i64 = 2_000;

fn clock(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let now = patient.host.now();
    let latest = patient.latest.fetch_max(now, Ordering::Relaxed);
    if !PLAUSIBLE.contains(&now) {
        let detail = format!("expected a time between 2025 and 2100, found {now} ms since 1970");
        return says("clock", Status::Fail, detail);
    }
    if now + CORRECTION < latest {
        let detail = format!("the clock went back by {} ms", latest - now);
        return says("clock", Status::Warn, detail);
    }
    says("clock", Status::Ok, "the time is plausible")
}

fn memory(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let (Some(used), Some(share)) = (patient.host.memory(), patient.host.memory_share()) else {
        return Ok(None);
    };
    let status = if used > share { Status::Warn } else { Status::Ok };
    let detail = match status {
        Status::Ok => "this process uses less than a run may use",
        _ => "this process uses more than a run may use",
    };
    let private = format!("{} of {}", show_size(used), show_size(share));
    Ok(Some(Found { private: Some(private), ..found("memory", status, detail) }))
}

fn open_files(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    /// What a server with many connections needs.
    const ENOUGH: u64 = 1024;
    let Some((open, most)) = patient.host.machine(&folder(patient)).open_files else {
        return Ok(None);
    };
    let (status, detail) = if open.saturating_mul(10) > most.saturating_mul(9) {
        (Status::Fail, "nearly all files that this process may open are open")
    } else if most < ENOUGH {
        (Status::Warn, "the limit of open files is low: raise it with `ulimit -n 4096`")
    } else {
        (Status::Ok, "enough files can be opened")
    };
    let private = format!("{open} of {most}");
    Ok(Some(Found { private: Some(private), ..found("open_files", status, detail) }))
}

/// The folder of the data, or the current one.
fn folder(patient: &Patient<'_>) -> PathBuf {
    let data = patient.host.data_dir().or_else(|_| patient.host.current_dir());
    data.unwrap_or_else(|_| PathBuf::from("."))
}

fn model(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    const KEYS: [(&str, &str); 2] =
        [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY")];
    let Some(model) = patient.host.env("SVC_MODEL").filter(|it| !it.is_empty()) else {
        return says("model", Status::Ok, "no language model is configured; only `ask` needs one");
    };
    let provider = model.split('/').next().unwrap_or_default().to_owned();
    let key = KEYS.iter().find(|it| it.0 == provider).map(|it| it.1);
    let lacks = key.filter(|it| patient.host.env(it).is_none_or(|it| it.is_empty()));
    let own_server = patient.host.env("OPENAI_BASE_URL").is_some();
    let row = match lacks {
        Some(_) if own_server => found("model", Status::Ok, "a language model is configured"),
        Some(key) => {
            found("model", Status::Warn, format!("the language model lacks its key: set `{key}`"))
        }
        None => found("model", Status::Ok, "a language model is configured"),
    };
    Ok(Some(Found { private: Some(model), ..row }))
}

fn data_folder(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    writable("data_folder", patient, patient.host.data_dir().ok())
}

fn cache_folder(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    writable("cache_folder", patient, patient.host.cache_dir().ok())
}

fn writable(
    name: &'static str,
    patient: &Patient<'_>,
    folder: Option<PathBuf>,
) -> Result<Option<Found>, OpError> {
    let Some(folder) = folder else { return Ok(None) };
    let Some(is_writable) = patient.host.machine(&folder).is_writable else { return Ok(None) };
    let row = if is_writable {
        found(name, Status::Ok, "files can be created")
    } else {
        found(name, Status::Fail, "no files can be created: check the rights of the folder")
    };
    Ok(Some(Found { private: Some(folder.display().to_string()), ..row }))
}

fn free_space(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    const LITTLE: u64 = 1 << 30;
    const TOO_LITTLE: u64 = 64 << 20;
    let folder = folder(patient);
    let Some(free) = patient.host.machine(&folder).free_space else { return Ok(None) };
    let (status, detail) = if free < TOO_LITTLE {
        (Status::Fail, "the disk of the data is full")
    } else if free < LITTLE {
        (Status::Warn, "the disk of the data is nearly full")
    } else {
        (Status::Ok, "the disk of the data has space")
    };
    let private = format!("{} free below {}", show_size(free), folder.display());
    Ok(Some(Found { private: Some(private), ..found("free_space", status, detail) }))
}

fn kept_runs(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let Some(store) = patient.store else { return Ok(None) };
    let read = store.runs(&Filter { limit: Some(1), ..Filter::default() });
    let row = match read.and_then(|_| store.problems()) {
        Err(error) => {
            let private = Some(error.message.clone());
            Found { private, ..found("store", Status::Fail, "the store of runs cannot be read") }
        }
        Ok(Some(problems)) if !problems.is_empty() => {
            let detail = format!(
                "the store of runs is damaged ({} problems): run `svc doctor --recover`",
                problems.len()
            );
            Found { private: problems.first().cloned(), ..found("store", Status::Fail, detail) }
        }
        Ok(Some(_)) => found("store", Status::Ok, "the store of runs is intact"),
        Ok(None) => found(
            "store",
            Status::Ok,
            "the store of runs can be read; `svc doctor` reads all of it",
        ),
    };
    Ok(Some(row))
}

fn effects(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let policy = patient.engine.policy();
    let registry = Engine::registry(patient.engine);
    if policy.is_empty() {
        let detail = "no policy: a script may do all that its caller may";
        return says("effects", Status::Ok, detail);
    }
    let idle = policy.idle(registry);
    let ops = registry
        .components()
        .iter()
        .flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }));
    let (mut all, mut refused) = (0_usize, 0_usize);
    for op in ops {
        all += 1;
        refused += usize::from(!policy.admits(op.op));
    }
    let detail = format!("the policy refuses every call of {refused} of {all} ops");
    match idle.first() {
        None => says("effects", Status::Ok, detail),
        Some(rule) => {
            let private = Some(format!("the rule `{rule}` is about nothing that is known"));
            let detail = format!("{detail}; {} of its rules are about nothing known", idle.len());
            Ok(Some(Found { private, ..found("effects", Status::Warn, detail) }))
        }
    }
}

fn access_file(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let Some(roles) = patient.roles else { return Ok(None) };
    let RolesFile { path, is_hosted, host } = roles;
    if host.stat(path).is_err() {
        return says("access_file", Status::Ok, "no file of roles: the built-in ones hold");
    }
    let row = match AccessPolicy::load(path, *is_hosted, host.as_ref()) {
        Ok(policy) => {
            let detail = format!("the file of roles has {} roles", policy.roles().len());
            found("access_file", Status::Ok, detail)
        }
        Err(error) => {
            let (detail, private) = wrong(&error, path);
            Found { private: Some(private), ..found("access_file", Status::Fail, detail) }
        }
    };
    Ok(Some(row))
}

fn wrong(error: &PolicyError, file: &Path) -> (String, String) {
    match error {
        PolicyError::File(why) => ("the file of roles cannot be read".to_owned(), why.clone()),
        PolicyError::Wrong(problems) => {
            let detail = format!("the file of roles has {} mistakes", problems.len());
            let first = problems.first().map(|it| it.message.clone()).unwrap_or_default();
            (detail, format!("{}: {first}", file.display()))
        }
    }
}

fn redaction(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    const SECRET: &str = "0123456789abcdefghijklmnopqrstuvABCDEF";
    let text = format!("Bearer svc_live_abcdefghijkl_{SECRET}");
    if (patient.redact)(&text).contains(&SECRET[..12]) {
        return says("redaction", Status::Fail, "the secret of a key was not hidden");
    }
    says("redaction", Status::Ok, "the secret of a key is hidden")
}

fn tool_table(patient: &Patient<'_>) -> Result<Option<Found>, OpError> {
    let registry = Engine::registry(patient.engine);
    let rows = tools::table(registry);
    let is_closed = |it: &tools::Row| {
        let of = it.input_schema.as_record().and_then(|it| it.get("additionalProperties"));
        of == Some(&svc_contract::value::Value::Bool(false))
    };
    let wrong = rows.iter().find(|it| it.description.is_empty() || !is_closed(it));
    match wrong {
        _ if rows.is_empty() => says("tools", Status::Fail, "expected tools, found none"),
        Some(row) => {
            let detail =
                format!("`{}` has no description, or a schema that is not closed", row.name);
            says("tools", Status::Fail, detail)
        }
        None => says("tools", Status::Ok, format!("{} tools", rows.len())),
    }
}
