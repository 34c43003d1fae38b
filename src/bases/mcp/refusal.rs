//! Faults as errors of the protocol: those of a call that was never made. A call that was made and
//! failed has a result that says so.

use rmcp::{ErrorData, model::ErrorCode};
use serde_json::json;
use svc_api::{mcp::fault_text, rest::Rest};
use svc_contract::registry::ErrorKind;
use svc_service::{Fault, Why};

const UNAUTHORIZED: ErrorCode = ErrorCode(1401);
const DENIED: ErrorCode = ErrorCode(1403);
const NOT_FOUND: ErrorCode = ErrorCode(1404);
const CONFLICT: ErrorCode = ErrorCode(1409);
const RATE: ErrorCode = ErrorCode(1429);
const BUSY: ErrorCode = ErrorCode(1503);

/// The error of a fault.
pub(super) fn error(fault: &Fault) -> ErrorData {
    let code = match fault.why {
        Why::Unauthorized => UNAUTHORIZED,
        Why::Op(ErrorKind::Denied | ErrorKind::Budget) => DENIED,
        Why::Op(ErrorKind::NotFound) => NOT_FOUND,
        Why::Conflict => CONFLICT,
        Why::Rate => RATE,
        Why::Busy | Why::Stopping => BUSY,
        Why::Op(ErrorKind::InvalidInput) | Why::Check => ErrorCode::INVALID_PARAMS,
        Why::Malformed | Why::TooLarge | Why::Format | Why::Method | Why::Slow => {
            ErrorCode::INVALID_REQUEST
        }
        Why::Op(_) => ErrorCode::INTERNAL_ERROR,
    };
    let mut data = serde_json::Map::new();
    data.insert("kind".into(), fault.why.name().into());
    for it in &fault.fields {
        data.insert(it.field.clone(), it.message.clone().into());
    }
    if let Some(wait) = fault.retry_after {
        data.insert("retry_after".into(), wait.as_secs().max(1).into());
    }
    let message = match fault.retry_after {
        Some(wait) if fault.why == Why::Rate => {
            format!("rate limit exceeded; retry in {} seconds", wait.as_secs().max(1))
        }
        _ => fault_text(fault),
    };
    ErrorData::new(code, message, Some(data.into()))
}

/// Whether a fault is one of the way to the call, and not of the call.
pub(super) fn is_before_the_call(fault: &Fault) -> bool {
    matches!(fault.why, Why::Unauthorized | Why::Rate | Why::Busy | Why::Stopping)
}

/// The error of wrong params.
pub(super) fn invalid(fault: &Fault) -> ErrorData {
    ErrorData::invalid_params(fault_text(fault), None)
}

/// The error of a resource that cannot be read.
pub(super) fn of_resource(fault: &Fault, uri: &str) -> ErrorData {
    if fault.why == Why::Op(ErrorKind::NotFound) {
        return ErrorData::resource_not_found(fault_text(fault), Some(json!({ "uri": uri })));
    }
    error(fault)
}

/// The error of a tool that the caller has not.
pub(super) fn unknown_tool(name: &str, rest: &Rest) -> ErrorData {
    ErrorData::invalid_params(svc_api::mcp::unknown(rest, name), None)
}
