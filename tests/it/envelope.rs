//! The estimate of a plan, in numbers that are computed by hand.

use std::{sync::Arc, time::Duration};

use svc::Engine;
use svc_contract::value::Money;
use svc_host_os::test::TestHost;
use svc_lang::plan::{Envelope, Plan, Verdict};

use crate::{components, promises::world};

/// Costs five cents and a hundred tokens per call, and is tried once. Its timeout is one minute.
const ONCE: &str =
    "(step(cents: 5, tokens: 100, takes: 1s, exact: true) within { max_retries: 0 })";

/// The same, with up to four attempts.
const STEP: &str = "step(cents: 5, tokens: 100, takes: 1s, exact: true)";

fn engine() -> Engine {
    let all: Vec<_> = components::ALL.iter().copied().chain([&world::COMPONENT]).collect();
    svc::engine().with(&all).with_host(Arc::new(TestHost::new()))
}

fn plan(script: &str) -> Plan {
    engine().plan(filled(script)).unwrap_or_else(|report| panic!("{report}"))
}

/// Replaces the names of the calls above in a script.
fn filled(script: &str) -> String {
    script.replace("ONCE", ONCE).replace("STEP", STEP)
}

/// The minimum and the maximum of everything, in words.
fn takes(script: &str) -> String {
    shown(plan(script).envelope())
}

fn shown(envelope: &Envelope) -> String {
    let Envelope { tokens, cost, time } = envelope;
    let any = || "any".to_owned();
    let most_tokens = tokens.max.map_or_else(any, |it| it.to_string());
    let most_cost = cost.max.map_or_else(any, |it| it.to_string());
    let most_time = time.max.map_or_else(any, |it| format!("{it:?}"));
    let (tokens, cost, time) = (tokens.min, cost.min, time.min);
    format!("{tokens}..{most_tokens} tokens, {cost}..{most_cost}, {time:?}..{most_time}")
}

/// The verdicts on all bounds, those of the whole file first.
fn verdicts(script: &str) -> Vec<String> {
    let plan = plan(script);
    let inside = plan.nodes().iter().flat_map(|it| &it.verdicts);
    let all = plan.verdicts().iter().chain(inside).map(message);
    // The calls above declare it themselves.
    all.filter(|it| !it.starts_with("max_retries")).collect()
}

fn message(verdict: &Verdict) -> String {
    format!("{}: {} {}", verdict.key.name(), verdict.limit, verdict.holds.word())
}

/// The codes of the problems that a script has.
fn codes(script: &str) -> Vec<&'static str> {
    match engine().plan(filled(script)) {
        Ok(plan) => plan.program().warnings.problems.iter().map(|it| it.code.as_str()).collect(),
        Err(report) => report.problems.iter().map(|it| it.code.as_str()).collect(),
    }
}

/// A literal that nothing can meet is a mistake; one that forbids spending, or reuse, is not.
#[test]
fn bounds_that_allow_nothing_are_refused() {
    for (bound, codes_of_bound) in [
        ("timeout: 0s", &["E302"][..]),
        ("attempt_timeout: 0s", &["E302"]),
        ("max_memory: 0B", &["E302"]),
        ("max_cost: -$1", &["E302"]),
        ("max_tokens: -1", &["E302"]),
        ("max_parallel: 0", &["E302"]),
        ("max_age: 0s", &[]),
        ("max_retries: 0", &[]),
    ] {
        let found = codes(&format!("\"a\" >> wait(duration: 1ms) within {{ {bound} }}"));
        assert_eq!(found, codes_of_bound, "{bound}");
    }
}

