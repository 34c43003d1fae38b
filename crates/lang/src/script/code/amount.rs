//! Money, durations, sizes, times and dates in rhai: they keep their type, and behave as in a
//! pipeline.

use std::{cmp::Ordering, time::Duration};

use rhai::{Dynamic, Engine, EvalAltResult, FLOAT, INT, Position};
use svc_contract::value::{
    Date, Money, Type, Value,
    arithmetic::{self, MathError},
};

type Result<T> = std::result::Result<T, Box<EvalAltResult>>;
type Operator = fn(&Value, &Value) -> std::result::Result<Value, MathError>;

/// A value with a unit, a time or a date.
#[derive(Clone)]
pub(super) struct Amount(pub(super) Value);

/// Registers the type, its operators, and its constructors.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Amount>("amount");
    let operators: [(&str, Operator); 4] = [
        ("+", |a, b| arithmetic::add(a.clone(), b.clone())),
        ("-", arithmetic::subtract),
        ("*", arithmetic::multiply),
        ("/", arithmetic::divide),
    ];
    for (name, operator) in operators {
        between(engine, name, operator);
    }
    comparison(engine, "<", Ordering::is_lt);
    comparison(engine, "<=", Ordering::is_le);
    comparison(engine, ">", Ordering::is_gt);
    comparison(engine, ">=", Ordering::is_ge);
    engine.register_fn("==", |a: Amount, b: Amount| a.0 == b.0);
    engine.register_fn("!=", |a: Amount, b: Amount| a.0 != b.0);
    engine.register_fn("to_string", |it: Amount| it.0.to_string());
    engine.register_fn("to_debug", |it: Amount| it.0.to_string());
    parts(engine);
    makers(engine);
    day_parts(engine);
    readers(engine);
}

fn comparison(engine: &mut Engine, name: &str, holds: fn(Ordering) -> bool) {
    engine.register_fn(name, move |a: Amount, b: Amount| match a.0.order(&b.0) {
        Some(it) => Ok(holds(it)),
        None => math(MathError::Mismatch),
    });
}

/// An operator between two amounts, and between an amount and a number.
fn between(engine: &mut Engine, name: &str, operator: Operator) {
    let compute = move |a: &Value, b: &Value| operator(a, b).map(into_rhai).or_else(math);
    engine.register_fn(name, move |a: Amount, b: Amount| compute(&a.0, &b.0));
    if matches!(name, "*" | "/") {
        engine.register_fn(name, move |a: Amount, b: INT| compute(&a.0, &Value::Int(b)));
        engine.register_fn(name, move |a: Amount, b: FLOAT| compute(&a.0, &Value::Float(b)));
    }
    if name == "*" {
        engine.register_fn(name, move |a: INT, b: Amount| compute(&Value::Int(a), &b.0));
        engine.register_fn(name, move |a: FLOAT, b: Amount| compute(&Value::Float(a), &b.0));
    }
}

/// `cost.dollars`, `took.seconds`, `size.bytes`, `date.year`
fn parts(engine: &mut Engine) {
    engine.register_get("dollars", |it: &mut Amount| match &it.0 {
        Value::Money(it) => Ok(it.dollars()),
        _ => no_part("dollars"),
    });
    engine.register_get("seconds", |it: &mut Amount| match &it.0 {
        Value::Duration(it) => Ok(it.as_secs_f64()),
        _ => no_part("seconds"),
    });
    engine.register_get("bytes", |it: &mut Amount| match &it.0 {
        Value::Size(it) => INT::try_from(*it).or_else(|_| math(MathError::Overflow)),
        _ => no_part("bytes"),
    });
}

/// `date.year`, `date.month`, `date.day`; a time has none of them without a time zone.
fn day_parts(engine: &mut Engine) {
    day_part(engine, "year", |it| it.year().into());
    day_part(engine, "month", |it| it.month().into());
    day_part(engine, "day", |it| it.day().into());
}

fn day_part(engine: &mut Engine, name: &'static str, part: fn(Date) -> INT) {
    engine.register_get(name, move |it: &mut Amount| match &it.0 {
        Value::Date(it) => Ok(part(*it)),
        _ => no_part(name),
    });
}

/// `time("2026-11-23T08:00:00Z")`, `date("2026-11-23")`
fn readers(engine: &mut Engine) {
    for (name, ty) in [("time", Type::Time), ("date", Type::Date)] {
        engine.register_fn(name, move |it: &str| -> Result<Amount> {
            let read = Value::text(it).cast(&ty).map(Amount);
            read.map_err(|it| it.to_string().into())
        });
    }
}

/// `dollars(0.05)`, `seconds(1.5)`, `bytes(1000)`
fn makers(engine: &mut Engine) {
    engine.register_fn("dollars", dollars);
    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    engine.register_fn("dollars", |it: INT| dollars(it as FLOAT));
    engine.register_fn("seconds", seconds);
    #[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
    engine.register_fn("seconds", |it: INT| seconds(it as FLOAT));
    engine.register_fn("bytes", |it: INT| match u64::try_from(it) {
        Ok(it) => Ok(Amount(Value::Size(it))),
        Err(_) => math(MathError::Negative),
    });
}

fn dollars(it: FLOAT) -> Result<Amount> {
    match Money::from_dollars(it) {
        Some(money) => Ok(Amount(Value::Money(money))),
        None => math(MathError::Overflow),
    }
}

fn seconds(it: FLOAT) -> Result<Amount> {
    match Duration::try_from_secs_f64(it) {
        Ok(duration) => Ok(Amount(Value::Duration(duration))),
        Err(_) => math(MathError::Negative),
    }
}

/// The result of an operator as a rhai value: two amounts divided are a number.
fn into_rhai(value: Value) -> Dynamic {
    match value {
        Value::Float(it) => it.into(),
        Value::Int(it) => it.into(),
        amount => Dynamic::from(Amount(amount)),
    }
}

fn math<T>(err: MathError) -> Result<T> {
    Err(EvalAltResult::ErrorArithmetic(err.to_string(), Position::NONE).into())
}

fn no_part<T>(part: &str) -> Result<T> {
    let message = format!("this amount has no `{part}`");
    Err(EvalAltResult::ErrorRuntime(message.into(), Position::NONE).into())
}
