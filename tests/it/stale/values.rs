//! Random values of random types: JSON and the store preserve them.
//!
//! `SVC_VALUES=20000` sets the number of values.

use std::{fmt::Write as _, sync::Arc, time::Duration};

use fastrand::Rng;
use svc_contract::{
    store::Store as _,
    value::{Date, EnumType, Money, Record, Text, Timestamp, Type, Value, json, literal},
};
use svc_host_os::test::TestHost;
use svc_store::SqliteStore;

use super::number;

/// A type, with its name in a script.
struct Typed {
    ty: Type,
    name: String,
}

/// Generates types, and the declarations that a script needs for them.
struct Types<'r> {
    rng: &'r mut Rng,
    declared: String,
    count: usize,
}

impl Types<'_> {
    fn any(&mut self, depth: usize) -> Typed {
        let most = if depth == 0 { 12 } else { 16 };
        let plain = |ty: Type| Typed { name: ty.to_string(), ty };
        match self.rng.u8(0..most) {
            0 => plain(Type::Bool),
            1 => plain(Type::INT),
            2 => plain(Type::Int(Some((-5, 5)))),
            3 => plain(Type::FLOAT),
            4 => plain(Type::Text),
            5 => plain(Type::Duration),
            6 => plain(Type::Money),
            7 => plain(Type::Size),
            8 => plain(Type::Path),
            9 => {
                let variants = vec!["a".into(), "b".into(), "null".into()];
                let ty = Type::Enum(Arc::new(EnumType { name: None, variants }));
                self.declare(ty, r#""a" | "b" | "null""#)
            }
            10 => plain(Type::Json),
            11 => plain(if self.rng.bool() { Type::Time } else { Type::Date }),
            12 => {
                let item = self.any(depth - 1);
                Typed { ty: Type::list(item.ty), name: format!("[{}]", item.name) }
            }
            _ => self.record(depth),
        }
    }

    fn record(&mut self, depth: usize) -> Typed {
        let mut fields = Vec::new();
        let mut text = Vec::new();
        let mut names = vec!["a", "b", "c", "d", "e"];
        self.rng.shuffle(&mut names);
        for name in &names[..self.rng.usize(1..=names.len())] {
            let Typed { ty, name: shown } = self.any(depth.saturating_sub(1));
            let is_optional = self.rng.bool() && ty != Type::Json;
            let sign = if is_optional { "?" } else { "" };
            text.push(format!("{name}: {shown}{sign}"));
            fields.push(((*name).into(), if is_optional { ty.optional() } else { ty }));
        }
        let text = format!("{{ {} }}", text.join(", "));
        self.declare(Type::record(fields), &text)
    }

    fn declare(&mut self, ty: Type, text: &str) -> Typed {
        self.count += 1;
        let name = format!("T{}", self.count);
        writeln!(self.declared, "type {name} = {text}").unwrap();
        Typed { ty, name }
    }
}

