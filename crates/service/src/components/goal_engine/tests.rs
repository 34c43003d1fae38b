use std::sync::Arc;

use proptest::prelude::*;
use svc_contract::{
    registry::{
        Bias, Catalog, Component, Example, Field, Inline, Op, OpError, Scheme, inline, params,
    },
    value::{Text, Value},
};
use svc_engine::Engine;
use svc_host_os::test::TestHost;

use super::{
    clauses::{Verbs, clauses},
    critique,
    decompose::{GoalPlan, decomposed},
    given::{Given, PlanStep},
    replan::replanned,
    validate::validated,
};
use crate::components;

fn engine() -> Engine {
    let registry = svc_components::registry().with(components::ALL);
    Engine::new(registry, Arc::new(TestHost::new()))
}

fn plan(goal: &str, engine: &Engine) -> GoalPlan {
    decomposed(goal, 8, None, engine as &dyn Catalog).unwrap()
}

/// Goals that were written without a look at the phrasings of the registry; the ops of their steps
/// with what each depends on, and the missing parts, as a person would have them.
const GOALS: [(&str, &str); 20] = [
    (
        "Find the five most relevant documents about refunds in docs, then summarise them and save the summary to refunds.md",
        "search[] summary[0] write_file[1]",
    ),
    ("Count how many words essay.txt has", "read_text[] words[0] len[1]"),
    (
        "Read sales.csv, sort the rows by amount and keep the first ten",
        "adapt_dataframe.read[] adapt_dataframe.sort[0] take[1]",
    ),
    (
        "Transcribe interview.mp3 and summarise the transcript",
        "summary[] ?Transcribe interview.mp3",
    ),
    (
        "First extract all e-mail addresses from contacts.html, then remove duplicates and write them to mails.txt",
        "read_text[] entities[0] unique[1] write_file[2]",
    ),
    (
        "Summarise a.md and count the words of b.md",
        "read_text[] summary[0] read_text[] words[2] len[3]",
    ),
    ("Download https://example.com/news and summarise the page", "http_pages[] as[0] summary[1]"),
    ("Translate letter.txt into French", "read_text[] text[0] ask[1]"),
    (
        "Get the text of contract.pdf, find the names of people in it and save them as names.json",
        "pdf_text[] entities[0] save_json[1]",
    ),
    ("Turn the headline \"War of the Worlds\" into a slug", "slug[]"),
    ("Compute the average of [3, 5, 10] and round it", "avg[] round[0]"),
    (
        "Send an email to anna@example.com after checking the numbers in report.xlsx",
        "?checking the numbers in report.xlsx ?Send an email to anna@example.com",
    ),
    ("Parse config.json and take the field version", "read_json[] at[0]"),
    ("Detect the language of note.txt", "read_text[] detect_language[0]"),
    (
        "Book a flight to Rome and add it to my calendar",
        "?Book a flight to Rome ?add it to my calendar",
    ),
    (
        "Split poem.txt into lines, reverse them and join them again",
        "read_text[] lines[0] reverse[1] join[2]",
    ),
    ("Rerank the search results for \"pricing\" and keep the best three", "rerank[] take[0]"),
    ("Generate a logo for my bakery", "?Generate a logo for my bakery"),
    ("What are the key words of thesis.pdf?", "pdf_text[] keywords[0]"),
    ("Wait five minutes, then ask me whether to continue", "wait[] approve[0]"),
];

/// The steps by their short names, with what they depend on; then the missing parts.
fn shown(plan: &GoalPlan, engine: &Engine) -> String {
    let registry = Engine::registry(engine);
    let steps = plan.steps.iter().map(|it| {
        let op = it.component.as_ref().zip(it.op.as_ref());
        let name = match op.and_then(|(component, op)| registry.find_op(component, op)) {
            Some(op) => op.script_name(),
            None => match it.rationale.trim_matches('`') {
                stage if stage.contains(" as ") => "as".to_owned(),
                stage if stage.starts_with('"') => "text".to_owned(),
                stage => stage.split('`').next().unwrap_or_default().to_owned(),
            },
        };
        format!("{name}{:?}", it.depends_on)
    });
    let missing = plan.missing.iter().map(|it| format!("?{}", it.part));
    steps.chain(missing).collect::<Vec<_>>().join(" ")
}

#[test]
fn goals_are_split_into_steps() {
    let engine = engine();
    let (mut right, mut others) = (0, Vec::new());
    for (goal, wanted) in GOALS {
        let plan = plan(goal, &engine);
        let is = shown(&plan, &engine);
        right += usize::from(is == wanted);
        if is != wanted {
            others.push(format!("{goal}: expected {wanted}, found {is} ({})", plan.confidence));
        }
        for (at, step) in plan.steps.iter().enumerate() {
            let earlier = |it: &i64| usize::try_from(*it).is_ok_and(|it| it < at);
            assert!(step.depends_on.iter().all(earlier), "{goal}: {step:?}");
            let names = step.component.as_ref().zip(step.op.as_ref());
            let is_real =
                |(component, op): (&svc_contract::value::Text, &svc_contract::value::Text)| {
                    Engine::registry(&engine).find_op(component, op).is_some()
                };
            assert!(names.is_none_or(is_real), "{goal}: {step:?}");
        }
    }
    assert!(right >= 15, "{right} of {} are right:\n{}", GOALS.len(), others.join("\n"));
}

