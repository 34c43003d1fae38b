//! Operators on columns.

use std::{cmp::Ordering, sync::Arc};

use crate::{
    Bits,
    column::{Cell, Column, Data, Kind, Other, Words, meant},
    error::TableError,
    expr::{Binary, Operand},
    factor::Factor,
};

type Result<T> = std::result::Result<Operand<T>, TableError>;

/// The rows that have to be computed for these operands.
fn rows<T>(a: &Operand<T>, b: &Operand<T>, len: usize) -> (usize, bool) {
    let is_one = a.is_one && b.is_one;
    (if is_one { 1 } else { len }, is_one)
}

fn valid<T: Other>(a: &Operand<T>, b: &Operand<T>, len: usize) -> Option<Bits> {
    if a.column.valid.is_none() && b.column.valid.is_none() {
        return None;
    }
    Some((0..len).map(|row| a.is_valid(row) && b.is_valid(row)).collect())
}

fn made<T: Other>(data: Data<T>, valid: Option<Bits>, is_one: bool) -> Operand<T> {
    let column = match valid {
        Some(valid) => Column::with_valid(data, valid),
        None => Column::new(data),
    };
    Operand { column: Arc::new(column), is_one }
}

fn nulls<T: Other>(len: usize, is_one: bool) -> Operand<T> {
    Operand { column: Arc::new(Column::nulls(len)), is_one }
}

fn mismatch<T: Other>(op: &str, a: &Operand<T>, b: &Operand<T>) -> TableError {
    no_operands(op, a.column.kind_name(), b.column.kind_name())
}

/// An operator does not take values of these kinds.
pub(super) fn no_operands(op: &str, a: &str, b: &str) -> TableError {
    let is_converted = |it| matches!(it, "int" | "float" | "bool" | "string" | "json");
    let help = if is_converted(a) && is_converted(b) {
        "convert one side with `int(..)`, `float(..)` or `string(..)`"
    } else {
        "compute the column with `each` before"
    };
    TableError::new(format!("`{op}` does not take {a} and {b}")).help(help)
}

pub(super) fn binary<T: Other>(
    op: Binary,
    a: &Operand<T>,
    b: &Operand<T>,
    len: usize,
) -> Result<T> {
    match op {
        Binary::Or | Binary::And => logic(op, a, b, len),
        Binary::Else => Ok(either(a, b, len)),
        _ if op.compares() => compare(op, a, b, len),
        _ => calculate(op, a, b, len),
    }
}

/// Whether an operand is a condition; one without any value is.
fn test_bool<T: Other>(it: &Operand<T>) -> std::result::Result<(), TableError> {
    if it.column.kind() == Kind::Bool || !it.column.has_values() {
        return Ok(());
    }
    Err(TableError::no_condition(it.column.kind_name()))
}

fn truth<T: Other>(it: &Operand<T>, row: usize) -> Option<bool> {
    match it.cell(row) {
        Cell::Bool(it) => Some(it),
        _ => None,
    }
}

fn logic<T: Other>(op: Binary, a: &Operand<T>, b: &Operand<T>, len: usize) -> Result<T> {
    test_bool(a)?;
    test_bool(b)?;
    let (len, is_one) = rows(a, b, len);
    // `false and null` is false, and `true or null` is true.
    let decides = op == Binary::Or;
    let (mut all, mut valid) = (Vec::with_capacity(len), Bits::default());
    for row in 0..len {
        let (a, b) = (truth(a, row), truth(b, row));
        let is_decided = a == Some(decides) || b == Some(decides);
        all.push(if is_decided { decides } else { !decides });
        valid.push(is_decided || (a.is_some() && b.is_some()));
    }
    Ok(made(Data::Bool(all), Some(valid), is_one))
}

pub(super) fn not<T: Other>(it: &Operand<T>, _: usize) -> Result<T> {
    test_bool(it)?;
    let len = it.column.len();
    let all = (0..len).map(|row| truth(it, row) == Some(false)).collect();
    let valid = (0..len).map(|row| it.is_valid(row)).collect();
    Ok(made(Data::Bool(all), Some(valid), it.is_one))
}

