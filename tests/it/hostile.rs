//! Text that no human would write: it causes an error, but never a crash or an endless wait.
//!
//! Everything here runs on a thread with the stack of an ordinary worker, 2 MiB.

use std::{fmt::Write as _, panic, sync::LazyLock, thread};

use proptest::prelude::*;
use svc::{Engine, Error, Response};
use svc_lang::{
    diag::{Problem, Report, Style},
    plan::Plan,
};

static ENGINE: LazyLock<Engine> = LazyLock::new(svc::engine);

const STACK: usize = 2 << 20;

fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap_or_else(|why| panic::resume_unwind(why))
    })
}

/// Parses, checks, plans and formats, and looks up every place that a problem names.
fn plan(text: &str) -> Result<Plan, Report> {
    on_a_small_stack(|| {
        let planned = ENGINE.plan(text);
        let formatted = svc_lang::syntax::format(text).text;
        assert!(text.trim().is_empty() || !formatted.is_empty(), "all of it was removed");
        match &planned {
            Ok(plan) => assert_valid(text, &plan.program().warnings.problems),
            Err(report) => {
                assert!(report.has_errors(), "refused without a reason");
                assert_valid(text, &report.problems);
            }
        }
        planned
    })
}

fn assert_valid(text: &str, problems: &[Problem]) {
    for problem in problems {
        let places = problem.labels.iter().map(|it| it.span);
        for span in places.chain(problem.fixes.iter().map(|it| it.span)) {
            assert!(text.get(span.range()).is_some(), "{span:?} is not in the text: {problem:?}");
        }
    }
}

/// The first problem, rendered: for text that must not check.
fn refused(text: &str) -> String {
    let Err(report) = plan(text) else { panic!("this checks: {}", &text[..text.len().min(80)]) };
    on_a_small_stack(|| {
        assert!(!report.render(Style::Plain).is_empty());
        report.errors().next().map(ToString::to_string).unwrap()
    })
}

/// Runs on one small stack. A script that is refused for its depth returns `None`.
fn run(text: &str) -> Option<Result<Response, Error>> {
    on_a_small_stack(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        match runtime.block_on(async { ENGINE.run(text).await }) {
            Err(Error::Check(report)) => {
                assert_valid(text, &report.problems);
                None
            }
            ran => Some(ran),
        }
    })
}

fn value(text: &str) -> String {
    match run(text) {
        Some(Ok(response)) => response.value.to_string(),
        Some(Err(error)) => panic!("{error}"),
        None => panic!("refused: {}", plan(text).unwrap_err()),
    }
}

#[test]
fn brackets_that_never_close() {
    for bracket in
        ["(", "[", "{", "\"${", "len(", "each {", "parallel { a: ", "xs[", "rhai() -> int {"]
    {
        refused(&bracket.repeat(10_000));
        refused(&format!("{bracket}\n").repeat(10_000));
    }
}

#[test]
fn brackets_that_nest_too_deep() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{ a: ", "}"), ("\"${", "}\""), ("len(", ")")] {
        let (open, close) = (open.repeat(10_000), close.repeat(10_000));
        let message = refused(&format!("{open}1{close}"));
        assert!(message.contains("limit 256 levels"), "{message}");
    }
    assert!(
        refused(&format!("1 >> {}it{}", "each { ".repeat(10_000), " }".repeat(10_000)))
            .contains("limit 256 levels")
    );
}

#[test]
fn brackets_that_only_close() {
    for bracket in [")", "]", "}", "}\"", ") (", "] [", "}\n"] {
        refused(&bracket.repeat(10_000));
    }
}

#[test]
fn types_that_nest_too_deep() {
    for (open, close) in [("[", "]"), ("{ a: ", " }")] {
        refused(&format!("type T = {}int{}", open.repeat(10_000), close.repeat(10_000)));
        refused(&format!("type T = {}", open.repeat(10_000)));
    }
    refused(&format!("param x: {}int{}\nx", "flow<int -> ".repeat(10_000), ">".repeat(10_000)));
    refused(&format!("param x: {}int{}\nx", "secret<".repeat(10_000), ">".repeat(10_000)));
    refused(&format!("param x: int{}\nx", "?".repeat(10_000)));
}

