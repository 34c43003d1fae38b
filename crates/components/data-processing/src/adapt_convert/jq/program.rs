//! Compiling and running a program.

use jaq_core::{
    Compiler, Ctx, Vars,
    load::{self, Arena, File, Loader, lex, parse},
    unwrap_valr,
};
use jaq_json::{Map, Num, Val};
use svc_contract::value::{Record, Text, Value, arithmetic::HEAVIEST, json};

use super::{
    super::{DEEPEST, place},
    natives::{self, Data},
};

/// What jq has and jaq has not, or otherwise.
const MORE: &str = include_str!("more.jq");

/// All results, or what is wrong with the program or the input.
pub(crate) fn run(code: &str, input: &Value) -> Result<Value, String> {
    let arena = Arena::default();
    let more = load::parse(MORE, |it| it.defs()).unwrap_or_default();
    let defs = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(more);
    let modules = Loader::new(defs)
        .load(&arena, File { code, path: () })
        .map_err(|errors| unloaded(code, errors))?;
    let funs = jaq_core::funs::<Data>().chain(jaq_std::base_funs()).chain(jaq_json::funs());
    let funs = funs.filter(|it| it.0 != "halt").chain(natives::all());
    let filter = Compiler::default().with_funs(funs).compile(modules).map_err(|errors| {
        let first = errors.into_iter().flat_map(|it| it.1).next();
        first.map_or_else(String::new, |(name, undefined)| {
            format!("invalid jq: unknown {} `{name}`{}", undefined.as_str(), at(code, name))
        })
    })?;
    let ctx = Ctx::<Data>::new(&filter.lut, Vars::new([]));
    let input = jaq_json::read::parse_single(json::write(input).as_bytes())
        .map_err(|err| format!("cannot read the input: {err}"))?;
    let mut results = Vec::new();
    let mut weight = 0;
    for it in filter.id.run((ctx, input)).map(unwrap_valr) {
        let it = it.map_err(|why| format!("jq failed after {} results: {why}", results.len()))?;
        results.push(value(&it, 0, &mut weight)?);
    }
    Ok(Value::from(results))
}

/// The place of a part of the program.
fn at(code: &str, part: &str) -> String {
    let offset = (part.as_ptr() as usize).checked_sub(code.as_ptr() as usize);
    offset.filter(|it| *it <= code.len()).map_or_else(String::new, |it| place(code, it))
}

fn unloaded(code: &str, errors: load::Errors<&str, ()>) -> String {
    let why = match errors.into_iter().next().map(|it| it.1) {
        Some(load::Error::Lex(all)) => all.into_iter().next().map(|(wanted, found)| {
            let wanted: &lex::Expect<&str> = &wanted;
            format!("expected {}{}", wanted.as_str(), at(code, found))
        }),
        Some(load::Error::Parse(all)) => all.into_iter().next().map(|(wanted, found)| {
            let wanted: &parse::Expect<&str> = &wanted;
            match found {
                "" => format!("expected {}, found the end", wanted.as_str()),
                it => format!("expected {}, found `{it}`{}", wanted.as_str(), at(code, it)),
            }
        }),
        Some(load::Error::Io(all)) => all
            .into_iter()
            .next()
            .map(|(path, _)| format!("a program cannot load modules{}", at(code, path))),
        None => None,
    };
    format!("invalid jq: {}", why.unwrap_or_default())
}

/// A result as a value, as `jq` prints it: what is not a number is null, and infinity the largest number.
fn value(it: &Val, depth: usize, weight: &mut u64) -> Result<Value, String> {
    *weight += 1;
    if depth > DEEPEST {
        return Err(format!("a result has too many levels of nesting (limit {DEEPEST})"));
    }
    if *weight > HEAVIEST {
        return Err("the results are larger than 1 GiB".to_owned());
    }
    Ok(match it {
        Val::Null => Value::Null,
        Val::Bool(it) => Value::Bool(*it),
        Val::Num(it) => number(it),
        Val::TStr(it) | Val::BStr(it) => {
            *weight += it.len() as u64 / 8;
            Value::from(String::from_utf8_lossy(it).into_owned())
        }
        Val::Arr(items) => {
            let items = items.iter().map(|it| value(it, depth + 1, weight));
            Value::from(items.collect::<Result<Vec<_>, _>>()?)
        }
        Val::Obj(fields) => Value::Record(record(fields, depth, weight)?),
    })
}

fn record(fields: &Map, depth: usize, weight: &mut u64) -> Result<Record, String> {
    let mut all: Vec<(Text, Value)> = Vec::with_capacity(fields.len());
    for (name, it) in fields {
        let Val::TStr(name) = name else {
            return Err(format!("a result has a key that is not a string: `{name}`"));
        };
        let name = String::from_utf8_lossy(name).into_owned();
        all.push((name.into(), value(it, depth + 1, weight)?));
    }
    Ok(all.into_iter().collect())
}

fn number(it: &Num) -> Value {
    let float = |it: f64| {
        if it.is_nan() { Value::Null } else { Value::Float(it.clamp(f64::MIN, f64::MAX)) }
    };
    match it {
        Num::Int(it) => Value::from(*it),
        Num::Float(it) => float(*it),
        Num::BigInt(_) | Num::Dec(_) => float(it.to_string().parse().unwrap_or(f64::NAN)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn more_is_jq() {
        assert!(super::load::parse(super::MORE, |it| it.defs()).is_some());
    }
}
