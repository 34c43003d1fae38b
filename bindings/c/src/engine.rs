//! The engine, and checks.
#![expect(unsafe_code, reason = "C finds the functions by their names")]
#![expect(clippy::missing_safety_doc, reason = "the header says once what pointers must be")]

use std::{
    ffi::{c_char, c_void},
    sync::{PoisonError, RwLock},
};

use serde::de::DeserializeOwned;
use svc::{Engine, registry::OpError};
use svc_bindings::{OpDeclaration, Rules, RunOptions};

use crate::{
    call::{self, SvcFreeFunction, SvcOpFunction},
    status::{Failure, SvcStatus, guarded},
    text::{boxed, free, handle, optional, taken},
};

/// An engine: it checks, plans and runs scripts.
pub struct SvcEngine(RwLock<Engine>);

impl SvcEngine {
    /// The engine as it is now.
    pub(crate) fn now(&self) -> Engine {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change<E>(&self, change: impl FnOnce(Engine) -> Result<Engine, E>) -> Result<(), E> {
        let mut engine = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *engine = change(engine.clone())?;
        Ok(())
    }
}

/// Makes an engine with the built-in components on this machine; free it with `svc_engine_free`.
/// NULL after a bug of the library.
#[unsafe(no_mangle)]
pub extern "C" fn svc_engine_new() -> *mut SvcEngine {
    let engine = std::panic::catch_unwind(svc::engine);
    engine.map_or(std::ptr::null_mut(), |it| boxed(SvcEngine(RwLock::new(it))))
}

/// Frees an engine. Runs that were started continue. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_engine_free(engine: *mut SvcEngine) {
    free(engine);
}

/// Sets the policy of the engine for all further runs, as JSON: `{"allow": ["reads fs:./docs"],
/// "deny": ["spends"]}`. Without `allow`, everything is allowed that `deny` does not name; an empty
/// list allows only computing. Paths are relative to the current folder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_engine_set_policy(
    engine: *const SvcEngine,
    policy: *const c_char,
    error: *mut *mut c_char,
) -> SvcStatus {
    guarded(error, || {
        let engine = handle("engine", engine)?;
        let policy = data::<Rules>("policy", taken("policy", policy)?)?.policy()?;
        engine.change(|it| Ok::<_, Failure>(it.with_policy(policy)))?;
        Ok(None)
    })
}

/// Adds an op to the engine, for all further checks and runs. `declaration` is JSON:
///
/// ```json
/// {"name": "crm.score", "returns": "float", "effects": ["reads crm"], "version": 1,
///  "doc": "Scores a customer.",
///  "params": [{"name": "customer", "type": "{ name: string, age: int? }"},
///             {"name": "weight", "type": "float", "default": 1.0, "doc": "The weight."}]}
/// ```
///
/// Types are written as in scripts. The first param is the input of a stage. Only `name` and
/// `returns` are required; without `effects` the op is pure, and without `version` its results are
/// never reused by other runs.
///
/// `function` is called on worker threads, several at once, and must be safe for that. It gets
/// `user_data`, which `free_user_data` frees, if it is not NULL, once neither the engine nor a run
/// needs it any more: on any thread, and at once if the op cannot be added.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_engine_add_op(
    engine: *const SvcEngine,
    declaration: *const c_char,
    function: SvcOpFunction,
    user_data: *mut c_void,
    free_user_data: SvcFreeFunction,
    error: *mut *mut c_char,
) -> SvcStatus {
    guarded(error, || {
        let data_of_op = call::UserData::new(user_data, free_user_data);
        let engine = handle("engine", engine)?;
        let declaration: OpDeclaration = data("declaration", taken("declaration", declaration)?)?;
        engine.change(|it| {
            let op = call::op(&it, &declaration, function, data_of_op)?;
            it.with_ops([op]).map_err(Failure::from)
        })?;
        Ok(None)
    })
}

/// Checks a script without running it, and writes the verdict as JSON: `ok`, `problems`, `params`,
/// `result`, `effects` and more, as `svc check --json` prints. Returns `SVC_STATUS_CHECK` if the script
/// is wrong. `options` may have `name` and `folder`; it may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_check(
    engine: *const SvcEngine,
    script: *const c_char,
    options: *const c_char,
    verdict: *mut *mut c_char,
) -> SvcStatus {
    guarded(verdict, || {
        let engine = handle("engine", engine)?.now();
        let script = self::options(options)?.script(taken("script", script)?);
        let verdict = engine.verdict(script);
        let text = serde_json::to_string(&verdict).unwrap_or_default();
        if verdict.ok { Ok(Some(text)) } else { Err(Failure::Verdict(text)) }
    })
}

/// The options of a run, or none.
pub(crate) fn options(text: *const c_char) -> Result<RunOptions, OpError> {
    optional("options", text)?.map_or_else(|| Ok(RunOptions::default()), |it| data("options", it))
}

/// Reads JSON.
pub(crate) fn data<T: DeserializeOwned>(name: &str, json: &str) -> Result<T, OpError> {
    serde_json::from_str(json)
        .map_err(|err| OpError::invalid_input(format!("invalid JSON for `{name}`: {err}")))
}
