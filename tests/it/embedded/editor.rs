//! The handle of an editor: problems, completions and hovers at places of a browser.

use svc::{
    Engine, Policy,
    editor::{Document, Edit as _, Position},
};

use super::engine;

fn labels(doc: &Document, at: usize) -> Vec<String> {
    doc.complete(at).unwrap().all.into_iter().map(|it| it.label).collect()
}

fn has(labels: &[String], name: &str) -> bool {
    labels.iter().any(|it| it == name)
}

#[test]
fn places_are_those_of_a_browser() {
    let doc = engine().edit("let a = \"𝄞\"\nlet b = a >> uper\nb");
    let [problem] = doc.problems() else { panic!("{:?}", doc.problems()) };
    let range = doc.range(problem.span());
    assert_eq!(range, Position::new(1, 13)..Position::new(1, 17));
    assert_eq!(doc.offset(range.start), problem.span().start);
    assert_eq!(doc.position(doc.text().find("\"\n").unwrap()), Position::new(0, 11));
    assert_eq!(doc.offset(Position::new(9, 0)), doc.text().len());
    let hover = doc.hover(doc.offset(Position::new(1, 8))).unwrap();
    assert!(hover.text.contains("let a: string"), "{}", hover.text);
    // Any number is a place.
    for at in 0..=doc.text().len() + 2 {
        let _ = (doc.complete(at), doc.hover(at), doc.call_at(at), doc.position(at));
    }
}

#[test]
fn the_text_is_replaced() {
    let mut doc = engine().edit("1 >> uper");
    assert_eq!(doc.problems().len(), 1);
    doc.set_text("use \"lib.svc\" as lib\n\"a\" >> lib.loud");
    assert_eq!(doc.problems().len(), 1, "the file does not exist");
    doc.set_unsaved("lib.svc", "flow loud(text: string) -> string { text >> upper }");
    assert_eq!(doc.problems(), []);
    assert!(doc.pieces().iter().any(|it| &doc.text()[it.span.range()] == "loud"));
    doc.set_text("\"a\" >> take(");
    assert_eq!(doc.call_at(99).unwrap().name, "take");
}

fn careful(engine: Engine) -> Engine {
    engine.with_policy(Policy::closed().allow("reads web:good.example").unwrap())
}

const FLOWS: &str = "flow page(url: string) -> string { fetch(url: \"https://bad.example\") >> .text }\n\
                     flow good(url: string) -> string { fetch(url: \"https://good.example\") >> .text }\n\
                     flow twice(url: string) -> string { page(url) >> upper }\n";

/// What the policy can never allow is not offered: ops, flows that call them, and hints of holes.
#[test]
fn denied_things_are_not_offered() {
    let script = format!("{FLOWS}\"a\" >> ");
    let offered = |engine: &Engine| labels(&engine.edit(script.as_str()), script.len());
    let all = offered(&engine());
    assert!(has(&all, "page") && has(&all, "twice") && has(&all, "good"), "{all:?}");
    let allowed = offered(&careful(engine()));
    assert!(has(&allowed, "good") && has(&allowed, "upper"), "{allowed:?}");
    assert!(!has(&allowed, "page") && !has(&allowed, "twice"), "{allowed:?}");
    let denied = engine().with_policy(Policy::closed());
    let none = offered(&denied);
    assert!(!has(&none, "good") && !has(&none, "fetch"), "{none:?}");

    let hole = "(\"https://a.example\" >> ?).text";
    let help = |engine: Engine| engine.edit(hole).problems()[0].help.clone().unwrap();
    assert_eq!(help(engine()).contains("fetch"), help(careful(engine())).contains("fetch"));
    assert!(!help(denied.clone()).contains("fetch"), "{}", help(denied));
}

#[test]
fn a_hover_says_what_is_denied() {
    let script = "param url: string  fetch(url: url) >> .text";
    let hover = |engine: Engine| engine.edit(script).hover(20).unwrap().text;
    assert!(!hover(engine()).contains("policy"), "{}", hover(engine()));
    let denied = hover(engine().with_policy(Policy::closed()));
    assert!(denied.ends_with("The policy does not allow this."), "{denied}");
    let doc = engine().with_policy(Policy::closed()).edit(script);
    let effect = doc.problems()[0].refused.clone().unwrap();
    assert_eq!((effect.verb, effect.rule), ("reads", None));
}
