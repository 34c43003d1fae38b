//! Any text can be checked; scripts that check can be planned and shown, and the problems of others
//! can be rendered.
#![no_main]

mod spans;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use svc::Engine;
use svc_lang::diag::Style;

static ENGINE: LazyLock<Engine> = LazyLock::new(svc::engine);

fuzz_target!(|text: &str| {
    match ENGINE.check(text) {
        Ok(checked) => {
            spans::assert_valid(text, &checked.warnings.problems);
            let shown = ENGINE.plan(text).map(|it| it.show()).unwrap_or_default();
            assert!(!shown.is_empty(), "a plan is never shown as empty text");
        }
        Err(report) => {
            spans::assert_valid(text, &report.problems);
            assert!(report.has_errors(), "refused without a reason");
            let _ = report.render(Style::Plain);
        }
    }
});
