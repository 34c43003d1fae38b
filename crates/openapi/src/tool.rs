//! Tools of other protocols: their parameters and results, by plain JSON schemas.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::{
    media::{Body, Media},
    operations::{Operation, named},
    parameters::{Parameter, Place, Style, default, doc},
    references::Document,
    shape::{FieldShape, Shape},
    shapes::{Counted, Shapes, Use, required},
};

/// The operation of a tool: a parameter for each property of its input, those that a call must give
/// first, in the order in which the schema requires them. Its types have no names.
///
/// `reserved` are names that no parameter may have.
pub fn tool(name: &str, input: &Value, output: Option<&Value>, reserved: &[&str]) -> Operation {
    let mut params = params(input);
    named(&mut params, reserved);
    let result = output.map_or(Shape::Json, |it| shape(it, it, Use::Out));
    Operation {
        name: name.to_owned(),
        method: String::new(),
        path: String::new(),
        doc: String::new(),
        params,
        body: Body::default(),
        access: Vec::new(),
        result: if result == Shape::Null { Shape::Json } else { result },
        answer: Media::Json,
    }
}

fn shape(document: &Value, schema: &Value, to: Use) -> Shape {
    let mut shapes = Shapes::new(Document(document));
    let shape = shapes.shape(schema, to);
    whole(shape, &shapes.types)
}

/// The type with the named types in place of their names. None contains itself.
fn whole(shape: Shape, types: &BTreeMap<String, Counted>) -> Shape {
    let inner = |it: Box<Shape>| Box::new(whole(*it, types));
    match shape {
        Shape::Ref(name) => types.get(&name).map_or(Shape::Json, |it| whole(it.0.clone(), types)),
        Shape::List(it) => Shape::List(inner(it)),
        Shape::Map(it) => Shape::Map(inner(it)),
        Shape::Opt(it) => Shape::Opt(inner(it)),
        Shape::Nullable(it) => Shape::Nullable(inner(it)),
        Shape::Record(fields) => {
            let field = |it: FieldShape| FieldShape(it.0, whole(it.1, types), it.2);
            Shape::Record(fields.into_iter().map(field).collect())
        }
        other => other,
    }
}

fn params(input: &Value) -> Vec<Parameter> {
    let properties = input.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|it| !it.is_empty()) else {
        return if takes_any(input) { vec![all_arguments()] } else { Vec::new() };
    };
    let needed: Vec<&str> =
        required(input).into_iter().filter(|it| properties.contains_key(*it)).collect();
    let others = properties.keys().map(String::as_str).filter(|it| !needed.contains(it));
    let mut names: Vec<&str> = Vec::new();
    for name in needed.iter().copied().chain(others) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let param = |wire: &&str| {
        let (schema, is_required) = (&properties[*wire], needed.contains(wire));
        let shape = match shape(input, schema, Use::In) {
            Shape::Null => Shape::Json,
            Shape::Bytes => Shape::String,
            it => it,
        };
        Parameter {
            name: String::new(),
            wire: (*wire).to_owned(),
            place: Place::Field,
            style: Style::Json,
            default: default(schema, &shape).filter(|_| is_required),
            media_type: String::new(),
            shape: if is_required { shape } else { shape.optional() },
            doc: doc(schema, Some(schema), is_required),
        }
    };
    names.iter().map(param).collect()
}

/// Whether a schema without properties accepts some.
fn takes_any(input: &Value) -> bool {
    match input.get("additionalProperties") {
        Some(Value::Bool(may)) => *may,
        Some(_) => true,
        None => {
            input.get("type").is_none()
                || input.get("anyOf").is_some()
                || input.get("oneOf").is_some()
        }
    }
}

/// The one parameter of a tool that does not name its own.
fn all_arguments() -> Parameter {
    Parameter {
        name: String::new(),
        wire: "arguments".to_owned(),
        place: Place::Body,
        style: Style::Json,
        default: None,
        media_type: String::new(),
        shape: Shape::Json.optional(),
        doc: "All arguments, as a record.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::tool;

    fn shown(input: &serde_json::Value) -> String {
        let operation = tool("t", input, None, &["input"]);
        let all = operation.params.iter().map(|it| format!("{}: {}", it.name, it.shape));
        all.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn params_are_the_properties_of_the_input() {
        let input = json!({"type": "object", "required": ["repo", "Title"], "properties": {
            "Title": {"type": "string"},
            "labels": {"type": "array", "items": {"$ref": "#/$defs/Label"}},
            "repo": {"type": "string"},
            "state": {"enum": ["open", "closed"]},
            "input": {"type": ["integer", "null"], "minimum": 1, "maximum": 9}},
            "$defs": {"Label": {"type": "object", "required": ["name"],
                "properties": {"name": {"type": "string"}}}}});
        assert_eq!(
            shown(&input),
            "repo: string, title: string, input_param: int 1..9?, labels: [{ name: string }]?, \
             state: \"open\" | \"closed\"?"
        );
    }

    #[test]
    fn odd_inputs_have_no_params_or_one_for_all() {
        assert_eq!(shown(&json!({"type": "object"})), "");
        assert_eq!(shown(&json!({"type": "object", "properties": {}})), "");
        assert_eq!(shown(&json!({})), "arguments: json?");
        assert_eq!(
            shown(&json!({"type": "object", "additionalProperties": true})),
            "arguments: json?"
        );
        assert_eq!(
            shown(&json!({"required": ["x"], "properties": {"y": {"$ref": "#"}}})),
            "y: { y: json? }?"
        );
        assert_eq!(shown(&json!({"required": ["y", "y"], "properties": {"y": true}})), "y: json");
    }

    #[test]
    fn results_are_those_of_the_output() {
        let output = json!({"type": "object", "required": ["n"], "properties": {
            "n": {"type": "number"}, "of": {"$ref": "#"}}});
        let of = |it| tool("t", &json!({}), it, &[]).result.to_string();
        assert_eq!(of(Some(&output)), "{ n: float, of: { n: float, of: json? }? }");
        assert_eq!(of(None), "json");
        assert_eq!(of(Some(&json!({"type": "null"}))), "json");
    }
}
