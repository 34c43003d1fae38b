//! Each number for small results.

use proptest::prelude::*;
use svc_contract::value::json;

use super::*;

fn value(text: &str) -> Value {
    json::read(text).unwrap()
}

fn of_parts(parts: [Option<f64>; 4]) -> Option<Quality> {
    let [accuracy, confidence, completeness, efficiency] = parts;
    Quality::of(Parts { accuracy, confidence, completeness, efficiency })
}

fn is(found: Option<f64>, wanted: f64) -> bool {
    found.is_some_and(|it| (it - wanted).abs() < 1e-3)
}

#[test]
fn utility_is_a_weighted_geometric_mean_of_what_is_there() {
    let all = of_parts([Some(1.0), Some(0.5), Some(0.8), Some(0.4)]).unwrap();
    let wanted = 0.5_f64.powf(0.25) * 0.8_f64.powf(0.25) * 0.4_f64.powf(0.15);
    assert!(is(Some(all.utility), wanted) && is(Some(all.coverage), 1.0), "{all:?}");
    let two = of_parts([Some(0.81), None, None, Some(0.36)]).unwrap();
    let wanted = 0.81_f64.powf(0.7) * 0.36_f64.powf(0.3);
    assert!(is(Some(two.utility), wanted) && is(Some(two.coverage), 0.5), "{two:?}");
    assert!(of_parts([None; 4]).is_none());
    assert!(of_parts([Some(f64::NAN), None, None, None]).is_none());
    assert!(is(of_parts([Some(0.0), Some(1.0), None, None]).map(|it| it.utility), 0.0));
}

#[test]
fn levels_begin_at_half_and_at_four_fifths() {
    let level = |it| of_parts([Some(it), None, None, None]).unwrap().level;
    assert_eq!([0.0, 0.499].map(level), [Level::Low; 2]);
    assert_eq!([0.5, 0.799].map(level), [Level::Fair; 2]);
    assert_eq!([0.8, 1.0].map(level), [Level::Good; 2]);
}

#[test]
fn tests_of_a_result_decide_about_its_accuracy() {
    let of = |text: &str| Quality::of_result(&value(text), None, None);
    let checks = r#"{"checks": [{"name": "a", "passed": true}, {"passed": false}, {"x": 1}]}"#;
    assert!(is(of(checks).unwrap().accuracy, 0.5));
    for unknown in ["3", r#""a text without sources is here""#, "null", "[]", r#"{"checks": []}"#] {
        assert!(of(unknown).is_none(), "{unknown}");
    }
}

#[test]
fn a_result_is_compared_with_its_own_sources() {
    let of = |text: &str| {
        let result = format!(
            r#"{{"answer": "{text} It is quiet there.", "confidence": 0.75,
                "sources": [{{"source": "a", "path": "a.md",
                    "text": "The bridge opened in 1937. It is quiet there."}}]}}"#
        );
        Quality::of_result(&value(&result), None, None).unwrap()
    };
    let right = of("The bridge opened in 1937.");
    assert!(is(right.accuracy, 1.0) && is(right.confidence, 0.75), "{right:?}");
    assert!(is(of("The bridge opened in 1938.").accuracy, 0.5));
}

