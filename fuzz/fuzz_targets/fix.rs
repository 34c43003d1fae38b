//! Fixing terminates, adds no errors, and is complete after one call.
#![no_main]

mod spans;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use svc::Engine;

static ENGINE: LazyLock<Engine> = LazyLock::new(svc::engine);

fuzz_target!(|text: &str| {
    let before = ENGINE.check(text).map_or_else(|report| report.errors().count(), |_| 0);
    let fixed = ENGINE.fix(text);
    spans::assert_valid(fixed.source.text(), &fixed.left.problems);
    let after = fixed.left.errors().count();
    assert!(after <= before, "{before} errors became {after}:\n{}", fixed.source.text());
    let changed = fixed.source.text() != text;
    assert!(!fixed.applied.is_empty() || !changed, "changed without a reason");
    let again = ENGINE.fix(fixed.source.clone());
    assert!(again.applied.is_empty(), "another call goes on:\n{}", again.source.text());
});
