//! What components declare besides their behaviour: phrasings, tools, bias, tunables, features.
#![expect(clippy::disallowed_methods, reason = "tests read their own files")]

pub(crate) mod studio;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use serde_json::json;
use svc::Engine;
use svc_api::{components::entries, inspect};
use svc_contract::{
    registry::{
        Bias, Component, Op, OpDef, OpRef, Param, ParamDefault, Registry, Scheme, Tool, Tuning,
        lacking,
    },
    value::Value,
};
use svc_lang::diag::{Code, Style};

use crate::skipped;
use studio::{ABSENT, STUDIO};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn ops(registry: &Registry) -> impl Iterator<Item = OpRef> {
    let of = |component: &&'static Component| {
        let component = *component;
        component.ops.iter().map(move |op| OpRef { component, op })
    };
    registry.components().iter().flat_map(of)
}

/// The engine with everything that the program has.
fn all() -> Engine {
    svc::engine().with(svc_service::components::ALL)
}

#[test]
fn every_op_has_phrasings_of_its_own() {
    let engine = all();
    let mut known: BTreeMap<&str, OpRef> = BTreeMap::new();
    for op in ops(engine.registry()) {
        let says = op.op.says;
        assert!((3..=8).contains(&says.len()), "{op} has {} phrasings", says.len());
        for phrasing in says {
            let first = phrasing.chars().next();
            let is_plain = first.is_some_and(|it| !it.is_uppercase() && !it.is_whitespace());
            assert!(is_plain && phrasing.trim() == *phrasing, "{op}: {phrasing:?}");
            let lower = phrasing.to_lowercase();
            assert!(!lower.ends_with('.'), "{op}: {phrasing:?} is a phrase, not a sentence");
            if let Some(other) = known.insert(phrasing, op) {
                assert!(is_shared(op, other), "{op} and {other}: {phrasing:?}");
            }
        }
    }
}

/// Whether two ops are the same one: all components that learn have the same `save` and `load`.
fn is_shared(one: OpRef, other: OpRef) -> bool {
    one.component.name != other.component.name
        && one.op.name == other.op.name
        && matches!(one.op.name, "save" | "load")
}

/// The public names are a promise to other programs: a change of this file is a change of the
/// interface.
#[test]
fn tools_stand_in_the_lock_file() {
    let mut lines: Vec<String> = all()
        .registry()
        .tools()
        .map(|(tool, op)| format!("{} {} {op}\n", tool.tier, tool.name))
        .collect();
    lines.sort();
    let locked = fs::read_to_string(root().join("tests/it/tools.lock")).unwrap();
    assert_eq!(lines.concat(), locked, "tests/it/tools.lock");
}

#[test]
fn a_tool_is_found_by_its_name() {
    let engine = all();
    let mut names = BTreeSet::new();
    for (tool, op) in engine.registry().tools() {
        assert!(names.insert(tool.name), "`{}` is the name of two tools", tool.name);
        assert_eq!(engine.registry().find_tool(tool.name).unwrap().to_string(), op.to_string());
    }
    assert!(engine.registry().find_tool("no_such_tool").is_none());
}

/// The tools of the catalogue, by name: tier and op. `None` if it is not on this machine.
fn catalogue() -> Option<BTreeMap<String, (String, String)>> {
    let path: PathBuf = root().join("../shared/catalogue.toml");
    let text = fs::read_to_string(path).ok()?;
    let table: toml::Table = text.parse().unwrap();
    let mut tools = BTreeMap::new();
    for (tier, all) in table["tools"].as_table().unwrap() {
        for (name, op) in all.as_table().unwrap() {
            let op = op.as_str().unwrap().to_owned();
            tools.insert(name.clone(), (tier.clone(), op));
        }
    }
    Some(tools)
}

/// Tools whose op has another name in the catalogue.
const DIFFERENT: [(&str, &str); 2] =
    [("guide_system_overview", "guide.overview"), ("run_automl", "adapt_automl.learn")];

