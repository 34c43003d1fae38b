//! A list of columns is observed as the same list of rows.

use std::time::Duration;

use proptest::prelude::*;

use super::{
    super::{
        Date, Money, NotRows, Record, Text, Timestamp, Type, Value, Written, json, wire, written,
    },
    List,
};

fn plain() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        prop_oneof![Just(f64::NAN), Just(-0.0), Just(f64::INFINITY), any::<f64>()]
            .prop_map(Value::Float),
        any::<i64>().prop_map(|it| Value::Money(Money::from_nanos(it))),
        any::<u64>().prop_map(Value::Size),
        (0_u64..1 << 40, 0_u32..1_000_000_000)
            .prop_map(|(secs, nanos)| Value::Duration(Duration::new(secs, nanos))),
        (-9_000_000_000_i64..9_000_000_000, 0_i32..1_000_000_000)
            .prop_map(|(secs, nanos)| Value::Time(Timestamp::new(secs, nanos).unwrap())),
        (1_i16..9999, 1_i8..13).prop_map(|(y, m)| Value::Date(Date::new(y, m, 1).unwrap())),
        "[a-zü\"\n]{0,12}".prop_map(Value::from),
        "[a-z/]{1,4}".prop_map(|it| Value::Path(it.into())),
        prop::collection::vec(any::<u8>(), 0..4).prop_map(|it| Value::Bytes(it.into())),
    ]
}

fn nested() -> impl Strategy<Value = Value> {
    plain().prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|it| Value::List(List::from(it))),
            prop::collection::vec(inner, 1..3).prop_map(|all| {
                let names: Vec<Text> = (0..all.len()).map(|it| format!("f{it}").into()).collect();
                Value::Record(Record::new(names.into(), all))
            }),
        ]
    })
}

