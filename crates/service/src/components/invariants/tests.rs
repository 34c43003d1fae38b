#![expect(clippy::items_after_statements, reason = "what a test plants stands in the test")]
#![expect(clippy::unnecessary_wraps, reason = "the functions of a system have these types")]

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicI64, AtomicUsize, Ordering},
    time::Instant,
};

use svc_contract::{
    registry::{
        Bias, Component, Compute, Cx, Deferred, Effect, ErrorKind, Example, Inline, Op, OpDef,
        OpError, Param, ParamDefault, Registry, Scheme, Scope, Tier, Tool, Usage, compute, inline,
        params,
    },
    value::{Money, Text, Value},
};
use svc_engine::Engine;
use svc_lang::diag::Source;

use super::{
    quiet::{Quiet, SECRET},
    system::{Depth, Mechanisms, Ran, System},
    table::{ALL, Looked, find},
};
use crate::{Fault, Why, components};

fn registry() -> Registry {
    svc_components::registry().with(components::ALL)
}

fn go_on() -> Result<(), OpError> {
    Ok(())
}

fn looked(id: &str, system: &System) -> Looked {
    (find(id).unwrap().check)(system, Depth::shallow(&go_on)).unwrap()
}

/// A check of a system with other mechanisms.
fn with(id: &str, mechanisms: Mechanisms) -> Looked {
    looked(id, &System::with(&registry(), mechanisms).unwrap())
}

/// A check of a registry with one more component.
fn planted(id: &str, component: &'static Component) -> Looked {
    let registry = registry().with(&[component]);
    looked(id, &System::with(&registry, Mechanisms::REAL).unwrap())
}

/// A check of a list of components that no registry accepts.
fn listed(id: &str, component: &'static Component) -> Looked {
    let mut system = System::with(&registry(), Mechanisms::REAL).unwrap();
    system.all.push(component);
    system.components.push(component);
    looked(id, &system)
}

#[track_caller]
fn reports(looked: &Looked, subject: &str, found: &str) {
    let is_it =
        |it: &super::table::Broken| it.subject.contains(subject) && it.found.contains(found);
    assert!(looked.broken.iter().any(is_it), "{}", looked.evidence());
    assert!(looked.evidence().contains("break it: "), "{}", looked.evidence());
}

#[test]
fn all_hold() {
    let system = System::with(&registry(), Mechanisms::REAL).unwrap();
    let begun = Instant::now();
    for invariant in ALL {
        let (checked, looked) = invariant.checked(&system, Depth::shallow(&go_on)).unwrap();
        assert!(checked.holds, "{}: {}", checked.id, checked.evidence);
        assert!(looked.cases > 0, "{}", checked.id);
    }
    let took = begun.elapsed();
    // Many times slower than a release build, on a busy machine.
    assert!(took.as_secs() < 120, "{took:?}");
}

#[test]
fn all_hold_deeply() {
    let system = System::with(&registry(), Mechanisms::REAL).unwrap();
    for invariant in ALL {
        let depth = Depth { rounds: 40, ..Depth::deep(&go_on) };
        let (checked, _) = invariant.checked(&system, depth).unwrap();
        assert!(checked.holds, "{}: {}", checked.id, checked.evidence);
    }
}

#[test]
fn ids_are_unique_and_categories_are_together() {
    let ids: BTreeSet<&str> = ALL.iter().map(|it| it.id).collect();
    assert_eq!(ids.len(), ALL.len());
    let categories: BTreeSet<&str> = ALL.iter().map(|it| it.category).collect();
    assert_eq!(categories.len(), super::table::categories().len());
    assert!(ALL.iter().all(|it| ALL.iter().any(|other| other.level == it.level)));
}

params! {
    /// Returns its text.
    struct Same {
        /// The text.
        text: Text,
    }
}

impl Op for Same {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["plant one", "plant two", "plant three"];
    const EXAMPLES: &'static [Example] = &[Example::ok("Same", r#""a" >> planted"#, r#""a""#)];
}

impl Inline for Same {
    fn run(self) -> Result<Value, OpError> {
        Ok(Value::Text(self.text))
    }
}

const SAME: OpDef = inline::<Same>();

const fn component(ops: &'static [OpDef]) -> Component {
    Component {
        name: "planted",
        cluster: "testing",
        summary: "Breaks something.",
        version: 1,
        bias: Bias::NONE,
        aliases: &[],
        ops,
    }
}

