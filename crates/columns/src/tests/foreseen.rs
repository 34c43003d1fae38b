//! What is said of expressions before there are rows holds for random rows.

use std::sync::Arc;

use proptest::prelude::*;

use super::{column, table, val::Val, values};
use crate::{
    Column, Groups, Kind, Table, TableError, Text,
    expr::{self, Expr, Foreseen, Known, KnownColumn, Of},
};

/// The columns: each with the kind that is known of it, and its values.
fn rows() -> impl Strategy<Value = Vec<[Val; 9]>> {
    let text = |it: &str| Val::Text(it.into());
    let row = (
        -3_i64..4,
        prop_oneof![Just(Val::Null), (-2_i64..3).prop_map(Val::Int)],
        prop_oneof![Just(0.0), Just(-1.5), Just(1e300), Just(f64::NAN)].prop_map(Val::Float),
        prop_oneof![Just("x"), Just("$2"), Just("7")].prop_map(text),
        prop_oneof![Just("$1"), Just("$5")].prop_map(text),
        prop_oneof![Just(Val::Null), Just(text("$1")), Just(text("$3"))],
        any::<bool>().prop_map(Val::Bool),
        (0_i64..9).prop_map(Val::Money),
        prop_oneof![
            Just(Val::Null),
            Just(Val::Int(1)),
            Just(Val::Float(0.5)),
            Just(text("y")),
            Just(Val::List(vec![Val::Int(1)])),
        ],
    );
    let row = row.prop_map(|(i, j, f, s, a, b, t, m, o)| [Val::Int(i), j, f, s, a, b, t, m, o]);
    prop::collection::vec(row, 1..6)
}

fn known() -> Vec<KnownColumn> {
    let of = |name: &str, kind: Option<Kind>, may_be_null| KnownColumn {
        name: name.into(),
        kind,
        kind_name: kind.map_or("json", Kind::name),
        may_be_null,
        reads: None,
    };
    vec![
        of("i", Some(Kind::Int), false),
        of("j", Some(Kind::Int), true),
        of("f", Some(Kind::Float), false),
        of("s", Some(Kind::Text), false),
        of("a", Some(Kind::Text), false),
        of("b", Some(Kind::Text), true),
        of("t", Some(Kind::Bool), false),
        of("m", Some(Kind::Money), false),
        of("o", None, true),
    ]
}

fn table_of(rows: &[[Val; 9]]) -> Table<Val> {
    let names = known();
    let columns: Vec<_> = (0..9)
        .map(|at| column(&rows.iter().map(|row| row[at].clone()).collect::<Vec<_>>()))
        .collect();
    let named: Vec<_> = names.iter().map(|it| it.name.as_ref()).zip(columns).collect();
    table(&named, rows.len())
}

/// Expressions as people write them, right and wrong.
fn text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        8 => prop_oneof![
            Just("i"), Just("j"), Just("f"), Just("s"), Just("a"), Just("b"), Just("t"), Just("m"),
            Just("o"),
        ],
        1 => Just("nope"),
        4 => prop_oneof![Just("0"), Just("3"), Just("2.5"), Just("$4"), Just("'x'"), Just("true"), Just("null")],
    ];
    leaf.prop_map(str::to_owned).prop_recursive(3, 12, 3, |inner| {
        let op = prop_oneof![
            Just("+"), Just("-"), Just("*"), Just("/"), Just("%"), Just("=="), Just("<"), Just("and"),
            Just("or"), Just("??"),
        ];
        let one = prop_oneof![
            Just("abs"), Just("round"), Just("sqrt"), Just("int"), Just("float"), Just("string"),
            Just("upper"), Just("length"), Just("is_null"), Just("sum"), Just("avg"), Just("min"),
            Just("last"), Just("count"), Just("distinct"), Just("median"), Just("stddev"), Just("sin"),
        ];
        let two = prop_oneof![
            Just("least"), Just("greatest"), Just("coalesce"), Just("contains"), Just("corr"),
        ];
        prop_oneof![
            3 => (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            3 => (one, inner.clone()).prop_map(|(name, a)| format!("{name}({a})")),
            1 => (two, inner.clone(), inner.clone()).prop_map(|(name, a, b)| format!("{name}({a}, {b})")),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("if({a}, {b}, {c})")),
        ]
    })
}