pub(super) fn minus<T: Other>(it: &Operand<T>, len: usize) -> Result<T> {
    let zero = match it.column.kind() {
        Kind::Money => Operand::one(Cell::Money(0)),
        Kind::Float => Operand::one(Cell::Float(-0.0)),
        _ => Operand::one(Cell::Int(0)),
    };
    calculate(Binary::Minus, &zero, it, len)
}

/// An int as a float where the other side is one, so that a column of both is of floats.
pub(super) fn alike<T: Other>(a: &Operand<T>, b: &Operand<T>) -> (Operand<T>, Operand<T>) {
    match (a.column.kind(), b.column.kind()) {
        (Kind::Int, Kind::Float) => (floats(a), b.clone()),
        (Kind::Float, Kind::Int) => (a.clone(), floats(b)),
        _ => (a.clone(), b.clone()),
    }
}

fn floats<T: Other>(it: &Operand<T>) -> Operand<T> {
    let all = (0..it.column.len()).map(|row| float(it, row)).collect();
    made(Data::Float(all), it.column.valid.clone(), it.is_one)
}

/// The left side, and the right one where it is null.
pub(super) fn either<T: Other>(a: &Operand<T>, b: &Operand<T>, len: usize) -> Operand<T> {
    if a.column.valid.is_none() {
        return a.clone();
    }
    let (a, b) = &alike(a, b);
    let (len, is_one) = rows(a, b, len);
    let mut builder = crate::Builder::default();
    for row in 0..len {
        builder.push(if a.is_valid(row) { a.cell(row) } else { b.cell(row) });
    }
    Operand { column: Arc::new(builder.finish()), is_one }
}

/// Texts that are compared with dates, money and the like are read as such. One that is none has no
/// order among them.
fn alike_texts<T: Other>(a: &Operand<T>, b: &Operand<T>) -> Result<T> {
    let is_text = |it: &T| matches!(it.cell(), Cell::Text(_));
    let like = b.column.cells().find(|it| !matches!(it, Cell::Null)).map(T::of);
    let like = like.filter(|it| !is_text(it) && T::text(it.cell()).is_some());
    let (Data::Text(_), Some(like)) = (&a.column.data, like) else { return Ok(a.clone()) };
    let is_wrong = |it: &Cell<'_, T>| match it {
        Cell::Text(it) => T::read(it, &like).is_none(),
        _ => false,
    };
    if let Some(Cell::Text(wrong)) = a.column.cells().find(is_wrong) {
        let like = T::text(like.cell()).unwrap_or_default();
        return Err(no_such_text(wrong, &format!("values such as {like}")));
    }
    let read = meant(&a.column, &b.column).map_or_else(|| a.column.clone(), Arc::new);
    Ok(Operand { column: read, is_one: a.is_one })
}

/// A text that is compared with dates, money and the like is not one.
pub(super) fn no_such_text(text: &str, like: &str) -> TableError {
    TableError::new(format!("cannot compare {text:?} with {like}"))
        .help("write the text as JSON writes such a value")
}

fn holds(op: Binary, order: Ordering) -> bool {
    match op {
        Binary::Equal => order.is_eq(),
        Binary::Unequal => order.is_ne(),
        Binary::Less => order.is_lt(),
        Binary::LessEqual => order.is_le(),
        Binary::Greater => order.is_gt(),
        _ => order.is_ge(),
    }
}

