//! Schemas with alternatives or parts: `oneOf`, `anyOf` and `allOf`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    shape::{FieldShape, Shape},
    shapes::{Counted, Shapes, Use, record, required},
};

/// The most alternatives or parts that are merged.
const MOST: usize = 40;

/// The type of a schema with alternatives or parts; `None` if it has neither.
pub(crate) fn composed<'d>(
    shapes: &mut Shapes<'d>,
    schema: &'d Value,
    to: Use,
    depth: usize,
) -> Option<Counted> {
    let all = |name: &str| schema.get(name).and_then(Value::as_array).filter(|it| !it.is_empty());
    let alternatives = all("oneOf").or_else(|| all("anyOf"));
    match (all("allOf"), alternatives) {
        (Some(parts), _) => Some(together(shapes, schema, parts, to, depth)),
        // Alternatives of a record that only say which of its fields are required.
        (None, Some(_)) if schema.get("properties").is_some() => None,
        (None, Some(all)) => Some(one_of(shapes, all, to, depth)),
        (None, None) => None,
    }
}

/// All parts at once.
fn together<'d>(
    shapes: &mut Shapes<'d>,
    schema: &'d Value,
    parts: &'d [Value],
    to: Use,
    depth: usize,
) -> Counted {
    let says_something = |it: &&Value| {
        let words =
            ["$ref", "type", "properties", "items", "enum", "const", "oneOf", "anyOf", "allOf"];
        words.iter().any(|word| it.get(word).is_some())
    };
    let mut all: Vec<Counted> = Vec::new();
    let own = schema.get("properties").is_some();
    let parts: Vec<&Value> = parts.iter().filter(says_something).take(MOST + 1).collect();
    if parts.len() > MOST {
        return (Shape::Json, 1);
    }
    for part in &parts {
        all.push(shapes.counted(part, to, depth));
    }
    if own {
        all.push(shapes.object(schema, to, depth));
    }
    if all.len() == 1 {
        return all.remove(0);
    }
    let mut needed = required(schema);
    needed.extend(parts.iter().flat_map(|it| required(it)));
    let mut fields: BTreeMap<String, (FieldShape, usize)> = BTreeMap::new();
    let mut order = Vec::new();
    for (shape, _) in all.iter().filter(|it| it.0 != Shape::Json) {
        let Some(own) = shapes.fields(shape.required()) else { return (Shape::Json, 1) };
        for (mut field, count) in own {
            if needed.contains(&field.0.as_str())
                && let Shape::Opt(inner) = field.1
            {
                field.1 = *inner;
            }
            if !fields.contains_key(&field.0) {
                order.push(field.0.clone());
            }
            fields.insert(field.0.clone(), (field, count));
        }
    }
    record(order.iter().filter_map(|it| fields.remove(it)).collect())
}

/// One of several alternatives.
fn one_of<'d>(shapes: &mut Shapes<'d>, all: &'d [Value], to: Use, depth: usize) -> Counted {
    if all.len() > MOST {
        return (Shape::Json, 1);
    }
    let mut is_nullable = false;
    let mut distinct: Vec<Counted> = Vec::new();
    for alternative in all {
        let (shape, count) = shapes.counted(alternative, to, depth);
        is_nullable |= matches!(shape, Shape::Null | Shape::Nullable(_) | Shape::Opt(_));
        let shape = shape.required().clone();
        if shape != Shape::Null && !distinct.iter().any(|it| it.0 == shape) {
            distinct.push((shape, count));
        }
    }
    let (shape, count) = merged(shapes, distinct);
    if is_nullable { (shape.nullable(), count) } else { (shape, count) }
}

fn merged(shapes: &mut Shapes<'_>, mut all: Vec<Counted>) -> Counted {
    if all.len() < 2 {
        return all.pop().unwrap_or((Shape::Json, 1));
    }
    let are = |is: fn(&Shape) -> bool| all.iter().all(|it| is(&it.0));
    if are(|it| matches!(it, Shape::Enum(_))) {
        let mut choices: Vec<String> = Vec::new();
        for (shape, _) in all {
            let Shape::Enum(own) = shape else { continue };
            choices.extend(own.into_iter().filter(|it| !choices.contains(it)).collect::<Vec<_>>());
        }
        return (Shape::Enum(choices), 1);
    }
    if are(|it| matches!(it, Shape::Enum(_) | Shape::String)) {
        return (Shape::String, 1);
    }
    if are(|it| matches!(it, Shape::Int | Shape::Ints(..))) {
        return (Shape::Int, 1);
    }
    if are(|it| matches!(it, Shape::Int | Shape::Ints(..) | Shape::Float)) {
        return (Shape::Float, 1);
    }
    records(shapes, &all).unwrap_or((Shape::Json, 1))
}

/// A record with the fields of all alternatives: one that some alternative lacks is optional, and one
/// whose types differ is `json`.
fn records(shapes: &mut Shapes<'_>, all: &[Counted]) -> Option<Counted> {
    let mut fields: BTreeMap<String, (FieldShape, usize, usize)> = BTreeMap::new();
    for (shape, _) in all {
        for (field, count) in shapes.fields(shape)? {
            let Some(known) = fields.get_mut(&field.0) else {
                fields.insert(field.0.clone(), (field, count, 1));
                continue;
            };
            known.2 += 1;
            if known.0.1.required() != field.1.required() {
                (known.0.1, known.1) = (Shape::Json.optional(), 1);
            } else if matches!(field.1, Shape::Opt(_) | Shape::Nullable(_)) {
                known.0.1 = field.1;
            }
        }
    }
    let fields = fields.into_values().map(|(mut field, count, times)| {
        if times < all.len() {
            field.1 = field.1.optional();
        }
        (field, count)
    });
    Some(record(fields.collect()))
}
