//! Formatting keeps the tokens, the comments and the tree of any text, and is done at once.
#![no_main]

#[path = "../../tests/it/laws.rs"]
mod laws;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // These are renamed, which the laws only know in their usual form.
    if !text.contains("timeout_sec") && !text.contains("max_budget_usd") {
        laws::assert_format_is_lawful(text);
    }
});
