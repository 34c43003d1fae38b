//! The inputs and the failure of a run: `svc run`.

use serde::Serialize;
use svc_engine::output::failure::Failure;
use svc_lang::{check::Input, plan::Plan};

/// The output of `--json` for a failed run.
#[derive(Serialize)]
pub struct FailedJson {
    pub error: Failure,
}

/// The input that a caller can pass as plain text: the `input` of a script that begins with a
/// stage, or the only required input that is not given.
pub fn only_missing(plan: &Plan, is_given: impl Fn(&Input) -> bool) -> Option<&Input> {
    let inputs = &plan.program().inputs;
    let missing = inputs.iter().filter(|it| it.is_required() && !it.is_secret() && !is_given(it));
    match missing.collect::<Vec<_>>().as_slice() {
        [only] => Some(only),
        several => several.iter().copied().find(|it| it.name.as_ref() == "input"),
    }
}