#[test]
fn shared_names_are_reported() {
    static ALIAS: Component = Component { aliases: &[("text", "infer")], ..component(&[SAME]) };
    reports(&listed("unique_names", &ALIAS), "planted", "found `text` of");
    static AGAIN: Component = Component { name: "text", ..component(&[SAME]) };
    reports(&listed("unique_names", &AGAIN), "text", "expected a name of its own");
    static DANGLING: Component = Component { aliases: &[("zz", "none")], ..component(&[SAME]) };
    reports(&listed("unique_names", &DANGLING), "planted", "found none called `none`");
    static TWICE: Component = component(&[SAME, SAME]);
    reports(&listed("unique_names", &TWICE), "planted", "found two");
}

#[test]
fn names_of_tools_are_reported() {
    static BAD: Component =
        component(&[OpDef { tool: Some(Tool::free("Bad Name")), ..inline::<Same>() }]);
    reports(&listed("tool_names", &BAD), "Bad Name of planted.infer", "found another name");
    static TAKEN: Component =
        component(&[OpDef { tool: Some(Tool::free("guide_ask")), ..inline::<Same>() }]);
    reports(&listed("tool_names", &TAKEN), "guide_ask of planted.infer", "found 2");
}

#[test]
fn missing_words_are_reported() {
    static SILENT: Component = component(&[OpDef { says: &["one"], ..inline::<Same>() }]);
    reports(&planted("documented", &SILENT), "planted.infer", "found 1");
    static BARE: Component = component(&[OpDef { doc: "", ..inline::<Same>() }]);
    reports(&planted("documented", &BARE), "planted.infer", "expected documentation");
    static UNSHOWN: Component = component(&[OpDef { examples: &[], ..inline::<Same>() }]);
    reports(&planted("documented", &UNSHOWN), "planted.infer", "expected an example");
}

#[test]
fn defaults_that_do_not_fit_are_reported() {
    const fn param(scheme: Scheme) -> Param {
        Param::new("n", "A number.", scheme, Some(ParamDefault::Made(|| Value::Int(9))))
    }
    const RANGED: [Param; 1] = [param(Scheme::IntRange(1, 5))];
    static FAR: Component =
        component(&[OpDef { params: Deferred::Is(&RANGED), ..inline::<Same>() }]);
    reports(&planted("defaults_fit", &FAR), "planted.infer.n", "found 9");
    const TYPED: [Param; 1] =
        [param(Scheme::List(&Scheme::Text, svc_contract::registry::Max::Unknown))];
    static OTHER: Component =
        component(&[OpDef { params: Deferred::Is(&TYPED), ..inline::<Same>() }]);
    reports(&planted("defaults_fit", &OTHER), "planted.infer.n", "found 9");
}

#[test]
fn schemas_that_do_not_agree_are_reported() {
    fn wrong(params: &[Param]) -> Option<Value> {
        let name = params.first()?.name;
        let schema = format!(
            r#"{{"type":"object","properties":{{"{name}":{{"type":"array","items":{{"type":"null"}}}}}},"required":["{name}"]}}"#
        );
        svc_contract::value::json::read(&schema).ok()
    }
    let looked = with("schemas_agree", Mechanisms { input_schema: wrong, ..Mechanisms::REAL });
    reports(&looked, "ctx_search.index", "to be accepted");
    fn stricter(params: &[Param]) -> Option<Value> {
        let schema = crate::tools::input_schema(params)?;
        let Value::Record(of) = schema else { return None };
        let required: Vec<Value> = params.iter().map(|it| it.name.into()).collect();
        let others = of.iter().filter(|it| it.0.as_ref() != "required");
        let others = others.map(|(name, it)| (name.clone(), it.clone()));
        Some(Value::Record(others.chain([("required".into(), required.into())]).collect()))
    }
    let looked = with("schemas_agree", Mechanisms { input_schema: stricter, ..Mechanisms::REAL });
    reports(&looked, "core.status", "`explain` to be required");
}

