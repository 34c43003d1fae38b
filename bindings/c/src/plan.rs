//! Plans.
#![expect(unsafe_code, reason = "C finds the functions by their names")]
#![expect(clippy::missing_safety_doc, reason = "the header says once what pointers must be")]

use std::{ffi::c_char, sync::Arc};

use svc::{
    Error,
    diag::{Report, Source},
    output::Planned,
    plan::Plan,
};

use crate::{
    engine::{SvcEngine, options},
    status::{SvcStatus, guarded},
    text::{boxed, free, handle, place, taken},
};

/// A script that was checked and planned. It may be run many times.
pub struct SvcPlan(pub(crate) Arc<Plan>);

/// Plans a script; free the plan with `svc_plan_free`. `options` may have `name` and `folder`; it may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_plan_new(
    engine: *const SvcEngine,
    script: *const c_char,
    options: *const c_char,
    plan: *mut *mut SvcPlan,
    error: *mut *mut c_char,
) -> SvcStatus {
    guarded(error, || {
        let place = place("plan", plan)?;
        let engine = handle("engine", engine)?.now();
        let script = self::options(options)?.script(taken("script", script)?);
        *place = boxed(SvcPlan(Arc::new(engine.plan(script).map_err(Error::from)?)));
        Ok(None)
    })
}

/// Writes the plan as JSON, as `svc plan --json` prints it: its nodes, effects and envelope, which
/// is the most that a run can take.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_plan_json(plan: *const SvcPlan, json: *mut *mut c_char) -> SvcStatus {
    guarded(json, || {
        let plan = &handle("plan", plan)?.0;
        let planned = Planned::of(plan, &Report::new(Source::from(""), Vec::new()));
        Ok(serde_json::to_string(&planned).ok())
    })
}

/// Frees a plan. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_plan_free(plan: *mut SvcPlan) {
    free(plan);
}