#[test]
fn what_nothing_does_is_missing() {
    let engine = engine();
    for goal in [
        "describe the garden",
        "fly to the moon",
        "bake a cake",
        "wash the car and iron the shirts",
        "hum a tune",
    ] {
        let plan = plan(goal, &engine);
        assert!(plan.steps.is_empty() && !plan.missing.is_empty(), "{goal}: {plan:?}");
        assert!(plan.confidence.abs() < f64::EPSILON, "{goal}");
    }
    let error = decomposed("?!", 8, None, &engine).unwrap_err();
    assert!(error.message.contains("empty goal"), "{error}");
}

#[test]
fn a_person_is_asked_and_not_a_model() {
    let engine = engine();
    let goal = "Summarise notes.md, then ask me for approval before saving it to done.md";
    let is = shown(&plan(goal, &engine), &engine);
    assert_eq!(is, "read_text[] summary[0] approve[1] write_file[2]");
}

#[test]
fn more_steps_than_allowed_are_missing() {
    let engine = engine();
    let goal = "Split poem.txt into lines, reverse them and join them again";
    let plan = decomposed(goal, 2, None, &engine).unwrap();
    assert_eq!((plan.steps.len(), plan.missing.len()), (2, 2), "{plan:?}");
    assert_eq!(plan.missing[0].nearest[0].as_ref(), "reverse");
}

#[test]
fn clauses_are_in_the_order_in_which_they_are_done() {
    let engine = engine();
    let verbs = Verbs::of(Engine::registry(&engine));
    let cut = |goal: &str| -> Vec<String> {
        clauses(goal, &verbs).into_iter().map(|it| it.text).collect()
    };
    assert_eq!(
        cut("Read a.txt, then sort it and save it to b.txt."),
        ["Read a.txt", "sort it", "save it to b.txt"]
    );
    assert_eq!(cut("summarise it after reading a.txt"), ["reading a.txt", "summarise it"]);
    assert_eq!(cut("After reading a.txt, summarise it"), ["reading a.txt", "summarise it"]);
    assert_eq!(cut("replace \"a and sort\" in x.txt"), ["replace \"a and sort\" in x.txt"]);
    assert_eq!(cut("the average and the median of x"), ["the average and the median of x"]);
    assert!(clauses("é ß and then", &verbs).len() == 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    /// No goal makes it panic, and no word of a goal is lost.
    #[test]
    fn any_text_is_cut(goal in "[a-zA-Zé.,;\" ]{0,60}( and | then |, |\\. ){0,1}[a-z ]{0,20}") {
        let engine = engine_once();
        let verbs = Verbs::of(Engine::registry(engine));
        for clause in clauses(&goal, &verbs) {
            prop_assert!(clause.text.chars().any(char::is_alphanumeric));
        }
    }
}

fn engine_once() -> &'static Engine {
    static ENGINE: std::sync::LazyLock<Engine> = std::sync::LazyLock::new(engine);
    &ENGINE
}

fn script(text: &str) -> Given {
    Given::of(None, Some(text.into())).unwrap()
}

fn steps(json: &str) -> Result<Given, svc_contract::registry::OpError> {
    let value = svc_contract::value::json::read(json).unwrap();
    let steps = <Vec<PlanStep> as Field>::decode(filled(value)).unwrap();
    Given::of(Some(steps), None)
}

/// Steps with all their fields, as the check of a call completes them.
fn filled(value: Value) -> Value {
    value.cast(&<Vec<PlanStep> as Field>::SCHEME.plain()).unwrap()
}

#[test]
fn problems_have_places_and_fixes() {
    let engine = engine();
    let found = validated(&script("let n = 1\n\"a\" >> uper"), &engine);
    assert!(!found.valid);
    let typo = found.problems.iter().find(|it| it.severity.as_ref() == "error").unwrap();
    assert_eq!((typo.place.as_ref(), typo.code.as_deref()), ("script:2:8", Some("E201")));
    assert_eq!(typo.fix.as_deref(), Some("upper"));
    assert!(found.fixed.unwrap().contains(">> upper"));
    let warned = validated(&script("let n = 1\n\"a\" >> upper"), &engine);
    assert!(warned.valid && warned.problems[0].code.as_deref() == Some("E221"), "{warned:?}");

    let wrong = steps(
        r#"[{"component":"text","op":"upper","params":{"text":"a"}},
            {"component":"text","op":"splitt"},{"component":"nope"}]"#,
    );
    let found = validated(&wrong.unwrap(), &engine);
    let places: Vec<&str> = found.problems.iter().map(|it| it.place.as_ref()).collect();
    assert_eq!(places, ["steps[1]", "steps[2]"], "{found:?}");
    let error = steps(r#"[{"title":"sort"}]"#).err().unwrap();
    assert!(error.message.contains("step 1: expected a component"), "{error}");
    assert!(Given::of(None, None).is_err() && steps("[]").is_err());
}

