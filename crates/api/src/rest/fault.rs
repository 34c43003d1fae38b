//! The body of every error.

use svc_contract::value::Value;
use svc_service::{Fault, FieldFault, access::redact};

use super::{object, openai};

/// A fault with the id of its request.
pub struct WithRequest<'a> {
    pub fault: &'a Fault,
    pub request_id: &'a str,
}

/// The status and the body of a fault, in the shape of the interface that a path belongs to.
pub fn answer(path: &str, it: &WithRequest<'_>) -> (u16, Value) {
    if openai::owns(path) { openai::fault(it) } else { (it.fault.why.status(), body(it)) }
}

/// `{ok: false, error, kind, request_id, help?, details?}`. No text of it has the secret of a key.
pub(super) fn body(it: &WithRequest<'_>) -> Value {
    let WithRequest { fault, request_id } = it;
    let error = match fault.retry_after {
        Some(wait) if fault.why.status() == 429 => {
            format!("rate limit exceeded; retry in {} seconds", wait.as_secs().max(1))
        }
        _ => redact(&fault.message).into_owned(),
    };
    let mut fields = vec![
        ("ok", Value::Bool(false)),
        ("error", error.into()),
        ("kind", fault.why.name().into()),
        ("request_id", (*request_id).into()),
    ];
    if let Some(help) = &fault.help {
        fields.push(("help", redact(help).into_owned().into()));
    }
    if !fault.fields.is_empty() {
        let details: Vec<Value> = fault.fields.iter().map(detail).collect();
        fields.push(("details", details.into()));
    }
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect())
}

fn detail(it: &FieldFault) -> Value {
    let shown = |it: &str| Value::from(redact(it).into_owned());
    object([("field", shown(&it.field)), ("message", shown(&it.message))])
}
