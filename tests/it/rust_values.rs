//! Rust types and values of the language: structs as params, results as structs, record types, and
//! the type of a result. Uses only names that an embedding program has.

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use svc::{
    Error,
    diag::Style,
    registry::{ErrorKind, RecordDef},
    value::{Date, Money, Timestamp, Value, from_value, json, to_value},
};

/// A customer of the shop.
#[derive(Clone, Debug, PartialEq, svc::Record)]
struct Customer {
    /// The name on the invoice.
    name: String,
    /// The age in years.
    age: u8,
    r#type: Option<String>,
    orders: Vec<Order>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, svc::Record)]
struct Order {
    cost: Money,
    took: Duration,
}

#[derive(Serialize)]
struct Ask {
    topic: String,
    limits: Limits,
    tags: Vec<u64>,
    style: Tone,
}

#[derive(Serialize)]
struct Limits {
    cost: Money,
    time: Duration,
    depth: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Tone {
    Short,
}

const ASK: &str = r#"
type Limits = { cost: money, time: duration, depth: int? }
type Ask = { topic: string, limits: Limits, tags: [int], style: "short" | "long" }
param ask: Ask
"${ask.topic} ${ask.limits.cost + $0.05} ${ask.limits.time + 1s} ${ask.limits.depth ?? 3} ${ask.style}"
"#;

fn ask(tags: Vec<u64>) -> Ask {
    let limits = Limits { cost: Money::cents(200), time: Duration::from_secs(90), depth: None };
    Ask { topic: "caps".to_owned(), limits, tags, style: Tone::Short }
}

fn customer() -> Customer {
    let order = Order { cost: Money::cents(150), took: Duration::from_millis(1_500) };
    Customer { name: "Ada".to_owned(), age: 36, r#type: None, orders: vec![order.clone(), order] }
}

#[tokio::test]
async fn a_struct_is_a_param() {
    let request = svc::engine();
    let request = request.run(ASK).param_serde("ask", &ask(vec![1])).gives::<String>();
    let answer: String = request.await.unwrap().get().unwrap();
    assert_eq!(answer, "caps $2.05 1m31s 3 short");
}

#[tokio::test]
async fn a_struct_that_no_value_can_hold_is_an_error_with_its_place() {
    let engine = svc::engine();
    let run = engine.run(ASK).param_serde("ask", &ask(vec![1, u64::MAX]));
    let err = run.await.map(|it| it.value).unwrap_err();
    assert_eq!(err.kind(), Some(ErrorKind::InvalidInput));
    let range = "-9223372036854775808..9223372036854775807";
    let wanted = format!("expected int {range} for `ask.tags[1]`, found 18446744073709551615");
    assert!(err.to_string().contains(&wanted), "{err}");

    let list = engine.run("param n: [int]\nn").param_serde("n", &["a"]);
    let err = list.await.map(|it| it.value).unwrap_err();
    assert!(err.to_string().contains(r#"expected int for `n[0]`, found "a""#), "{err}");
    let unknown = engine.run("1").param_serde("n", &u64::MAX).await.map(|it| it.value).unwrap_err();
    assert!(unknown.to_string().contains("no param `n`"), "{unknown}");
}

#[derive(Debug, Deserialize, PartialEq)]
struct Row {
    n: i64,
    cost: Money,
    took: Duration,
    any: Value,
}

#[tokio::test]
async fn a_result_is_a_list_of_structs() {
    let script = "[1, 2] >> each { { n: it, cost: $0.05 * it, took: 1s * it, any: 10MB } }";
    let response = svc::engine().run(script).await.unwrap();
    let rows: Vec<Row> = response.parse().unwrap();
    assert_eq!(rows[1].n, 2);
    assert_eq!((rows[1].cost, rows[1].took), (Money::cents(10), Duration::from_secs(2)));
    assert!(matches!(rows[0].any, Value::Size(10_000_000)));
}

#[tokio::test]
async fn a_result_of_another_shape_has_its_place() {
    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only read")]
    struct Table {
        rows: Vec<Row>,
    }
    let script = r#"{ rows: [{ n: 1, cost: $1, took: 1s, any: null }, { n: 2, cost: $1, took: 1s, any: null }] }
        >> to_json >> replace(from: "\"n\":2", to: "\"n\":\"2\"") >> parse_json"#;
    let response = svc::engine().run(script).await.unwrap();
    let misfit = response.parse::<Table>().unwrap_err();
    assert_eq!(misfit.to_string(), "expected int for `rows[1].n`, found string");
    assert_eq!(misfit.path, "rows[1].n");
}

#[tokio::test]
async fn a_derived_record_is_a_type_of_scripts() {
    assert_eq!(Customer::NAME, "Customer");
    assert_eq!(Customer::DOC, " A customer of the shop.\n");
    let fields: Vec<_> = Customer::FIELDS.iter().map(|it| (it.name, it.doc)).collect();
    assert_eq!(
        fields[..2],
        [("name", " The name on the invoice.\n"), ("age", " The age in years.\n")]
    );
    assert_eq!(fields[2].0, "type");

    let engine = svc::engine();
    let script = "param c: Customer\n{ ...c, orders: (c.orders >> take(n: 1)) }";
    let unknown = engine.check(script).unwrap_err();
    assert!(unknown.to_string().contains("unknown type `Customer`"), "{unknown}");

    let engine = engine.types::<Customer>();
    let response = engine.run(script).param("c", customer()).gives::<Customer>().await.unwrap();
    let shorter: Customer = response.get().unwrap();
    assert_eq!(shorter, Customer { orders: customer().orders[..1].to_vec(), ..customer() });
    let wrong = engine.check("param c: Customer\nc.nam").unwrap_err();
    assert!(wrong.to_string().contains("nam"), "{wrong}");
}

#[tokio::test]
async fn a_value_of_a_field_that_does_not_fit_has_its_place() {
    let script = r#"{ name: "Ada", age: 300, type: null, orders: [] }"#;
    let response = svc::engine().run(script).await.unwrap();
    let misfit = response.get::<Customer>().unwrap_err();
    assert_eq!(misfit.to_string(), "expected int 0..255 for `age`, found 300");
}

#[tokio::test]
async fn ints_of_all_sizes_are_params_and_results() {
    let engine = svc::engine();
    let script = "param n: int\nn";
    let run = |n: Value| {
        let request = engine.run(script).param("n", n);
        async move { request.await.map_err(|err| err.to_string()) }
    };
    for n in [Value::from(7_u8), 7_u16.into(), 7_u32.into(), 7_u64.into(), 7_usize.into()] {
        assert_eq!(run(n).await.unwrap().get::<u64>(), Ok(7));
    }
    for n in [Value::from(-7_i8), (-7_i16).into(), (-7_i32).into(), (-7_isize).into()] {
        let response = run(n).await.unwrap();
        assert_eq!(response.clone().get::<isize>(), Ok(-7));
        let misfit = response.clone().get::<u16>().unwrap_err();
        assert_eq!(misfit.to_string(), "expected int 0..65535, found -7");
        let misfit = response.get::<usize>().unwrap_err();
        assert_eq!(misfit.to_string(), "expected int, found -7");
    }
    let err = run(u64::MAX.into()).await.unwrap_err();
    assert!(err.contains("expected int for `n`, found 1.8446744073709552e19"), "{err}");
}

#[tokio::test]
async fn a_result_of_another_type_fails_before_anything_runs() {
    let engine = svc::engine();
    let request = engine.run("let n = 1\n\"a${n}\" >> upper >> lower").gives::<i64>();
    let Err(Error::Check(report)) = request.await.map(|it| it.value) else { panic!("it ran") };
    let problem = report.errors().next().unwrap();
    assert_eq!(problem.message, "expected int, found string");
    assert_eq!(problem.span().range(), 30..35, "the last stage");
    assert!(report.render(Style::Plain).contains("this is string"));

    let plan = engine.run("\"a\"").gives::<i64>().plan();
    assert!(plan.unwrap_err().to_string().contains("expected int, found string"));
    let none = engine.run("flow f(x: int) -> int { x }").gives::<i64>().plan();
    assert!(none.unwrap_err().to_string().contains("expected int, found nothing"));
}

#[tokio::test]
async fn a_result_that_get_can_convert_is_accepted() {
    let engine = svc::engine();
    let plan = |script: &str| engine.run(script.to_owned());
    assert!(plan("1").gives::<f64>().plan().is_ok());
    assert!(plan("1").gives::<Option<u8>>().plan().is_ok());
    assert!(plan("[1, 2]").gives::<Vec<Value>>().plan().is_ok());
    assert!(plan("{ a: 1 }").gives::<Value>().plan().is_ok());
    assert!(plan("{ cost: $1, took: 1s, more: 1 }").gives::<Order>().plan().is_ok());
    let lacking = plan("{ cost: $1 }").gives::<Order>().plan().unwrap_err();
    assert!(lacking.to_string().contains("expected Order, found { cost: money }"), "{lacking}");
}

#[tokio::test]
async fn a_response_can_be_passed_on() {
    let engine = svc::engine();
    let first = engine.run("{ cost: $1, took: 1s }").await.unwrap();
    let order: Order = first.parse().unwrap();
    let script = "param o: { cost: money, took: duration }\no.cost * 2";
    let doubled = engine.run(script).param_serde("o", &order).await.unwrap();
    assert_eq!(doubled.get::<Money>(), Ok(Money::cents(200)));
    let same = engine.run(script).param_serde("o", &first.value).await.unwrap();
    assert_eq!(same.get::<Money>(), Ok(Money::cents(200)));
}

/// What a program knows of a moment, in the types of the standard library and of jiff.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize, svc::Record)]
struct Moment {
    at: SystemTime,
    then: Option<SystemTime>,
}

#[derive(Clone, Debug, PartialEq, svc::Record)]
struct Exact {
    at: Timestamp,
    day: Date,
}

#[tokio::test]
async fn times_of_rust_are_times() {
    let engine = svc::engine();
    let at = SystemTime::UNIX_EPOCH + Duration::new(1_795_420_800, 7);
    let moment = Moment { at, then: None };
    let script = "param m: { at: time, then: time? }\n{ at: m.at + 1d, then: m.at }";
    let moved = engine.run(script).param_serde("m", &moment).await.unwrap();
    let day = Duration::from_hours(24);
    let later = Moment { at: at + day, then: Some(at) };
    assert_eq!(moved.parse::<Moment>().unwrap(), later);
    assert_eq!(moved.get::<Moment>(), Ok(later));
    let exact = engine.run("{ at: (now()) as time, day: \"2026-11-23\" }").await.unwrap_err();
    assert!(exact.to_string().contains("`as` expects json"), "{exact}");
    let exact = engine
        .run("let day: date = \"2026-11-23\"\n{ at: \"2026-11-23T08:00:00Z\" as time, day: day }");
    let exact = exact.await.unwrap().get::<Exact>().unwrap();
    assert_eq!((exact.at.as_second(), exact.day.day()), (1_795_420_800, 23));
    // Types that read themselves from text read times, too.
    assert_eq!(from_value(&Value::from(exact.day)), Ok("2026-11-23".to_owned()));
    let before = Value::from(SystemTime::UNIX_EPOCH - day);
    let wrong = from_value::<SystemTime>(&before).unwrap_err().to_string();
    assert_eq!(wrong, "expected a time from 1970 on, found 1969-12-31T00:00:00Z");
    assert_eq!(json::write(&before), "\"1969-12-31T00:00:00Z\"");
}

/// Times of the whole calendar.
fn moments() -> impl Strategy<Value = Timestamp> {
    let seconds = Timestamp::MIN.as_second()..=Timestamp::MAX.as_second();
    (seconds, 0..1_000_000_000).prop_map(|(second, nanos): (i64, i32)| {
        // The first second has no time before it.
        Timestamp::new(second, if second < 0 { -nanos } else { nanos }).unwrap_or(Timestamp::MIN)
    })
}

/// Values of all kinds that can leave a program.
fn values() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-1e300..1e300).prop_map(Value::Float),
        ".*".prop_map(Value::from),
        ".*".prop_map(|it: String| Value::Path(it.into())),
        (any::<u64>(), 0..1_000_000_000_u32)
            .prop_map(|(secs, nanos)| Value::Duration(Duration::new(secs, nanos))),
        any::<i64>().prop_map(|it| Value::Money(Money::from_nanos(it))),
        moments().prop_map(Value::Time),
        (-9999..=9999_i16, 1..=12_i8, 1..=28_i8)
            .prop_map(|(year, month, day)| Value::Date(Date::new(year, month, day).unwrap())),
        any::<u64>().prop_map(Value::Size),
        any::<Vec<u8>>().prop_map(|it| Value::Bytes(Arc::from(it))),
    ];
    plain.prop_recursive(4, 32, 6, |inner| {
        let fields = prop::collection::btree_map(".{0,8}", inner.clone(), 0..6);
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(Value::from),
            fields.prop_map(|it| {
                Value::Record(it.into_iter().map(|(name, it)| (name.into(), it)).collect())
            }),
        ]
    })
}

