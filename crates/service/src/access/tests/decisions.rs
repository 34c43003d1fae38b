//! Who may call what.

use std::sync::Arc;

use svc_contract::registry::{
    Bias, Body, Component, Deferred, Effect, Example, Generic, Limits, Measure, OpDef, OpRef,
    Price, Registry, Scheme, Scope, Takes, Tier, Tool, Version,
};
use svc_contract::value::Value;
use svc_engine::Engine;
use svc_lang::diag::Source;

use super::*;
use crate::access::{
    decide::{Outcome, Rights, ops_of, tier_of},
    roles::Role,
};

const fn op(
    name: &'static str,
    tool: Option<Tool>,
    effects: &'static [Effect],
    body: Body,
) -> OpDef {
    OpDef {
        name,
        version: Version::OfComponent,
        doc: "An op.",
        says: &[],
        tool,
        params: Deferred::Is(&[]),
        yields: Deferred::Is(Scheme::Text),
        generic: Generic::No,
        effects,
        decide: None,
        check: None,
        price: Price::Free,
        errors: &[],
        limits: Limits::DEFAULT,
        output: Measure::Unknown,
        takes: Takes::Unsaid,
        examples: &[] as &[Example],
        body,
    }
}

const fn component(name: &'static str, ops: &'static [OpDef]) -> Component {
    Component {
        name,
        cluster: "tests",
        summary: "A component.",
        version: 1,
        bias: Bias::new("none", &[]),
        aliases: &[],
        ops,
    }
}

const INLINE: Body = Body::Inline(|_| Ok(Value::Bool(true)));
const COMPUTE: Body = Body::Compute(|_, _| Ok(Value::Bool(true)));
const READS: &[Effect] = &[Effect::Reads(Scope::Named("llm"))];
const RUNS: &[Effect] = &[Effect::Runs(Scope::Named("cmd"))];

const SOME: Component = component(
    "some",
    &[
        op("free", Some(Tool::free("some_free")), &[], COMPUTE),
        op("research", Some(Tool::researcher("some_research")), READS, COMPUTE),
        op("build", Some(Tool::builder("some_build")), READS, COMPUTE),
        op("tune", Some(Tool::bias("some_tune")), &[], COMPUTE),
        op("rule", Some(Tool::admin("some_rule")), &[], COMPUTE),
        op("runs_tool", Some(Tool::free("some_runs")), RUNS, COMPUTE),
        op("runs", None, RUNS, COMPUTE),
        op("other", None, READS, COMPUTE),
    ],
);
const PAID: Component = component(
    "paid",
    &[op("build", Some(Tool::builder("paid_build")), &[], COMPUTE), op("other", None, &[], INLINE)],
);
const BARE: Component = component(
    "bare",
    &[
        op("inline", None, &[], INLINE),
        op("inline_reads", None, READS, INLINE),
        op("compute", None, &[], COMPUTE),
    ],
);

fn registry() -> Registry {
    Registry::default().with(&[&SOME, &PAID, &BARE])
}

fn find(path: &str) -> OpRef {
    registry().resolve(path).unwrap()
}

#[test]
fn the_tier_of_an_op_follows_from_its_tools() {
    for (path, tier) in [
        ("some.free", Tier::Free),
        ("some.research", Tier::Researcher),
        ("some.tune", Tier::Bias),
        ("some.rule", Tier::Admin),
        ("some.other", Tier::Free),
        ("some.runs", Tier::Admin),
        ("some.runs_tool", Tier::Admin),
        ("paid.other", Tier::Builder),
        ("bare.inline", Tier::Free),
        ("bare.inline_reads", Tier::Builder),
        ("bare.compute", Tier::Builder),
    ] {
        assert_eq!(tier_of(find(path)), tier, "{path}");
    }
}

/// Every tier with every tool, as the specification has it.
#[test]
fn each_tier_calls_its_tools() {
    let registry = registry();
    let tools = ["some_free", "some_research", "some_build", "some_tune", "some_runs", "nothing"];
    let outcomes = |tier, may_tune| {
        let role = Role::of_tier(tier, true);
        let rights = Rights { role: &role, may_tune };
        tools.map(|it| rights.of_tool(it, &registry).outcome.name()).join(" ")
    };
    for (tier, may_tune, expected) in [
        (Tier::Free, false, "allow tier tier tier unknown unknown"),
        (Tier::Researcher, false, "allow allow tier tier unknown unknown"),
        (Tier::Builder, false, "allow allow allow tier unknown unknown"),
        (Tier::Builder, true, "allow allow allow allow unknown unknown"),
        (Tier::Admin, false, "allow allow allow tier allow unknown"),
    ] {
        assert_eq!(outcomes(tier, may_tune), expected, "{tier}");
    }
    let role = Role::of_tier(Tier::Free, true);
    let rights = Rights { role: &role, may_tune: false };
    let (foreign, unknown) =
        (rights.of_tool("some_rule", &registry), rights.of_tool("nothing", &registry));
    assert_eq!((&foreign.rule, foreign.needs), (&unknown.rule, unknown.needs));
    assert_eq!(rights.nearest_tool("some_rula", &registry), None);
    assert_eq!(rights.nearest_tool("some_fre", &registry), Some("some_free"));
}

