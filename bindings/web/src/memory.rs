//! How texts cross the border to JavaScript, which sees one memory of bytes and passes numbers.
#![allow(unsafe_code, reason = "each function says why its pointers are valid")]

use std::cell::RefCell;

thread_local! {
    /// The text that JavaScript writes its request into, and then reads the answer from.
    static TEXT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// A place for a request of this many bytes. It is valid until the next call.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
pub extern "C" fn svc_request(len: usize) -> *mut u8 {
    TEXT.with_borrow_mut(|text| {
        text.clear();
        text.resize(len, 0);
        text.as_mut_ptr()
    })
}

/// Answers the request, and returns the length of the answer.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
pub extern "C" fn svc_answer() -> usize {
    let request = TEXT.take();
    let answer = crate::answer(&String::from_utf8_lossy(&request)).into_bytes();
    let len = answer.len();
    TEXT.set(answer);
    len
}

/// Where the answer begins. It is valid until the next call.
// SAFETY: no other function of this program has this name.
#[unsafe(no_mangle)]
pub extern "C" fn svc_text() -> *const u8 {
    TEXT.with_borrow(Vec::as_ptr)
}
