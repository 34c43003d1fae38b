//! Formatting preserves the tokens, the comments and the tree of any text, and is idempotent.
#![no_main]

#[path = "../../tests/it/laws.rs"]
mod laws;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // These names are replaced, and the laws know only their usual form.
    if !text.contains("timeout_sec") && !text.contains("max_budget_usd") {
        laws::assert_format_is_lawful(text);
    }
});
