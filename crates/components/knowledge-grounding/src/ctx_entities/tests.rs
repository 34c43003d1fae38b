//! Entities of texts, also of those that are made to break them.

use std::{fmt::Write as _, sync::Arc};

use proptest::prelude::*;
use svc_contract::{
    registry::{
        Compute as _, Cx, Field as _, Meter, Monitor, OpError, ParamDefault, Params,
        documents::Entity,
    },
    value::{Value, json},
};
use svc_host_os::test::TestHost;
use tokio_util::sync::CancellationToken;

use super::{Infer, learn::Learn, link};

struct Silent;

impl Monitor for Silent {
    fn progress(&self, _: &str, _: u64, _: Option<u64>) {}
    fn notice(&self, _: &str) {}
}

fn with_token(token: CancellationToken) -> Cx {
    Cx::new("test", Arc::new(TestHost::new()), token, Arc::new(Silent), Meter::default())
}

fn cx() -> Cx {
    with_token(CancellationToken::new())
}

/// Decodes the op from `input` and `args`, with defaults for the rest.
fn decode<P: Params>(input: Value, args: &[(&str, Value)]) -> P {
    let given = |name: &str| args.iter().find(|(it, _)| *it == name).map(|(_, it)| it.clone());
    let rest = P::PARAMS.iter().filter(|it| !it.is_input);
    let rest =
        rest.map(|it| given(it.name).or(it.default.map(ParamDefault::value)).unwrap_or_default());
    let mut all: Vec<Value> = std::iter::once(input).chain(rest).collect();
    P::decode(&mut all).unwrap()
}

fn entities(text: &str, args: &[(&str, Value)]) -> Result<Vec<Entity>, OpError> {
    let found = decode::<Infer>(text.into(), args).run(&cx())?;
    Ok(Vec::<Entity>::decode(found).unwrap())
}

