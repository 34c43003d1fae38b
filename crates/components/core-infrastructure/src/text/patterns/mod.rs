//! Regular expressions, in the syntax of the `regex` crate: Unicode, without look-around and
//! back-references, so that no search takes exponential time.

use std::{cell::RefCell, sync::Arc};

use regex::{Regex, RegexBuilder};
use svc_contract::{
    registry::{Foreseen, KnownCall, OpError},
    value::Text,
};

use super::super::excerpt;

mod captures;
mod matching;
mod replacing;

pub(super) use captures::{Captures, ParsePattern};
pub(super) use matching::{FindAll, Matches};
pub(super) use replacing::ReplacePattern;

thread_local! {
    /// The most recently used patterns, because an op in a loop usually has the same one.
    static RECENT: RefCell<Vec<(Text, Arc<Regex>)>> = const { RefCell::new(Vec::new()) };
}

/// Compiles the pattern of a call, if it is written out.
fn check(call: &KnownCall<'_>) -> Foreseen {
    call.test("pattern", |it: Text| compiled(&it))
}

fn compiled(pattern: &Text) -> Result<Arc<Regex>, OpError> {
    const KEPT: usize = 16;
    RECENT.with_borrow_mut(|recent| {
        if let Some(idx) = recent.iter().position(|(it, _)| it == pattern) {
            recent[..=idx].rotate_right(1);
        } else {
            let fresh = Arc::new(compile(pattern)?);
            recent.truncate(KEPT - 1);
            recent.insert(0, (pattern.clone(), fresh));
        }
        Ok(recent[0].1.clone())
    })
}

fn compile(pattern: &str) -> Result<Regex, OpError> {
    const LARGEST: usize = 1 << 20;
    RegexBuilder::new(pattern).size_limit(LARGEST).build().map_err(|err| {
        let shown = excerpt(pattern);
        match &err {
            regex::Error::CompiledTooBig(_) => {
                let message = format!("the pattern `{shown}` is too large when compiled");
                OpError::invalid_input(message).help("use smaller counts in `{m,n}`")
            }
            _ => OpError::invalid_input(format!("invalid pattern `{shown}`: {}", reason(&err))),
        }
        .because(err)
    })
}

/// The last line of the crate's message; the lines before it mark the place.
fn reason(err: &regex::Error) -> String {
    let text = err.to_string();
    let last = text.lines().next_back().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(pattern: &str) -> String {
        compiled(&pattern.into()).unwrap_err().message
    }

    #[test]
    fn broken_patterns_say_why() {
        assert_eq!(message("a)"), "invalid pattern `a)`: unopened group");
        assert!(message("(?=a)").contains("look-around"));
        assert!(message(r"(a)\1").contains("backreferences"));
        assert!(message(r"\w{500}{500}").contains("too large"));
        assert!(message(&"(".repeat(10_000)).chars().count() < 100);
        assert!(compiled(&format!("{}{}", "(".repeat(5_000), ")".repeat(5_000)).into()).is_err());
    }

    #[test]
    fn patterns_are_compiled_once() {
        let first = compiled(&"a+".into()).unwrap();
        for idx in 0..10 {
            compiled(&format!("b{idx}").into()).unwrap();
        }
        assert!(Arc::ptr_eq(&first, &compiled(&"a+".into()).unwrap()));
        assert!(RECENT.with_borrow(Vec::len) <= 16);
    }
}