fn is_of(value: &Val, foreseen: &Foreseen, rows: &Table<Val>) -> bool {
    let kind = match &foreseen.of {
        Of::Unknown => return true,
        _ if *value == Val::Null => return foreseen.may_be_null,
        Of::Nothing => return false,
        // Of mixed values, the ints and floats may have become floats.
        Of::Column(name) if name.as_ref() == "o" => return true,
        Of::Kind(kind) => *kind,
        Of::Column(name) => {
            return values(rows.get(name).unwrap()).iter().any(|it| it.is_same(value));
        }
    };
    match value {
        Val::Int(_) => matches!(kind, Kind::Int | Kind::Float),
        Val::Float(_) => kind == Kind::Float,
        Val::Bool(_) => kind == Kind::Bool,
        Val::Money(_) => kind == Kind::Money,
        Val::Text(_) => kind == Kind::Text,
        Val::Null | Val::List(_) => false,
    }
}

fn value_of(
    expr: &Expr,
    table: &Table<Val>,
    groups: &Groups,
    by: Option<&[Text]>,
) -> Result<Arc<Column<Val>>, TableError> {
    match by {
        None => expr::each_row(expr, table),
        Some(by) => expr::each_group(expr, table, groups, by),
    }
}

/// The same table with texts that are not amounts.
fn with_words(table: &Table<Val>) -> Table<Val> {
    ["s", "a", "b"].iter().fold(table.clone(), |table, name| {
        let old = values(table.get(name).unwrap());
        let word = |it: &Val| if *it == Val::Null { Val::Null } else { Val::Text("w".into()) };
        let new = column(&old.iter().map(word).collect::<Vec<_>>());
        table.with_column((*name).into(), Arc::new(new))
    })
}

/// Whether a part of the expression has no value in any row: then its kind does not matter.
fn lacks_values(expr: &Expr, table: &Table<Val>, groups: &Groups, by: Option<&[Text]>) -> bool {
    let is_null = |by| value_of(expr, table, groups, by).is_ok_and(|it| !it.has_values());
    // An argument of a measure is one of rows.
    let parts: Vec<&Expr> = match expr {
        Expr::Not(it) | Expr::Minus(it) => vec![it],
        Expr::Binary(_, a, b) => vec![a, b],
        Expr::Call(_, args) => args.iter().collect(),
        _ => vec![],
    };
    is_null(by) || is_null(None) || parts.into_iter().any(|it| lacks_values(it, table, groups, by))
}

fn test(expr: &Expr, text: &str, rows: &[[Val; 9]]) -> Result<(), TestCaseError> {
    let (table, columns) = (table_of(rows), known());
    let groups = Groups { codes: vec![0; rows.len()], firsts: vec![0] };
    let by = ["i".into()];
    // Each row has the same `i` in its group.
    let same: Vec<[Val; 9]> = rows
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row[0] = rows[0][0].clone();
            row
        })
        .collect();
    let grouped = table_of(&same);
    for (by, table) in [(None, &table), (Some(&by[..]), &grouped), (Some(&[][..]), &grouped)] {
        let known = Known { columns: Some(&columns), by };
        let found = value_of(expr, table, &groups, by);
        match (expr::foresee(expr, known), found) {
            (Err(said), Ok(found)) => {
                let words = with_words(table);
                let is_certain = !lacks_values(expr, table, &groups, by)
                    && value_of(expr, &words, &groups, by).is_ok()
                    && !lacks_values(expr, &words, &groups, by);
                prop_assert!(!is_certain, "{text}: {said}, but gives {:?}", values(&found));
            }
            (Ok(foreseen), Ok(found)) => {
                for value in values(&found) {
                    prop_assert!(
                        is_of(&value, &foreseen, table),
                        "{text}: {foreseen:?}, {value:?}"
                    );
                }
            }
            (_, Err(_)) => {}
        }
        // Less is known without the columns, and it is still true.
        let known = Known { columns: None, by };
        if expr::foresee(expr, known).is_err() {
            let with_columns = expr::foresee(expr, Known { columns: Some(&columns), by });
            prop_assert!(with_columns.is_err(), "{text}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn what_is_foreseen_holds(text in text(), rows in rows()) {
        if let Ok(expr) = expr::parse(&text) {
            test(&expr, &text, &rows)?;
        }
    }
}
