//! Text and pointers that cross the interface.
#![expect(unsafe_code, reason = "C passes pointers, and the header says which are valid")]
#![expect(clippy::missing_safety_doc, reason = "the header says once what pointers must be")]

use std::ffi::{CStr, CString, c_char};

use svc::registry::OpError;

/// The version of the library, such as `0.1.0`. It is not freed.
#[unsafe(no_mangle)]
pub extern "C" fn svc_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// Frees a text that this library returned. NULL is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn svc_string_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: it is a text of `give`, which is freed once.
        drop(unsafe { CString::from_raw(text) });
    }
}

/// The text of an argument.
pub(crate) fn taken<'a>(name: &str, text: *const c_char) -> Result<&'a str, OpError> {
    optional(name, text)?.ok_or_else(|| OpError::invalid_input(format!("`{name}` is NULL")))
}

/// The text of an argument that may be NULL.
pub(crate) fn optional<'a>(name: &str, text: *const c_char) -> Result<Option<&'a str>, OpError> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller passes a text that ends with NUL and lives as long as the call.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_str().map_err(|err| {
        let at = err.valid_up_to();
        OpError::invalid_input(format!("`{name}` is not valid UTF-8 (invalid byte at offset {at})"))
    })?;
    Ok(Some(text))
}

/// Writes a new text to a place of the caller, or NULL. Without a place, nothing is written.
pub(crate) fn give(out: *mut *mut c_char, text: Option<String>) {
    if out.is_null() {
        return;
    }
    // JSON escapes NUL, so only other text could contain it.
    let text = text.map(|it| CString::new(it.replace('\0', "\u{fffd}")).unwrap_or_default());
    let text = text.map_or(std::ptr::null_mut(), CString::into_raw);
    // SAFETY: it is a place of the caller.
    unsafe { *out = text };
}

/// What a handle refers to.
pub(crate) fn handle<'a, T>(name: &str, handle: *const T) -> Result<&'a T, OpError> {
    // SAFETY: a handle that is not NULL is a box of `give_handle` that was not freed.
    unsafe { handle.as_ref() }.ok_or_else(|| OpError::invalid_input(format!("`{name}` is NULL")))
}

/// Where the caller wants a handle. It is NULL until there is one.
pub(crate) fn place<'a, T>(name: &str, out: *mut *mut T) -> Result<&'a mut *mut T, OpError> {
    // SAFETY: it is a place of the caller, or NULL.
    let place = unsafe { out.as_mut() };
    let place = place.ok_or_else(|| OpError::invalid_input(format!("`{name}` is NULL")))?;
    *place = std::ptr::null_mut();
    Ok(place)
}

/// A handle for the caller, who frees it.
pub(crate) fn boxed<T>(it: T) -> *mut T {
    Box::into_raw(Box::new(it))
}

/// Frees a handle; nothing unwinds.
pub(crate) fn free<T>(handle: *mut T) {
    if handle.is_null() {
        return;
    }
    // SAFETY: it is a box of `boxed`, which is freed once.
    let it = unsafe { Box::from_raw(handle) };
    let dropped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(it)));
    // A panic while dropping has no one to report it to.
    drop(dropped);
}
