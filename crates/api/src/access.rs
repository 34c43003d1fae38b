//! Keys, roles, decisions and the audit as JSON and as rows of a table: `svc keys`, `svc access`,
//! `svc audit`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::{
    registry::Tier,
    value::{Record, Value, units},
};
use svc_service::access::{
    AuditHead, AuditRow, LockRow, Role,
    audit::show_head,
    decide::Verdict,
    key::ApiKey,
    keys::{KeyInfo, KeyState},
    rates::RateLimits,
    roles::{AccessPolicy, PolicyNote},
};
use svc_text::dates::{instant, time};

/// A key in `svc keys list --json`.
#[derive(JsonSchema, Serialize)]
pub struct KeyJson {
    id: String,
    /// `live`, `test` or `adm`.
    kind: &'static str,
    owner: String,
    role: String,
    /// Whether it was issued for the tools that tune.
    bias: bool,
    /// `active`, `rotated`, `expired` or `revoked`.
    state: &'static str,
    /// As in RFC 3339, like the other times.
    created: String,
    /// When it ends or ended.
    ends: String,
    /// The key that took its place.
    successor: Option<String>,
}

/// A new key in `svc keys issue --json`.
#[derive(JsonSchema, Serialize)]
pub struct IssuedJson {
    /// The key with its secret, which is shown only once.
    key: String,
    about: KeyJson,
}

/// A lock in `svc keys locks --json`.
#[derive(JsonSchema, Serialize)]
pub struct LockJson {
    /// An address, or a network of IPv6.
    address: String,
    /// The key; null if no key is accepted from there.
    key: Option<String>,
    until: String,
    /// The number of locks so far.
    level: u32,
}

/// What `svc keys unlock --json` removed.
#[derive(JsonSchema, Serialize)]
pub struct UnlockedJson {
    pub removed: usize,
}

/// A policy in `svc access check --json`.
#[derive(JsonSchema, Serialize)]
pub struct PolicyJson {
    version: String,
    roles: Vec<RoleJson>,
    notes: Vec<PolicyNoteJson>,
}

#[derive(JsonSchema, Serialize)]
struct RoleJson {
    name: String,
    tier: &'static str,
    /// Patterns of names; the last one that matches decides.
    tools: Vec<String>,
    ops: Vec<String>,
    /// Rules for effects; null allows what is not denied.
    allow: Option<Vec<String>>,
    deny: Vec<String>,
    limits: LimitsJson,
}

/// Null means no limit.
#[derive(JsonSchema, Serialize)]
struct LimitsJson {
    per_minute: Option<u32>,
    burst: Option<u32>,
    per_day: Option<u64>,
    at_once: Option<u32>,
    max_cost: Option<String>,
    max_cost_per_day: Option<String>,
    /// In bytes.
    max_result: Option<u64>,
}

/// A pattern or rule that matches nothing.
#[derive(JsonSchema, Serialize)]
struct PolicyNoteJson {
    message: String,
    help: Option<String>,
}

/// A decision in `svc access explain --json`.
#[derive(JsonSchema, Serialize)]
pub struct DecisionJson {
    key: KeyJson,
    /// The tool, script or op.
    subject: String,
    allowed: bool,
    /// `allow`, `tier`, `refuse` or `unknown`.
    decision: &'static str,
    /// The rule that decided.
    rule: String,
    /// The tier that it needs.
    tier_needed: Option<&'static str>,
    /// The version of the policy.
    policy: String,
}

/// An entry in `svc audit --json`.
#[derive(JsonSchema, Serialize)]
pub struct AuditJson {
    number: u64,
    at: String,
    key: Option<String>,
    owner: Option<String>,
    surface: String,
    tool: String,
    work: String,
    decision: String,
    rule: String,
    policy: String,
    status: String,
    /// In milliseconds.
    took: f64,
    cost: String,
    /// The keyed hash of the arguments.
    arguments: Option<String>,
}

/// A chain that holds, in `svc audit --verify --json`.
#[derive(JsonSchema, Serialize)]
pub struct AuditHeadJson {
    entries: u64,
    /// The number of entries and the last link: a later check can be held to it.
    head: String,
}

impl KeyJson {
    pub fn new(key: &KeyInfo, now: i64) -> Self {
        Self {
            id: key.id.to_string(),
            kind: key.kind.name(),
            owner: key.owner.clone(),
            role: key.role.clone(),
            bias: key.bias,
            state: key.state(now).name(),
            created: instant(key.created),
            ends: instant(key.ends()),
            successor: key.successor.as_ref().map(|(id, _)| id.clone()),
        }
    }
}

impl IssuedJson {
    pub fn new(key: &ApiKey, about: &KeyInfo, now: i64) -> Self {
        Self { key: key.reveal().to_owned(), about: KeyJson::new(about, now) }
    }
}

impl LockJson {
    pub fn new(lock: &LockRow) -> Self {
        let LockRow { address, key, until, level, .. } = lock;
        Self {
            address: address.clone(),
            key: (!key.is_empty()).then(|| key.clone()),
            until: instant(*until),
            level: *level,
        }
    }
}

impl PolicyJson {
    pub fn new(policy: &AccessPolicy, notes: &[PolicyNote]) -> Self {
        let note =
            |it: &PolicyNote| PolicyNoteJson { message: it.message.clone(), help: it.help.clone() };
        Self {
            version: policy.version().to_owned(),
            roles: policy.roles().iter().map(RoleJson::new).collect(),
            notes: notes.iter().map(note).collect(),
        }
    }
}