#[test]
fn chains_without_brackets() {
    let conditions = "if true { 1 } ".to_owned() + "else if true { 1 } ".repeat(10_000).as_str();
    refused(&format!("{conditions} else {{ 1 }}"));
    refused(&format!("{}true", "not ".repeat(100_000)));
    refused(&format!("{}1", " - ".repeat(100_000)));
    refused(&format!("{}true", "!".repeat(10_000)));
    refused(&format!("param a: int\na{}", " + a".repeat(100_000)));
    refused(&format!("it{}", ".a".repeat(100_000)));
    refused(&format!("1 >> {{ a: it{} }}", ".a".repeat(10_000)));
    refused(&format!("[{}1{}]", "(1 + ".repeat(250), " + 1)".repeat(250).repeat(4)));
    refused(&format!("{}1{}", ("not ".repeat(90) + "(").repeat(256), ")".repeat(256)));
    refused(&format!("param a: json\na{}", "?.a".repeat(10_000)));
    refused(&format!("param a: json\na{}", "[0]".repeat(10_000)));
    refused(&format!("1{}", " as int".repeat(10_000)));
    refused(&"a.".repeat(10_000));
    refused(&"fail(\"\") fallback ".repeat(10_000));
    refused(&"1 within { } ".repeat(10_000));
    refused(&"| ".repeat(10_000));
    refused(&"for ".repeat(10_000));
    refused(&"let ".repeat(10_000));
}

#[test]
fn long_texts() {
    refused(&"'\n".repeat(10_000));
    refused(&"\"\\".repeat(10_000));
    refused(&"\"${".repeat(10_000));
    refused(&"x // no\n".repeat(10_000));
    refused(&"\u{1F980}".repeat(10_000));
    refused(&"9".repeat(100_000));
    refused(&format!("$1{}", "0".repeat(100_000)));
    refused(&format!("\"\\u{{{}}}\"", "f".repeat(100_000)));
    assert!(plan(&format!("\"{}\"", "\\n".repeat(100_000))).is_ok());
    assert!(plan(&("# a comment\n".repeat(100_000) + "1")).is_ok());
}

/// An unknown name is compared with known ones, but not every name with all others.
#[test]
fn many_unknown_names() {
    let lines = |line: &dyn Fn(usize) -> String| (1..=1_000).map(line).collect::<String>();
    refused(&lines(&|it| format!("let x{it} = nothing{it}\n")));
    refused(&lines(&|it| format!("type T{it} = Nothing{it}\n")));
    refused(&"a".repeat(100_000));
}

/// Lets that depend on each other in a long chain, next to one that writes.
#[test]
fn chains_next_to_a_write() {
    let mut text = String::from("let written = \"a\" >> write_file(to: \"b\")\nlet x0 = 1\n");
    for idx in 1..=2_000 {
        writeln!(text, "let x{idx} = x{} + 1", idx - 1).unwrap();
    }
    assert!(plan(&(text + "x2000")).is_ok());
}

/// Anything allowed between two words is allowed after an operator.
#[test]
fn gaps_behind_operators() {
    let signs = ["or", "and", "==", "!=", "<", ">", "<=", ">=", "??", "+", "*", "/", "%", "-"];
    for gap in [" ", "\u{FEFF}", " # why\n", "\r\n\t", " // why\n"] {
        for sign in signs {
            let _ = plan(&format!("1 {sign}{gap}2"));
        }
        let _ = plan(&format!("not{gap} true"));
        let _ = plan(&format!("!{gap}true"));
        let _ = plan(&format!("-{gap}1"));
        let _ = plan(&format!("1 >>{gap}(it)"));
        let _ = plan(&format!("1 |{gap}(it)"));
    }
    assert_eq!(value("3 > # why\n 2"), "true");
    assert_eq!(value("3 - # why\n 2"), "1");
}