/// The value with the kinds of all its parts.
fn shown(value: &Value) -> String {
    format!("{value:?}")
}

/// Some Rust value of every shape that serde has by default.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
enum Shape {
    Unit,
    New(u64),
    Pair(i8, Option<f64>),
    Fields { name: String, took: Duration, cost: Money },
    Many(BTreeMap<String, Shape>),
}

fn shapes() -> impl Strategy<Value = Shape> {
    let plain = prop_oneof![
        Just(Shape::Unit),
        (0..=i64::MAX.unsigned_abs()).prop_map(Shape::New),
        (any::<i8>(), prop::option::of(-1e9..1e9)).prop_map(|(a, b)| Shape::Pair(a, b)),
        (".*", 0..u64::MAX / 2, any::<i64>()).prop_map(|(name, secs, nanos)| Shape::Fields {
            name,
            took: Duration::new(secs, 7),
            cost: Money::from_nanos(nanos),
        }),
    ];
    plain.prop_recursive(3, 16, 4, |inner| {
        prop::collection::btree_map(".{0,8}", inner, 0..4).prop_map(Shape::Many)
    })
}

proptest! {
    #[test]
    fn values_are_the_same_after_serde(value in values()) {
        prop_assert_eq!(shown(&to_value(&value).unwrap()), shown(&value));
        prop_assert_eq!(shown(&from_value::<Value>(&value).unwrap()), shown(&value));
        let text = json::write(&value);
        prop_assert_eq!(json::write(&json::read(&text).unwrap()), text);
    }

    #[test]
    fn rust_values_are_the_same_after_the_language(shape in shapes()) {
        let value = to_value(&shape).unwrap();
        prop_assert_eq!(&from_value::<Shape>(&value).unwrap(), &shape);
        // A value inside of another type is kept, too.
        let nested: BTreeMap<String, Value> = [("a".to_owned(), value.clone())].into();
        let nested = to_value(&nested).unwrap();
        prop_assert_eq!(shown(nested.as_record().unwrap().get("a").unwrap()), shown(&value));
    }
}