fn rules(given: &Given) -> Vec<(String, String)> {
    let engine = engine();
    let made = given.sound_plan(&engine).unwrap();
    let found = critique::findings(given, &made, &engine);
    found.iter().map(|it| (it.rule.to_string(), it.path.to_string())).collect()
}

#[test]
fn a_critique_reports_what_follows_from_the_plan() {
    let has = |given: &Given, rule: &str, path: &str| {
        let found = rules(given);
        let is_it = |it: &(String, String)| it.0 == rule && it.1.contains(path);
        assert!(found.iter().any(is_it), "{rule} {path}: {found:?}");
    };
    has(&script(r#""a" >> write_file(to: "a.txt")"#), "writes", "write_file");
    has(&script("let n = 1\n2"), "E221", "script:1");
    has(&script(r#"approve("a", question: "go on?")"#), "waits_for_a_person", "approve");
    has(&script(r#"approve("a", question: "go on?")"#), "no_timeout", "");
    has(&script(r#"exec("ls")"#), "runs_program", "exec");
    let two = r#"[{"component":"text","op":"upper","params":{"text":"a"}},
                  {"component":"text","op":"lower","params":{"text":"B"}}]"#;
    has(&steps(two).unwrap(), "result_not_used", "steps[0]");
    assert_eq!(rules(&script("1 + 1")), []);
    let chain = r#"[{"component":"text","op":"upper","params":{"text":"a"}},
                    {"component":"text","op":"lower"}]"#;
    assert_eq!(rules(&steps(chain).unwrap()), []);
}

params! {
    /// Converts all letters to upper case.
    struct Capitals {
        /// The text.
        text: Text,
    }
}

impl Op for Capitals {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Scheme::Text;
    const SAYS: &'static [&'static str] = &["all letters in upper case", "shout it", "capitals"];
    const EXAMPLES: &'static [Example] = &[Example::ok("Capitals", r#""a" >> capitals"#, r#""A""#)];
}

impl Inline for Capitals {
    fn run(self) -> Result<Value, OpError> {
        Ok(self.text.to_uppercase().into())
    }
}

static CAPITALS: Component = Component {
    name: "capitals",
    cluster: "testing",
    summary: "Another way to upper case.",
    version: 1,
    bias: Bias::NONE,
    aliases: &[],
    ops: &[inline::<Capitals>()],
};

#[test]
fn a_failed_part_is_replaced_or_left_out() {
    let engine = engine().with(&[&CAPITALS]);
    let again = |given: &Given, failed: &str| replanned(given, failed, "it broke", &engine);
    let found = again(&script(r#""a" >> upper >> len"#), "upper").unwrap();
    assert_eq!(found.change.as_ref(), "`upper` was replaced by `capitals`", "{found:?}");
    assert!(script(&found.script).plan(&engine).is_ok(), "{found:?}");
    let found = again(&script(r#""a" >> trim >> len"#), "text.trim").unwrap();
    assert!(script(&found.script).plan(&engine).is_ok(), "{found:?}");
    let error = again(&script("[1] >> len"), "1").unwrap_err();
    assert!(error.message.contains("nothing replaces") && error.message.contains("it broke"));
    let error = again(&script("[1] >> len"), "upper").unwrap_err();
    assert!(error.message.contains("no call of the plan"), "{error}");
    let three = r#"[{"component":"text","op":"split","params":{"text":"a b","sep":" "}},
                    {"component":"list","op":"reverse"},{"component":"list","op":"len"}]"#;
    for failed in ["2", "steps[1]", "reverse", "list.reverse"] {
        let found = again(&steps(three).unwrap(), failed).unwrap();
        assert!(!found.script.contains("list.reverse"), "{found:?}");
    }
    let error = again(&steps(three).unwrap(), "9").unwrap_err();
    assert!(error.help.unwrap().contains("2 (list.reverse)"));
}

/// A plan of `decompose_goal` is what the other tools take.
#[test]
fn steps_of_a_goal_can_be_checked() {
    let engine = engine();
    let plan = plan("Summarise a.md and count the words of b.md", &engine);
    let json = svc_contract::value::json::write(&plan.encode());
    let value = svc_contract::value::json::read(&json).unwrap();
    let given = value.as_record().unwrap().get("steps").unwrap().clone();
    let given = steps(&svc_contract::value::json::write(&given)).unwrap();
    let found = validated(&given, &engine);
    assert!(found.problems.iter().all(|it| it.message.contains("missing argument")), "{found:?}");
}

/// Letters that get longer in lower case move no place.
#[test]
fn goals_in_any_letters_are_split() {
    for goal in ["get İİİİİİ", "after İ, read İ.csv", "İstanbul then İzmir", "READ a.CSV AND İ"]
    {
        let _ = decomposed(goal, 8, None, engine_once());
    }
}