/// Long scripts that are not deep are valid.
#[test]
fn long_scripts_run() {
    let stages = format!("0{}", " >> (it + 1)".repeat(10_000));
    assert_eq!(value(&stages), "10000");

    let mut lets = String::from("let x0 = 0\n");
    for idx in 1..=10_000 {
        writeln!(lets, "let x{idx} = x{} + 1", idx - 1).unwrap();
    }
    assert_eq!(value(&(lets + "x10000")), "10000");

    let list = format!("[{}] >> sum", "1, ".repeat(10_000));
    assert_eq!(value(&list), "10000");
}

#[test]
fn the_deepest_that_is_allowed_runs() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    assert_eq!(value(&nested("(", "7", ")", 256)), "7");
    assert_eq!(value(&nested("abs(", "7", ")", 256)), "7");
    assert_eq!(value(&nested("(0 + ", "7", ")", 256)), "7");
    assert_eq!(value(&nested("\"${", "7", "}\"", 256)), "7");
    let records = format!("7 >> {}", nested("parallel { a: ", "it", " }", 256));
    assert_eq!(value(&records), nested("{\"a\":", "7", "}", 256));
    let lists = format!("{} >> {}", nested("[", "7", "]", 128), nested("each { ", "it", " }", 128));
    assert_eq!(value(&lists), nested("[", "7", "]", 128));
    assert_eq!(value(&format!("{}true", "not ".repeat(1_000))), "true");
    assert_eq!(value(&format!("1{}", " + 1".repeat(1_000))), "1001");
    // I/O runs on a different path than inline computation.
    assert_eq!(value(&nested("(", SLOW, ")", 250)), "none");
}

/// A stage with I/O, which fails because its file is missing.
const SLOW: &str = "read_text(path: \"no such file\") fallback \"none\"";

/// Each flow calls the one before it.
fn flow_chain(length: usize, body: &str) -> String {
    let mut text = format!("flow f0(x: int) -> int {{ {body} }}\n");
    for idx in 1..=length {
        writeln!(text, "flow f{idx}(x: int) -> int {{ x >> f{} }}", idx - 1).unwrap();
    }
    text + format!("1 >> f{length}").as_str()
}

#[test]
fn flows_in_a_long_chain() {
    for body in ["x + 1", &format!("x + len({SLOW}) - 3"), &format!("x + (({SLOW}) >> len) - 3")] {
        for text in [flow_chain(2_000, body), reversed_lines(&flow_chain(2_000, body))] {
            if let Some(ran) = run(&text) {
                assert_eq!(ran.unwrap().value.to_string(), "2");
            }
        }
    }
}

fn reversed_lines(text: &str) -> String {
    text.lines().rev().collect::<Vec<_>>().join("\n")
}

/// Text that would double with every line if anything in it were expanded.
#[test]
fn doubling() {
    let lines = |line: &dyn Fn(usize) -> String| (1..=64).map(line).collect::<String>();
    let flows = plan(&doubling_flows()).unwrap();
    assert!(flows.show().len() < 8 << 20);
    assert!(plan(&doubling_flows().replace("(1 >> f64)", "let unused = 1 >> f64\n1")).is_ok());
    let types = lines(&|it| format!("type T{it} = {{ a: T{0}, b: T{0} }}\n", it - 1));
    refused(&format!("type T0 = int\n{types}param x: T64\nx"));
    let lets = lines(&|it| format!("let x{it} = {{ a: x{0}, b: x{0} }}\n", it - 1));
    refused(&format!("let x0 = 1\n{lets}x64"));
    refused(&format!("1{}", " >> { a: it, b: it }".repeat(64)));
    refused(&format!("1{}", " >> parallel { a: it, b: it }".repeat(64)));
    assert!(plan(&generic_flows("(x >> f{}) + (x >> f{})")).is_ok());
    refused(&generic_flows("let a = { a: x } >> f{}\n([x] >> f{}) + a"));
    refused(&generic_flows("{ a: x, b: x } >> f{}"));
}

