//! Scripts that used to break a promise about types, each with its current result.

use svc::{Engine, Error};
use svc_contract::value::{Type, json};

use super::bench::Bench;

/// The codes of the errors of a script that must not check.
fn codes(script: &str) -> Vec<&'static str> {
    match Bench::new().engine.plan(script) {
        Ok(plan) => panic!("it checks, as {}:\n{script}", main_type(plan.program())),
        Err(report) => report.errors().map(|it| it.code.as_str()).collect(),
    }
}

fn main_type(program: &svc_lang::check::Checked) -> String {
    program.main.as_ref().map_or(Type::Never, |it| it.ty.clone()).to_string()
}

/// The type from the check, and the value as JSON or the message of the failure.
fn gives(script: &str) -> (String, String) {
    let engine: Engine = Bench::new().engine;
    let plan = engine.plan(script).unwrap_or_else(|report| panic!("{report}\n{script}"));
    let ty = main_type(plan.program());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    let ended = match runtime.block_on(async { engine.run_plan(plan).await }) {
        Ok(response) => json::write(&response.value),
        Err(Error::Run { error, .. }) => error.error.message.clone(),
        Err(other) => panic!("{other}\n{script}"),
    };
    (ty, ended)
}

fn are(cases: &[(&str, &str, &str)]) {
    for (script, ty, ended) in cases {
        assert_eq!(gives(script), ((*ty).to_owned(), (*ended).to_owned()), "{script}");
    }
}

#[test]
fn what_never_comes_stays_so() {
    let never = [
        "fail(\"no\")[0]",
        "fail(\"no\") >> first",
        "fail(\"no\") >> each { it }",
        "fail(\"no\") >> each? { upper }",
        "fail(\"no\") >> where { it }",
        "fail(\"no\") >> group { it }",
        "fail(\"no\") >> { a: it, b: 1 }",
        "max(fail(\"no\"))",
        "fail(\"no\") + 1",
        "-fail(\"no\")",
        "not fail(\"no\")",
        "fail(\"no\") as int",
        "fail(\"no\") ?? 1",
        "match fail(\"no\") { \"a\" => 1 }",
        "{ ...fail(\"no\"), a: 1 }",
        "\"${fail(\"no\"):.2}\"",
    ];
    for script in never {
        assert_eq!(gives(script), ("never".to_owned(), "no".to_owned()), "{script}");
    }
    are(&[
        ("let x = if len(\"a\") == 2 { fail(\"no\")[0] } else { 5 }\nx", "int", "5"),
        ("if 1 < 2 { 5 } else { fail(\"x\") >> group { it } >> each { .items } }", "int", "5"),
        ("flatten([]) + [1]", "[int]", "[1]"),
        ("[] + [1, 2.5]", "[float; max 2]", "[1.0,2.5]"),
        ("[fail(\"no\")] >> first", "never", "no"),
        ("[] >> evaluate(flow: upper) >> .results", "[Verdict]", "[]"),
        ("match null { null => 1 }", "int", "1"),
    ]);
    // A value of unknown type used to fit everywhere.
    assert_eq!(codes("let x = if 1 < 2 { 5 } else { fail(\"no\")[0] }\nx >> upper"), ["E203"]);
    assert_eq!(codes("let xs: [int; max 1] = flatten([]) + [1, 2, 3]\nxs"), ["E217"]);
    assert_eq!(codes("match flatten([])[0] ?? \"b\" { \"a\" => 1 }"), ["E222"]);
    let leak = "secret key\nlet x = if 1 < 2 { key } else { fail(\"no\")[0] }\n\"${x}\"";
    assert_eq!(codes(leak), ["E308"]);
}

