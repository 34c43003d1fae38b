//! Runs that end within microseconds: pure scripts, which need no task, no records and no events.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use svc_contract::{
    host::Host,
    registry::{ErrorKind, Lent, Usage},
    value::{Text, Value, memory},
};
use svc_lang::plan::{Caps, Plan};
use tokio_util::sync::CancellationToken;

use super::{
    Outcome, RunError, aside::brief_pace, env::Env, error::Result, eval_sync::Now, opened,
    scope::Scope, trace, values_of,
};

/// The context of a brief run.
pub struct Brief<'a> {
    pub host: &'a Arc<dyn Host>,
    pub lent: &'a Lent,
    pub cancel: &'a CancellationToken,
    pub caps: &'a Caps,
}

/// Runs a plan at once if it is pure and takes no time. `None` if it has to run as a task: then
/// nothing has happened yet.
pub fn briefly(
    plan: &Plan,
    inputs: &BTreeMap<Text, Value>,
    around: &Brief<'_>,
) -> Option<std::result::Result<Outcome, Box<RunError>>> {
    let program = plan.program();
    let main = program.main.as_ref().filter(|it| !it.waits)?;
    let has_secrets = program.inputs.iter().any(svc_lang::check::Input::is_secret);
    if has_secrets || !trace::run(plan, None).is_none() {
        return None;
    }
    let memory = opened(around.host, around.caps);
    let (account, lent) = (memory.account().clone(), around.lent.clone());
    let scope = Scope::of_run(around.cancel.clone(), around.caps, account, lent);
    let pace = brief_pace();
    let work = || -> Result<Value> {
        let _entered = memory::enter(&scope.memory);
        let values = values_of(&program.inputs, inputs, &scope, around.host.as_ref())?;
        let value = Now { scope: &scope, pace: &pace }.eval(main, &Env::of_params(&values))?;
        scope.fits(main.span)?;
        scope.can_write(&value, main.span)?;
        Ok(value)
    };
    let ended = catch_unwind(AssertUnwindSafe(work)).ok()?;
    match ended {
        _ if pace.has_given_up() => None,
        // A task words the end of its time.
        Err(err) if matches!(err.kind(), ErrorKind::Timeout | ErrorKind::Cancelled) => None,
        Ok(value) => Some(Ok(Outcome { value, usage: Usage::default() })),
        Err(err) => Some(Err(err)),
    }
}
