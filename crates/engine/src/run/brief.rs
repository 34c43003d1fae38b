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

/// What came of the attempt to run a plan at once.
pub enum AtOnce {
    Ended(std::result::Result<Outcome, Box<RunError>>),
    /// It has to run as a task; nothing has happened yet.
    NeedsTask {
        /// Whether it was computed for as long as a run keeps its thread.
        is_long: bool,
    },
}

/// Runs a plan at once, if it is pure and takes no time.
pub fn briefly(plan: &Plan, inputs: &BTreeMap<Text, Value>, around: &Brief<'_>) -> AtOnce {
    let program = plan.program();
    let has_secrets = program.inputs.iter().any(svc_lang::check::Input::is_secret);
    let Some(main) = program.main.as_ref().filter(|it| !it.waits && !has_secrets) else {
        return AtOnce::NeedsTask { is_long: false };
    };
    if !trace::run(plan, None).is_none() {
        return AtOnce::NeedsTask { is_long: false };
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
    let ended = catch_unwind(AssertUnwindSafe(work));
    let is_long = pace.has_given_up();
    match ended {
        Ok(Ok(value)) if !is_long => {
            let usage = Usage::default();
            AtOnce::Ended(Ok(Outcome { value, usage, output_tokens: 0 }))
        }
        // A task words the end of its time, and reports a panic.
        Ok(Err(err))
            if !is_long && !matches!(err.kind(), ErrorKind::Timeout | ErrorKind::Cancelled) =>
        {
            AtOnce::Ended(Err(err))
        }
        _ => AtOnce::NeedsTask { is_long },
    }
}
