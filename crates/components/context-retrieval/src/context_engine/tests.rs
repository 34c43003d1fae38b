//! Tests of the results of `pack` and `dedupe`, through the ops.

use svc_contract::registry::Compute;

use super::{dedupe::Dedupe, pack::Infer, *};
use crate::testing::{cancelled, cx, decode, hit};

fn pack(hits: Vec<Value>, budget: i64, args: &[(&str, Value)]) -> Record {
    let mut all = vec![("budget", Value::Int(budget))];
    all.extend(args.iter().cloned());
    let packed = decode::<Infer>(hits.into(), &all).run(&cx()).unwrap();
    packed.as_record().unwrap().clone()
}

fn list(packed: &Record, name: &str, field: &str) -> Vec<String> {
    let Some(Value::List(items)) = packed.get(name) else { panic!("no list {name}") };
    let field = |it: &Value| it.as_record().unwrap().get(field).unwrap().to_string();
    items.iter().map(field).map(|it| it.trim_matches('"').to_owned()).collect()
}

const LEDGER: &str = "Every budget of a run is kept by a ledger that reserves before each call.";
const SKY: &str = "The sky above the wide sea is blue in the morning and red in the evening.";

#[test]
fn what_adds_nothing_is_left_out_first() {
    let hits = || {
        vec![
            hit("a", "", LEDGER, "who keeps a budget?", 3.0),
            hit("b", "", &LEDGER.to_uppercase(), "who keeps a budget?", 2.9),
            hit("c", "", SKY, "who keeps a budget?", 1.0),
        ]
    };
    let packed = pack(hits(), 38, &[]);
    assert_eq!(list(&packed, "passages", "id"), ["a", "c"]);
    assert_eq!(list(&packed, "dropped", "id"), ["b"]);
    assert_eq!(list(&packed, "dropped", "why"), ["near-duplicate"]);
    assert_eq!(list(&packed, "dropped", "repeats"), ["a"]);
    let packed = pack(hits(), 19, &[]);
    assert_eq!(list(&packed, "passages", "id"), ["a"]);
    assert_eq!(list(&packed, "dropped", "why"), ["near-duplicate", "budget"]);
}

#[test]
fn a_long_hit_is_cut_to_the_sentences_that_answer() {
    let long = format!("{SKY} {SKY} {LEDGER} {SKY} {SKY}");
    let packed = pack(vec![hit("a", "", &long, "who keeps a budget?", 1.0)], 25, &[]);
    assert_eq!(list(&packed, "passages", "text"), [LEDGER]);
    let start = long.find(LEDGER).unwrap();
    assert_eq!(list(&packed, "passages", "start"), [start.to_string()]);
    assert_eq!(list(&packed, "passages", "end"), [(start + LEDGER.len()).to_string()]);
    assert_eq!(list(&packed, "dropped", "why"), ["cut"]);
    assert_eq!(packed.get("tokens"), Some(&Value::Int(19)));
}

#[test]
fn the_budget_holds_and_nothing_is_lost() {
    let hits: Vec<Value> = (0_u8..60)
        .map(|it| {
            let text = format!("Passage {it} says {} things. ", u32::from(it) * 7)
                .repeat(usize::from(it % 9 + 1));
            hit(&it.to_string(), "", &text, "which things?", f64::from(60 - it))
        })
        .collect();
    for budget in [1, 10, 30, 100, 400, 10_000] {
        let packed = pack(hits.clone(), budget, &[]);
        let texts = list(&packed, "passages", "text");
        let tokens: usize = texts.iter().map(|it| svc_text::tokens::tokens(it)).sum();
        assert_eq!(packed.get("tokens"), Some(&Value::Int(tokens.try_into().unwrap())));
        assert!(tokens <= usize::try_from(budget).unwrap());
        let cut = list(&packed, "dropped", "why").iter().filter(|it| *it == "cut").count();
        let dropped = list(&packed, "dropped", "id").len();
        assert_eq!(texts.len() + dropped - cut, hits.len());
    }
}

#[test]
fn odd_input_gives_something_sensible() {
    let odd = vec![hit("a", "", "", "", f64::NAN), hit("b", "", "?!", "", -1.0)];
    let packed = pack(odd, 1, &[]);
    assert_eq!(list(&packed, "passages", "id"), ["a", "b"]);
    let text = decode::<Infer>(vec![Value::from("x")].into(), &[("budget", 5.into())]);
    assert!(text.run(&cx()).unwrap_err().message.contains("found string as item 1"));
    let many = (0..1_000).map(|it| hit(&it.to_string(), "", &format!("{it} {SKY}"), "", 1.0));
    let op = decode::<Infer>(many.collect::<Vec<_>>().into(), &[("budget", 5.into())]);
    assert_eq!(op.run(&cancelled()).unwrap_err().message, "cancelled");
}

#[test]
fn dedupe_keeps_the_first_of_each() {
    let run = |threshold: f64| {
        let near = LEDGER.replace("each", "any");
        let texts = [LEDGER, SKY, &near, SKY];
        let hits: Vec<Value> = texts
            .iter()
            .enumerate()
            .map(|(idx, it)| hit(&idx.to_string(), "", it, "", 1.0))
            .collect();
        let op = decode::<Dedupe>(hits.into(), &[("threshold", threshold.into())]);
        let Value::List(kept) = op.run(&cx()).unwrap() else { panic!("no list") };
        kept.iter().map(|it| text(it.as_record().unwrap(), "id").to_string()).collect::<Vec<_>>()
    };
    assert_eq!(run(1.0), ["0", "1", "2"]);
    assert_eq!(run(0.7), ["0", "1"]);
}