fn compare<T: Other>(op: Binary, a: &Operand<T>, b: &Operand<T>, len: usize) -> Result<T> {
    let (len, is_one) = rows(a, b, len);
    if !a.column.has_values() || !b.column.has_values() {
        return Ok(nulls(len, is_one));
    }
    let (a, b) = (&alike_texts(a, b)?, &alike_texts(b, a)?);
    let valid = valid(a, b, len);
    let all: Vec<bool> = match (&a.column.data, &b.column.data) {
        (Data::Int(x), Data::Int(y)) | (Data::Money(x), Data::Money(y)) => {
            (0..len).map(|row| holds(op, x[a.at(row)].cmp(&y[b.at(row)]))).collect()
        }
        (Data::Float(x), Data::Float(y)) => {
            (0..len).map(|row| holds_floats(op, x[a.at(row)], y[b.at(row)])).collect()
        }
        (Data::Int(x), Data::Float(y)) => {
            (0..len).map(|row| holds_mixed(op, x[a.at(row)], y[b.at(row)], false)).collect()
        }
        (Data::Float(x), Data::Int(y)) => {
            (0..len).map(|row| holds_mixed(op, y[b.at(row)], x[a.at(row)], true)).collect()
        }
        (Data::Bool(x), Data::Bool(y)) => {
            (0..len).map(|row| holds(op, x[a.at(row)].cmp(&y[b.at(row)]))).collect()
        }
        (Data::Duration(x), Data::Duration(y)) => {
            (0..len).map(|row| holds(op, x[a.at(row)].cmp(&y[b.at(row)]))).collect()
        }
        (Data::Time(x), Data::Time(y)) => {
            (0..len).map(|row| holds(op, x[a.at(row)].cmp(&y[b.at(row)]))).collect()
        }
        (Data::Text(x), Data::Text(y)) => compare_texts(op, (a, x), (b, y), len),
        (Data::Other(_), _) | (_, Data::Other(_)) if is_misfit(a, b) || is_misfit(b, a) => {
            return Err(mismatch(symbol(op), a, b));
        }
        (Data::Other(_), _) | (_, Data::Other(_)) => {
            (0..len).map(|row| holds(op, T::of(a.cell(row)).order(&T::of(b.cell(row))))).collect()
        }
        _ => return Err(mismatch(symbol(op), a, b)),
    };
    Ok(made(Data::Bool(all), valid, is_one))
}

/// Whether all values of one side are of a kind without a buffer, such as dates, and those of the other
/// are numbers or the like: json of several kinds has an order.
fn is_misfit<T: Other>(other: &Operand<T>, with: &Operand<T>) -> bool {
    matches!(other.column.data, Data::Other(_))
        && !matches!(with.column.kind(), Kind::Text | Kind::Other)
        && !matches!(other.column.kind_name(), "json" | "int" | "float" | "bool" | "string")
}

/// NaN is equal to nothing and has no order.
fn holds_floats(op: Binary, a: f64, b: f64) -> bool {
    a.partial_cmp(&b).map_or(op == Binary::Unequal, |it| holds(op, it))
}

/// Compares an int with a float exactly: beyond 2^53, floats are not all ints.
#[expect(clippy::cast_possible_truncation, reason = "the range is tested first")]
fn holds_mixed(op: Binary, int: i64, float: f64, is_reversed: bool) -> bool {
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return op == Binary::Unequal;
    }
    let order = if float >= BEYOND {
        Ordering::Less
    } else if float < -BEYOND {
        Ordering::Greater
    } else {
        let whole = float.trunc();
        int.cmp(&(whole as i64)).then_with(|| 0.0_f64.total_cmp(&(float - whole + 0.0)))
    };
    holds(op, if is_reversed { order.reverse() } else { order })
}

/// Compares each text of the dictionary only once, if one side is a single text.
fn compare_texts<T: Other>(
    op: Binary,
    (a, x): (&Operand<T>, &Words),
    (b, y): (&Operand<T>, &Words),
    len: usize,
) -> Vec<bool> {
    if b.is_one {
        let one = y.get(0);
        let is: Vec<bool> = x.words.iter().map(|it| holds(op, it.cmp(one))).collect();
        return (0..len).map(|row| is[x.codes[a.at(row)] as usize]).collect();
    }
    (0..len).map(|row| holds(op, x.get(a.at(row)).cmp(y.get(b.at(row))))).collect()
}

fn overflow(op: &str, row: usize) -> TableError {
    TableError::new(format!("integer overflow of `{op}` in row {}", row + 1))
        .help("convert one side with `float(..)`")
}

