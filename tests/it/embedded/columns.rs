//! Blocks over a list give the same, whether it is kept as rows or as columns.

use proptest::prelude::*;
use svc::value::{List, Money, Record, Text, Value};

const TYPE: &str = "type Row = { i: int?, f: float?, b: bool?, s: string?, m: money?, l: [int]? }\n\
     param rows: [Row]\n";

fn some(of: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![5 => of, 1 => Just(Value::Null)].boxed()
}

fn row() -> impl Strategy<Value = Value> {
    let ints = prop_oneof![6 => -3_i64..4, 1 => Just(i64::MAX), 1 => Just(i64::MIN)];
    let floats = prop_oneof![
        4 => (-4_i32..5).prop_map(|it| f64::from(it) / 2.0),
        1 => Just(-0.0),
        1 => Just(1e300),
    ];
    let money = prop_oneof![4 => (-9_i64..9).prop_map(Money::cents), 1 => Just(Money::from_nanos(i64::MAX))];
    let names: std::sync::Arc<[Text]> = ["i", "f", "b", "s", "m", "l"].map(Text::from).into();
    (
        some(ints.prop_map(Value::Int)),
        some(floats.prop_map(Value::Float)),
        some(any::<bool>().prop_map(Value::Bool)),
        some("[ab]{0,2}".prop_map(Value::from)),
        some(money.prop_map(Value::Money)),
        some(prop::collection::vec((0_i64..3).prop_map(Value::Int), 0..3).prop_map(Value::from)),
    )
        .prop_map(move |(i, f, b, s, m, l)| {
            Value::Record(Record::new(names.clone(), vec![i, f, b, s, m, l]))
        })
}

fn number() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("(.i ?? 0)".to_owned()),
        Just("(.l ?? [] >> len)".to_owned()),
        Just("(it.i ?? 7)".to_owned()),
        (-2_i64..3).prop_map(|it| it.to_string()),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        (inner.clone(), prop_oneof!["\\+", "-", "\\*", "/", "%"], inner)
            .prop_map(|(a, op, b)| format!("({a} {op} {b})"))
    })
}

fn condition() -> impl Strategy<Value = String> {
    let compared = (number(), prop_oneof!["<", "<=", "==", "!="], number())
        .prop_map(|(a, op, b)| format!("({a} {op} {b})"));
    let leaf = prop_oneof![
        compared,
        Just("(.b ?? false)".to_owned()),
        Just("(.s == \"a\")".to_owned()),
        Just("(.f != null)".to_owned()),
        Just("((.f ?? 0.5) < 1.0)".to_owned()),
        Just("((.m ?? $0.01) > $0.02)".to_owned()),
        Just("(it == it)".to_owned()),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            (inner.clone(), prop_oneof!["and", "or"], inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.prop_map(|it| format!("(not {it})")),
        ]
    })
}

/// Stages that keep the type of the rows.
fn stage() -> impl Strategy<Value = String> {
    prop_oneof![
        condition().prop_map(|it| format!("where {{ {it} }}")),
        number().prop_map(|it| format!("sort {{ {it} }}")),
        Just("sort { .s ?? \"\" }".to_owned()),
        Just("sort { { b: .b ?? false, f: .f ?? 0.0 } }".to_owned()),
        (0_i64..6).prop_map(|it| format!("take(n: {it})")),
        Just("each { { i: .i, f: .f, b: .b, s: .s, m: .m, l: .l } }".to_owned()),
    ]
}

fn last() -> impl Strategy<Value = String> {
    prop_oneof![
        number().prop_map(|it| format!("each {{ {it} }}")),
        number().prop_map(|it| format!("each? {{ {it} }}")),
        number().prop_map(|it| format!("each {{ {{ ...it, n: {it} }} }}")),
        number().prop_map(|it| format!("each? {{ {{ ...it, n: {it} }} }}")),
        number().prop_map(|it| format!("each {{ {{ i: {it}, ...it, s: \"x${{.i ?? 0}}\" }} }}")),
        number().prop_map(|it| format!("each {{ {{ ...{{ f: {it}, n: .f }}, all: it, b: 1 }} }}")),
        Just("each { { m: .m, twice: (.m ?? $1) * 2 } } >> each { .twice }".to_owned()),
        Just("group { .s }".to_owned()),
        Just("group { { b: .b, s: .s } } >> each { { key: .key, n: (.items >> len) } }".to_owned()),
        number().prop_map(|it| format!("group {{ {it} }} >> each {{ .items >> last }}")),
        condition().prop_map(|it| format!("each {{ let x = .i\nif {it} {{ x }} else {{ .i }} }}")),
        Just("len".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn columns_and_rows_give_the_same(
        rows in prop::collection::vec(row(), 0..9),
        stages in prop::collection::vec(stage(), 0..4),
        last in last(),
        often in prop_oneof![9 => Just(1_usize), 1 => Just(150)],
    ) {
        let rows: Vec<Value> = rows.iter().cycle().take(rows.len() * often).cloned().collect();
        let script =
            format!("{TYPE}rows >> {} >> {last}", [&["take(n: 9999)".to_owned()][..], &stages].concat().join(" >> "));
        let engine = svc::engine();
        let columns = List::from(List::from(rows.clone()).columns().unwrap());
        prop_assert!(rows.is_empty() || columns.is_columns());
        let run = |given: List| {
            engine.run(&*script).param("rows", Value::List(given)).blocking().map(|it| it.value).map_err(
                |err| {
                    let it = err.report();
                    (it.message, it.path)
                },
            )
        };
        let (of_rows, of_columns) = (run(List::from(rows)), run(columns));
        prop_assert_eq!(
            of_rows.as_ref().map(svc::value::json::write).map_err(Clone::clone),
            of_columns.as_ref().map(svc::value::json::write).map_err(Clone::clone),
            "{}", script
        );
        if let Err((message, _)) = &of_rows {
            let may = ["division by zero", "too large"].iter().any(|it| message.contains(it));
            prop_assert!(may, "{message}: {script}");
        }
        if let (Ok(a), Ok(b)) = (&of_rows, &of_columns) {
            prop_assert_eq!(a.weight(), b.weight(), "{}", script);
        }
    }
}
