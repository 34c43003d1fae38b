//! Values that a JSON Schema allows, from a seed.

use svc_contract::value::{Record, Text, Value};

/// A value that a schema allows. Units are written as the description of the schema says.
pub(super) fn value(schema: &Value, random: &mut fastrand::Rng) -> Value {
    let Some(of) = schema.as_record() else { return Value::Null };
    if let Some(Value::List(choices)) = of.get("anyOf")
        && !choices.is_empty()
    {
        // A model is a name in a store, and the checks have none.
        let choices: Vec<Value> = choices.iter().filter(|it| !is_model(it)).cloned().collect();
        if choices.is_empty() {
            return Value::Null;
        }
        return value(&choices[random.usize(..choices.len())], random);
    }
    if let Some(Value::List(variants)) = of.get("enum")
        && !variants.is_empty()
    {
        let variants: Vec<Value> = variants.iter().cloned().collect();
        return variants[random.usize(..variants.len())].clone();
    }
    match of.get("type").and_then(Value::as_str) {
        Some("null") => Value::Null,
        Some("boolean") => Value::Bool(random.bool()),
        Some("integer") => Value::Int(integer(of, random)),
        Some("number") => Value::Float(number(of, random)),
        Some("string") => text(of, random),
        Some("array") => array(of, random),
        Some("object") => Value::Record(object(of, random)),
        _ => anything(random),
    }
}

fn is_model(schema: &Value) -> bool {
    let description = schema.as_record().and_then(|it| it.get("description"));
    description.and_then(Value::as_str).is_some_and(|it| it.contains("the id of a model"))
}

/// Arguments that the schema of a tool allows: all that are required, and some of the others.
pub(super) fn object(of: &Record, random: &mut fastrand::Rng) -> Record {
    let required = strings(of.get("required"));
    let mut fields: Vec<(Text, Value)> = Vec::new();
    if let Some(Value::Record(properties)) = of.get("properties") {
        for (name, schema) in properties.iter() {
            if required.contains(&name.to_string()) || random.bool() {
                fields.push((name.clone(), value(schema, random)));
            }
        }
    }
    if let Some(item @ Value::Record(_)) = of.get("additionalProperties") {
        for at in 0..random.usize(..3) {
            fields.push((format!("key{at}").into(), value(item, random)));
        }
    }
    fields.into_iter().collect()
}

/// The texts of a list.
pub(super) fn strings(list: Option<&Value>) -> Vec<String> {
    let Some(Value::List(all)) = list else { return Vec::new() };
    all.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

fn integer(of: &Record, random: &mut fastrand::Rng) -> i64 {
    let bound = |name: &str, default: i64| match of.get(name) {
        Some(Value::Int(it)) => *it,
        _ => default,
    };
    let (low, high) = (bound("minimum", -1000), bound("maximum", 1000));
    match random.u8(..4) {
        0 => low,
        1 => high,
        _ => random.i64(low..=high.max(low)),
    }
}

fn number(of: &Record, random: &mut fastrand::Rng) -> f64 {
    let bound = |name: &str, default: f64| match of.get(name) {
        Some(Value::Float(it)) => *it,
        #[expect(clippy::cast_precision_loss, reason = "bounds are small constants")]
        Some(Value::Int(it)) => *it as f64,
        _ => default,
    };
    let (low, high) = (bound("minimum", -1000.0), bound("maximum", 1000.0));
    match random.u8(..4) {
        0 => low,
        1 => high,
        _ => low + (high - low) * random.f64(),
    }
}

fn text(of: &Record, random: &mut fastrand::Rng) -> Value {
    const TEXTS: [&str; 6] = ["a", "", "two words", "é ß 漢", "\"quoted\"\n", "${it}"];
    let format = of.get("format").and_then(Value::as_str);
    let description = of.get("description").and_then(Value::as_str).unwrap_or_default();
    match format {
        Some("date-time") => return "2024-05-06T07:08:09Z".into(),
        Some("date") => return "2024-05-06".into(),
        _ => {}
    }
    let units = ["30s", "5m", "1h30m"];
    if description.contains("a duration, such as") {
        return units[random.usize(..units.len())].into();
    }
    if of.get("pattern").is_some() {
        let digits = (0..random.usize(..8)).map(|_| format!("{:02x}", random.u8(..)));
        return digits.collect::<String>().into();
    }
    if description.contains("an amount of US dollars") {
        return format!("${}.{:02}", random.u8(..10), random.u8(..100)).into();
    }
    if description.contains("a size, such as") {
        return ["10MB", "2KiB", "1GB"][random.usize(..3)].into();
    }
    let may_be_empty = of.get("minLength").is_none();
    let text = TEXTS[random.usize(..TEXTS.len())];
    if text.is_empty() && !may_be_empty { "a".into() } else { text.into() }
}

fn array(of: &Record, random: &mut fastrand::Rng) -> Value {
    let most = match of.get("maxItems") {
        Some(Value::Int(it)) => usize::try_from(*it).unwrap_or(0).min(3),
        _ => 3,
    };
    let count = random.usize(..=most);
    let Some(item) = of.get("items") else { return Value::from(Vec::<Value>::new()) };
    (0..count).map(|_| value(item, random)).collect::<Vec<Value>>().into()
}

fn anything(random: &mut fastrand::Rng) -> Value {
    match random.u8(..4) {
        0 => Value::Null,
        1 => Value::Int(random.i64(-5..5)),
        2 => "a".into(),
        _ => vec![Value::Int(1), Value::Int(2)].into(),
    }
}