/// Columns of one kind mostly, as in real tables, and mixed ones.
fn column(len: usize) -> impl Strategy<Value = Vec<Value>> {
    let of = |it: BoxedStrategy<Value>| {
        let some = prop_oneof![4 => it, 1 => Just(Value::Null)];
        prop::collection::vec(some, len)
    };
    prop_oneof![
        of(any::<i64>().prop_map(Value::Int).boxed()),
        of(any::<f64>().prop_map(Value::Float).boxed()),
        of("[ab]{0,2}".prop_map(Value::from).boxed()),
        of(any::<i64>().prop_map(|it| Value::Money(Money::from_nanos(it))).boxed()),
        of(plain().boxed()),
        of(nested().boxed()),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Value>> {
    (0..20_usize, 0..4_usize).prop_flat_map(|(len, width)| {
        prop::collection::vec(column(len), width).prop_map(move |columns| {
            let names: Vec<Text> = (0..width).map(|it| format!("c{it}").into()).collect();
            let names: std::sync::Arc<[Text]> = names.into();
            let row = |row: usize| columns.iter().map(|it| it[row].clone()).collect();
            (0..len).map(|it| Value::Record(Record::new(names.clone(), row(it)))).collect()
        })
    })
}

fn bytes(value: &Value) -> Vec<u8> {
    let mut writer = wire::WireWriter::default();
    writer.value(value);
    writer.0
}

/// A list as columns, whose rows are not made yet.
fn as_columns(rows: &[Value]) -> List {
    List::from(List::from(rows.to_vec()).columns().unwrap())
}

fn types() -> Vec<Type> {
    let of = |ty: &Type| {
        let fields = (0..2).map(|it| (Text::from(format!("c{it}")), ty.clone())).collect();
        Type::list(Type::record(fields))
    };
    let mut all = vec![Type::Json, Type::list(Type::Json), Type::Unknown, Type::list(Type::INT)];
    for ty in [
        Type::INT,
        Type::FLOAT,
        Type::Text,
        Type::Bool,
        Type::Money,
        Type::Json,
        Type::Int(Some((0, 9))),
        Type::Text.optional(),
        Type::INT.optional(),
        Type::FLOAT.optional(),
        Type::Money.optional(),
        Type::list(Type::Json).optional(),
    ] {
        all.push(of(&ty));
    }
    all.push(Type::list(Type::Map(std::sync::Arc::new(Type::INT.optional()))));
    all
}

proptest! {
    #[test]
    fn both_forms_are_one_value(rows in rows(), at in 0..20_usize, to in 0..20_usize) {
        let by_row = Value::List(List::from(rows.clone()));
        let fresh = || Value::List(as_columns(&rows));
        let list = |it: &Value| it.as_list().unwrap().clone();
        prop_assert!(list(&fresh()).is_columns());
        prop_assert_eq!(json::write(&fresh()), json::write(&by_row));
        prop_assert_eq!(json::write_pretty(&fresh()), json::write_pretty(&by_row));
        prop_assert_eq!(json::len(&fresh()), json::len(&by_row));
        prop_assert_eq!(fresh().to_string(), by_row.to_string());
        prop_assert_eq!(bytes(&fresh()), bytes(&by_row));
        prop_assert_eq!(fresh().weight(), by_row.weight());
        prop_assert_eq!(list(&fresh()).len(), rows.len());
        prop_assert_eq!(fresh() == by_row, by_row == by_row.clone());
        let one = |it: Option<&Value>| it.map(bytes);
        prop_assert_eq!(one(list(&fresh()).get(at)), one(rows.get(at)));
        let part = Value::List(list(&fresh()).part(at, to));
        prop_assert_eq!(bytes(&part), bytes(&Value::List(list(&by_row).part(at, to))));
        let all: Vec<Vec<u8>> = list(&fresh()).iter().map(bytes).collect();
        prop_assert_eq!(all, rows.iter().map(bytes).collect::<Vec<_>>());
        let all: Vec<Vec<u8>> = list(&fresh()).into_vec().iter().map(bytes).collect();
        prop_assert_eq!(all, rows.iter().map(bytes).collect::<Vec<_>>());
        // Also after rows were made, and of columns that were made of columns.
        let used = list(&fresh());
        used.iter().count();
        prop_assert_eq!(bytes(&Value::List(used.clone())), bytes(&by_row));
        prop_assert_eq!(bytes(&Value::List(List::from(used.columns().unwrap()))), bytes(&by_row));
    }

    #[test]
    fn both_forms_are_recorded_as_the_same_bytes(
        rows in rows(), cut in 0..400_usize, at in 0..400_usize, flipped in any::<u8>(),
    ) {
        let recorded = |it: &List| written::columns(it).unwrap();
        if rows.is_empty() {
            return Ok(());
        }
        let by_row = recorded(&List::from(rows.clone()));
        prop_assert_eq!(&recorded(&as_columns(&rows)), &by_row);
        // Also if the columns have texts that are in no row, and mixed values that are of one kind.
        let half = rows.len().div_ceil(2);
        let part = as_columns(&rows).part(0, half);
        prop_assert_eq!(recorded(&part), recorded(&List::from(rows[..half].to_vec())));
        let read = |bytes: &[u8]| Written::from_bytes(bytes.to_vec()).and_then(|it| it.value());
        let value = read(&by_row).unwrap();
        prop_assert_eq!(bytes(&value), bytes(&Value::List(List::from(rows.clone()))));
        // Damaged bytes are other rows, or none.
        if cut < by_row.len() {
            prop_assert_eq!(read(&by_row[..cut]), None);
        }
        if at < by_row.len() {
            let mut damaged = by_row.clone();
            damaged[at] ^= flipped;
            read(&damaged);
        }
    }

    #[test]
    fn both_forms_are_of_the_same_types(rows in rows()) {
        let by_row = Value::List(List::from(rows.clone()));
        for ty in types() {
            let columns = Value::List(as_columns(&rows));
            prop_assert_eq!(ty.admits(&columns), ty.admits(&by_row), "{}", ty);
            prop_assert_eq!(ty.is_exactly(&columns), ty.is_exactly(&by_row), "{}", ty);
            let cast = |it: Value| it.cast(&ty).map(|it| bytes(&it)).map_err(|it| it.to_string());
            prop_assert_eq!(cast(columns), cast(by_row.clone()), "{}", ty);
        }
    }
}

#[test]
fn a_missing_field_is_null_in_columns() {
    let list = json::read(r#"[{"a": 1}, {"b": "x", "a": null}]"#).unwrap();
    let columns = list.as_list().unwrap().columns().unwrap();
    let list = Value::List(List::from(columns));
    assert_eq!(json::write(&list), r#"[{"a":1,"b":null},{"a":null,"b":"x"}]"#);
    let wrong = json::read(r#"[{"a": 1}, 2]"#).unwrap();
    let err = wrong.as_list().unwrap().columns().unwrap_err();
    assert_eq!(err.to_string(), "expected a record as row 2, found int");
}

proptest! {
    #[test]
    fn columns_of_rows_with_different_fields_are_the_fields_of_each_row(
        rows in prop::collection::vec(prop::collection::vec((0..6_u8, nested()), 0..5), 0..25),
    ) {
        let record = |fields: &Vec<(u8, Value)>| {
            let mut all: Vec<(Text, Value)> = vec![];
            for (name, value) in fields {
                let name: Text = format!("f{name}").into();
                if !all.iter().any(|it| it.0 == name) {
                    all.push((name, value.clone()));
                }
            }
            all.into_iter().collect::<Record>()
        };
        let rows: Vec<Record> = rows.iter().map(record).collect();
        let list = List::from(rows.iter().cloned().map(Value::Record).collect::<Vec<_>>());
        let table = list.columns().unwrap();
        let mut names: Vec<Text> = vec![];
        for row in &rows {
            let new: Vec<Text> =
                row.names().iter().filter(|it| !names.contains(it)).cloned().collect();
            names.extend(new);
        }
        prop_assert_eq!(table.names.as_ref(), names.as_slice());
        let made = List::from(table);
        for (row, made) in rows.iter().zip(&made) {
            let whole: Record = names
                .iter()
                .map(|it| (it.clone(), row.get(it).cloned().unwrap_or_default()))
                .collect();
            prop_assert_eq!(bytes(made), bytes(&Value::Record(whole)));
        }
    }
}

fn with_a_field_each(rows: usize) -> List {
    let row =
        |it: usize| Value::Record([(format!("k{it}").into(), it.into())].into_iter().collect());
    (0..rows).map(row).collect()
}

#[test]
fn rows_with_a_field_each_are_columns_in_one_step() {
    let table = with_a_field_each(2000).columns().unwrap();
    assert_eq!((table.names.len(), table.len()), (2000, 2000));
    assert_eq!(table.columns.iter().map(|it| it.len() - it.null_count()).sum::<usize>(), 2000);
}

#[test]
fn a_table_of_empty_cells_is_refused_before_it_is_made() {
    let err = with_a_field_each(20_000).columns().unwrap_err();
    assert_eq!(err, NotRows::Sparse { rows: 20_000, columns: 20_000, values: 20_000 });
    assert_eq!(
        err.to_string(),
        "too many empty cells: 20000 rows × 20000 columns with 20000 values (limit 100000000 cells if fewer than a tenth have a value)"
    );
}

#[test]
fn columns_are_not_made_for_a_caller_that_stops() {
    let stopped = with_a_field_each(100_000).columns_unless(&|| true).unwrap_err();
    assert_eq!(stopped, NotRows::Stopped);
}

#[test]
fn rows_are_made_once() {
    let list =
        as_columns(&[Value::Record([(Text::from("a"), Value::Int(1))].into_iter().collect())]);
    let first: *const Value = list.iter().next().unwrap();
    let again: *const Value = list.clone().iter().next().unwrap();
    assert_eq!(first, again);
}
