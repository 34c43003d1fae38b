//! Functions of one row.

use std::sync::Arc;

use crate::{
    Builder, Text,
    column::{Cell, Column, Data, Kind, Other, Words, written},
    error::TableError,
    expr::{
        Operand,
        arithmetic::{alike, either, map_texts, of_texts},
    },
};

type Result<T> = std::result::Result<Operand<T>, TableError>;

/// All functions, for messages.
const NAMES: [&str; 22] = [
    "abs",
    "ceil",
    "coalesce",
    "contains",
    "ends_with",
    "exp",
    "float",
    "floor",
    "greatest",
    "if",
    "int",
    "is_null",
    "least",
    "ln",
    "lower",
    "length",
    "round",
    "sqrt",
    "starts_with",
    "string",
    "trim",
    "upper",
];

/// The functions of texts.
const OF_TEXTS: [&str; 10] = [
    "lower",
    "upper",
    "trim",
    "length",
    "contains",
    "starts_with",
    "ends_with",
    "int",
    "float",
    "string",
];

/// Money, dates and the like as the texts that JSON has for them; others as they are.
fn as_texts<T: Other>(it: &Operand<T>) -> Operand<T> {
    let is_written = |cell: Cell<'_, T>| matches!(cell, Cell::Null) || T::text(cell).is_some();
    let is_plain = matches!(it.column.kind(), Kind::Text | Kind::Int | Kind::Float | Kind::Bool);
    if is_plain || !it.column.cells().all(is_written) {
        return it.clone();
    }
    Operand { column: Arc::new(written(&it.column)), is_one: it.is_one }
}

pub(super) fn wrong_count(name: &str, found: usize) -> TableError {
    TableError::new(format!("wrong number of arguments for `{name}`: {found}"))
}

pub(super) fn call<T: Other>(name: &Text, args: &[Operand<T>], len: usize) -> Result<T> {
    let written: Vec<Operand<T>>;
    let args = if OF_TEXTS.contains(&name.as_ref()) {
        written = args.iter().map(as_texts).collect();
        &written
    } else {
        args
    };
    match (name.as_ref(), args) {
        ("abs" | "ceil" | "floor" | "sqrt" | "ln" | "exp" | "round", [it]) => number(name, it, 0),
        ("round", [it, digits]) => match digits.cell(0) {
            Cell::Int(digits @ 0..=15) if digits_are_one(args) => {
                number(name, it, i32::try_from(digits).unwrap_or(0))
            }
            _ => Err(wrong_digits()),
        },
        ("coalesce", [first, rest @ ..]) => {
            Ok(rest.iter().fold(first.clone(), |all, it| either(&all, it, len)))
        }
        ("if", [test, yes, no]) => choose(test, yes, no, len),
        ("is_null", [it]) => {
            let all = (0..it.column.len()).map(|row| !it.is_valid(row)).collect();
            let column = Arc::new(Column::new(Data::Bool(all)));
            Ok(Operand { column, is_one: it.is_one })
        }
        ("least", [a, b]) => Ok(extreme(a, b, len, false)),
        ("greatest", [a, b]) => Ok(extreme(a, b, len, true)),
        ("lower" | "upper" | "trim" | "length", [it]) => text(name, it),
        ("contains" | "starts_with" | "ends_with", [it, part]) => find(name, it, part, len),
        ("int" | "float" | "string", [it]) => convert(name, it),
        _ => {
            Err(test_call(name, args.len()).err().unwrap_or_else(|| wrong_count(name, args.len())))
        }
    }
}

/// Tests the name of a function, and the number of its arguments.
pub(super) fn test_call(name: &str, args: usize) -> std::result::Result<(), TableError> {
    let fits = match name {
        "abs" | "ceil" | "floor" | "sqrt" | "ln" | "exp" | "is_null" | "lower" | "upper"
        | "trim" | "length" | "int" | "float" | "string" => args == 1,
        "round" => matches!(args, 1 | 2),
        "coalesce" => args > 0,
        "if" => args == 3,
        "least" | "greatest" | "contains" | "starts_with" | "ends_with" => args == 2,
        _ => {
            return Err(TableError::new(format!("unknown function `{name}`"))
                .help(format!("functions: {}", NAMES.join(", "))));
        }
    };
    if fits { Ok(()) } else { Err(wrong_count(name, args)) }
}

