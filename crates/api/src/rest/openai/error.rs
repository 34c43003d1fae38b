//! Errors in the shape of OpenAI's, with its statuses and codes.

use svc_contract::{registry::ErrorKind, value::Value};
use svc_service::{Fault, Why, access::redact};

use super::super::{fault::WithRequest, object};

const REQUEST: &str = "invalid_request_error";

/// What a fault is for OpenAI's clients, which repeat 408, 409, 429 and 5xx by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) status: u16,
    pub(super) of: &'static str,
    pub(super) code: &'static str,
}

/// The status and the body of a fault: `{error: {message, type, param, code}}`.
pub(in super::super) fn fault(it: &WithRequest<'_>) -> (u16, Value) {
    let kind = kind(it.fault);
    let param = it.fault.fields.first().map(|it| it.field.as_str()).filter(|it| !it.is_empty());
    let error = object([
        ("message", message(it.fault).into()),
        ("type", kind.of.into()),
        ("param", param.map_or(Value::Null, Value::from)),
        ("code", kind.code.into()),
        ("request_id", it.request_id.into()),
    ]);
    (kind.status, object([("error", error)]))
}

/// The message with what to do next. No text of it has the secret of a key.
pub(super) fn message(fault: &Fault) -> String {
    // The field is in `param`.
    let said = match fault.fields.as_slice() {
        [one] => &one.message,
        _ => &fault.message,
    };
    let text = match fault.retry_after {
        Some(wait) if kind(fault).status == 429 => {
            format!("{said}; retry in {} seconds", wait.as_secs().max(1))
        }
        _ => said.clone(),
    };
    let text = match &fault.help {
        Some(help) => format!("{text}; {help}"),
        None => text,
    };
    redact(&text).into_owned()
}

/// A fault with fields is about the request; one without is that of the run, which is not repeated
/// unless a service behind it may do better the next time.
pub(super) fn kind(fault: &Fault) -> Kind {
    let kind = |status, of, code| Kind { status, of, code };
    let of_request = |code| kind(400, REQUEST, code);
    let first = fault.fields.first().map(|it| it.message.as_str());
    let status = fault.why.status();
    match (fault.why, first) {
        (Why::Unauthorized, _) => kind(401, REQUEST, "invalid_api_key"),
        (Why::Rate, _) => kind(429, "requests", "rate_limit_exceeded"),
        (Why::Op(ErrorKind::Budget), _) if fault.retry_after.is_some() => {
            kind(429, "insufficient_quota", "insufficient_quota")
        }
        (Why::Op(ErrorKind::Budget), _) => of_request("budget_exceeded"),
        (Why::Op(ErrorKind::NotFound), Some(_)) => kind(404, REQUEST, "model_not_found"),
        (Why::Op(ErrorKind::Unsupported), Some(_)) => of_request("unsupported_parameter"),
        (_, Some(it)) if it.starts_with("unknown field") => of_request("unknown_parameter"),
        (_, Some(it)) if it.starts_with("missing field") => {
            of_request("missing_required_parameter")
        }
        (Why::Op(ErrorKind::InvalidInput), Some(_)) => of_request("invalid_value"),
        (Why::Op(ErrorKind::NotFound), None) if fault.message.starts_with("unknown path") => {
            kind(404, REQUEST, "unknown_url")
        }
        (Why::Op(ErrorKind::NotFound), None) => kind(422, "run_error", "not_found"),
        (Why::Op(ErrorKind::Denied), _) => kind(403, REQUEST, "permission_denied"),
        (Why::Op(_), _) if status < 500 => kind(status, "run_error", fault.why.name()),
        (_, _) if status < 500 => kind(status, REQUEST, fault.why.name()),
        _ => kind(status, "server_error", fault.why.name()),
    }
}

pub(in super::super) fn fault_schema() -> Value {
    let text = || object([("type", "string".into())]);
    let or_null = || object([("type", vec![Value::from("string"), "null".into()].into())]);
    let properties = object([
        ("message", text()),
        ("type", text()),
        ("param", or_null()),
        ("code", or_null()),
        ("request_id", text()),
    ]);
    let required = ["message", "type", "param", "code"].map(Value::from).to_vec();
    let error = object([
        ("type", "object".into()),
        ("properties", properties),
        ("required", required.into()),
    ]);
    object([
        ("type", "object".into()),
        ("properties", object([("error", error)])),
        ("required", vec![Value::from("error")].into()),
    ])
}
