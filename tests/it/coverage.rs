//! Every rule of `grammar/svc.pest`, and each of its alternatives, has a script that checks.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    sync::Arc,
};

use svc_assist::grammar_files::{self as files, Expr, GrammarRule, RuleKind};
use svc_lang::syntax::{RuleUse, uses};

use crate::{components, scripts};

/// Alternatives that are mistakes: another language's list of branches.
const MISTAKES: [(&str, &str); 2] = [("list", "parallel"), ("list", "race")];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The rules that scripts without errors use.
fn used() -> BTreeSet<RuleUse> {
    let engine = svc::engine().with(components::ALL).with_host(Arc::new(scripts::host()));
    let mut used = BTreeSet::new();
    for folder in ["tests/scripts/language", "tests/scripts/runs", "examples"] {
        for path in fs::read_dir(root().join(folder)).unwrap().map(|it| it.unwrap().path()) {
            if path.extension().is_some_and(|it| it == "svc") {
                let text = fs::read_to_string(&path).unwrap();
                let accepted = engine.check(text.as_str()).is_ok();
                used.extend(if accepted { uses(&text) } else { BTreeSet::new() });
            }
        }
    }
    used
}

fn rules() -> BTreeMap<String, GrammarRule> {
    files::svc().into_iter().map(|it| (it.name.clone(), it)).collect()
}

/// Mistakes, which no script without errors has, and rules that leave no trace in the tree: silent
/// tokens, and everything that occurs only in atomic rules.
fn leaves_no_trace(name: &str, rules: &BTreeMap<String, GrammarRule>) -> bool {
    // `bracketed` only looks ahead.
    let wrong = name.starts_with("wrong_")
        || matches!(name, "loose_args" | "hole" | "hole_name" | "any_hole" | "bracketed");
    let mut around = rules.values().filter(|it| it.expr.names().contains(&name)).peekable();
    let is_atomic = around.peek().is_some() && around.all(|it| it.kind == RuleKind::Atomic);
    wrong || is_atomic || !rules.contains_key(name)
}

/// The rules of a tree that a name refers to: itself, or the parts of a silent rule.
fn stands_for(name: &str, rules: &BTreeMap<String, GrammarRule>) -> BTreeSet<String> {
    match rules.get(name) {
        Some(rule) if rule.kind == RuleKind::Silent => {
            alternatives(&rule.expr).iter().flat_map(|it| stands_for(it, rules)).collect()
        }
        _ => BTreeSet::from([name.to_owned()]),
    }
}

/// The alternatives of an expression, separated by `|`.
fn alternatives(expr: &Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(expr, false, &mut found);
    found
}

fn collect(expr: &Expr, chosen: bool, found: &mut BTreeSet<String>) {
    match expr {
        Expr::Choice(left, right) => {
            collect(left, true, found);
            collect(right, true, found);
        }
        Expr::Ident(name) if chosen && !name.starts_with("at_") => {
            found.insert(name.clone());
        }
        Expr::Seq(left, right) => {
            collect(left, chosen, found);
            collect(right, chosen, found);
        }
        Expr::Opt(inner) | Expr::Rep(inner) | Expr::RepOnce(inner) => {
            collect(inner, chosen, found);
        }
        _ => {}
    }
}

fn assert_nothing_missing(what: &str, missing: &BTreeSet<(String, String)>) {
    assert!(missing.is_empty(), "no accepted script uses these {what}: {missing:#?}");
}

/// Such a rule saves pest work, and must not consume text.
#[test]
fn what_is_named_as_looking_ahead_does_nothing_else() {
    let rules = rules();
    let ahead: Vec<&GrammarRule> = rules.values().filter(|it| it.name.starts_with("at_")).collect();
    assert!(!ahead.is_empty());
    for rule in ahead {
        let parts = match &rule.expr {
            Expr::Seq(but, then) => vec![but.as_ref(), then.as_ref()],
            one => vec![one],
        };
        let only_looks = |it: &&Expr| matches!(it, Expr::PosPred(_) | Expr::NegPred(_));
        assert!(parts.iter().all(only_looks), "{}", rule.name);
        assert_eq!(rule.kind, RuleKind::Silent, "{}", rule.name);
    }
}

#[test]
fn every_rule_has_a_script() {
    let rules = rules();
    let used: BTreeSet<String> = used().into_iter().map(|(rule, _)| rule).collect();
    let visible = rules.values().filter(|it| it.kind != RuleKind::Silent && it.name != "region");
    let missing = visible
        .filter(|it| !leaves_no_trace(&it.name, &rules) && !used.contains(&it.name))
        .map(|it| (it.name.clone(), String::new()))
        .collect();
    assert_nothing_missing("rules", &missing);
}

#[test]
fn every_alternative_has_a_script() {
    let rules = rules();
    let used = used();
    let mut missing = BTreeSet::new();
    let visible = rules.values().filter(|it| !leaves_no_trace(&it.name, &rules));
    for rule in visible.filter(|it| {
        matches!(it.kind, RuleKind::Normal | RuleKind::NonAtomic | RuleKind::CompoundAtomic)
    }) {
        for name in alternatives(&rule.expr) {
            let seen = stands_for(&name, &rules)
                .into_iter()
                .any(|it| leaves_no_trace(&it, &rules) || used.contains(&(it, rule.name.clone())));
            if !seen && !MISTAKES.contains(&(name.as_str(), rule.name.as_str())) {
                missing.insert((name, rule.name.clone()));
            }
        }
    }
    assert_nothing_missing("alternatives", &missing);
}
