//! The rules that every op of this cluster follows.

use std::collections::HashSet;

use svc_contract::{
    registry::{OpDef, OpRef, Registry},
    value::json,
};

use super::super::ALL;

/// Ops that fail only if the result would be too large.
const TOO_LARGE_ONLY: &[&str] = &["join", "lower", "show", "to_base64", "to_json", "upper"];

fn ops() -> impl Iterator<Item = &'static OpDef> {
    ALL.iter().flat_map(|it| it.ops)
}

#[test]
fn every_op_has_a_bare_name() {
    let registry = Registry::default().with(ALL);
    for component in ALL {
        for op in component.ops {
            let bare = OpRef { component, op }.script_name();
            let found = registry.resolve(&bare).unwrap_or_else(|| panic!("{bare}"));
            assert!(!bare.contains('.'), "{bare} has no unique name");
            assert_eq!((found.component.name, found.op.name), (component.name, op.name));
        }
    }
}

#[test]
fn names_are_unique() {
    let mut seen = HashSet::new();
    for (alias, _) in ALL.iter().flat_map(|it| it.aliases) {
        assert!(seen.insert(alias), "duplicate name `{alias}`");
    }
}

#[test]
fn everything_is_documented() {
    for op in ops() {
        assert!(!op.summary().is_empty(), "{}", op.name);
        assert!(op.params.is_empty() || op.input().is_some(), "{} has no input", op.name);
        for param in op.params {
            assert!(!param.summary().is_empty(), "{}: {}", op.name, param.name);
        }
    }
}

#[test]
fn everything_is_shown() {
    for op in ops() {
        let shown = |ok: bool| op.examples.iter().any(|it| it.yields.is_ok() == ok);
        assert!(shown(true), "{} has no example", op.name);
        // A failure for lack of memory is not useful as an example.
        let only_too_large = TOO_LARGE_ONLY.contains(&op.name);
        assert!(op.errors.is_empty() || only_too_large || shown(false), "{}", op.name);
        for wanted in op.examples.iter().filter_map(|it| it.yields.ok()) {
            assert!(json::read(wanted).is_ok(), "{}: {wanted} is not JSON", op.name);
        }
    }
}
