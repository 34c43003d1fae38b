//! The body of every error.

use svc_contract::value::Value;
use svc_service::{Fault, FieldFault};

use super::object;

/// A fault with the id of its request.
pub struct WithRequest<'a> {
    pub fault: &'a Fault,
    pub request_id: &'a str,
}

/// `{ok: false, error, kind, request_id, help?, details?}`.
pub fn body(it: &WithRequest<'_>) -> Value {
    let WithRequest { fault, request_id } = it;
    let error = match fault.retry_after {
        Some(wait) if fault.why.status() == 429 => {
            format!("rate limit exceeded; retry in {} seconds", wait.as_secs().max(1))
        }
        _ => fault.message.clone(),
    };
    let mut fields = vec![
        ("ok", Value::Bool(false)),
        ("error", error.into()),
        ("kind", fault.why.name().into()),
        ("request_id", (*request_id).into()),
    ];
    if let Some(help) = &fault.help {
        fields.push(("help", help.as_str().into()));
    }
    if !fault.fields.is_empty() {
        let details: Vec<Value> = fault.fields.iter().map(detail).collect();
        fields.push(("details", details.into()));
    }
    Value::Record(fields.into_iter().map(|(name, it)| (name.into(), it)).collect())
}

fn detail(it: &FieldFault) -> Value {
    object([("field", it.field.as_str().into()), ("message", it.message.as_str().into())])
}
