//! What makes a chat signature, what a script gets, and which schemas its result promises.

use svc_contract::value::{RecordType, json};
use svc_lang::diag::Span;

use super::*;
use crate::tools;

fn input(name: &str, ty: Type) -> Input {
    Input { name: name.into(), doc: String::new(), ty, default: None, span: Span::default() }
}

fn messages_type() -> Type {
    let fields = vec![("role".into(), Type::Text), ("content".into(), Type::Text)];
    Type::List(Type::record(fields).into(), None)
}

fn said(role: Speaker, name: &str, text: &str) -> Message {
    Message { role, text: text.into(), whole: message(name, text) }
}

fn conversation() -> Conversation {
    let messages = vec![
        said(Speaker::System, "system", "be brief"),
        said(Speaker::User, "user", "one"),
        said(Speaker::Assistant, "assistant", "two"),
        said(Speaker::User, "user", "three"),
    ];
    Conversation { messages, tools: None }
}

#[test]
fn a_script_with_one_question_or_all_messages_is_a_model() {
    let question = ChatSignature::of_inputs(&[input("q", Type::Text)]).unwrap();
    assert_eq!(question.asks, Asks::Question("q".into()));
    assert!(!question.has_system && !question.takes_tools());
    let optional = |name, ty: Type| input(name, ty.optional());
    let all = [
        input("messages", messages_type()),
        optional("system", Type::Text),
        optional("tools", Type::Json),
        optional("depth", Type::Int(None)),
        input("key", Type::Secret),
    ];
    let all = ChatSignature::of_inputs(&all).unwrap();
    assert_eq!(all.asks, Asks::Messages);
    assert!(all.has_system && all.takes_tools());
    let json = ChatSignature::of_inputs(&[input("messages", Type::Json)]).unwrap();
    assert_eq!(json.asks, Asks::Messages);

    for (inputs, why) in [
        (vec![], "no required param that is a text"),
        (vec![optional("q", Type::Text)], "no required param that is a text"),
        (vec![input("n", Type::Int(None))], "`n` is not a text"),
        (vec![input("a", Type::Text), input("b", Type::Text)], "other required params"),
        (vec![input("messages", messages_type()), input("n", Type::Int(None))], "other required"),
        (vec![input("messages", Type::List(Type::Int(None).into(), None))], "not a text"),
    ] {
        let said = ChatSignature::of_inputs(&inputs).unwrap_err();
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_script_gets_what_it_has_params_for() {
    let question = ChatSignature::of_inputs(&[input("q", Type::Text)]).unwrap();
    let args = question.args(&conversation()).unwrap();
    assert_eq!(args, Args::from([("q".to_owned(), "three".into())]));
    let seen: Vec<bool> = (0..4).map(|it| question.sees(&conversation(), it)).collect();
    assert_eq!(seen, [false, false, false, true]);
    let inputs = [input("q", Type::Text), input("system", Type::Text.optional())];
    let with_system = ChatSignature::of_inputs(&inputs).unwrap();
    assert_eq!(with_system.args(&conversation()).unwrap()["system"], "be brief".into());
    let all = ChatSignature::of_inputs(&[input("messages", messages_type())]).unwrap();
    let args = all.args(&conversation()).unwrap();
    assert!(matches!(&args["messages"], Value::List(it) if it.len() == 4));
    let none = Conversation { messages: vec![said(Speaker::System, "system", "x")], tools: None };
    assert_eq!(question.args(&none).unwrap_err().fields[0].field, "messages");
}

#[test]
fn the_text_of_a_result_is_its_answer_or_json() {
    let text = |of: &str| ChatFormat::Text.write(&json::read(of).unwrap());
    assert_eq!(text(r#""plain""#), "plain");
    assert_eq!(text(r#"{"text": "b", "answer": "a"}"#), "a");
    assert_eq!(text(r#"{"answer": 1, "content": "c"}"#), "c");
    assert_eq!(text(r#"{"n": 1}"#), r#"{"n":1}"#);
    assert_eq!(text("[1, null]"), "[1,null]");
    let value = json::read(r#"{"answer": "a"}"#).unwrap();
    assert_eq!(ChatFormat::Object.write(&value), r#"{"answer":"a"}"#);
    let calls = json::read(r#"{"tool_calls": [{"name": "f", "arguments": {"x": 1}}]}"#).unwrap();
    assert_eq!(tool_calls(&calls)[0].name.as_ref(), "f");
    assert!(tool_calls(&json::read(r#"{"tool_calls": [{"x": 1}]}"#).unwrap()).is_empty());
}

fn fits(ty: &Type, wanted: &str) -> Result<(), String> {
    let given = tools::type_schema(ty);
    fit::test(&given, &json::read(wanted).unwrap()).map_err(|it| it.to_string())
}

#[test]
fn a_type_promises_what_its_values_are() {
    let point: Type = Type::Record(
        RecordType {
            name: None,
            fields: vec![
                ("x".into(), Type::Int(Some((1, 5)))),
                ("note".into(), Type::Text.optional()),
                ("tags".into(), Type::List(Type::Text.into(), Some(3))),
            ],
        }
        .into(),
    );
    for wanted in [
        "{}",
        "true",
        r#"{"type": "object", "required": ["x", "note"]}"#,
        r#"{"properties": {"x": {"type": "number", "minimum": 0, "maximum": 5}}}"#,
        r##"{"$defs": {"N": {"type": "integer"}}, "properties": {"x": {"$ref": "#/$defs/N"}}}"##,
        r#"{"properties": {"note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3}, "x": {}},
            "additionalProperties": false}"#,
        r#"{"properties": {"note": {"type": ["string", "null"], "title": "Note"}}}"#,
    ] {
        assert_eq!(fits(&point, wanted), Ok(()), "{wanted}");
    }
    for (wanted, why) in [
        (r#"{"type": "array"}"#, "$: expected array, the result has object"),
        (r#"{"required": ["y"]}"#, "$.y: the result does not have this field"),
        (r#"{"properties": {"x": {}}, "additionalProperties": false}"#, "does not allow"),
        (r#"{"properties": {"x": {"minimum": 2}}}"#, "$.x: the result does not promise `minimum`"),
        (r#"{"properties": {"note": {"type": "string"}}}"#, "$.note: expected string"),
        (r#"{"properties": {"tags": {"items": {"minLength": 1}}}}"#, "$.tags[]: "),
        (r#"{"properties": {"x": {"enum": [1, 2, 3, 4, 5]}}}"#, "not limited"),
        (r#"{"not": {}}"#, "promises `not`"),
        (r##"{"$ref": "#"}"##, "too deeply"),
        (r##"{"$ref": "#/$defs/None"}"##, "unknown reference"),
        ("false", "allows nothing"),
        ("1", "expected a schema"),
    ] {
        let said = fits(&point, wanted).unwrap_err();
        assert!(said.contains(why), "{wanted}: {said}");
    }
    let said = fits(&Type::Json, r#"{"type": "object"}"#).unwrap_err();
    assert!(said.contains("may be anything"), "{said}");
    assert_eq!(fits(&Type::Bool, r#"{"enum": [true, false, 1]}"#), Ok(()));
    assert_eq!(fits(&Type::Float(None), r#"{"type": "number"}"#), Ok(()));
    assert!(fits(&Type::Float(None), r#"{"type": "integer"}"#).is_err());
    let map = Type::Map(Type::Int(None).into());
    assert_eq!(fits(&map, r#"{"additionalProperties": {"type": "integer"}}"#), Ok(()));
    assert!(fits(&map, r#"{"additionalProperties": false}"#).is_err());
    assert!(fits(&map, r#"{"required": ["a"]}"#).is_err());
}
