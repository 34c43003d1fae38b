//! What the bindings for other languages have in common: options of runs as data, ops whose types
//! are text, and runs that a thread without a runtime can wait for.

mod ops;
mod options;
mod run;
mod runtime;
mod types;

pub use ops::{OpDeclaration, ParamDeclaration};
pub use options::{Dollars, Rules, RunOptions, Script};
pub use run::{Run, Waited};
pub use runtime::forget_runtime;
pub use types::read_type;

use svc::{Error, diag::Span, registry::OpError, run::RunError};

/// The error of a call that is wrong before any script is looked at.
pub fn call_error(error: OpError) -> Error {
    Error::Input { source: "".into(), error: RunError::outside(error, Span::default()) }
}

/// The result of a run as JSON: `value`, `usage` and `warnings`.
pub fn response_json(response: &svc::Response) -> serde_json::Value {
    let warnings = svc::Error::from(response.warnings.clone()).report().problems;
    serde_json::json!({
        "value": response.value,
        "usage": usage_json(&response.usage),
        "warnings": warnings,
    })
}

/// The usage of a run as JSON: `tokens`, and `cost` such as `"$0.05"`.
pub fn usage_json(usage: &svc::registry::Usage) -> serde_json::Value {
    serde_json::to_value(svc::output::Used::from(*usage)).unwrap_or_default()
}