fn value(ty: &Type, rng: &mut Rng) -> Value {
    const TEXTS: [&str; 6] = ["", "a", "\"\\\n\u{1b}[31m", "${x}", "\u{202e}ü👋", "$0.50"];
    const FLOATS: [f64; 8] =
        [-0.0, 0.0, 1.0, 0.1 + 0.2, 1e300, -5e-324, 9_007_199_254_740_993.0, 1e-7];
    match ty {
        Type::Bool => rng.bool().into(),
        Type::Int(Some(_)) => rng.i64(-5..=5).into(),
        Type::Int(None) => {
            [0, -1, i64::MAX, i64::MIN + 1, (1 << 53) + 1, rng.i64(..)][rng.usize(0..6)].into()
        }
        Type::Float(_) if rng.bool() => FLOATS[rng.usize(0..FLOATS.len())].into(),
        Type::Float(_) => {
            let any = f64::from_bits(rng.u64(..));
            Value::Float(if any.is_finite() { any } else { rng.f64() })
        }
        Type::Text => TEXTS[rng.usize(0..TEXTS.len())].into(),
        Type::Path => Value::Path(["a/b", ".", "ü x"][rng.usize(0..3)].into()),
        Type::Duration => Value::Duration(match rng.u8(0..4) {
            0 => Duration::from_nanos(rng.u64(0..5_000_000)),
            1 => Duration::from_millis(rng.u64(0..100_000_000)),
            2 => Duration::from_nanos(rng.u64(..)),
            _ => Duration::from_secs(1) / 3,
        }),
        Type::Money => Money::from_nanos([rng.i64(..), -500_000_000, 1, 0][rng.usize(0..4)]).into(),
        Type::Time => {
            Timestamp::new(rng.i64(-377_705_023_200..253_402_207_200), rng.i32(0..1_000_000_000))
                .unwrap()
                .into()
        }
        Type::Date => {
            let time = Timestamp::new(rng.i64(-377_705_023_200..253_402_207_200), 0).unwrap();
            time.strftime("%Y-%m-%d").to_string().parse::<Date>().unwrap_or(Date::MIN).into()
        }
        Type::Size => Value::Size([0, 5 << 20, 999, u64::MAX, rng.u64(..)][rng.usize(0..5)]),
        Type::Bytes => Value::Bytes((0..rng.usize(0..4)).map(|_| rng.u8(..)).collect()),
        Type::Enum(of) => Value::Text(of.variants[rng.usize(0..of.variants.len())].clone()),
        Type::Optional(_) if rng.bool() => Value::Null,
        Type::Optional(inner) => value(inner, rng),
        Type::List(item, _) => {
            let items: Vec<Value> = (0..rng.usize(0..4)).map(|_| value(item, rng)).collect();
            items.into()
        }
        Type::Record(of) => {
            let fields = of.fields.iter().map(|(name, ty)| (name.clone(), value(ty, rng)));
            Value::Record(fields.collect())
        }
        // The values of JSON.
        _ => match rng.u8(0..5) {
            0 => Value::Null,
            1 => value(&Type::FLOAT, rng),
            2 => value(&Type::Text, rng),
            3 => value(&Type::list(Type::Json), rng),
            _ => {
                let names: [Text; 2] = ["a b".into(), "x".into()];
                Value::Record(names.map(|it| (it, value(&Type::INT, rng))).into_iter().collect())
            }
        },
    }
}

/// The same value in another notation: other orders, absent fields, ints for floats.
fn rewritten(it: &Value, ty: &Type, rng: &mut Rng) -> Value {
    match (it, ty) {
        (Value::Record(record), Type::Record(of)) => {
            let mut fields: Vec<(Text, Value)> = Vec::new();
            for (name, ty) in &of.fields {
                let field = record.get(name).unwrap();
                if !field.is_null() || !ty.is_optional() || rng.bool() {
                    fields.push((name.clone(), rewritten(field, ty.required(), rng)));
                }
            }
            rng.shuffle(&mut fields);
            Value::Record(fields.into_iter().collect())
        }
        (Value::List(items), Type::List(item, _)) => {
            items.iter().map(|it| rewritten(it, item, rng)).collect::<Vec<_>>().into()
        }
        #[expect(clippy::cast_possible_truncation, reason = "it is small and whole")]
        (Value::Float(it), Type::Float(_)) if it.fract() == 0.0 && it.abs() < 1e15 => {
            Value::Int(*it as i64)
        }
        (it, _) => it.clone(),
    }
}

/// Every form that distinguishes values.
fn forms(it: &Value) -> [String; 3] {
    [json::write(it), it.to_string(), json::write_pretty(it)]
}

