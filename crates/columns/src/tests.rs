//! Every operation against the same work row by row.

#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "small numbers"
)]

mod foreseen;
mod moving;
mod val;
mod wide;

use std::{collections::BTreeMap, sync::Arc};

use proptest::prelude::*;

use crate::{
    Bits, Builder, Column, Groups, How, Key, Kind, Measure, Other, Table, Window, asof,
    csv::{self, CsvError, Options, Wanted},
    expr, first_within, groups, join, measure, order, order_within, ties, window,
};
use val::Val;

fn column(all: &[Val]) -> Column<Val> {
    let mut builder = Builder::default();
    for it in all {
        builder.push(it.cell());
    }
    builder.finish()
}

fn values(of: &Column<Val>) -> Vec<Val> {
    of.cells().map(Val::of).collect()
}

/// The same bits of floats: NaN is itself, and the zeros are two.
fn is_exact(a: &[Val], b: &[Val]) -> bool {
    let is_one = |(a, b): (&Val, &Val)| match (a, b) {
        (Val::Float(a), Val::Float(b)) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    a.len() == b.len() && a.iter().zip(b).all(is_one)
}

type Pair = (Option<i64>, Option<i64>);

fn int() -> impl Strategy<Value = Val> {
    prop_oneof![
        4 => (-3_i64..4).prop_map(Val::Int),
        1 => Just(Val::Int(i64::MAX)),
        1 => Just(Val::Int(i64::MIN)),
        1 => any::<i64>().prop_map(Val::Int),
        1 => Just(Val::Null),
    ]
}

fn float() -> impl Strategy<Value = Val> {
    prop_oneof![
        4 => (-3_i8..4).prop_map(|it| Val::Float(f64::from(it) / 2.0)),
        1 => Just(Val::Float(f64::NAN)),
        1 => Just(Val::Float(-0.0)),
        1 => Just(Val::Float(f64::INFINITY)),
        1 => Just(Val::Float(f64::NEG_INFINITY)),
        1 => Just(Val::Null),
    ]
}

fn text() -> impl Strategy<Value = Val> {
    prop_oneof![
        5 => "[abü\"\n, ]{0,3}".prop_map(|it| Val::Text(it.into())),
        1 => Just(Val::Null),
    ]
}

/// Values of one kind.
fn kind() -> impl Strategy<Value = Vec<Val>> {
    let len = 0..40_usize;
    prop_oneof![
        prop::collection::vec(int(), len.clone()),
        prop::collection::vec(float(), len.clone()),
        prop::collection::vec(text(), len.clone()),
        prop::collection::vec(
            prop_oneof![any::<bool>().prop_map(Val::Bool), Just(Val::Null)],
            len.clone()
        ),
        prop::collection::vec((-3_i64..4).prop_map(Val::Money), len.clone()),
        prop::collection::vec(Just(Val::Null), len.clone()),
        prop::collection::vec(
            prop_oneof![
                prop::collection::vec(int(), 0..2).prop_map(Val::List),
                int(),
                float(),
                text(),
            ],
            len
        ),
    ]
}

fn cut(all: &[Val], len: usize) -> Vec<Val> {
    (0..len).map(|it| all.get(it).cloned().unwrap_or(Val::Null)).collect()
}

fn same_rows(columns: &[&[Val]], a: usize, b: usize) -> bool {
    columns.iter().all(|it| it[a].is_same(&it[b]))
}

proptest! {
    #[test]
    fn a_column_holds_what_was_pushed(all in kind(), from in 0..50_usize, to in 0..50_usize) {
        let column = column(&all);
        prop_assert!(is_exact(&values(&column), &all));
        let (to, from) = (to.min(all.len()), from.min(to).min(all.len()));
        prop_assert!(is_exact(&values(&column.slice(from, to)), &all[from..to]));
        let rows: Vec<u32> = (0..all.len() as u32).rev().chain(0..all.len() as u32 / 2).collect();
        let taken: Vec<Val> = rows.iter().map(|it| all[*it as usize].clone()).collect();
        prop_assert!(is_exact(&values(&column.take(&rows)), &taken));
    }

    #[test]
    fn columns_of_all_kinds_are_joined(a in kind(), b in kind()) {
        let both: Vec<Val> = a.iter().chain(&b).cloned().collect();
        prop_assert!(is_exact(&values(&column(&a).concat(&column(&b))), &both));
    }

    #[test]
    fn equal_rows_are_one_group(a in kind(), b in kind(), c in kind()) {
        let len = a.len();
        let (b, c) = (cut(&b, len), cut(&c, len));
        let columns = [column(&a), column(&b), column(&c)];
        let found = groups(&columns.iter().collect::<Vec<_>>(), len);
        let rows: [&[Val]; 3] = [&a, &b, &c];
        let mut firsts: Vec<u32> = vec![];
        for row in 0..len {
            let group = firsts.iter().position(|it| same_rows(&rows, *it as usize, row));
            let group = group.unwrap_or_else(|| {
                firsts.push(row as u32);
                firsts.len() - 1
            });
            prop_assert_eq!(found.codes[row] as usize, group);
        }
        prop_assert_eq!(found.firsts, firsts);
    }

    #[test]
    fn sorting_is_stable_and_total(a in kind(), b in kind(), descends: bool) {
        let b = cut(&b, a.len());
        let (x, y) = (column(&a), column(&b));
        let keys = [Key { column: &x, descends }, Key { column: &y, descends: false }];
        let mut expected: Vec<u32> = (0..a.len() as u32).collect();
        expected.sort_by(|i, j| {
            let (i, j) = (*i as usize, *j as usize);
            let first = a[i].order(&a[j]);
            (if descends { first.reverse() } else { first }).then_with(|| b[i].order(&b[j]))
        });
        prop_assert_eq!(order(&keys, a.len()), expected);
        let tied = ties(&[&x]);
        for row in 1..a.len() {
            prop_assert_eq!(tied(0, row as u32), a[0].is_same(&a[row]));
        }
    }

    #[test]
    fn joins_are_nested_loops(a in kind(), b in kind()) {
        let (x, y) = (column(&a), column(&b));
        let is_match = |i: usize, j: usize| !a[i].is_null() && a[i].is_same(&b[j]);
        for how in [How::Inner, How::Left, How::Full, How::Semi, How::Anti] {
            let found = join(&[&x], &[&y], (a.len(), b.len()), how, 10_000).unwrap();
            let mut expected: Vec<(Option<u32>, Option<u32>)> = vec![];
            for i in 0..a.len() {
                let here = Some(i as u32);
                let matches: Vec<u32> =
                    (0..b.len()).filter(|j| is_match(i, *j)).map(|it| it as u32).collect();
                match how {
                    How::Semi if !matches.is_empty() => expected.push((here, None)),
                    How::Anti if matches.is_empty() => expected.push((here, None)),
                    How::Left | How::Full if matches.is_empty() => expected.push((here, None)),
                    How::Semi | How::Anti => {}
                    _ => expected.extend(matches.iter().map(|it| (here, Some(*it)))),
                }
            }
            if how == How::Full {
                let free = |j: &usize| !(0..a.len()).any(|i| is_match(i, *j));
                expected.extend((0..b.len()).filter(free).map(|j| (None, Some(j as u32))));
            }
            let pairs: Vec<_> = found.left.into_iter().zip(found.right).collect();
            prop_assert_eq!(pairs, expected, "{:?}", how);
        }
    }

    #[test]
    fn asof_finds_the_last_row_before(
        left in prop::collection::vec((0_i64..3, -9_i64..9), 0..30),
        right in prop::collection::vec((0_i64..3, -9_i64..9), 0..30),
    ) {
        let of = |all: &[(i64, i64)]| {
            let keys: Vec<Val> = all.iter().map(|it| Val::Int(it.0)).collect();
            let ats: Vec<Val> = all.iter().map(|it| Val::Int(it.1)).collect();
            (column(&keys), column(&ats))
        };
        let ((a, x), (b, y)) = (of(&left), of(&right));
        let found = asof((&[&a], &x), (&[&b], &y));
        for (row, it) in left.iter().enumerate() {
            let before = right.iter().enumerate().filter(|(_, r)| r.0 == it.0 && r.1 <= it.1);
            let last = before.max_by_key(|(idx, r)| (r.1, *idx)).map(|(idx, _)| idx as u32);
            prop_assert_eq!(found.right[row], last);
        }
    }

    #[test]
    fn measures_are_those_of_the_values(a in kind(), b in prop_oneof![
        prop::collection::vec(int(), 0..40), prop::collection::vec(float(), 0..40)
    ]) {
        let b = cut(&b, a.len());
        let (x, y) = (column(&a), column(&b));
        let by = groups(&[&x], a.len());
        let of_group = |group: usize| -> Vec<Val> {
            let rows = (0..a.len()).filter(|it| by.codes[*it] as usize == group);
            rows.map(|it| b[it].clone()).filter(|it| !it.is_null()).collect()
        };
        for of in [Measure::Count, Measure::Distinct, Measure::Sum, Measure::Avg, Measure::Min,
            Measure::Max, Measure::First, Measure::Last, Measure::Quantile(0.5), Measure::Variance]
        {
            let expected: Vec<Option<Val>> =
                (0..by.count()).map(|it| naive(of, &of_group(it))).collect();
            match measure(of, &y, &by) {
                Err(_) => prop_assert!(expected.iter().any(Option::is_none), "{of:?}"),
                Ok(found) => {
                    for (it, expected) in values(&found).iter().zip(expected) {
                        let expected = expected.expect("an overflow is an error");
                        prop_assert!(is_close(it, &expected), "{of:?}: {it:?} {expected:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn windows_look_at_the_rows_around(
        rows in prop::collection::vec((0_i64..3, -3_i64..3, 0_i64..9), 1..30),
    ) {
        let of = |pick: fn(&(i64, i64, i64)) -> i64| {
            column(&rows.iter().map(|it| Val::Int(pick(it))).collect::<Vec<_>>())
        };
        let (part, at, value) = (of(|it| it.0), of(|it| it.1), of(|it| it.2));
        let by = groups(&[&part], rows.len());
        let sorted = order(&[Key { column: &at, descends: false }], rows.len());
        let tied = ties(&[&at]);
        let run = |it| values(&window(it, Some(&value), &by, &sorted, &tied).unwrap());
        let (numbers, ranks) = (run(Window::RowNumber), run(Window::Rank));
        let (dense, lag) = (run(Window::DenseRank), run(Window::Lag(1)));
        let (sums, avgs) = (run(Window::RunningSum), run(Window::MovingAvg(2)));
        for row in 0..rows.len() {
            let mut before: Vec<usize> = (0..rows.len()).filter(|it| rows[*it].0 == rows[row].0).collect();
            before.sort_by_key(|it| rows[*it].1);
            let place = before.iter().position(|it| *it == row).unwrap();
            let less: Vec<i64> = before.iter().map(|it| rows[*it].1).filter(|it| *it < rows[row].1).collect();
            let distinct: std::collections::BTreeSet<i64> = less.iter().copied().collect();
            prop_assert_eq!(&numbers[row], &Val::Int(place as i64 + 1));
            prop_assert_eq!(&ranks[row], &Val::Int(less.len() as i64 + 1));
            prop_assert_eq!(&dense[row], &Val::Int(distinct.len() as i64 + 1));
            let last = place.checked_sub(1).map_or(Val::Null, |it| Val::Int(rows[before[it]].2));
            prop_assert_eq!(&lag[row], &last);
            let sum: i64 = before[..=place].iter().map(|it| rows[*it].2).sum();
            prop_assert_eq!(&sums[row], &Val::Int(sum));
            let two = &before[place.saturating_sub(1)..=place];
            let avg = two.iter().map(|it| rows[*it].2 as f64).sum::<f64>() / two.len() as f64;
            prop_assert_eq!(&avgs[row], &Val::Float(avg));
        }
    }

    #[test]
    fn the_first_rows_of_groups_are_those_with_the_lowest_numbers(
        rows in prop::collection::vec((0_i64..3, -2_i64..2, 0_i64..3), 0..60),
        most in 1_usize..20,
        descends: bool,
        has_two: bool,
    ) {
        let ints = |all: Vec<i64>| column(&all.into_iter().map(Val::Int).collect::<Vec<_>>());
        let (part, at) = (ints(rows.iter().map(|it| it.0).collect()), ints(rows.iter().map(|it| it.1).collect()));
        let then = ints(rows.iter().map(|it| it.2).collect());
        let by = groups(&[&part], rows.len());
        let mut keys = vec![Key { column: &at, descends }];
        keys.extend(has_two.then_some(Key { column: &then, descends: false }));
        let numbers = window(Window::RowNumber, None, &by, &order_within(&keys, &by), &|_, _| false);
        let numbers = values(&numbers.unwrap());
        let is_first = |row: &u32| (1..=most as i64).any(|it| numbers[*row as usize] == Val::Int(it));
        prop_assert_eq!(first_within(&keys, &by, most), (0..rows.len() as u32).filter(is_first).collect::<Vec<_>>());
    }

    #[test]
    fn csv_gives_back_the_texts(rows in prop::collection::vec(
        ("[a-z\"\n, ;0-9.]{0,6}", "[a-z\"\n, ;0-9.]{0,6}"), 0..20)
    ) {
        let quoted = |it: &str| format!("\"{}\"", it.replace('"', "\"\""));
        let lines = rows.iter().map(|(a, b)| format!("{},{}\r\n", quoted(a), quoted(b)));
        let text = format!("x,y\n{}", lines.collect::<String>());
        let table = read(&text, &|_| Wanted::Is(Kind::Text)).unwrap();
        let cells = |name: &str| values(table.get(name).unwrap());
        let of = |it: &String| Val::Text(it.as_str().into());
        prop_assert_eq!(cells("x"), rows.iter().map(|it| of(&it.0)).collect::<Vec<_>>());
        prop_assert_eq!(cells("y"), rows.iter().map(|it| of(&it.1)).collect::<Vec<_>>());
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[a\"\n\r,1.\\-]{0,40}") {
        let _ = read(&text, &|_| Wanted::Guess);
        let _ = expr::parse(&text);
    }

    #[test]
    fn expressions_are_computed_row_by_row(
        rows in prop::collection::vec((prop::option::of(-9_i64..9), prop::option::of(-4_i64..5)), 0..20),
    ) {
        let of = |pick: fn(&Pair) -> Option<i64>| {
            column(&rows.iter().map(|it| pick(it).map_or(Val::Null, Val::Int)).collect::<Vec<_>>())
        };
        let table = table(&[("a", of(|it| it.0)), ("b", of(|it| it.1))], rows.len());
        let eval = |text: &str| values(&expr::each_row(&expr::parse(text).unwrap(), &table).unwrap());
        let sums = eval("a + b * 2");
        let quotients = eval("a / b");
        let tests = eval("a > b or b == 0");
        let chosen = eval("if(a < 0, -a, .a) ?? 7");
        for (row, (a, b)) in rows.iter().enumerate() {
            let sum = a.zip(*b).map_or(Val::Null, |(a, b)| Val::Int(a + b * 2));
            prop_assert_eq!(&sums[row], &sum);
            let quotient = a.zip(*b).filter(|(_, b)| *b != 0);
            let quotient = quotient.map_or(Val::Null, |(a, b)| Val::Float(a as f64 / b as f64));
            prop_assert_eq!(&quotients[row], &quotient);
            let test = match (a.zip(*b).map(|(a, b)| a > b), b.map(|b| b == 0)) {
                (Some(true), _) | (_, Some(true)) => Val::Bool(true),
                (Some(false), Some(false)) => Val::Bool(false),
                _ => Val::Null,
            };
            prop_assert_eq!(&tests[row], &test);
            prop_assert_eq!(&chosen[row], &Val::Int(a.map_or(7, i64::abs)));
        }
    }
}

fn number(it: &Val) -> f64 {
    match it {
        Val::Int(it) => *it as f64,
        Val::Float(it) => *it,
        _ => panic!("a number"),
    }
}

/// A measure of values that are not null; none if it is out of range.
fn naive(of: Measure, all: &[Val]) -> Option<Val> {
    let floats: Vec<f64> = all.iter().map(number).collect();
    let is_int = matches!(all.first(), Some(Val::Int(_)));
    let count = all.len() as f64;
    let mut sorted = floats.clone();
    sorted.sort_by(f64::total_cmp);
    // NaN is least and greatest only if there is nothing else.
    let rank = |it: &Val, worst: bool| match it {
        Val::Float(it) if it.is_nan() => worst,
        _ => false,
    };
    Some(match of {
        Measure::Count => Val::Int(all.len() as i64),
        Measure::Distinct => {
            let mut seen: Vec<&Val> = vec![];
            for it in all {
                if !seen.iter().any(|other| other.is_same(it)) {
                    seen.push(it);
                }
            }
            Val::Int(seen.len() as i64)
        }
        _ if all.is_empty() => Val::Null,
        Measure::Sum if is_int => {
            let ints = all.iter().map(|it| if let Val::Int(it) = it { i128::from(*it) } else { 0 });
            Val::Int(i64::try_from(ints.sum::<i128>()).ok()?)
        }
        Measure::Sum => Val::Float(floats.iter().sum()),
        Measure::Avg if is_int => {
            let ints = all.iter().map(|it| if let Val::Int(it) = it { i128::from(*it) } else { 0 });
            Val::Float(ints.sum::<i128>() as f64 / count)
        }
        Measure::Avg => Val::Float(floats.iter().sum::<f64>() / count),
        Measure::Min => {
            all.iter().min_by(|a, b| rank(a, true).cmp(&rank(b, true)).then(a.order(b)))?.clone()
        }
        Measure::Max => all
            .iter()
            .rev()
            .max_by(|a, b| rank(b, true).cmp(&rank(a, true)).then(a.order(b)))?
            .clone(),
        Measure::First => all.first()?.clone(),
        Measure::Last => all.last()?.clone(),
        Measure::Quantile(share) => {
            let place = share * (count - 1.0);
            let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
            let part = place - place.floor();
            Val::Float(if part == 0.0 { low } else { low + (high - low) * part })
        }
        _ if all.len() < 2 => Val::Null,
        _ => {
            let mean = floats.iter().sum::<f64>() / count;
            Val::Float(floats.iter().map(|it| (it - mean).powi(2)).sum::<f64>() / (count - 1.0))
        }
    })
}

fn is_close(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Float(a), Val::Float(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
        }
        (a, b) => a == b,
    }
}

fn table(all: &[(&str, Column<Val>)], len: usize) -> Table<Val> {
    let names = all.iter().map(|it| it.0.into()).collect();
    Table::new(names, all.iter().map(|it| Arc::new(it.1.clone())).collect(), len)
}

fn read(text: &str, wanted: &dyn Fn(&str) -> Wanted) -> Result<Table<Val>, String> {
    let options = Options { sep: b',', most: 50, wanted, stop: &|| false };
    csv::read(text, &options).map_err(|it| match it {
        CsvError::Table(it) => it.message,
        CsvError::TooLong => "too long".into(),
        CsvError::Stopped => "stopped".into(),
    })
}

#[test]
fn sums_of_floats_lose_nothing_in_between() {
    let sum = |of: Measure, all: &[f64]| {
        let column = column(&all.iter().map(|it| Val::Float(*it)).collect::<Vec<_>>());
        let by = groups::<Val>(&[], all.len());
        values(&measure(of, &column, &by).unwrap())[0].clone()
    };
    assert_eq!(sum(Measure::Sum, &[0.1; 10]), Val::Float(1.0));
    assert_eq!(sum(Measure::Sum, &[1e100, 1.0, -1e100]), Val::Float(1.0));
    assert_eq!(sum(Measure::Avg, &[0.1; 10]), Val::Float(0.1));
    assert_eq!(sum(Measure::Sum, &[f64::INFINITY, 1.0]), Val::Float(f64::INFINITY));
    // As `stdev` of lists computes them.
    assert_eq!(
        sum(Measure::Variance, &[1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.4]),
        Val::Float(0.023_333_324_591_320_093)
    );
}

#[test]
fn cells_that_are_not_finite_are_numbers_next_to_numbers() {
    let column = |cells: &str| {
        let text = format!("a\n{}\n", cells.replace(' ', "\n"));
        values(&read(&text, &|_| Wanted::Guess).unwrap().columns[0])
    };
    let floats = |all: &[f64]| all.iter().map(|it| Val::Float(*it)).collect::<Vec<_>>();
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (cells, expected) in [
        ("1.5 NaN inf -inf", floats(&[1.5, nan, inf, -inf])),
        ("1 nan +Infinity -INF", floats(&[1.0, nan, inf, -inf])),
        ("nan 1", floats(&[nan, 1.0])),
        ("NaN inf", floats(&[nan, inf])),
        ("-inf", floats(&[-inf])),
    ] {
        let found = column(cells);
        let is_same = found.iter().zip(&expected).all(|(a, b)| is_close(a, b));
        assert!(found.len() == expected.len() && is_same, "{cells}: {found:?}");
    }
    for cells in ["nan", "Inf infinity", "Nan Ann", "true nan", "nan false", "NaN x", "info 1"] {
        let found = column(cells);
        assert!(found.iter().all(|it| matches!(it, Val::Text(_))), "{cells}: {found:?}");
    }
    let late = format!("{} 1", ["nan"; 40].join(" "));
    assert!(matches!(column(&late)[0], Val::Float(it) if it.is_nan()));
}

#[test]
fn kinds_are_guessed_from_all_rows() {
    let rows = "1,1,true,,7,\n".repeat(300);
    let text = format!("int,float,bool,late,code,empty\n{rows}2,.5,FALSE,x,007,\n");
    let options = Options { sep: b',', most: 999, wanted: &|_| Wanted::Guess, stop: &|| false };
    let Ok(table) = csv::read::<Val>(&text, &options) else { panic!("a table") };
    let kinds: BTreeMap<&str, &str> = table
        .names
        .iter()
        .zip(&table.columns)
        .map(|(name, it)| (name.as_ref(), it.kind().name()))
        .collect();
    let expected = [
        ("bool", "bool"),
        ("code", "string"),
        ("empty", "int"),
        ("float", "float"),
        ("int", "int"),
        ("late", "string"),
    ];
    assert_eq!(kinds, expected.into());
    assert_eq!(values(table.get("late").unwrap())[299..], [Val::Null, Val::Text("x".into())]);
    assert_eq!(
        values(table.get("code").unwrap())[299..],
        [Val::Text("7".into()), Val::Text("007".into())]
    );
}

#[test]
fn bad_tables_are_reported_with_their_line() {
    let fails = |text: &str| read(text, &|_| Wanted::Guess).unwrap_err();
    assert_eq!(fails(""), "the table is empty, so it has no header");
    assert_eq!(fails("a,b\n1,2\n3\n"), "line 3: expected 2 cells, found 1");
    assert_eq!(fails("a,b\n\"x\ny\",2\n1,2,3\n"), "line 4: expected 2 cells, found 3");
    assert_eq!(fails("a\n\"x\n"), "line 2: unclosed quote");
    assert_eq!(fails("a,a\n"), "line 1: duplicate column `a`");
    assert_eq!(fails("a,\n"), "line 1: column 2 has no name");
    assert_eq!(fails("a\n\"x\"y\n"), "line 2: text after a closing quote");
    assert_eq!(fails(&format!("a\n{}", "1\n".repeat(51))), "too long");
    let wanted = read("a\n1\nx\n", &|_| Wanted::Is(Kind::Int)).unwrap_err();
    assert_eq!(wanted, "line 3: column `a`: expected int, found \"x\"");
}

#[test]
fn a_join_that_explodes_is_refused_with_its_size() {
    let ones = column(&vec![Val::Int(1); 1000]);
    let size = join(&[&ones], &[&ones], (1000, 1000), How::Inner, 10_000).unwrap_err();
    assert_eq!(size, 1_000_000);
}

#[test]
fn expressions_are_reported_with_their_place() {
    let all =
        table(&[("a", column(&[Val::Int(i64::MAX)])), ("t", column(&[Val::Text("x".into())]))], 1);
    let fails = |text: &str| {
        let found = expr::parse(text).and_then(|it| expr::each_row(&it, &all));
        found.unwrap_err().message
    };
    assert_eq!(fails("a +"), "expected a value at letter 4 of `a +`, found its end");
    for one in ["a == null", "null != a", "(a + 1) < null", "not a = null"] {
        assert_eq!(fails(one), "a comparison with null is never true");
    }
    assert_eq!(fails("a b"), "expected an operator at letter 3 of `a b`, found `b`");
    assert_eq!(fails("b > 1"), "missing column `b`, found `a`, `t`");
    assert_eq!(fails("a + 1"), "integer overflow of `+` in row 1");
    assert_eq!(fails("t > 1"), "`>` does not take string and int");
    assert_eq!(fails("t * 2"), "`*` does not take string and int");
    assert_eq!(fails("sum(a)"), "`sum` measures many rows, and here is one");
    assert_eq!(fails("sin(a)"), "unknown function `sin`");
    assert_eq!(fails("a and t"), "expected a condition, found int");
    assert!(fails(&"(".repeat(200)).contains("levels of nesting"));
    let groups = Groups { codes: vec![0], firsts: vec![0] };
    let of_groups = |text: &str| {
        let it = expr::each_group(&expr::parse(text).unwrap(), &all, &groups, &["t".into()]);
        it.map(|it| values(&it)).map_err(|it| it.message)
    };
    assert_eq!(of_groups("count() * 2"), Ok(vec![Val::Int(2)]));
    assert_eq!(of_groups("upper(t)"), Ok(vec![Val::Text("X".into())]));
    assert_eq!(of_groups("a").unwrap_err(), "column `a` has several values in a group");
}

#[test]
fn bits_know_how_many_are_set() {
    let bits: Bits = (0..131).map(|it| it % 3 == 0).collect();
    assert_eq!((bits.len(), bits.count()), (131, 44));
    assert_eq!(Bits::all(70, true).count(), 70);
}
