use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use super::{from_value, to_value};
use crate::value::{Money, Secret, Value, json};

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Order {
    id: u64,
    note: Option<String>,
    cost: Money,
    took: Duration,
    state: State,
    tags: BTreeMap<String, Vec<i8>>,
    pair: (bool, char),
    any: Value,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
enum State {
    Open,
    Paid(f64),
    Sent { at: String },
    Split(u8, u8),
}

fn order(state: State, any: Value) -> Order {
    let tags = [("a".to_owned(), vec![-1, 2])].into();
    let took = Duration::new(90, 5);
    let cost = Money::cents(5);
    Order { id: 1, note: None, cost, took, state, tags, pair: (true, 'x'), any }
}

fn show<T: std::fmt::Debug>(it: Result<T, super::TypeMismatch>) -> String {
    it.map_or_else(|err| err.to_string(), |it| format!("{it:?}"))
}

#[test]
fn structs_are_records() {
    let written = to_value(&order(State::Open, Value::Size(7))).unwrap();
    assert_eq!(
        json::write(&written),
        r#"{"id":1,"note":null,"cost":"$0.05","took":"1m30s0.000005ms","state":"Open","tags":{"a":[-1,2]},"pair":[true,"x"],"any":7}"#
    );
    let field = |name| written.as_record().unwrap().get(name).unwrap();
    assert!(matches!(field("cost"), Value::Money(_)));
    assert!(matches!(field("took"), Value::Duration(_)));
    assert!(matches!(field("any"), Value::Size(7)));
}

#[test]
fn what_is_written_is_read_again() {
    let states =
        [State::Open, State::Paid(0.5), State::Sent { at: "noon".to_owned() }, State::Split(1, 2)];
    for state in states {
        let order = order(state, Value::from(vec![Value::Path("a".into()), Value::Null]));
        assert_eq!(from_value::<Order>(&to_value(&order).unwrap()).unwrap(), order);
    }
    let sent = to_value(&State::Sent { at: "noon".to_owned() }).unwrap();
    assert_eq!(json::write(&sent), r#"{"Sent":{"at":"noon"}}"#);
}

#[test]
fn kinds_that_serde_does_not_know_stay_what_they_are() {
    let values = [
        Value::Duration(Duration::MAX),
        Value::Money(Money::from_nanos(i64::MIN)),
        Value::Size(u64::MAX),
        Value::Path("\"a b\"".into()),
        Value::Bytes([0, 255].as_slice().into()),
        Value::Bytes([].as_slice().into()),
    ];
    for value in values {
        for copy in [to_value(&value).unwrap(), from_value(&value).unwrap()] {
            assert_eq!((&copy, copy.kind()), (&value, value.kind()));
        }
    }
    // As JSON they are text, and no JSON becomes one of them.
    let text = json::write(&Value::Duration(Duration::from_secs(1)));
    assert_eq!(json::read(&text).unwrap().kind(), "string");
    assert_eq!(json::read(r#"{"svc::duration":"1s"}"#).unwrap().kind(), "record");
}

#[derive(Debug, Deserialize)]
struct Bill {
    took: Duration,
    cost: Money,
}

#[test]
fn units_are_read_from_text_as_in_json() {
    let read = json::read(r#"{"took": "1m", "cost": "$2"}"#).unwrap();
    let bill: Bill = from_value(&read).unwrap();
    assert_eq!((bill.took, bill.cost), (Duration::from_mins(1), Money::cents(200)));
    let read = json::read(r#"{"took": 1, "cost": "$2"}"#).unwrap();
    assert_eq!(show(from_value::<Bill>(&read)), "expected duration for `took`, found int");
    let read = json::read(r#"{"took": "1s", "cost": true}"#).unwrap();
    assert_eq!(show(from_value::<Bill>(&read)), "expected money for `cost`, found bool");
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Table {
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize, Serialize)]
struct Row {
    n: u8,
    kind: Option<State>,
}

#[test]
fn a_misfit_has_its_place() {
    let read = |text: &str| show(from_value::<Table>(&json::read(text).unwrap()));
    let rows = |row: &str| read(&format!(r#"{{"rows": [{{"n": 1}}, {row}]}}"#));
    assert_eq!(rows(r#"{"n": "x"}"#), "expected int for `rows[1].n`, found string");
    assert_eq!(rows(r#"{"n": 256}"#), "expected int 0..255 for `rows[1].n`, found 256");
    assert_eq!(rows("{}"), "expected a value for `rows[1].n`, found nothing");
    assert_eq!(rows("[]"), "expected record for `rows[1]`, found list");
    let kind = |kind: &str| rows(&format!(r#"{{"n": 1, "kind": {kind}}}"#));
    let states = r#"one of "Open", "Paid", "Sent", "Split""#;
    assert_eq!(kind(r#""Lost""#), format!(r#"expected {states} for `rows[1].kind`, found "Lost""#));
    assert_eq!(kind("1"), format!("expected {states} for `rows[1].kind`, found int"));
    assert_eq!(
        kind(r#"{"Split": [1, 2, 3]}"#),
        "expected a list of 2 items for `rows[1].kind.Split`, found a list of 3 items"
    );
    assert_eq!(
        kind(r#""Paid""#),
        "expected a record with the field `Paid` for `rows[1].kind`, found \"Paid\""
    );
    assert_eq!(read(r#"{"row": 1}"#), r#"expected a field that is one of "rows", found "row""#);
}

#[test]
fn what_no_value_can_hold_is_an_error_with_its_place() {
    let big: BTreeMap<&str, Vec<u64>> = [("n", vec![1, u64::MAX])].into();
    assert_eq!(
        show(to_value(&big)),
        "expected int -9223372036854775808..9223372036854775807 for `n[1]`, found 18446744073709551615"
    );
    let float: Option<State> = Some(State::Paid(f64::NAN));
    assert_eq!(show(to_value(&float)), "expected a finite float for `Paid`, found NaN");
    let keys: BTreeMap<i32, i32> = [(1, 2)].into();
    assert_eq!(show(to_value(&keys)), "expected a string as the key of a map, found int");
    let secret = Value::Secret(Secret::new("x"));
    assert_eq!(
        show(to_value(&[&secret])),
        "expected a value that can be written for `[0]`, found a secret or a flow"
    );
    assert_eq!(show(from_value::<String>(&secret)), "expected string, found secret");
    assert_eq!(
        show(from_value::<Value>(&secret)),
        "expected a value that can be read, found secret"
    );
}

#[test]
fn other_shapes_of_serde_are_read() {
    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Id {
        Number(i64),
        Name(String),
    }
    #[derive(Debug, Deserialize, PartialEq)]
    struct Named {
        id: Id,
        #[serde(flatten)]
        rest: BTreeMap<String, serde_json::Value>,
    }
    let read = json::read(r#"{"id": "a", "x": [1, null], "y": 0.5}"#).unwrap();
    let named: Named = from_value(&read).unwrap();
    assert_eq!(named.id, Id::Name("a".to_owned()));
    assert_eq!(serde_json::to_string(&named.rest).unwrap(), r#"{"x":[1,null],"y":0.5}"#);
    let text = json::read(r#""borrowed""#).unwrap();
    assert_eq!(from_value::<&str>(&text).unwrap(), "borrowed");
    let bytes = Value::Bytes([1, 2].as_slice().into());
    assert_eq!(from_value::<Vec<u8>>(&bytes).unwrap(), [1, 2]);
}