pub(super) fn symbol(op: Binary) -> &'static str {
    match op {
        Binary::Plus => "+",
        Binary::Minus => "-",
        Binary::Times => "*",
        Binary::Divide => "/",
        Binary::Rest => "%",
        Binary::Equal => "==",
        Binary::Unequal => "!=",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::And => "and",
        Binary::Or => "or",
        Binary::Else => "??",
    }
}

fn calculate<T: Other>(op: Binary, a: &Operand<T>, b: &Operand<T>, len: usize) -> Result<T> {
    let (len, is_one) = rows(a, b, len);
    if !a.column.has_values() || !b.column.has_values() {
        return Ok(nulls(len, is_one));
    }
    match (a.column.kind(), b.column.kind(), op) {
        (Kind::Int, Kind::Int, _) if op != Binary::Divide => whole(op, a, b, len, is_one),
        (a_kind, b_kind, _) if a_kind.is_number() && b_kind.is_number() => {
            floating(op, a, b, len, is_one)
        }
        (Kind::Money, Kind::Money, Binary::Plus | Binary::Minus) => {
            whole(op, a, b, len, is_one).map(|it| as_money(&it))
        }
        (Kind::Money, Kind::Money, Binary::Divide) => floating(op, a, b, len, is_one),
        (Kind::Money, kind, Binary::Times | Binary::Divide) if kind.is_number() => {
            scaled(op, a, b, len, is_one)
        }
        (kind, Kind::Money, Binary::Times) if kind.is_number() => scaled(op, b, a, len, is_one),
        (Kind::Text, _, Binary::Plus) | (_, Kind::Text, Binary::Plus)
            if are_written(a) && are_written(b) =>
        {
            Ok(joined(a, b, len, is_one))
        }
        _ => Err(mismatch(symbol(op), a, b)),
    }
}

fn as_money<T: Other>(it: &Operand<T>) -> Operand<T> {
    let data = match &it.column.data {
        Data::Int(all) => Data::Money(all.clone()),
        other => other.clone(),
    };
    made(data, it.column.valid.clone(), it.is_one)
}

fn ints<T>(it: &Operand<T>) -> &[i64] {
    match &it.column.data {
        Data::Int(all) | Data::Money(all) => all,
        _ => &[],
    }
}

#[expect(clippy::cast_precision_loss, reason = "an int is a float where floats are")]
fn float<T>(it: &Operand<T>, row: usize) -> f64 {
    let at = if it.is_one { 0 } else { row };
    match &it.column.data {
        Data::Int(all) | Data::Money(all) => all[at] as f64,
        Data::Float(all) => all[at],
        _ => f64::NAN,
    }
}

fn whole<T: Other>(
    op: Binary,
    a: &Operand<T>,
    b: &Operand<T>,
    len: usize,
    is_one: bool,
) -> Result<T> {
    let (x, y) = (ints(a), ints(b));
    let mut valid = valid(a, b, len);
    let mut all = Vec::with_capacity(len);
    for row in 0..len {
        let (left, right) = (x[a.at(row)], y[b.at(row)]);
        let is_valid = valid.as_ref().is_none_or(|it| it.get(row));
        let result = match op {
            Binary::Plus => left.checked_add(right),
            Binary::Minus => left.checked_sub(right),
            Binary::Times => left.checked_mul(right),
            _ if right == 0 => {
                valid.get_or_insert_with(|| Bits::all(len, true)).set(row, false);
                Some(0)
            }
            // The rest of the least number by -1 is 0, and no overflow.
            _ => Some(left.wrapping_rem(right)),
        };
        match result {
            Some(it) => all.push(it),
            None if is_valid => return Err(overflow(symbol(op), row)),
            None => all.push(0),
        }
    }
    Ok(made(Data::Int(all), valid, is_one))
}