#[test]
fn a_value_comes_back_from_json_as_it_was() {
    let mut rng = Rng::with_seed(number("SVC_SEED", 1));
    for _ in 0..number("SVC_VALUES", 3_000) {
        let ty = match rng.u8(0..8) {
            0 => Type::Bytes,
            _ => Types { rng: &mut rng, declared: String::new(), count: 0 }.any(3).ty,
        };
        let value = value(&ty, &mut rng);
        let back = json::read(&json::write(&value)).unwrap().cast(&ty);
        let back = back.unwrap_or_else(|err| panic!("{ty}: {err}: {}", json::write(&value)));
        assert!(ty.admits(&back) && ty.is_exactly(&back), "{ty}: {back}");
        assert_eq!(back, value, "{ty}");
        assert_eq!(forms(&back), forms(&value), "{ty}");
        let other = rewritten(&value, &ty, &mut rng);
        assert_eq!((&other, &value), (&value, &other), "{ty}");
        assert_eq!(forms(&other.cast(&ty).unwrap()), forms(&value), "{ty}");
    }
}

/// The value as a script sees it: as an input, as a literal, and as the result of a call that was
/// made now, in this run, in another one, or is recorded.
#[tokio::test(start_paused = true)]
async fn a_value_is_one_in_runs_and_their_records() {
    let mut rng = Rng::with_seed(number("SVC_SEED", 1));
    let mut literals = 0;
    for _ in 0..number("SVC_VALUES", 3_000) / 10 {
        let mut types = Types { rng: &mut rng, declared: String::new(), count: 0 };
        let Typed { ty, name } = types.record(2);
        let declared = std::mem::take(&mut types.declared);
        let value = value(&ty, &mut rng);
        let other = rewritten(&value, &ty, &mut rng);
        let written = literal::written(&other).filter(|_| !ty.has(&|it| *it == Type::Json));
        literals += usize::from(written.is_some());
        let written = written.unwrap_or_else(|| "given".to_owned());
        let script = format!(
            "{declared}param given: {name}\nparam loose: string\nlet own: {name} = {written}\n\
             let called = own >> wait(duration: 1ms)\nlet passed = given >> wait(duration: 1ms)\n\
             let all = [own, called, passed]\n\
             {{ is: own, called: called, same: own == given and called == given and passed == own,\n\
             once: len(unique(all)), loose: len(unique(parse_json<[json]>(loose))), groups: len((all >> group {{ it }})),\n\
             json: unique([to_json(own), to_json(called), to_json(passed), to_json(given)]),\n\
             has: contains([own], called), keys: unique([keys(own), keys(called), keys(given)]) }}"
        );
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let engine = svc::engine().with_host(Arc::new(TestHost::new())).with_store(store.clone());
        // Without a type no fields are added, and equal values are still one.
        let loose = Value::from(json::write(&vec![other.clone(), value.clone()].into()));
        let ran = engine.run(script.as_str()).param("given", other).param("loose", loose.clone());
        let ran = ran.await;
        let ran =
            ran.unwrap_or_else(|err| panic!("{}", err.render(svc_lang::diag::Style::Plain))).value;
        let text = json::write(&ran);
        let message: &Record = ran.as_record().unwrap();
        let field = |name: &str| message.get(name).unwrap();
        assert_eq!(json::write(field("is")), json::write(&value), "{script}");
        assert_eq!(json::write(field("called")), json::write(&value), "{script}");
        let are = ["same", "once", "loose", "groups", "has"].map(|it| json::write(field(it)));
        assert_eq!(are, ["true", "1", "1", "1", "true"], "{text}\n{script}");
        let counts = ["json", "keys"].map(|it| field(it).as_list().unwrap().len());
        assert_eq!(counts, [1, 1], "{text}\n{script}");
        let run = store.run("last").unwrap();
        let resumed = engine.resume("last").unwrap().await.unwrap().value;
        assert_eq!(json::write(&resumed), text, "{script}");
        assert!(engine.replay(run, None).unwrap().is_same(Some(&text)), "{script}");
        let again = engine.run(script.as_str()).param("given", value).param("loose", loose);
        let again = again.reuse(Duration::from_hours(1));
        assert_eq!(json::write(&again.await.unwrap().value), text, "{script}");
        let nodes = store.nodes(&store.run("last").unwrap().id).unwrap();
        assert!(nodes.iter().all(|it| it.origin.is_some()), "a value is its own key: {script}");
    }
    assert!(literals > 0, "no value could be written as a literal");
}