#[test]
fn results_of_arithmetic_have_no_range_of_their_parts() {
    are(&[
        ("let a: int 1..5 = 5\nsum([a, a, a])", "int", "15"),
        ("let a: int -5..-1 = -5\nabs(a)", "int", "5"),
        ("clamp(5, 0.5, 9.5)", "float", "5.0"),
        ("sum([1, 2], start: 0.5)", "float", "3.5"),
        ("let a: int 1..5 = 5\nlet b: int 7..9 = 9\nclamp(b, 1, a)", "int", "5"),
        ("let a: int 1..5 = 5\n[a, 15]", "[int; max 2]", "[5,15]"),
        ("let a: int 1..5 = 5\nmax([a, 2])", "int", "5"),
        ("let a: int 1..5 = 5\n[a, a] >> last", "int 1..5", "5"),
    ]);
    assert_eq!(codes("contains(\"abc\", 5)"), ["E204"]);
    assert_eq!(codes("contains(\"abc\", null)"), ["E204"]);
    assert_eq!(codes("let x = [\"a\"][0]\ncontains(\"abc\", x)"), ["E204"]);
}

#[test]
fn a_value_becomes_what_is_said_of_it() {
    are(&[
        ("1 >> repeat 3 { it } until it == 1 else { 0.5 }", "float", "1.0"),
        ("[1] >> repeat 3 { it } until true else { [0.5] }", "[float; max 1]", "[1.0]"),
        (
            "[{ input: \"1\", expected: 1 }] >> evaluate(flow: to_int) >> .results[0]?.got",
            "int?",
            "1",
        ),
        (
            "[{ input: 1, expected: 2.5 }] >> evaluate(flow: half) >> .results >> each { .expected }\nflow half(x: float) -> float { x / 2 }",
            "[float]",
            "[2.5]",
        ),
    ]);
    let cases = "[{ input: \"1\", expected: \"1\" }] >> evaluate(flow: upper) >> .results >> each { .got ?? 5 }";
    assert_eq!(codes(cases), ["E208"]);
}

/// A flow that is passed on is called directly, so its type must fit without a conversion.
#[test]
fn a_flow_that_is_passed_on_keeps_the_promise() {
    let passed = |given: &str, promised: &str| {
        format!(
            "flow inner(x: string, g: flow<{promised}>) -> string {{ \"${{(x >> g)}}\" }}
flow outer(x: string, g: flow<{given}>) -> string {{ x >> inner(g: g) }}
\"15\" >> outer(g: to_int)"
        )
    };
    assert_eq!(codes(&passed("string -> int", "string -> int 1..3")), ["E204"]);
    assert_eq!(codes(&passed("string -> int", "string -> float")), ["E204"]);
    are(&[
        (&passed("string -> int", "string -> int"), "string", "\"15\""),
        (&passed("string -> int 1..3", "string -> int"), "string", "expected int 1..3, found 15"),
        (&passed("string -> float", "string -> float"), "string", "\"15.0\""),
    ]);
}

/// 20 params of 1 or 2 add up to at most 40, and not to 2.
#[test]
fn a_proven_bound_is_not_passed_by_a_sum() {
    let names: Vec<String> = (0..20).map(|it| format!("p{it}")).collect();
    let params: Vec<String> = names.iter().map(|it| format!("param {it}: int 1..2\n")).collect();
    let params = params.concat();
    let script = format!(
        "{params}range(0, 50) >> take(n: sum([{}])) >> each {{ \"x\" >> step(cents: 1, tokens: 10, takes: 1ms) }}",
        names.join(", ")
    );
    let plan = Bench::new().engine.plan(script.as_str()).unwrap();
    assert_eq!(plan.envelope().tokens.max.filter(|it| *it < 40 * 10), None);
    // The length of the list depends on the alternative that runs.
    let either = "param few: [string; max 2]\nparam many: [string; max 5]
((few >> where { len(it) > to_int(it) }) fallback many) >> each { step(cents: 1, tokens: 10, takes: 1ms, exact: true) >> wait(duration: 1s) within { max_retries: 0 } }";
    let plan = Bench::new().engine.plan(either).unwrap();
    assert!(plan.envelope().tokens.max.is_none_or(|it| it >= 50), "{:?}", plan.envelope());
}
