//! Hooks and deliveries: `svc hooks`.

use schemars::JsonSchema;
use serde::Serialize;
use svc_contract::value::Value;
use svc_service::hooks::{DeliveryRow, DeliveryState, HookRow};
use svc_text::dates::{instant, time};

use crate::runs::row;

/// A hook.
#[derive(JsonSchema, Serialize)]
pub struct HookJson {
    id: String,
    /// The served script that it starts.
    script: String,
    /// The path of its requests.
    path: String,
    /// How its requests are signed: `standard` or `github`.
    form: &'static str,
    /// The key whose owner and role its runs have; null for this machine's user.
    key: Option<String>,
    /// The name of its secret on the server; null if the secret was made for it.
    secret_name: Option<String>,
    created: String,
}

/// A hook with its secret.
#[derive(JsonSchema, Serialize)]
pub struct NewHookJson {
    hook: HookJson,
    /// Null if the server has it under a name.
    secret: Option<String>,
}

/// A secret.
#[derive(JsonSchema, Serialize)]
pub struct SecretJson {
    pub secret: String,
}

/// What was or is sent about a job.
#[derive(JsonSchema, Serialize)]
pub struct DeliveryJson {
    /// The `webhook-id`, which is the same at each try.
    id: String,
    job: Option<String>,
    /// `job.ok`, `job.failed`, `job.cancelled`, `job.stuck` or `job.waiting`.
    event: String,
    url: String,
    /// `pending`, `delivered`, `stopped` or `failed`.
    state: &'static str,
    tries: u32,
    at: String,
    /// When the next try is; null if there is none.
    next: Option<String>,
    /// The last status of the receiver.
    status: Option<u16>,
    error: Option<String>,
}

impl HookJson {
    pub fn new(hook: &HookRow) -> Self {
        Self {
            id: hook.id.clone(),
            script: hook.script.clone(),
            path: path(hook),
            form: hook.form.name(),
            key: hook.key.clone(),
            secret_name: hook.secret.clone(),
            created: instant(hook.created),
        }
    }
}

impl NewHookJson {
    pub fn new(hook: &HookRow, secret: Option<String>) -> Self {
        Self { hook: HookJson::new(hook), secret }
    }
}

impl DeliveryJson {
    pub fn new(delivery: &DeliveryRow, job: Option<String>) -> Self {
        let is_pending = delivery.state == DeliveryState::Pending;
        Self {
            id: delivery.id.clone(),
            job,
            event: event(delivery),
            url: delivery.url.clone(),
            state: delivery.state.name(),
            tries: delivery.tries,
            at: instant(delivery.at),
            next: is_pending.then(|| instant(delivery.next)),
            status: delivery.status,
            error: delivery.error.clone(),
        }
    }
}

/// The path of the requests of a hook.
pub fn path(hook: &HookRow) -> String {
    format!("/hooks/{}", hook.script)
}

fn event(delivery: &DeliveryRow) -> String {
    format!("job.{}", delivery.event.name())
}

/// A hook as a row of a table.
pub fn hook_row(it: &HookRow) -> Value {
    let or_dash = |it: &Option<String>| it.clone().unwrap_or_else(|| "-".to_owned());
    row([
        ("hook", it.id.as_str().into()),
        ("script", it.script.as_str().into()),
        ("form", it.form.name().into()),
        ("key", or_dash(&it.key).into()),
        ("secret", or_dash(&it.secret).into()),
        ("created", time(it.created).into()),
    ])
}

/// A delivery as a row of a table.
pub fn delivery_row(it: &DeliveryRow) -> Value {
    let status = it.status.map(|it| it.to_string()).or_else(|| it.error.clone());
    row([
        ("delivery", it.id.as_str().into()),
        ("event", event(it).into()),
        ("url", it.url.as_str().into()),
        ("state", it.state.name().into()),
        ("tries", i64::from(it.tries).into()),
        ("at", time(it.at).into()),
        ("answer", status.unwrap_or_else(|| "-".to_owned()).into()),
    ])
}
