//! The rules that every op of this cluster follows.

use std::collections::HashSet;

use svc_contract::{
    registry::{Component, OpDef, OpRef, Registry},
    value::json,
};

use super::super::ALL;

/// Ops that fail only if the result would be too large.
const TOO_LARGE_ONLY: &[&str] = &["join", "lower", "show", "to_base64", "to_json", "upper"];

/// The ops of scripts. Those on kept questions are tools, which only a server can answer.
fn ops() -> impl Iterator<Item = &'static OpDef> {
    all().map(|it| it.op)
}

fn all() -> impl Iterator<Item = OpRef> {
    let ops =
        |component: &'static Component| component.ops.iter().map(move |op| OpRef { component, op });
    ALL.iter().copied().flat_map(ops).filter(|it| !is_of_server(*it))
}

fn is_of_server(op: OpRef) -> bool {
    op.component.name == "approval" && op.op.tool.is_some()
}

#[test]
fn every_op_has_a_bare_name() {
    let registry = Registry::default().with(ALL);
    for op in all() {
        let bare = op.script_name();
        // A tool for other programs has its public name.
        if op.op.tool.is_some() && bare.contains('.') {
            continue;
        }
        // Its ops are read with its name: `database.execute`.
        if op.component.name == "database" {
            continue;
        }
        let found = registry.resolve(&bare).unwrap_or_else(|| panic!("{bare}"));
        assert!(!bare.contains('.'), "{bare} has no unique name");
        assert_eq!((found.component.name, found.op.name), (op.component.name, op.op.name));
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

/// What succeeds only with a server, which no example has: the tests of `svc-servers` start some.
const NEED_SERVERS: [&str; 2] = ["query_server", "execute_server"];

#[test]
fn everything_is_shown() {
    for op in ops() {
        let shown = |ok: bool| op.examples.iter().any(|it| it.yields.is_ok() == ok);
        let needs_server = NEED_SERVERS.contains(&op.name);
        assert!(needs_server || shown(true), "{} has no example", op.name);
        // A failure for lack of memory is not useful as an example.
        let only_too_large = TOO_LARGE_ONLY.contains(&op.name);
        assert!(op.errors.is_empty() || only_too_large || shown(false), "{}", op.name);
        for wanted in op.examples.iter().filter_map(|it| it.yields.ok()) {
            assert!(json::read(wanted).is_ok(), "{}: {wanted} is not JSON", op.name);
        }
    }
}