#[test]
fn one_after_the_other() {
    assert_eq!(takes(r#""a""#), "0..0 tokens, $0.00..$0.00, 0ns..0ns");
    assert_eq!(takes(r#""a" >> ONCE"#), "100..100 tokens, $0.05..$0.05, 0ns..60s");
    let three = r#""a" >> ONCE >> ONCE >> wait(duration: 1s)"#;
    assert_eq!(takes(three), "200..200 tokens, $0.10..$0.10, 1s..121s");
}

#[test]
fn arguments_and_fields_run_side_by_side() {
    let record = r#""a" >> { a: (it >> wait(duration: 2s)), b: (it >> wait(duration: 3s)) } >> .a"#;
    assert_eq!(takes(record), "0..0 tokens, $0.00..$0.00, 3s..3s");
    let text = r#""${("a" >> ONCE)}${("b" >> ONCE >> wait(duration: 1s))}""#;
    assert_eq!(takes(text), "200..200 tokens, $0.10..$0.10, 1s..61s");
}

#[test]
fn branches_take_as_long_as_the_longest() {
    let script =
        r#""a" >> parallel { a: ONCE >> wait(duration: 2s), b: ONCE >> wait(duration: 1s) }"#;
    assert_eq!(takes(script), "200..200 tokens, $0.10..$0.10, 2s..62s");
    let optional = r#""a" >> parallel { a: ONCE, b?: ONCE >> wait(duration: 2s) }"#;
    assert_eq!(takes(optional), "100..200 tokens, $0.05..$0.10, 0ns..62s");
}

#[test]
fn every_item_counts() {
    let known = r#"["a", "b", "c"] >> each { ONCE >> wait(duration: 2s) }"#;
    assert_eq!(takes(known), "300..300 tokens, $0.15..$0.15, 2s..62s");
    let skipped = r#"["a", "b", "c"] >> each? { ONCE >> wait(duration: 2s) }"#;
    assert_eq!(takes(skipped), "0..300 tokens, $0.00..$0.15, 0ns..62s");
    let declared = "param xs: [string; max 4]\nxs >> each { ONCE }";
    assert_eq!(takes(declared), "0..400 tokens, $0.00..$0.20, 0ns..60s");
    let taken = "param xs: [string]\nxs >> take(n: 2) >> each { ONCE }";
    assert_eq!(takes(taken), "0..200 tokens, $0.00..$0.10, 0ns..60s");
    let any = "param xs: [string]\nxs >> each { ONCE }";
    assert_eq!(takes(any), "0..any tokens, $0.00..any, 0ns..any");
    let joined = "param xs: [string; max 4]\nxs + [\"a\"] >> where { it != \"\" } >> each { ONCE }";
    assert_eq!(takes(joined), "0..500 tokens, $0.00..$0.25, 0ns..60s");
}

/// Sixty-four items run at the same time, or as many as `max_parallel` allows. In addition to the
/// rounds of items, their calls may wait for their turns.
#[test]
fn items_take_rounds() {
    let items = (0..65).map(|it| format!("\"{it}\"")).collect::<Vec<_>>().join(", ");
    let two_rounds = format!("[{items}] >> each {{ wait(duration: 2s) }} >> len");
    assert_eq!(takes(&two_rounds), "0..0 tokens, $0.00..$0.00, 4s..4s");
    let at_once = |most: u8| {
        let list = r#"["a", "b", "c"] >> each { wait(duration: 2s) }"#;
        takes(&format!("{list} within {{ max_parallel: {most} }}"))
    };
    assert_eq!(at_once(1), "0..0 tokens, $0.00..$0.00, 6s..6s");
    // Two rounds of 2s, and 3 x 2s of calls in two turns.
    assert_eq!(at_once(2), "0..0 tokens, $0.00..$0.00, 4s..7s");
}

#[test]
fn branches_wait_for_their_turns() {
    let branches = r#""x" >> parallel { a: wait(duration: 1s), b: wait(duration: 2s), c: wait(duration: 3s) }"#;
    assert_eq!(takes(branches), "0..0 tokens, $0.00..$0.00, 3s..3s");
    let two = format!("{branches} within {{ max_parallel: 2 }}");
    assert_eq!(takes(&two), "0..0 tokens, $0.00..$0.00, 3s..6s");
    let one = format!("{branches} within {{ max_parallel: 1 }}");
    assert_eq!(takes(&one), "0..0 tokens, $0.00..$0.00, 3s..6s");
}

#[test]
fn turns_count_up_to_their_number() {
    let script = r#""a" >> repeat 3 { ONCE } until len(it) > 99 else { ONCE }"#;
    assert_eq!(takes(script), "0..400 tokens, $0.00..$0.20, 0ns..240s");
    let nested = r#""a" >> repeat 3 { repeat 2 { ONCE } until it == "" else { it } } until it == "" else { it }"#;
    assert_eq!(takes(nested), "0..600 tokens, $0.00..$0.30, 0ns..360s");
}

#[test]
fn arms_take_the_cheapest_and_the_dearest() {
    let two =
        "param n: int\n\"a\" >> if n > 1 { ONCE } else { ONCE >> ONCE >> wait(duration: 1s) }";
    assert_eq!(takes(two), "100..200 tokens, $0.05..$0.10, 0ns..121s");
    let three = "type T = \"a\" | \"b\" | \"c\"\nparam t: T\nmatch t { \"a\" => t, \"b\" => \"${t}\" >> ONCE, _ => \"${t}\" >> wait(duration: 9s) }";
    assert_eq!(takes(three), "0..100 tokens, $0.00..$0.05, 0ns..60s");
}

#[test]
fn alternatives_add() {
    // One of the two is sufficient; the cost of the first one before its failure counts.
    let script = r#""a" >> ONCE fallback (ONCE >> ONCE)"#;
    assert_eq!(takes(script), "100..300 tokens, $0.05..$0.15, 0ns..180s");
    let value = r#""a" >> STEP fallback "b""#;
    assert_eq!(takes(value), "0..400 tokens, $0.00..$0.20, 0ns..60s");
    let chain = r#""a" >> ONCE fallback (wait(duration: 2s)) fallback "b""#;
    assert_eq!(takes(chain), "0..100 tokens, $0.00..$0.05, 0ns..62s");
}

#[test]
fn tries_multiply() {
    assert_eq!(takes(r#""a" >> STEP"#), "100..400 tokens, $0.05..$0.20, 0ns..60s");
    let bounded = |bounds: &str| takes(&format!("\"a\" >> STEP within {{ {bounds} }}"));
    assert_eq!(bounded("max_retries: 1"), "100..200 tokens, $0.05..$0.10, 0ns..60s");
    assert_eq!(bounded("timeout: 5s"), "100..400 tokens, $0.05..$0.20, 0ns..5s");
    // It never fails with that kind.
    let never = bounded("retry_on: [\"not_found\"]");
    assert_eq!(never, "100..100 tokens, $0.05..$0.05, 0ns..60s");
    let short = bounded("attempt_timeout: 2s, max_retries: 0");
    assert_eq!(short, "100..100 tokens, $0.05..$0.05, 0ns..2s");
    // It may have to wait between two attempts.
    let long = bounded("attempt_timeout: 2s, max_retries: 1");
    assert_eq!(long, "100..200 tokens, $0.05..$0.10, 0ns..60s");
    // A call that is not idempotent is never retried.
    assert_eq!(takes(r#""a" >> post"#), "0..0 tokens, $0.05..$0.05, 0ns..60s");
    let inner = r#"("a" >> STEP within { max_retries: 2 }) within { max_retries: 0 }"#;
    assert_eq!(takes(inner), "100..300 tokens, $0.05..$0.15, 0ns..60s");
}

#[test]
fn flows_count_at_each_call() {
    let script = "flow f(x: string) -> string { x >> ONCE }\n\"a\" >> f >> f";
    assert_eq!(takes(script), "200..200 tokens, $0.10..$0.10, 0ns..120s");
    let bounded = "flow f(x: string) -> string within { timeout: 5s, max_cost: $0.12 } { x >> STEP }\n\"a\" >> f >> f";
    assert_eq!(takes(bounded), "200..800 tokens, $0.10..$0.24, 0ns..10s");
}

#[test]
fn lets_run_as_soon_as_they_can() {
    // a and then c, or b, whichever takes longer; and then the result.
    let script = "let a = \"a\" >> wait(duration: 1s)\nlet b = \"b\" >> wait(duration: 3s)\nlet c = a >> wait(duration: 4s)\n\"${a}${b}${c}\" >> wait(duration: 1s)";
    assert_eq!(takes(script), "0..0 tokens, $0.00..$0.00, 6s..6s");
    // Unused values are not computed.
    let unused = "let a = \"a\" >> wait(duration: 9s)\n\"b\" >> wait(duration: 1s)";
    assert_eq!(takes(unused), "0..0 tokens, $0.00..$0.00, 1s..1s");
}

#[test]
fn prompts_count_by_their_bytes() {
    // One token for each byte of the prompt, 256 for overhead, and the answer.
    let known = r#""four" >> paid(max_tokens: 10)"#;
    assert_eq!(takes(known), "0..270 tokens, $0.00..$0.00093, 0ns..60s");
    let counted = "param n: int 1..99\n\"n = ${n}\" >> paid(max_tokens: 10)";
    assert_eq!(takes(counted), "0..272 tokens, $0.00..$0.000936, 0ns..60s");
    // [1,2,3] in JSON.
    let list = r#""${[1, 2, 3]}" >> paid(max_tokens: 10)"#;
    assert_eq!(takes(list), "0..273 tokens, $0.00..$0.000939, 0ns..60s");
    // Three numbers of two digits, and two texts between them.
    let joined = "param n: int 1..99\n[n, n, n] >> each { \"${it}\" } >> join(sep: \", \") >> paid(max_tokens: 10)";
    assert_eq!(takes(joined), "0..276 tokens, $0.00..$0.000948, 0ns..60s");
    // A text of any length is limited by what one call may use.
    let any = "param t: string\nt >> paid(max_tokens: 10)";
    assert_eq!(takes(any), "0..128000 tokens, $0.00..$0.38412, 0ns..60s");
}

#[test]
fn caps_of_the_script_are_judged() {
    let under = |cap: &str| verdicts(&format!("\"a\" >> STEP within {{ max_cost: {cap} }}"));
    assert_eq!(under("$0.20"), ["max_cost: $0.20 proven"]);
    assert_eq!(under("$0.19"), ["max_cost: $0.19 enforced"]);
    assert_eq!(under("$0.05"), ["max_cost: $0.05 enforced"]);
    let script = |cap: &str| format!("\"a\" >> STEP within {{ max_cost: {cap} }}");
    assert_eq!(codes(&script("$0.049")), ["E309"]);
    assert_eq!(codes(&script("$0")), ["E309"]);
    assert_eq!(codes("\"a\" >> STEP within { max_tokens: 99 }"), ["E309"]);
    assert_eq!(codes("\"a\" >> wait(duration: 2s) within { timeout: 1s }"), ["E309"]);
    assert_eq!(codes("\"a\" >> wait(duration: 2s) within { timeout: 2s }"), [""; 0]);
    // Money that was already spent is not available.
    assert_eq!(codes("\"a\" >> (ONCE >> ONCE) within { max_cost: $0.09 }"), ["E309"]);
    assert_eq!(codes("[\"a\", \"b\"] >> each { ONCE } within { max_tokens: 199 }"), ["E309"]);
    // This case may not occur.
    assert_eq!(codes("\"a\" >> (ONCE fallback it) within { max_cost: $0.01 }"), [""; 0]);
    assert_eq!(codes("\"a\" >> (parallel { a?: ONCE }) within { max_cost: $0.01 }"), [""; 0]);
    assert_eq!(codes("[\"a\"] >> (each? { ONCE }) within { max_cost: $0.01 }"), [""; 0]);
}

#[test]
fn bounds_are_judged_where_they_stand() {
    let file = "svc 1 within { max_cost: $0.10, timeout: 9s }\n\"a\" >> ONCE >> ONCE";
    assert_eq!(verdicts(file), ["max_cost: $0.10 proven", "timeout: 9s enforced"]);
    let both = "svc 1 within { max_cost: $1 }\n\"a\" >> STEP within { max_cost: $0.10 }";
    assert_eq!(verdicts(both), ["max_cost: $1.00 proven", "max_cost: $0.10 enforced"]);
    let looser = "svc 1 within { max_cost: $1 }\n\"a\" >> STEP within { max_cost: $2 }";
    assert_eq!(verdicts(looser), ["max_cost: $1.00 proven", "max_cost: $2.00 useless"]);
    assert_eq!(codes(looser), ["E306"]);
    // A flow keeps its own promise, for any caller.
    let flow = "svc 1 within { max_cost: $1 }\nflow f(x: string) -> string within { max_cost: $2 } { x >> STEP }\n\"a\" >> f";
    assert_eq!(codes(flow), [""; 0]);
    assert_eq!(codes("\"a\" >> wait(duration: 1s) within { max_cost: $1 }"), ["E306"]);
    assert_eq!(codes("svc 1 within { max_cost: $1 }\n\"a\" >> wait(duration: 1s)"), [""; 0]);
}

#[test]
fn caps_of_the_run_are_judged() {
    let script = filled(r#""a" >> STEP"#);
    let capped = |cents: i64| {
        let planned = engine().run(script.as_str()).max_cost(Money::cents(cents)).plan().unwrap();
        let all: Vec<String> = planned.verdicts().iter().map(message).collect();
        (all.concat(), shown(planned.envelope()))
    };
    let most = |cost: &str| format!("100..400 tokens, $0.05..{cost}, 0ns..60s");
    assert_eq!(capped(20), ("max_cost: $0.20 proven".to_owned(), most("$0.20")));
    assert_eq!(capped(12), ("max_cost: $0.12 enforced".to_owned(), most("$0.12")));
    assert_eq!(capped(4).0, "max_cost: $0.04 impossible");
    let timed = engine().run(script.as_str()).timeout(Duration::from_secs(3)).plan().unwrap();
    assert_eq!(shown(timed.envelope()), "100..400 tokens, $0.05..$0.20, 0ns..3s");
    let few = engine().run(script.as_str()).max_tokens(300).plan().unwrap();
    assert_eq!(few.verdicts().iter().map(message).collect::<String>(), "max_tokens: 300 enforced");
}

#[test]
fn what_has_no_price_has_no_most() {
    assert_eq!(takes(r#""a" >> unpriced"#), "0..any tokens, $0.00..any, 0ns..60s");
    for cap in ["max_cost: $1", "max_tokens: 9"] {
        assert_eq!(codes(&format!("\"a\" >> unpriced within {{ {cap} }}")), ["E311"]);
        assert_eq!(codes(&format!("svc 1 within {{ {cap} }}\n\"a\" >> unpriced")), ["E311"]);
    }
    assert_eq!(codes(r#""a" >> unpriced within { timeout: 1s }"#), [""; 0]);
    let nobody = r#""a" >> ask"#;
    assert!(takes(nobody).contains("$0.00..any"), "{}", takes(nobody));
}

#[test]
fn lists_of_any_length_are_refused_under_caps() {
    let capped = |list: &str| {
        let found = codes(&format!(
            "param xs: [string]\nparam n: int\n{list} >> each {{ ONCE }} within {{ max_cost: $9 }}"
        ));
        // Not each of these lists has the length `n`.
        found.into_iter().filter(|it| *it != "E221").collect::<Vec<_>>()
    };
    assert_eq!(capped("xs"), ["E310"]);
    assert_eq!(capped("xs >> sort { it } >> reverse"), ["E310"]);
    assert_eq!(capped("xs >> take(n: 3)"), [""; 0]);
    assert_eq!(capped("xs >> take(n: n)"), [""; 0]);
    let free = "param xs: [string]\nxs >> each { wait(duration: 1s) } within { max_tokens: 9 }";
    assert_eq!(codes(free), ["E306"]);
}

/// Code that never runs needs neither a price nor a maximum.
#[test]
fn nothing_is_open_of_what_never_runs() {
    assert_eq!(codes("[] >> each { unpriced } within { max_cost: $1 }"), [""; 0]);
    let none =
        "param xs: [[string]]\nxs >> take(n: 0) >> each { each { ONCE } } within { max_cost: $1 }";
    assert_eq!(codes(none), [""; 0]);
}

/// A cap limits a call, but does not prove anything: the call may be refused because of it.
#[test]
fn a_cap_does_not_prove_itself() {
    let any = "param t: string\nt >> paid(max_tokens: 10) within { max_tokens: 1000 }";
    assert_eq!(takes(any), "0..1000 tokens, $0.00..$0.00312, 0ns..60s");
    assert_eq!(verdicts(any), ["max_tokens: 1000 enforced"]);
    let known = r#""four" >> paid(max_tokens: 10) within { max_tokens: 270 }"#;
    assert_eq!(verdicts(known), ["max_tokens: 270 proven"]);
    let file = "svc 1 within { max_tokens: 1000 }\nparam t: string\nt >> paid(max_tokens: 10)";
    assert_eq!(verdicts(file), ["max_tokens: 1000 enforced"]);
    // A call that an inner cap refuses never reaches the outer one.
    let both = "svc 1 within { max_tokens: 1000 }\nparam t: string\nt >> paid(max_tokens: 10) within { max_tokens: 500 }";
    assert_eq!(verdicts(both), ["max_tokens: 1000 proven", "max_tokens: 500 enforced"]);
    let given = "param t: string\nt >> paid(max_tokens: 10)";
    let capped = engine().run(given).max_tokens(1000).plan().unwrap();
    assert_eq!(message(&capped.verdicts()[0]), "max_tokens: 1000 enforced");
}

/// An unknown bound may have any value.
#[test]
fn bounds_that_are_not_known_yet_may_be_any() {
    let retries = "param k: int\n\"a\" >> STEP within { max_retries: k }";
    assert_eq!(takes(retries), "100..any tokens, $0.05..any, 0ns..60s");
    let computed = "flow f(x: string, k: int) -> string { x >> STEP within { max_retries: k } }\nlet n = \"a\" >> list(most: 9) >> len\n\"a\" >> f(k: n)";
    assert_eq!(takes(computed), "100..any tokens, $0.05..any, 0ns..120s");
    let kinds = "param k: string\n\"a\" >> step(cents: 5, tokens: 100, takes: 1s) within { retry_on: [k], max_retries: 1 }";
    assert_eq!(takes(kinds), "0..200 tokens, $0.00..$0.10, 0ns..60s");
    let parallel = "param k: int\n[\"a\", \"b\", \"c\"] >> each { wait(duration: 1s) } within { max_parallel: k }";
    assert_eq!(takes(parallel), "0..0 tokens, $0.00..$0.00, 1s..3s");
    let inner = "param k: duration\n\"a\" >> (wait(duration: 9s) within { attempt_timeout: k, max_retries: 0 }) within { attempt_timeout: 1s }";
    assert_eq!(takes(inner), "0..0 tokens, $0.00..$0.00, 9s..9s");
    // The inner one is known, and takes precedence.
    let known = "param k: int\n\"a\" >> (STEP within { max_retries: 1 }) within { max_retries: k }";
    assert_eq!(takes(known), "100..200 tokens, $0.05..$0.10, 0ns..60s");
}

/// A flow that is passed on counts where it is called, including its effects.
#[test]
fn flows_that_are_passed_on_count() {
    let script = |stage: &str| {
        format!(
            "flow one(x: string) -> string {{ x >> ONCE >> post }}\nflow all(x: string, g: flow<string -> string>) -> string {{ {stage} }}\n\"a\" >> all(g: one)"
        )
    };
    let called = script("x >> g >> g");
    assert_eq!(takes(&called), "200..200 tokens, $0.20..$0.20, 0ns..240s");
    let evaluated = script(
        "[{ input: x, expected: x }, { input: \"b\", expected: x }] >> (evaluate(flow: g) within { max_retries: 0 }) >> \"${.score}\"",
    );
    assert_eq!(takes(&evaluated), "0..200 tokens, $0.00..$0.20, 0ns..60s");
    for script in [called, evaluated] {
        let effects: Vec<String> =
            plan(&script).effects().iter().map(ToString::to_string).collect();
        assert_eq!(effects, ["writes board", "spends"], "{script}");
    }
}

/// A plan that is too large to visit every call has the same result.
#[test]
fn large_plans_count_the_same() {
    let twice = |body: &dyn Fn(&str) -> String| {
        let mut text = String::from(
            "flow end(x: string) -> string { x >> post }\nflow f0(x: string, g: flow<string -> string>) -> string { x >> g }\n",
        );
        for idx in 1..=20 {
            let call = format!("f{}(g: g)", idx - 1);
            text += &format!(
                "flow f{idx}(x: string, g: flow<string -> string>) -> string {{ x >> {} }}\n",
                body(&call)
            );
        }
        text + "\"a\" >> f20(g: end)"
    };
    let calls = twice(&|call| format!("{call} >> {call}"));
    // 2^20 calls.
    assert_eq!(takes(&calls), "0..0 tokens, $52428.80..$52428.80, 0ns..62914560s");
    let turns = twice(&|call| format!("repeat 2 {{ {call} }} until it == \"\" else {{ it }}"));
    assert_eq!(takes(&turns), "0..0 tokens, $0.00..$52428.80, 0ns..62914560s");
    for script in [calls, turns] {
        let effects: Vec<String> =
            plan(&script).effects().iter().map(ToString::to_string).collect();
        assert_eq!(effects, ["writes board", "spends"], "{}", &script[..200]);
    }
}