#[test]
fn wrong_examples_are_reported() {
    static UNCHECKED: Component = component(&[OpDef {
        examples: &[Example::ok("A typo", r#""a" >> plantd"#, r#""a""#)],
        ..inline::<Same>()
    }]);
    reports(&planted("examples_check", &UNCHECKED), r#"planted.infer, "A typo""#, "E201");
    static UNTRUE: Component = component(&[OpDef {
        examples: &[Example::ok("Untrue", r#""a" >> planted"#, r#""b""#)],
        ..inline::<Same>()
    }]);
    let registry = registry().with(&[&UNTRUE]);
    let system = System::with(&registry, Mechanisms::REAL).unwrap().only("planted");
    reports(&looked("examples_hold", &system), "planted", r#"expected "b", found "a""#);
}

#[test]
fn a_format_that_changes_something_is_reported() {
    let restless = Mechanisms { format: |it| format!("{it}\n"), ..Mechanisms::REAL };
    reports(&with("format_keeps", restless), "", "to stay");
    let meddling = Mechanisms { format: |_| "1 + 1\n".to_owned(), ..Mechanisms::REAL };
    reports(&with("format_keeps", meddling), "", "found another one");
    let breaking = Mechanisms { format: |_| "1 >>\n".to_owned(), ..Mechanisms::REAL };
    reports(&with("format_keeps", breaking), "", "expected a plan");
}

#[test]
fn a_plan_that_differs_is_reported() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let plan = |engine: &Engine, text: &str| {
        let other = CALLS.fetch_add(1, Ordering::Relaxed) > 400;
        engine.plan(Source::new("script", if other { "[2] >> len" } else { text }))
    };
    reports(&with("plans_repeat", Mechanisms { plan, ..Mechanisms::REAL }), "", "fingerprint");
}

#[test]
fn a_hole_in_the_wall_is_reported() {
    let open = Mechanisms {
        decides: |_, _, tiers| Ok(tiers.iter().map(|_| Ok(())).collect()),
        ..Mechanisms::REAL
    };
    let leaks = with("tier_wall", open);
    for through in ["invoke_component", "invoke_component_typed", "run_pipeline", "a script"] {
        reports(&leaks, &format!("exec.infer by {through}"), "expected builder to be refused");
    }
    reports(&leaks, "ctx_search.infer by run_pipeline", "expected free to be refused");
    let above = with("tools_above_tier", open);
    reports(&above, "nav_stats", "expected free to be refused");
    let closed = Mechanisms {
        decides: |_, _, tiers| {
            let refused =
                |_: &Tier| Err(Fault::new(Why::Op(ErrorKind::Denied), "everything is refused"));
            Ok(tiers.iter().map(refused).collect())
        },
        ..Mechanisms::REAL
    };
    reports(&with("tier_wall", closed), "text.upper by run_pipeline", "to be let in");
    reports(&with("tools_above_tier", closed), "guide_ask", "to be let in");
    let all = Mechanisms { role_allows: |_, _, _| true, ..Mechanisms::REAL };
    reports(&with("roles_decide", all), "exec.infer for admin", "expected refused");
    let none = Mechanisms { role_allows: |_, _, _| false, ..Mechanisms::REAL };
    reports(&with("roles_decide", none), "text.upper for free", "expected allowed");
}

#[test]
fn a_meta_tool_that_works_in_a_script_is_reported() {
    static WORKS: Component =
        component(&[OpDef { tool: Some(Tool::free("run_pipeline")), ..inline::<Same>() }]);
    let registry = svc_components::registry().with(&[&WORKS]);
    let system = System::with(&registry, Mechanisms::REAL).unwrap();
    reports(&looked("meta_in_scripts", &system), "planted", "to be refused, found");
}

#[test]
fn overspending_is_reported() {
    let run = |runner: &super::system::Runner, engine: &Engine, script: &str, cap| {
        let ran = runner.run(engine, script, cap);
        let cost = Money::from_nanos(ran.usage.cost.nanos() + Money::cents(900).nanos());
        Ran { usage: Usage { cost, ..ran.usage }, ..ran }
    };
    let looked = with("envelope_covers", Mechanisms { run, ..Mechanisms::REAL });
    reports(&looked, "", "expected at most");
    let cheap = |runner: &super::system::Runner, engine: &Engine, script: &str, cap| Ran {
        usage: Usage::default(),
        ..runner.run(engine, script, cap)
    };
    let looked = with("envelope_covers", Mechanisms { run: cheap, ..Mechanisms::REAL });
    reports(&looked, "invariant_probe.fee", "or more, found");
    // Ignores every cap.
    let free = |runner: &super::system::Runner, engine: &Engine, script: &str, _| {
        let script = script.split(", max_cost").next().unwrap().trim_end_matches(" }");
        runner.run(engine, &format!("{script} }}"), None)
    };
    let looked = with("caps_hold", Mechanisms { run: free, ..Mechanisms::REAL });
    reports(&looked, "invariant_probe.pay", "expected at most");
    reports(&looked, "invariant_probe.fee", "refused unpaid");
}

#[test]
fn effects_that_are_not_in_the_plan_are_reported() {
    const READS: &[Effect] = &[Effect::Reads(Scope::Named("moon"))];
    static READING: Component = component(&[OpDef { effects: READS, ..inline::<Same>() }]);
    static PURE: Component = component(&[SAME]);
    let plan = |_: &Engine, text: &str| {
        let engine = Engine::new(registry().with(&[&PURE]), std::sync::Arc::new(Quiet::default()));
        engine.plan(Source::new("script", text))
    };
    let registry = registry().with(&[&READING]);
    let mechanisms = Mechanisms { plan, ..Mechanisms::REAL };
    let system = System::with(&registry, mechanisms).unwrap().only("planted");
    reports(&looked("plan_has_effects", &system), "planted", "to say that planted.infer reads");
}

params! {
    /// Says that it is pure, and reads a file.
    struct Sly {
        /// The text.
        text: Text,
    }
}

impl Op for Sly {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["sly one", "sly two", "sly three"];
    const EXAMPLES: &'static [Example] = &[Example::ok("Sly", r#""a" >> planted"#, r#""a""#)];
}

impl Compute for Sly {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let _ = cx.host().open(std::path::Path::new("/secret/place"));
        Ok(Value::Text(self.text))
    }
}

params! {
    /// Returns another number each time.
    struct Counter {
        /// The text.
        text: Text,
    }
}

impl Op for Counter {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Int;
    const SAYS: &'static [&'static str] = &["count one", "count two", "count three"];
    const EXAMPLES: &'static [Example] = &[Example::ok("Counts", r#""a" >> planted"#, "0")];
}

impl Inline for Counter {
    fn run(self) -> Result<Value, OpError> {
        static NEXT: AtomicI64 = AtomicI64::new(0);
        drop(self.text);
        Ok(Value::Int(NEXT.fetch_add(1, Ordering::Relaxed)))
    }
}

fn only_planted(id: &str, component: &'static Component) -> Looked {
    let registry = registry().with(&[component]);
    looked(id, &System::with(&registry, Mechanisms::REAL).unwrap().only("planted"))
}

#[test]
fn an_op_that_is_not_pure_is_reported() {
    static SLY: Component = component(&[compute::<Sly>()]);
    reports(&only_planted("pure_is_pure", &SLY), "planted", "opens /secret/place");
    static COUNTER: Component = component(&[inline::<Counter>()]);
    reports(&only_planted("results_repeat", &COUNTER), "planted", "again, found");
}

#[test]
fn kept_runs_that_do_not_hold_are_reported() {
    let replay = |_: &Engine, _| Ok(Some(Value::Int(1)));
    reports(&with("replay_is_equal", Mechanisms { replay, ..Mechanisms::REAL }), "", "found 1");
    let resume = |runner: &super::system::Runner, engine: &Engine, cap| {
        let ran = (Mechanisms::REAL.resume)(runner, engine, cap);
        let cost = Money::from_nanos(ran.usage.cost.nanos() + 1);
        Ran { usage: Usage { cost, ..ran.usage }, ..ran }
    };
    let looked = with("resume_pays_once", Mechanisms { resume, ..Mechanisms::REAL });
    reports(&looked, "invariant_probe.pay", "spent in all, found");
}

#[test]
fn secrets_that_are_shown_are_reported() {
    let looked =
        with("keys_are_hidden", Mechanisms { redact: ToOwned::to_owned, ..Mechanisms::REAL });
    reports(&looked, "Bearer", "a part of the secret");
    let run = |runner: &super::system::Runner, engine: &Engine, script: &str, cap| {
        let ran = runner.run(engine, script, cap);
        Ran { result: ran.result.map_err(|it| format!("{it} {SECRET}")), ..ran }
    };
    let looked = with("messages_hide", Mechanisms { run, ..Mechanisms::REAL });
    reports(&looked, "invariant_probe.blab", "in the message");
}