#[test]
fn an_op_of_a_sent_script_needs_its_tier_and_a_pattern() {
    let role = Role::of_tier(Tier::Admin, true);
    let admin = Rights { role: &role, may_tune: false };
    assert_eq!(admin.of_op(find("some.runs")).outcome, Outcome::Refused);
    assert!(admin.of_op(find("some.runs_tool")).is_allowed());
    assert!(!admin.of_op(find("some.tune")).is_allowed());
    let free = Role::of_tier(Tier::Free, true);
    let rights = Rights { role: &free, may_tune: false };
    let verdict = rights.of_ops(&[find("bare.inline"), find("some.free")]);
    assert!(verdict.is_allowed());
    let verdict = rights.of_ops(&[find("bare.inline"), find("bare.compute"), find("some.build")]);
    assert_eq!(verdict.subject, "bare.compute");
    assert_eq!(
        verdict.to_string(),
        "`bare.compute` needs the tier `builder`; `roles.free.tier: free`"
    );
    assert!(rights.of_ops(&[]).is_allowed());
    let text = "version = 1\n[roles.free]\nops = [\"some.*\", \"!some.other\"]";
    let policy = AccessPolicy::read(&Source::new("access.toml", text), true).unwrap();
    let rights = Rights { role: policy.role("free").unwrap(), may_tune: false };
    assert!(rights.of_op(find("some.free")).is_allowed());
    let verdict = rights.of_op(find("some.other"));
    assert_eq!(verdict.to_string(), "`some.other` is refused by `roles.free.ops: !some.other`");
    let verdict = rights.of_op(find("bare.inline"));
    assert_eq!(verdict.rule, "roles.free.ops: no pattern matches");
}

#[test]
fn served_scripts_have_names_and_no_tier() {
    let text = "version = 1\n[roles.free]\ntools = [\"*\", \"!payroll_*\"]";
    let policy = AccessPolicy::read(&Source::new("access.toml", text), true).unwrap();
    let rights = Rights { role: policy.role("free").unwrap(), may_tune: false };
    assert!(rights.of_script("weekly_report").is_allowed());
    let verdict = rights.of_script("payroll_pay");
    assert_eq!(verdict.rule, "roles.free.tools: !payroll_*");
}

/// The ops of a script, as names.
fn ops(script: &str) -> Vec<String> {
    let engine = Engine::new(svc_components::registry(), Arc::new(TestHost::new()));
    let program = engine.check(script).unwrap_or_else(|it| panic!("{it:?}"));
    ops_of(&program).iter().map(ToString::to_string).collect()
}

#[test]
fn every_op_that_a_script_can_call_is_found() {
    let has = |script: &str, op: &str| {
        let found = ops(script);
        assert!(found.iter().any(|it| it == op), "{script}: {found:?}");
    };
    assert!(ops("1 + 2").is_empty());
    has("\"a\" >> upper", "text.upper");
    has("let x = \"a\" >> upper\nx", "text.upper");
    has("flow f(a: string) -> string { a >> upper }\n\"a\" >> f", "text.upper");
    has("[\"a\"] >> each { it >> upper }", "text.upper");
    has("if 1 < 2 { \"a\" } else { \"a\" >> upper }", "text.upper");
    has("{ a: [\"${\"b\" >> upper}\"] }", "text.upper");
    has("\"a\" >> trim fallback \"${\"b\" >> upper}\"", "text.upper");
    has("param x: string = upper(\"a\")\nx", "text.upper");
    has(
        "flow f(a: string) -> string { a >> upper }\nflow g(a: string) -> string { a >> f }\ng(\"a\")",
        "text.upper",
    );
    has("exec(\"date\")", "exec.infer");
    // A file without a main pipeline: any flow may be called.
    has("flow f(a: string) -> string { a >> upper }", "text.upper");
}