#[test]
fn tools_are_those_of_the_catalogue() {
    let Some(catalogue) = catalogue() else { return skipped("the catalogue of tools is missing") };
    let mut wrong = Vec::new();
    for (tool, op) in all().registry().tools() {
        let different = DIFFERENT.iter().find(|(name, _)| *name == tool.name);
        let op = different.map_or_else(|| op.to_string(), |(_, op)| (*op).to_owned());
        let found = (tool.tier.to_string(), op);
        match catalogue.get(tool.name) {
            Some(wanted) if *wanted == found => {}
            wanted => wrong.push(format!("{}: {found:?}, not {wanted:?}", tool.name)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[should_panic(expected = "`dub_text` is the tool of both `studio.dub` and `other.dub`")]
fn two_tools_with_one_name_are_refused() {
    const OTHER: Component = Component { name: "other", aliases: &[], ..STUDIO };
    let _ = Registry::default().with(&[&STUDIO, &OTHER]);
}

#[test]
#[should_panic(expected = "`Dub-Text`, the tool of `odd.dub`, is not a valid name")]
fn an_invalid_tool_name_is_refused() {
    const DUB: OpDef = OpDef { tool: Some(Tool::free("Dub-Text")), ..STUDIO_DUB };
    const ODD: Component = Component { name: "odd", aliases: &[], ops: &[DUB], ..STUDIO };
    let _ = Registry::default().with(&[&ODD]);
}

const STUDIO_DUB: OpDef = lacking::<studio::Dub>("media");

const SILENT: Component = Component { aliases: &[], ops: &[], ..STUDIO };

#[test]
fn a_component_may_replace_itself_with_its_tools() {
    let registry = Registry::default().with(&[&STUDIO, &STUDIO]);
    assert_eq!(registry.tools().count(), 1);
    assert_eq!(registry.find_tool("dub_text").unwrap().to_string(), "studio.dub");
    assert!(registry.with(&[&SILENT]).find_tool("dub_text").is_none());
}

#[test]
fn every_component_says_how_it_works() {
    for component in all().registry().components() {
        let Bias { strategy, assumptions, .. } = component.bias;
        let name = component.name;
        assert!(component.bias != Bias::NONE && !strategy.is_empty(), "{name} has no strategy");
        assert!(!assumptions.is_empty(), "{name} assumes nothing");
        for text in assumptions.iter().chain([&strategy]) {
            let is_phrase = !text.is_empty() && text.trim() == *text && !text.ends_with('.');
            assert!(is_phrase, "{name}: {text:?}");
        }
    }
}

#[test]
fn what_may_be_tuned_has_a_default_and_a_range() {
    for component in all().registry().components() {
        for param in component.ops.iter().flat_map(|it| it.params).filter(|it| it.is_evolvable) {
            let name = format!("{}.{}", component.name, param.name);
            assert!(param.is_tunable(), "{name} has no default, or is the input");
            let is_number = matches!(param.scheme.unbounded(), Scheme::Int | Scheme::Float);
            assert!(!is_number || param.scheme.range().is_some(), "{name} has no range");
            assert!(!param.scheme.variants().contains(&"default"), "`:tune` uses this word");
            assert!(!is_outside(param), "{name}");
            // A tuned value applies to all ops that have the param.
            let other = component.evolvable().find(|it| it.name == param.name).unwrap();
            assert_eq!(other.signature(), param.signature(), "{name} differs between ops");
        }
    }
}

/// Whether the default is outside of the range.
fn is_outside(param: &Param) -> bool {
    let default = param.default.map(ParamDefault::value).unwrap_or_default();
    default.cast(&param.scheme.plain()).is_err()
}

fn studio() -> Engine {
    svc::engine().with(&[&STUDIO, &ABSENT])
}

async fn mixed(engine: &Engine) -> String {
    engine.run(r#""a" >> mix"#).await.unwrap().get().unwrap()
}

#[tokio::test]
async fn every_kind_of_param_is_tuned_by_text() {
    let engine = studio();
    assert_eq!(mixed(&engine).await, "a 0.5 3 false linear mix");
    let mut tuning = Tuning::default();
    for (name, text) in [("gain", "1"), ("steps", "9"), ("tight", "true"), ("fade", "curved")] {
        tuning.set_text(engine.registry(), &format!("mix.{name}"), text).unwrap();
    }
    let tuned = engine.clone().with_tuning(tuning.clone());
    assert_eq!(mixed(&tuned).await, "a 1 9 true curved mix");
    let one: String = tuned.run(r#""a" >> mix(steps: 2)"#).await.unwrap().get().unwrap();
    assert_eq!(one, "a 1 2 true curved mix");
    let of_request = engine.run(r#""a" >> mix"#).tuned(&tuning).await.unwrap();
    assert_eq!(of_request.get::<String>().unwrap(), "a 1 9 true curved mix");
    assert!(tuning.reset(engine.registry(), "studio.gain").unwrap());
    assert_eq!(mixed(&engine.with_tuning(tuning)).await, "a 0.5 9 true curved mix");
}

#[test]
fn a_wrong_value_is_reported_with_the_expected_type() {
    let engine = studio();
    for (name, text, message) in [
        ("mix.gain", "2", "expected float 0..1 for `gain`, found 2"),
        ("mix.gain", "loud", "expected float 0..1 for `gain`, found loud"),
        ("mix.steps", "1.5", "expected int 1..9 for `steps`, found 1.5"),
        ("mix.tight", "1", "expected bool for `tight`, found 1"),
        ("mix.fade", "round", r#"expected "linear" | "curved" for `fade`, found round"#),
        ("mix.title", "x", "`title` is not a tunable of `mix`"),
        ("mix", "x", "`mix` is not a tunable"),
        ("nothing.x", "1", "unknown component `nothing`"),
    ] {
        let mut tuning = Tuning::default();
        let err = tuning.set_text(engine.registry(), name, text).unwrap_err();
        assert_eq!(err.message, message);
        assert!(tuning.is_empty());
    }
}

#[test]
fn an_op_without_its_feature_is_an_error_with_a_way_out() {
    let report = studio().check(r#""hello" >> dub >> nope"#).unwrap_err();
    let codes: Vec<Code> = report.problems.iter().map(|it| it.code).collect();
    assert_eq!(codes, [Code::E228, Code::E201]);
    let shown = report.render(Style::Plain);
    assert!(shown.contains("`dub` needs the feature `media`, which this build lacks"), "{shown}");
    assert!(shown.contains("build the program with the feature `media` of svc"), "{shown}");
    // Everything else of the component works.
    assert!(studio().check(r#""hello" >> mix"#).is_ok());
    // A flow may not call it either.
    let passed = studio().check("[\"a\"] >> each { dub }").unwrap_err();
    assert!(passed.problems.iter().all(|it| it.code == Code::E228), "{passed}");
}

#[test]
fn lists_mark_what_needs_a_feature() {
    let listed = serde_json::to_value(entries(&[&STUDIO, &ABSENT], &[])).unwrap();
    assert_eq!(listed[0]["needs"], json!([{ "feature": "media", "ops": ["dub"] }]));
    assert_eq!(listed[0]["learns"], false);
    assert_eq!(listed[1]["ops"], json!(["dub"]));
    let engine = studio();
    let subject = inspect::find(engine.registry(), "studio").unwrap();
    let page = inspect::InspectJson::new(&subject, engine.tuning());
    let page = serde_json::to_value(page).unwrap();
    assert_eq!(
        (&page["ops"][0]["needs"], &page["ops"][1]["needs"]),
        (&json!(null), &json!("media"))
    );
    assert_eq!(page["ops"][1]["tool"], json!({ "name": "dub_text", "tier": "builder" }));
    assert_eq!(page["ops"][1]["cost_class"], "none");
}

#[test]
fn the_bias_is_a_record_with_the_values_of_the_engine() {
    let engine = studio().tuned("mix.gain", 0.25).unwrap().tuned("mix.fade", "curved").unwrap();
    let subject = inspect::find(engine.registry(), "studio").unwrap();
    let page = inspect::InspectJson::new(&subject, engine.tuning());
    let page = serde_json::to_value(page).unwrap();
    let wanted = json!({
        "name": "studio",
        "type": "Studio",
        "strategy": "two tracks",
        "assumptions": ["both tracks begin at the same time"],
        "evolvable_params": [
            { "name": "gain", "type": "float", "value": 0.25, "min": 0.0, "max": 1.0 },
            { "name": "tight", "type": "bool", "value": false },
            { "name": "fade", "type": "\"linear\" | \"curved\"", "value": "curved" },
        ],
        "version": 1,
    });
    assert_eq!(page["bias"], wanted);
    let params = page["ops"][0]["params"].as_array().unwrap();
    let tuned: Vec<_> = params.iter().map(|it| (&it["tunable"], &it["tuned"])).collect();
    assert_eq!(tuned[1], (&json!(true), &json!(0.25)));
    assert_eq!(tuned[2], (&json!(true), &json!(null)));
    assert_eq!(tuned[5], (&json!(false), &json!(null)));
}

#[test]
fn ops_that_a_build_lacks_are_still_declared() {
    let op = OpRef { component: &STUDIO, op: &STUDIO.ops[1] };
    assert_eq!((op.op.lacks(), op.op.name), (Some("media"), studio::Dub::NAME));
    assert!(!op.op.is_inline() && op.op.is_pure());
}

#[test]
fn a_thousand_tunings_share_their_components() {
    let base = svc::engine();
    for at in 0..1_000 {
        let tuned = base.clone().tuned("rerank.window", 2 + at % 31).unwrap();
        assert!(std::ptr::eq(tuned.registry(), base.registry()));
        let (name, value) = tuned.tuning().iter().next().unwrap();
        assert_eq!((name.as_str(), value), ("ctx_rerank.window", &Value::Int(2 + at % 31)));
    }
    assert!(base.tuning().is_empty());
}
