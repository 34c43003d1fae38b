//! Functions of C as ops.
#![expect(unsafe_code, reason = "functions of C are called with pointers that C keeps")]
#![expect(clippy::missing_safety_doc, reason = "the header says once what pointers must be")]

use std::{
    ffi::{CString, c_char, c_void},
    sync::{Mutex, PoisonError},
};

use svc::{
    Engine,
    registry::{ClosureOp, Cx, ErrorKind, OpError},
    value::{Value, json},
};
use svc_bindings::OpDeclaration;

use crate::{
    status::{SvcStatus, guarded},
    text::{handle, optional, taken},
};

/// A function that is an op. `arguments` is a JSON object with the params by name, valid during the
/// call. It answers with `svc_call_return` or `svc_call_fail`, must return normally, and must not throw
/// or jump out.
pub type SvcOpFunction = Option<
    unsafe extern "C" fn(user_data: *mut c_void, call: *const SvcCall, arguments: *const c_char),
>;

/// A function that frees the user data of an op.
pub type SvcFreeFunction = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A call of an op, valid until its function returns.
pub struct SvcCall {
    cx: Cx,
    answer: Mutex<Option<Result<Value, OpError>>>,
}

impl SvcCall {
    fn set(&self, answer: Result<Value, OpError>) {
        *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(answer);
    }
}

/// Sets the result of a call, as JSON. A later answer replaces it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_call_return(call: *const SvcCall, value: *const c_char) -> SvcStatus {
    guarded(std::ptr::null_mut(), || {
        let call = handle("call", call)?;
        let read = taken("value", value).and_then(|it| {
            json::read(it).map_err(|err| {
                let message = format!("the op returned invalid JSON: {err}");
                OpError::new(ErrorKind::InvalidOutput, message)
            })
        });
        // The run fails as well: a caller may ignore the status.
        let failed = read.as_ref().err().cloned();
        call.set(read);
        failed.map_or(Ok(None), |err| Err(err.into()))
    })
}

/// Makes a call fail. `kind` is `failed`, `invalid_input`, `not_found`, `unsupported`, `denied`, `timeout`,
/// `rate_limit`, `unavailable`, `invalid_output` or `exhausted`; the engine retries `timeout`, `rate_limit`,
/// `unavailable` and `invalid_output`. `help` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_call_fail(
    call: *const SvcCall,
    kind: *const c_char,
    message: *const c_char,
    help: *const c_char,
) -> SvcStatus {
    guarded(std::ptr::null_mut(), || {
        let call = handle("call", call)?;
        let given = failure(kind, message, help);
        let wrong = given.as_ref().err().cloned();
        call.set(Err(given.unwrap_or_else(|err| err)));
        wrong.map_or(Ok(None), |err| Err(err.into()))
    })
}

/// Whether the call was cancelled. A function that takes long asks at least every 100 ms, and then
/// returns; its answer is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_call_is_cancelled(call: *const SvcCall) -> bool {
    handle("call", call).is_ok_and(|it| it.cx.check().is_err())
}

fn failure(
    kind: *const c_char,
    message: *const c_char,
    help: *const c_char,
) -> Result<OpError, OpError> {
    let name = taken("kind", kind)?;
    let kind = ErrorKind::parse(name).filter(|it| ErrorKind::RAISED.contains(it));
    let unknown = || OpError::invalid_input(format!("unknown kind of error `{name}`"));
    let error = OpError::new(kind.ok_or_else(unknown)?, taken("message", message)?);
    Ok(match optional("help", help)? {
        Some(help) => error.help(help.to_owned()),
        None => error,
    })
}

/// The user data of an op, freed with the last owner of the op.
pub(crate) struct UserData {
    data: *mut c_void,
    free: SvcFreeFunction,
}

// SAFETY: the header requires a function that may be called on any thread, several times at once,
// with its user data, and a free function that may be called on any thread.
unsafe impl Send for UserData {}
// SAFETY: as above.
unsafe impl Sync for UserData {}

impl UserData {
    pub(crate) fn new(data: *mut c_void, free: SvcFreeFunction) -> Self {
        Self { data, free }
    }
}

impl Drop for UserData {
    fn drop(&mut self) {
        if let Some(free) = self.free {
            // SAFETY: the program passed both for each other, and this happens once.
            unsafe { free(self.data) };
        }
    }
}

/// The op that calls `function`.
pub(crate) fn op(
    engine: &Engine,
    declaration: &OpDeclaration,
    function: SvcOpFunction,
    user_data: UserData,
) -> Result<ClosureOp, OpError> {
    let function = function.ok_or_else(|| OpError::invalid_input("`function` is NULL"))?;
    let names: Vec<String> = declaration.params.iter().map(|it| it.name.clone()).collect();
    let op = declaration.signature(engine)?.op(&declaration.name, move |cx, args| {
        let arguments = arguments(&names, &args)?;
        let call = SvcCall { cx, answer: Mutex::new(None) };
        // The whole of it is captured, so that it is freed with the closure.
        let data: &UserData = &user_data;
        // SAFETY: the program passed the function and its data for each other; the call and the
        // text live until the function returns.
        unsafe { function(data.data, &raw const call, arguments.as_ptr()) };
        let answer = call.answer.into_inner().unwrap_or_else(PoisonError::into_inner);
        answer.unwrap_or_else(|| {
            Err(OpError::failed("the function gave no answer")
                .help("call `svc_call_return` or `svc_call_fail` in it"))
        })
    });
    declaration.declared(op)
}

/// The arguments as a JSON object. An op gets the secrets that it declares.
fn arguments(names: &[String], args: &[Value]) -> Result<CString, OpError> {
    let fields = names.iter().zip(args).map(|(name, value)| {
        let name = Value::text(name.as_str());
        let value = match value {
            Value::Secret(secret) => json::write(&Value::text(secret.reveal())),
            other => json::write(other),
        };
        format!("{}:{value}", json::write(&name))
    });
    let text = format!("{{{}}}", fields.collect::<Vec<_>>().join(","));
    CString::new(text).map_err(|_| OpError::invalid_input("an argument contains a NUL"))
}