/// The entities as `type: text`.
fn found(text: &str) -> Vec<String> {
    let all = entities(text, &[]).unwrap();
    all.iter().map(|it| format!("{}: {}", it.r#type, it.text)).collect()
}

fn are_pieces(text: &str, all: &[Entity]) {
    let mut last = 0;
    for it in all {
        let (start, end) = (usize::try_from(it.start).unwrap(), usize::try_from(it.end).unwrap());
        assert_eq!(text.get(start..end), Some(it.text.as_ref()), "{text:?}: {it:?}");
        assert!(start >= last && start < end, "{text:?}: {all:?}");
        assert!((0.0..=1.0).contains(&it.score), "{it:?}");
        last = end;
    }
}

#[test]
fn codes_are_found_by_their_form_and_checksum() {
    assert_eq!(
        found("Mail anna.b+c@mail.example.co.uk or see https://example.com/a_(b)?x=1."),
        ["email: anna.b+c@mail.example.co.uk", "url: https://example.com/a_(b)?x=1"]
    );
    assert_eq!(found("from 10.0.0.255:80 to 2001:db8::1."), ["ip: 10.0.0.255", "ip: 2001:db8::1"]);
    assert_eq!(found("1.2.3 and 256.1.1.1 and 1.2.3.4.5"), [""; 0]);
    assert_eq!(
        found("GB82 WEST 1234 5698 7654 32, DE89370400440532013000."),
        ["iban: GB82 WEST 1234 5698 7654 32", "iban: DE89370400440532013000"]
    );
    assert_eq!(
        found("4111-1111-1111-1111 but not 4111-1111-1111-1112"),
        ["card: 4111-1111-1111-1111"]
    );
    assert_eq!(found("SSN 536-90-4399, not 000-12-3456"), ["ssn: 536-90-4399"]);
    assert_eq!(found("order INV-2024-001"), ["code: INV-2024-001"]);
    assert_eq!(found("ISBN 978-0-306-40615-7"), ["code: 978-0-306-40615-7"]);
    assert_eq!(
        found("id 123e4567-e89b-12d3-a456-426614174000"),
        ["code: 123e4567-e89b-12d3-a456-426614174000"]
    );
}

#[test]
fn phones_are_numbers_in_groups_or_after_a_word() {
    for phone in
        ["+49 30 901820", "(212) 555-0199", "212-555-0199", "020 7946 0958", "+1-202-555-0143"]
    {
        assert_eq!(found(&format!("Reach me: {phone}.")), [format!("phone: {phone}")]);
    }
    assert_eq!(found("My phone is 2025550143"), ["phone: 2025550143"]);
    assert_eq!(found("In total 2025550143"), [""; 0]);
}

#[test]
fn quantities_have_their_units() {
    assert_eq!(
        found("$1,250.50, 3 million euros, EUR 5, 12 % of 5 km, £2bn"),
        [
            "money: $1,250.50",
            "money: 3 million euros",
            "money: EUR 5",
            "amount: 12 %",
            "amount: 5 km",
            "money: £2bn"
        ]
    );
    assert_eq!(found("1.000,50 € und 20 Prozent"), ["money: 1.000,50 €", "amount: 20 Prozent"]);
}

#[test]
fn dates_are_days_of_the_calendar() {
    for date in [
        "2024-02-29",
        "2024-02-29T10:00:00Z",
        "29.02.2024",
        "2/29/2024",
        "29 February 2024",
        "February 29, 2024",
        "29. Februar 2024",
        "1er mars 2024",
        "March 2024",
    ] {
        assert_eq!(found(&format!("It was {date}.")), [format!("date: {date}")]);
    }
    assert_eq!(found("founded in 1977."), ["date: 1977"]);
    assert_eq!(found("2024-13-40, 45.77.2020, 1977 apples"), [""; 0]);
}

#[test]
fn names_have_shapes_and_neighbours() {
    assert_eq!(
        found("Mrs. Jean O'Neill-Smith works at the University of Oxford in England."),
        ["person: Jean O'Neill-Smith", "organisation: University of Oxford", "place: England"]
    );
    assert_eq!(found("My name is Rubija"), ["person: Rubija"]);
    assert_eq!(
        found("Siemens AG opened in Berlin."),
        ["organisation: Siemens AG", "place: Berlin"]
    );
    assert_eq!(found("The cat sat on the mat. It was happy."), [""; 0]);
}

#[test]
fn a_list_finds_its_names_as_whole_words() {
    let list = json::read(
        r#"[{"name":"New York Times","type":"organisation","id":"nyt"},{"name":"York","type":"place"},
            {"name":"łódź","type":"place","id":"l"},{"name":"北京","type":"place","id":"bj"}]"#,
    )
    .unwrap();
    let all = |text: &str| {
        let all = entities(
            text,
            &[
                ("gazetteer", list.clone()),
                ("types", json::read(r#"["place","organisation"]"#).unwrap()),
            ],
        )
        .unwrap();
        are_pieces(text, &all);
        all.into_iter()
            .map(|it| format!("{}={}", it.text, it.id.unwrap_or_default()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        all("the NEW YORK\n  TIMES, and Yorks, and York"),
        ["NEW YORK\n  TIMES=nyt", "York="]
    );
    assert_eq!(all("ŁÓDŹ i Łódź"), ["ŁÓDŹ=l", "Łódź=l"]);
    assert_eq!(all("我在北京工作"), ["北京=bj"]);
}

#[test]
fn bad_input_is_an_error_or_nothing() {
    let error = |args: &[(&str, Value)]| entities("x", args).unwrap_err().message;
    let list = |text: &str| json::read(text).unwrap();
    assert!(
        error(&[("gazetteer", list(r#"[{"name":" "}]"#))])
            .contains("item 1 of `gazetteer` has no name")
    );
    let long = format!(r#"[{{"name":"{}"}}]"#, "x".repeat(300));
    assert!(error(&[("gazetteer", list(&long))]).contains("too long"));
    assert_eq!(found(""), [""; 0]);
    assert_eq!(found(" \n\t\u{feff}"), [""; 0]);
}

#[test]
fn a_long_text_is_read_in_time_and_can_be_stopped() {
    let texts = [
        "A".repeat(1 << 17),
        "1".repeat(1 << 17),
        "1-".repeat(1 << 16),
        "a@".repeat(1 << 16),
        "A b. ".repeat(1 << 14),
        "(1) ".repeat(1 << 14),
        "::::".repeat(1 << 15),
        "O'".repeat(1 << 15),
        "http://".repeat(1 << 13),
    ];
    for text in &texts {
        let started = std::time::Instant::now();
        let all = entities(text, &[]).unwrap();
        are_pieces(text, &all);
        let took = started.elapsed();
        assert!(took.as_secs() < 60, "{:?} took {took:?}", &text[..8]);
    }
    let token = CancellationToken::new();
    token.cancel();
    let stopped = decode::<Infer>(texts[4].as_str().into(), &[]).run(&with_token(token));
    assert!(stopped.is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Pieces of text that look like parts of entities, in any order.
    #[test]
    fn entities_are_pieces_of_any_text(parts in prop::collection::vec(prop_oneof![
        "\\PC{0,6}",
        "[ \\n.,:;()@/'’-]{1,3}",
        prop::sample::select(vec![
            "Dr.", "Ö", "İstanbul", "$", "€ 5", "12", "3.5", "+49", "GB82 WEST 1234 5698 7654 32",
            "4111 1111 1111 1111", "a@b.example", "https://", "2024-01-01", "March", "of", "de",
            "New York", "\u{301}", "北京", "é", "::1", "127.0.0.1", "ISBN", "%", "O'", "J.", "\u{a0}",
        ]).prop_map(str::to_owned),
    ], 0..24)) {
        let text = parts.concat();
        let list = json::read(r#"[{"name":"New York"},{"name":"é","type":"x"},{"name":"istanbul"}]"#).unwrap();
        let all = entities(&text, &[("gazetteer", list)]).unwrap();
        are_pieces(&text, &all);
        let again = entities(&text, &[]).unwrap();
        are_pieces(&text, &again);
    }
}

/// Texts with marked names: `person` after a verb, `place` after `in`.
fn marked() -> Value {
    let mut all = String::new();
    for (idx, (name, place)) in [
        ("Ann", "Lund"),
        ("Bob", "Köln"),
        ("Zoë Łys", "Ghent"),
        ("Ivo", "Pisa"),
        ("Uma", "Oslo"),
        ("Eve", "Bari"),
    ]
    .iter()
    .cycle()
    .take(24)
    .enumerate()
    {
        let text = format!("Yesterday {name} arrived in {place} again.");
        let (start, other) = (text.find(name).unwrap(), text.find(place).unwrap());
        let mark = if idx > 0 { "," } else { "" };
        let _ = write!(
            all,
            r#"{mark}{{"text":"{text}","entities":[{{"start":{start},"end":{},"type":"who"}},{{"start":{other},"end":{},"type":"where"}}]}}"#,
            start + name.len(),
            other + place.len()
        );
    }
    json::read(&format!("[{all}]")).unwrap()
}

#[test]
fn what_is_learnt_finds_new_names_and_is_always_the_same() {
    let learn = || decode::<Learn>(marked(), &[]).run(&cx()).unwrap();
    let model = learn();
    let (Value::Model(one), Value::Model(two)) = (&model, &learn()) else { panic!("{model}") };
    assert_eq!(one.id(), two.id());
    let text = "Yesterday Ilse Ørn arrived in Århus again.";
    let all = entities(text, &[("model", model)]).unwrap();
    are_pieces(text, &all);
    let shown: Vec<String> = all.iter().map(|it| format!("{}: {}", it.r#type, it.text)).collect();
    assert_eq!(shown, ["who: Ilse Ørn", "where: Århus"]);
}

#[test]
fn wrong_marks_are_errors_with_their_place() {
    let learn = |text: &str| {
        decode::<Learn>(json::read(text).unwrap(), &[]).run(&cx()).unwrap_err().message
    };
    let cases = [
        (
            r#"[{"text":"é","entities":[{"start":1,"end":2,"type":"x"}]}]"#,
            "entity 1 of text 1 is not a piece",
        ),
        (
            r#"[{"text":"ab","entities":[{"start":-1,"end":1,"type":"x"}]}]"#,
            "not a piece of the text: -1..1",
        ),
        (r#"[{"text":"ab","entities":[{"start":1,"end":1,"type":"x"}]}]"#, "not a piece"),
        (r#"[{"text":"ab","entities":[{"start":0,"end":1,"type":""}]}]"#, "no usable type"),
        (
            r#"[{"text":"abc","entities":[{"start":0,"end":2,"type":"x"},{"start":1,"end":3,"type":"x"}]}]"#,
            "entities 1 and 2 of text 1 overlap",
        ),
    ];
    for (texts, wanted) in cases {
        let message = learn(texts);
        assert!(message.contains(wanted), "{message}");
    }
}

/// Scores of `rapidfuzz.distance.JaroWinkler.similarity` 3.14, written by `similarities.py`.
#[test]
fn similarities_are_those_of_rapidfuzz() {
    let cases: Vec<(String, String, f64)> =
        serde_json::from_str(include_str!("similarities.json")).unwrap();
    assert!(cases.len() > 200);
    for (a, b, wanted) in cases {
        let got = link::similarity(&a, &b);
        assert!((got - wanted).abs() < 1e-9, "{a:?} {b:?}: {got} for {wanted}");
    }
}