#[test]
fn texts_are_found_in_results_and_sources_are_not_texts() {
    let said = |text: &str| Said::of(&value(text)).claims;
    let wanted = ["One two three.", "Four five six."];
    assert_eq!(said(r#""One two three. [1] Four five six.""#), wanted);
    assert_eq!(said(r#"["One two three.", "x", "Four five six."]"#), wanted);
    assert_eq!(
        said(r#"{"text": "One two three. Four five six.", "sources": ["a b c d"]}"#),
        wanted
    );
    let nested = r#"{"n": 1, "found": {"answer": "", "sentences": [
        {"text": "One two three.", "sources": [{"path": "a", "text": "Not this one here."}]},
        {"text": "Four five six.", "path": "b"}]}}"#;
    assert_eq!(said(nested), wanted);
    assert_eq!(Said::of(&value(nested)).cited.texts().count(), 1);
    for none in [
        r#"[{"title": "t", "path": "a.md", "text": "A document that was found."}]"#,
        r#"{"name": "A name of four words", "n": 1}"#,
        r#""two words""#,
    ] {
        assert!(said(none).is_empty(), "{none}");
    }
}

#[test]
fn long_results_are_read_in_part() {
    let text = "This is a sentence of a long text. ".repeat(20_000);
    let said = Said::of(&Value::from(text.as_str()));
    assert!((100..=200).contains(&said.claims.len()), "{}", said.claims.len());
    let deep = format!("{}\"One two three.\"{}", "[".repeat(60), "]".repeat(60));
    assert!(Said::of(&value(&deep)).claims.is_empty());
}

#[test]
fn missing_fields_and_items_make_a_result_incomplete() {
    let of = |text: &str, ty: &Type| {
        Quality::of_result(&value(text), Some(ty), None).and_then(|it| it.completeness)
    };
    let some =
        Type::record(vec![("a".into(), Type::Int(None)), ("b".into(), Type::Int(None).optional())]);
    assert!(is(of(r#"{"a": 1, "b": 2}"#, &some), 1.0));
    assert!(is(of(r#"{"a": 1, "b": null}"#, &some), 0.5));
    assert_eq!(of(r#"{"a": 1}"#, &Type::record(vec![("a".into(), Type::Int(None))])), None);
    let list = Type::List(Type::Int(None).optional().into(), None);
    assert!(is(of("[1, null, 3, 4]", &list), 0.75));
    assert_eq!(of("[]", &list), None);
}

#[test]
fn the_words_of_the_question_are_in_a_complete_result() {
    let of = |question: &str, text: &str| {
        let found = Quality::of_result(&text.into(), None, Some(question));
        found.and_then(|it| it.completeness)
    };
    let answer = "The budgets of all teams were approved in March.";
    assert!(is(of("Which budget was approved?", answer), 1.0));
    assert!(is(of("Which budget was rejected?", answer), 0.5));
    let german = "Das Budget wurde im März genehmigt, und die Teams haben es noch nicht erhalten.";
    assert!(is(of("Welches Budget wurde genehmigt?", german), 1.0));
    assert_eq!(of("How many teams have a budget for travel?", "There were 42."), None);
    let empty = value(r#"{"text": " ", "sources": []}"#);
    let empty = Quality::of_result(&empty, None, Some("Which budget was approved?")).unwrap();
    assert!(is(empty.completeness, 0.0) && empty.level == Level::Low, "{empty:?}");
}

#[test]
fn the_question_is_a_param_of_that_name_or_a_short_first_text() {
    let of = |text: &str| question_of(value(text).as_record().unwrap()).map(ToString::to_string);
    assert_eq!(of(r#"{"k": 3, "city": "Rome", "query": "why?"}"#).as_deref(), Some("why?"));
    assert_eq!(of(r#"{"k": 3, "city": "Rome", "query": " "}"#).as_deref(), Some("Rome"));
    assert_eq!(of(r#"{"k": 3}"#), None);
    assert_eq!(of(&format!(r#"{{"text": "{}"}}"#, "word ".repeat(100))), None);
}

fn part() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![Just(None), Just(Some(f64::NAN)), (-0.5..1.5_f64).prop_map(Some)]
}

fn results() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-2.0..2.0_f64).prop_map(Value::Float),
        "[a-z0-9 .\\[\\]]{0,40}".prop_map(|it| Value::from(it.as_str())),
    ];
    let name = prop::sample::select(vec![
        "answer",
        "text",
        "sources",
        "path",
        "checks",
        "passed",
        "confidence",
        "sentences",
        "a",
    ]);
    leaf.prop_recursive(4, 40, 5, move |inner| {
        let record = prop::collection::vec((name.clone(), inner.clone()), 0..5);
        let record = record.prop_map(|all| {
            Value::Record(all.into_iter().map(|(name, it)| (name.into(), it)).collect())
        });
        prop_oneof![prop::collection::vec(inner, 0..5).prop_map(Value::from), record]
    })
}

fn holds(it: &Quality) {
    let Quality { accuracy, confidence, completeness, efficiency, utility, coverage, level } = it;
    let known: Vec<f64> =
        [accuracy, confidence, completeness, efficiency].into_iter().flatten().copied().collect();
    let (least, greatest) = (known.iter().copied().fold(1.0, f64::min), known.iter().copied());
    assert!(known.iter().chain([utility, coverage]).all(|it| (0.0..=1.0).contains(it)), "{it:?}");
    assert!(least <= *utility && *utility <= greatest.fold(0.0, f64::max), "{it:?}");
    assert!(*coverage > 0.0 && *level == Level::of(*utility), "{it:?}");
}

proptest! {
    #[test]
    fn every_number_is_a_share(parts in [part(), part(), part(), part()]) {
        if let Some(it) = of_parts(parts) {
            holds(&it);
        }
    }

    #[test]
    fn every_result_has_a_quality_of_shares(result in results(), question in ".{0,30}") {
        let ty = Type::record(vec![("a".into(), Type::Json.optional()), ("text".into(), Type::Text)]);
        if let Some(it) = Quality::of_result(&result, Some(&ty), Some(&question)) {
            holds(&it);
        }
    }
}