/// Each flow calls the one before it, whose name takes the place of `f{}`, with other types.
fn generic_flows(body: &str) -> String {
    let mut text = String::from("flow f0<T>(x: T) -> int { 1 }\n");
    for idx in 1..=64 {
        let body = body.replace("f{}", &format!("f{}", idx - 1));
        writeln!(text, "flow f{idx}<T>(x: T) -> int {{ {body} }}").unwrap();
    }
    text + "1 >> f64"
}

/// Each flow calls the one before it twice.
fn doubling_flows() -> String {
    let mut text = String::from("flow f0(x: int) -> int { x }\n");
    for idx in 1..=64 {
        let before = idx - 1;
        writeln!(text, "flow f{idx}(x: int) -> int {{ (x >> f{before}) + (x >> f{before}) }}")
            .unwrap();
    }
    text + "(1 >> f64)"
}

/// Values that double during the run hit a limit of the run.
#[test]
fn doubling_values() {
    let failed = |text: &str| match run(text) {
        Some(Err(error)) => error.to_string(),
        ran => panic!("this should fail: {:.60} gave {}", text, ran.is_some()),
    };
    let twice = |stage: &str| format!(" >> {stage}").repeat(40);
    assert!(failed(&format!("\"a\"{}", twice("\"${it}${it}\""))).contains("256MiB"));
    assert!(failed(&format!("\"a\"{}", twice("(it + it)"))).contains("256MiB"));
    // A megabyte that occurs 2^40 times in a list.
    let long = format!("\"{}\"", "a".repeat(1 << 20));
    assert!(failed(&format!("{long}{} >> \"${{it}}\"", twice("[it, it]"))).contains("256MiB"));
    // Small in memory, but endless when written out.
    assert!(failed(&format!("1{}", twice("[it, it]"))).contains("256MiB"));
    assert!(
        failed(&format!("{} within {{ timeout: 50ms }}", doubling_flows())).contains("timeout")
    );
}

/// Values that are nested without brackets.
#[test]
fn nesting_without_brackets() {
    refused(&format!("1{}", " >> [it]".repeat(10_000)));
    let lines = |line: &dyn Fn(usize) -> String| (1..=2_000).map(line).collect::<String>();
    let types = format!("type T0 = int\n{}", lines(&|it| format!("type T{it} = [T{}]\n", it - 1)));
    refused(&format!("{types}param x: T2000\nx"));
    refused(&format!("param x: T2000\n{}\nx", reversed_lines(&types)));
    let lets = format!("let x0 = 1\n{}", lines(&|it| format!("let x{it} = [x{}]\n", it - 1)));
    refused(&format!("{lets}x2000"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_check_or_do_not(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = plan(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_tokens_check_or_do_not(tokens in prop::collection::vec(token(), 0..60)) {
        let _ = plan(&tokens.concat());
    }
}

/// A word or symbol of the language, usually with a gap after it.
fn token() -> impl Strategy<Value = String> {
    let word = prop::sample::select(WORDS.split_whitespace().collect::<Vec<_>>());
    let gap = prop::sample::select(vec!["", " ", " ", " ", "\n"]);
    (word, gap).prop_map(|(word, gap)| format!("{word}{gap}"))
}

const WORDS: &str = r#"
    svc param secret type use as flow test mock expect let parallel each if else match repeat until
    within fallback rhai where sort group it and or not true false null string int float [ ] ( ) { }
    , : . ? = + - * / % == != < <= > >= ?? ?. >> -> => ... .. | ! " """ ' ''' ${ \ # // ## $ _
    a b x T x: a: 1 0.5 1..5 30s $0.1 10MB 5x "a" "${x}" upper len( take(n: search summary max 9e99 é
"#;