fn floating<T: Other>(
    op: Binary,
    a: &Operand<T>,
    b: &Operand<T>,
    len: usize,
    is_one: bool,
) -> Result<T> {
    let mut valid = valid(a, b, len);
    let mut all = Vec::with_capacity(len);
    for row in 0..len {
        let (left, right) = (float(a, row), float(b, row));
        if right == 0.0 && matches!(op, Binary::Divide | Binary::Rest) {
            valid.get_or_insert_with(|| Bits::all(len, true)).set(row, false);
            all.push(0.0);
            continue;
        }
        let result = match op {
            Binary::Plus => left + right,
            Binary::Minus => left - right,
            Binary::Times => left * right,
            Binary::Divide => left / right,
            _ => left % right,
        };
        let is_overflow = !result.is_finite() && left.is_finite() && right.is_finite();
        if is_overflow && valid.as_ref().is_none_or(|it| it.get(row)) {
            let message =
                format!("the result of `{}` in row {} is not a finite number", symbol(op), row + 1);
            return Err(TableError::new(message));
        }
        all.push(result);
    }
    Ok(made(Data::Float(all), valid, is_one))
}

/// Money times or divided by numbers.
fn scaled<T: Other>(
    op: Binary,
    money: &Operand<T>,
    by: &Operand<T>,
    len: usize,
    is_one: bool,
) -> Result<T> {
    let mut valid = valid(money, by, len);
    let mut all = Vec::with_capacity(len);
    let one = by.is_one.then(|| factor(by, 0));
    for row in 0..len {
        let factor = one.unwrap_or_else(|| factor(by, row));
        if op == Binary::Divide && factor.is_some_and(Factor::is_zero) {
            valid.get_or_insert_with(|| Bits::all(len, true)).set(row, false);
            all.push(0);
            continue;
        }
        let amount = i128::from(ints(money)[money.at(row)]);
        let result = match op {
            Binary::Times => factor.and_then(|it| it.times(amount)),
            _ => factor.and_then(|it| it.divide(amount)),
        };
        let is_valid = valid.as_ref().is_none_or(|it| it.get(row));
        match result.and_then(|it| i64::try_from(it).ok()) {
            Some(it) => all.push(it),
            None if is_valid => return Err(overflow(symbol(op), row)),
            None => all.push(0),
        }
    }
    Ok(made(Data::Money(all), valid, is_one))
}

fn factor<T: Other>(by: &Operand<T>, row: usize) -> Option<Factor> {
    match &by.column.data {
        Data::Int(all) => Some(Factor::of_int(all[by.at(row)])),
        _ => Factor::of_float(float(by, row)),
    }
}

fn joined<T: Other>(a: &Operand<T>, b: &Operand<T>, len: usize, is_one: bool) -> Operand<T> {
    let mut builder = crate::Builder::default();
    for row in 0..len {
        match (T::text(a.cell(row)), T::text(b.cell(row))) {
            (Some(a), Some(b)) => builder.push_text(&format!("{a}{b}")),
            _ => builder.push_null(),
        }
    }
    Operand { column: Arc::new(builder.finish()), is_one }
}

/// Whether all values are written as texts.
fn are_written<T: Other>(it: &Operand<T>) -> bool {
    it.column.cells().all(|it| matches!(it, Cell::Null) || T::text(it).is_some())
}

/// A text column with another text for each of its texts.
pub(super) fn map_texts<T: Other>(
    it: &Operand<T>,
    words: &Words,
    change: impl Fn(&str) -> String,
) -> Operand<T> {
    let changed: Column<T> = Column::texts(words.words.iter().map(|it| change(it).into()));
    let Data::Text(new) = changed.data else { return it.clone() };
    let codes = words.codes.iter().map(|it| new.codes[*it as usize]).collect();
    let data = Data::Text(Words { codes, words: new.words });
    made(data, it.column.valid.clone(), it.is_one)
}

/// A column with a value for each text of the dictionary.
pub(super) fn of_texts<T: Other>(
    it: &Operand<T>,
    words: &Words,
    of: impl Fn(&str) -> Option<Cell<'static, T>>,
) -> Operand<T> {
    let all: Vec<Option<Cell<'static, T>>> = words.words.iter().map(|it| of(it)).collect();
    let mut builder = crate::Builder::default();
    for row in 0..words.codes.len() {
        let found = all[words.codes[row] as usize].filter(|_| it.column.is_valid(row));
        builder.push(found.unwrap_or(Cell::Null));
    }
    Operand { column: Arc::new(builder.finish()), is_one: it.is_one }
}
