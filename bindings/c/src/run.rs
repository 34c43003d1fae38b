//! Runs.
#![expect(unsafe_code, reason = "C finds the functions by their names")]
#![expect(clippy::missing_safety_doc, reason = "the header says once what pointers must be")]

use std::{collections::BTreeMap, ffi::c_char, time::Duration};

use svc::value::Value;
use svc_bindings::{Run, Waited, response_json};

use crate::{
    engine::{SvcEngine, data, options},
    plan::SvcPlan,
    status::{Failure, SvcStatus, guarded},
    text::{boxed, free, handle, optional, place, taken},
};

/// A started run.
pub struct SvcRun(Run);

/// Runs a script and waits for its end. Writes `{"value": .., "usage": {"tokens": .., "cost": ..},
/// "warnings": [..]}`, or the error.
///
/// `inputs` is a JSON object with the params of the script by name, or NULL; the one of a script
/// that begins with a stage is `input`. Durations, money, paths and bytes are strings, as in `"30s"`,
/// `"$0.05"` and hex digits.
///
/// `options` is a JSON object, or NULL: `max_cost` in US dollars, `max_tokens`, `timeout_ms`, `max_memory`
/// in bytes, `policy` as of `svc_engine_set_policy` for this run, and the `name` and the `folder` of the
/// script.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_run(
    engine: *const SvcEngine,
    script: *const c_char,
    inputs: *const c_char,
    options: *const c_char,
    result: *mut *mut c_char,
) -> SvcStatus {
    guarded(result, || joined(&start(engine, &Script::Text(script), inputs, options)?, None))
}

/// Starts a run on threads of the library; free it with `svc_run_free`. The arguments are those of
/// `svc_run`. A script that is wrong is an error of `svc_run_join`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_start(
    engine: *const SvcEngine,
    script: *const c_char,
    inputs: *const c_char,
    options: *const c_char,
    run: *mut *mut SvcRun,
    error: *mut *mut c_char,
) -> SvcStatus {
    guarded(error, || {
        let place = place("run", run)?;
        *place = boxed(SvcRun(start(engine, &Script::Text(script), inputs, options)?));
        Ok(None)
    })
}

/// The same for a plan, with an engine that has the same ops.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_start_plan(
    engine: *const SvcEngine,
    plan: *const SvcPlan,
    inputs: *const c_char,
    options: *const c_char,
    run: *mut *mut SvcRun,
    error: *mut *mut c_char,
) -> SvcStatus {
    guarded(error, || {
        let place = place("run", run)?;
        *place = boxed(SvcRun(start(engine, &Script::Planned(plan), inputs, options)?));
        Ok(None)
    })
}

/// Waits for the next event, at most `timeout_ms` milliseconds, or as long as it takes if that is
/// negative. Writes it as JSON, with `event`, `path` and more, or NULL after the last one, which is
/// `ended`. Returns `SVC_STATUS_WAITING` if there was none in that time.
///
/// Events need not be read: the oldest of many are dropped.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_run_next_event(
    run: *const SvcRun,
    timeout_ms: i64,
    event: *mut *mut c_char,
) -> SvcStatus {
    guarded(event, || match handle("run", run)?.0.next_event(bound(timeout_ms)) {
        Waited::Ready(event) => Ok(event.and_then(|it| serde_json::to_string(&it).ok())),
        Waited::TimedOut => Err(Failure::Waiting),
    })
}

/// Cancels a run, also while other threads wait for it. Its error is then of the kind `cancelled`,
/// unless it had ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_run_cancel(run: *const SvcRun) -> SvcStatus {
    guarded(std::ptr::null_mut(), || {
        handle("run", run)?.0.cancel();
        Ok(None)
    })
}

/// Waits for the end of a run, at most `timeout_ms` milliseconds, or as long as it takes if that is
/// negative. Writes the result as `svc_run` does, once: a second call is an error.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_run_join(
    run: *const SvcRun,
    timeout_ms: i64,
    result: *mut *mut c_char,
) -> SvcStatus {
    guarded(result, || joined(&handle("run", run)?.0, bound(timeout_ms)))
}

/// Frees a run, and cancels it if it has not ended. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_run_free(run: *mut SvcRun) {
    free(run);
}

/// What runs.
enum Script {
    Text(*const c_char),
    Planned(*const SvcPlan),
}

fn start(
    engine: *const SvcEngine,
    script: &Script,
    inputs: *const c_char,
    options: *const c_char,
) -> Result<Run, Failure> {
    let engine = handle("engine", engine)?.now();
    let options = self::options(options)?;
    let request = match *script {
        Script::Text(text) => engine.run(options.script(taken("script", text)?)),
        Script::Planned(plan) => engine.run_plan(handle("plan", plan)?.0.clone()),
    };
    let inputs: BTreeMap<String, Value> = match optional("inputs", inputs)? {
        Some(json) => data("inputs", json)?,
        None => BTreeMap::new(),
    };
    let given = inputs.into_iter().fold(request, |it, (name, value)| it.param(&name, value));
    Ok(Run::start(options.applied(given)?)?)
}

fn joined(run: &Run, timeout: Option<Duration>) -> Result<Option<String>, Failure> {
    match run.join(timeout) {
        Waited::Ready(Ok(response)) => Ok(Some(response_json(&response).to_string())),
        Waited::Ready(Err(error)) => Err(error.into()),
        Waited::TimedOut => Err(Failure::Waiting),
    }
}

/// A bound on a wait; a negative one is none.
fn bound(timeout_ms: i64) -> Option<Duration> {
    u64::try_from(timeout_ms).ok().map(Duration::from_millis)
}