impl RoleJson {
    fn new(role: &Role) -> Self {
        let (allow, deny) = role.rules();
        let RateLimits { pace, per_day, at_once, max_cost, max_cost_per_day, max_result } =
            role.limits;
        Self {
            name: role.name.clone(),
            tier: role.tier.name(),
            tools: role.tools.iter().map(ToString::to_string).collect(),
            ops: role.ops.iter().map(ToString::to_string).collect(),
            allow,
            deny,
            limits: LimitsJson {
                per_minute: pace.map(|it| it.per_minute),
                burst: pace.map(|it| it.burst),
                per_day,
                at_once,
                max_cost: max_cost.map(|it| it.to_string()),
                max_cost_per_day: max_cost_per_day.map(|it| it.to_string()),
                max_result,
            },
        }
    }
}

impl DecisionJson {
    pub fn new(key: &KeyInfo, verdict: &Verdict, policy: &AccessPolicy, now: i64) -> Self {
        Self {
            key: KeyJson::new(key, now),
            subject: verdict.subject.clone(),
            allowed: verdict.is_allowed(),
            decision: verdict.outcome.name(),
            rule: verdict.rule.clone(),
            tier_needed: verdict.needs.map(Tier::name),
            policy: policy.version().to_owned(),
        }
    }
}

impl AuditJson {
    #[expect(clippy::cast_precision_loss, reason = "milliseconds for display")]
    pub fn new(row: &AuditRow) -> Self {
        let hex = |it: &[u8; 32]| blake3::Hash::from_bytes(*it).to_hex().to_string();
        Self {
            number: row.no,
            at: instant(row.at),
            key: row.key.clone(),
            owner: row.owner.clone(),
            surface: row.surface.clone(),
            tool: row.tool.clone(),
            work: row.work.clone(),
            decision: row.decision.clone(),
            rule: row.rule.clone(),
            policy: row.policy.clone(),
            status: row.status.clone(),
            took: row.took as f64 / 1_000.0,
            cost: row.cost.to_string(),
            arguments: row.arguments.as_ref().map(hex),
        }
    }
}

impl AuditHeadJson {
    pub fn new(head: &AuditHead) -> Self {
        Self { entries: head.entries, head: show_head(head) }
    }
}

fn row<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect::<Record>())
}

/// A number of a table; `-` if there is none.
fn or_dash(it: Option<impl ToString>) -> Value {
    it.map_or_else(|| "-".to_owned(), |it| it.to_string()).into()
}

/// When a key ends, for people.
pub fn ends(key: &KeyInfo) -> String {
    time(key.ends())
}

/// A key as a row of a table.
pub fn key_row(key: &KeyInfo, now: i64) -> Value {
    let state = key.state(now);
    let state = match &key.successor {
        Some((successor, _)) if state == KeyState::Rotated => format!("rotated to {successor}"),
        _ => state.name().to_owned(),
    };
    row([
        ("key", key.id.as_str().into()),
        ("owner", key.owner.clone().into()),
        ("role", key.role.clone().into()),
        ("kind", key.kind.name().into()),
        ("bias", if key.bias { "yes" } else { "no" }.into()),
        ("state", state.into()),
        ("created", time(key.created).into()),
        ("ends", time(key.ends()).into()),
    ])
}

/// A lock as a row of a table.
pub fn lock_row(lock: &LockRow) -> Value {
    let key = if lock.key.is_empty() { "all keys" } else { &lock.key };
    row([
        ("address", lock.address.clone().into()),
        ("key", key.into()),
        ("until", time(lock.until).into()),
        ("locks", i64::from(lock.level).into()),
    ])
}

/// A role as a row of a table.
pub fn role_row(role: &Role) -> Value {
    let RateLimits { pace, per_day, at_once, max_cost, max_cost_per_day, max_result } = role.limits;
    let (allow, deny) = role.rules();
    let allowed = allow.map(|it| format!("only {}", it.join(", ")));
    let denied = (!deny.is_empty()).then(|| format!("not {}", deny.join(", ")));
    let effects: Vec<String> = allowed.into_iter().chain(denied).collect();
    row([
        ("role", role.name.clone().into()),
        ("tier", role.tier.name().into()),
        ("minute", or_dash(pace.map(|it| it.per_minute))),
        ("burst", or_dash(pace.map(|it| it.burst))),
        ("day", or_dash(per_day)),
        ("at_once", or_dash(at_once)),
        ("run", or_dash(max_cost)),
        ("run_day", or_dash(max_cost_per_day)),
        ("result", or_dash(max_result.map(units::show_size))),
        ("tools", role.tools.to_string().into()),
        ("ops", role.ops.to_string().into()),
        ("effects", or_dash((!effects.is_empty()).then(|| effects.join("; ")))),
    ])
}

/// An entry of the audit as a row of a table.
pub fn audit_row(entry: &AuditRow) -> Value {
    row([
        ("no", i64::try_from(entry.no).unwrap_or(i64::MAX).into()),
        ("at", time(entry.at).into()),
        ("key", or_dash(entry.key.as_ref())),
        ("owner", or_dash(entry.owner.as_ref())),
        ("surface", entry.surface.clone().into()),
        ("tool", entry.tool.clone().into()),
        ("work", entry.work.clone().into()),
        ("decision", entry.decision.clone().into()),
        ("rule", entry.rule.clone().into()),
        ("status", entry.status.clone().into()),
        ("cost", entry.cost.to_string().into()),
    ])
}