fn digits_are_one<T>(args: &[Operand<T>]) -> bool {
    args.get(1).is_some_and(|it| it.is_one)
}

fn expected<T: Other>(wanted: &str, name: &str, it: &Operand<T>) -> TableError {
    no_argument(wanted, name, it.column.kind_name())
}

/// A function does not take a value of this kind.
pub(super) fn no_argument(wanted: &str, name: &str, found: &str) -> TableError {
    TableError::new(format!("expected {wanted} for `{name}`, found {found}"))
}

pub(super) fn wrong_digits() -> TableError {
    TableError::new("expected a number from 0 to 15 as the digits of `round`")
}

fn with<T: Other>(it: &Operand<T>, data: Data<T>) -> Operand<T> {
    let column = Column { data, valid: it.column.valid.clone() };
    Operand { column: Arc::new(column), is_one: it.is_one }
}

/// A result that is not a number, such as the root of a negative one, is null.
fn number<T: Other>(name: &str, it: &Operand<T>, digits: i32) -> Result<T> {
    let of = |it: f64| match name {
        "abs" => it.abs(),
        "ceil" => it.ceil(),
        "floor" => it.floor(),
        "sqrt" => it.sqrt(),
        "ln" => it.ln(),
        "exp" => it.exp(),
        _ => crate::rounded(it, digits),
    };
    let is_whole = matches!(name, "abs" | "ceil" | "floor" | "round");
    match &it.column.data {
        Data::Int(all) if is_whole => {
            let abs = |it: &i64| if name == "abs" { it.checked_abs() } else { Some(*it) };
            let all: Option<Vec<i64>> = all.iter().map(abs).collect();
            let all = all.ok_or_else(|| TableError::new("integer overflow of `abs`"))?;
            Ok(with(it, Data::Int(all)))
        }
        Data::Money(all) if name == "abs" => {
            Ok(with(it, Data::Money(all.iter().map(|it| it.saturating_abs()).collect())))
        }
        Data::Int(_) | Data::Float(_) => {
            let mut builder = Builder::default();
            for row in 0..it.column.len() {
                builder.push(match as_float(it.cell(row)) {
                    Some(it) if of(it).is_finite() || !it.is_finite() => Cell::Float(of(it)),
                    _ => Cell::Null,
                });
            }
            Ok(Operand { column: Arc::new(builder.finish()), is_one: it.is_one })
        }
        _ if !it.column.has_values() => Ok(it.clone()),
        _ => Err(expected("a number", name, it)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float where floats are")]
fn as_float<T>(it: Cell<'_, T>) -> Option<f64> {
    match it {
        Cell::Int(it) => Some(it as f64),
        Cell::Float(it) => Some(it),
        _ => None,
    }
}

fn choose<T: Other>(test: &Operand<T>, yes: &Operand<T>, no: &Operand<T>, len: usize) -> Result<T> {
    if test.column.kind() != Kind::Bool && test.column.has_values() {
        return Err(expected("a condition", "if", test));
    }
    let (yes, no) = &alike(yes, no);
    let is_one = test.is_one && yes.is_one && no.is_one;
    let mut builder = Builder::default();
    for row in 0..if is_one { 1 } else { len } {
        let is_true = matches!(test.cell(row), Cell::Bool(true));
        builder.push(if is_true { yes.cell(row) } else { no.cell(row) });
    }
    Ok(Operand { column: Arc::new(builder.finish()), is_one })
}

/// The lesser or greater one; null if one is null, as in SQL.
fn extreme<T: Other>(a: &Operand<T>, b: &Operand<T>, len: usize, is_greatest: bool) -> Operand<T> {
    let (a, b) = &alike(a, b);
    let is_one = a.is_one && b.is_one;
    let mut builder = Builder::default();
    for row in 0..if is_one { 1 } else { len } {
        let (left, right) = (a.cell(row), b.cell(row));
        if matches!(left, Cell::Null) || matches!(right, Cell::Null) {
            builder.push_null();
            continue;
        }
        let is_less = T::of(left).order(&T::of(right)).is_lt();
        builder.push(if is_less == is_greatest { right } else { left });
    }
    Operand { column: Arc::new(builder.finish()), is_one }
}

fn words<'a, T: Other>(
    name: &str,
    it: &'a Operand<T>,
) -> std::result::Result<&'a Words, TableError> {
    match &it.column.data {
        Data::Text(words) => Ok(words),
        _ => Err(expected("a string", name, it)),
    }
}

fn text<T: Other>(name: &str, it: &Operand<T>) -> Result<T> {
    if !it.column.has_values() {
        return Ok(it.clone());
    }
    let words = words(name, it)?;
    Ok(match name {
        "lower" => map_texts(it, words, str::to_lowercase),
        "upper" => map_texts(it, words, str::to_uppercase),
        "trim" => map_texts(it, words, |it| it.trim().to_owned()),
        _ => of_texts(it, words, |it| {
            Some(Cell::Int(i64::try_from(it.chars().count()).unwrap_or(i64::MAX)))
        }),
    })
}

fn find<T: Other>(name: &str, it: &Operand<T>, part: &Operand<T>, len: usize) -> Result<T> {
    if !it.column.has_values() {
        return Ok(it.clone());
    }
    let all = words(name, it)?;
    if part.column.has_values() {
        words(name, part)?;
    }
    let is_found = |it: &str, part: &str| match name {
        "contains" => it.contains(part),
        "starts_with" => it.starts_with(part),
        _ => it.ends_with(part),
    };
    if let (true, Cell::Text(part)) = (part.is_one, part.cell(0)) {
        return Ok(of_texts(it, all, |it| Some(Cell::Bool(is_found(it, part)))));
    }
    let is_one = it.is_one && part.is_one;
    let mut builder = Builder::default();
    for row in 0..if is_one { 1 } else { len } {
        match (it.cell(row), part.cell(row)) {
            (Cell::Text(it), Cell::Text(part)) => builder.push(Cell::Bool(is_found(it, part))),
            _ => builder.push_null(),
        }
    }
    Ok(Operand { column: Arc::new(builder.finish()), is_one })
}

/// What cannot be converted is null.
#[expect(clippy::cast_possible_truncation, reason = "the range is tested first")]
fn convert<T: Other>(name: &str, it: &Operand<T>) -> Result<T> {
    let mut builder = Builder::default();
    for row in 0..it.column.len() {
        let cell = it.cell(row);
        match (name, cell) {
            (_, Cell::Null) => builder.push_null(),
            ("string", Cell::Text(it)) => builder.push_text(it),
            ("string", Cell::Int(it)) => builder.push_text(&it.to_string()),
            ("string", Cell::Float(it)) => builder.push_text(&format!("{it:?}")),
            ("string", Cell::Bool(it)) => builder.push_text(&it.to_string()),
            ("int", Cell::Int(_)) | ("float", Cell::Float(_)) => builder.push(cell),
            ("int", Cell::Bool(it)) => builder.push(Cell::Int(i64::from(it))),
            ("float", Cell::Bool(it)) => builder.push(Cell::Float(f64::from(u8::from(it)))),
            ("int", Cell::Float(it)) if it.abs() < 9.2e18 => builder.push(Cell::Int(it as i64)),
            ("int", Cell::Float(_)) => builder.push_null(),
            ("int", Cell::Text(it)) => {
                builder.push(it.trim().parse().map_or(Cell::Null, Cell::Int));
            }
            ("float", Cell::Text(it)) => {
                let it = it.trim().parse().ok().filter(|it: &f64| it.is_finite());
                builder.push(it.map_or(Cell::Null, Cell::Float));
            }
            ("float", other) if as_float(other).is_some() => {
                builder.push(as_float(other).map_or(Cell::Null, Cell::Float));
            }
            _ => return Err(expected("a number, a string or a boolean", name, it)),
        }
    }
    Ok(Operand { column: Arc::new(builder.finish()), is_one: it.is_one })
}
