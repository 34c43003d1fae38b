//! Properties of every problem, for any text.

use svc_lang::diag::{Problem, Span};

/// Every place of a problem is a valid range of the text.
pub fn assert_valid(text: &str, problems: &[Problem]) {
    for problem in problems {
        for label in &problem.labels {
            assert_inside(text, label.span, problem);
        }
        for fix in &problem.fixes {
            assert_inside(text, fix.span, problem);
        }
    }
}

fn assert_inside(text: &str, span: Span, problem: &Problem) {
    assert!(text.get(span.range()).is_some(), "{span:?} is not a range of the text: {problem:?}");
}
