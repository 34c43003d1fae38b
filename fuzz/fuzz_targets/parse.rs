//! Any text can be parsed, and every problem has its place in the text.
#![no_main]

mod spans;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let parsed = svc_lang::syntax::parse(text);
    spans::assert_valid(text, &parsed.problems);
});
