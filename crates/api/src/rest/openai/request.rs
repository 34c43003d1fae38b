//! What both endpoints read of a request: its messages, and the fields that have no effect or are
//! refused.

use svc_contract::value::{Record, Text, Value};
use svc_service::{
    Args, Bounds, Fault, FieldFault,
    chat::{ChatFormat, Conversation, Message, Speaker},
    decode::of_fields,
};

use super::unsupported;

/// A request, whatever its endpoint.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) model: Text,
    pub(super) conversation: Conversation,
    /// The name of the field with the messages.
    pub(super) messages_field: &'static str,
    pub(super) format: ChatFormat,
    /// The name of the field with the format.
    pub(super) format_field: &'static str,
    pub(super) stream: bool,
    /// Whether a stream says at its end what was used.
    pub(super) wants_usage: bool,
    pub(super) bounds: Bounds,
    /// The fields that have no effect here.
    pub(super) ignored: Vec<String>,
    /// What an answer repeats of its request.
    pub(super) repeated: Vec<(Text, Value)>,
}

/// Fields that change how a model samples or is billed. A script decides that itself.
const IGNORED: [&str; 18] = [
    "frequency_penalty",
    "include_obfuscation",
    "max_tool_calls",
    "parallel_tool_calls",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "reasoning_effort",
    "safety_identifier",
    "seed",
    "service_tier",
    "store",
    "temperature",
    "top_k",
    "top_p",
    "truncation",
    "verbosity",
];

/// Fields that ask for something that an answer would not have.
const REFUSED: [(&str, &str); 20] = [
    ("audio", "answers are text"),
    ("background", "send the request to POST /scripts/NAME with `Prefer: respond-async` instead"),
    ("conversation", "no conversations are kept: send all messages"),
    ("function_call", "use `tools` and `tool_choice`"),
    ("functions", "use `tools`"),
    ("include", "an answer has no further parts"),
    ("logit_bias", "the result of a script has no logits"),
    ("logprobs", "the result of a script has no probabilities"),
    ("metadata", "nothing is kept with a run; its id is `svc.run_id` of the answer"),
    ("modalities", "answers are text"),
    ("moderation", "nothing is moderated here"),
    ("n", "a call has one answer"),
    ("prediction", "the result of a script is not predicted"),
    ("previous_response_id", "no responses are kept: send all messages"),
    ("prompt", "no prompts are kept: write a script"),
    ("stop", "the result of a script is not cut"),
    ("suffix", "nothing is completed here"),
    ("top_logprobs", "the result of a script has no probabilities"),
    ("user", "the user is the owner of the key"),
    ("web_search_options", "a script decides what it searches"),
];

/// Takes the fields away that have no effect, and refuses the others that are not in `known`. A
/// field that is null is left out.
pub(super) fn sifted(args: Args, known: &[&str]) -> Result<(Args, Vec<String>), Fault> {
    let mut kept = Args::new();
    let (mut ignored, mut unknown) = (Vec::new(), Vec::new());
    for (name, value) in args {
        let refused = REFUSED.iter().find(|(it, _)| *it == name);
        match refused {
            _ if value.is_null() => {}
            _ if known.contains(&name.as_str()) => {
                kept.insert(name, value);
            }
            _ if IGNORED.contains(&name.as_str()) => ignored.push(name),
            Some(_) if is_default(&name, &value) => {}
            Some((_, why)) => {
                return Err(unsupported(&name, format!("`{name}` is not supported: {why}")));
            }
            None => {
                let message = format!("unknown field `{name}`");
                unknown.push(FieldFault { field: name, message });
            }
        }
    }
    if unknown.is_empty() { Ok((kept, ignored)) } else { Err(of_fields(unknown)) }
}

/// Whether a field asks for what an answer is anyway.
fn is_default(name: &str, value: &Value) -> bool {
    let is_empty = match value {
        Value::List(it) => it.is_empty(),
        Value::Record(it) => it.is_empty(),
        Value::Text(it) => it.is_empty(),
        _ => false,
    };
    match name {
        "n" => *value == Value::Int(1),
        "logprobs" | "background" => *value == Value::Bool(false),
        "top_logprobs" => *value == Value::Int(0),
        "modalities" => *value == Value::from(vec![Value::from("text")]),
        "metadata" | "logit_bias" | "include" | "stop" => is_empty,
        _ => false,
    }
}

/// The cap of the tokens of a run, which has one of these names.
pub(super) fn bounds(given: &[(&str, Option<u64>)]) -> Result<Bounds, Fault> {
    let mut all = given.iter().filter_map(|(name, it)| it.map(|it| (*name, it)));
    let (first, second) = (all.next(), all.next());
    if let (Some((one, _)), Some((other, _))) = (first, second) {
        return Err(Fault::field(one, format!("set `{one}` or `{other}`, not both")));
    }
    if let Some((name, 0)) = first {
        return Err(Fault::field(name, "expected at least 1, found 0"));
    }
    Ok(Bounds { max_tokens: first.map(|(_, it)| it), ..Bounds::default() })
}

/// The tools that a script gets; `None` if it is to call none.
pub(super) fn tools(tools: Value, choice: &Value) -> Result<Option<Value>, Fault> {
    let is_empty = match &tools {
        Value::Null => true,
        Value::List(it) => it.is_empty(),
        _ => return Err(Fault::field("tools", "expected a list of tools")),
    };
    match choice {
        Value::Null => {}
        Value::Text(it) if it.as_ref() == "auto" => {}
        Value::Text(it) if it.as_ref() == "none" => return Ok(None),
        _ => {
            let message = "a script decides itself what it calls: `auto` and `none` are supported";
            return Err(unsupported("tool_choice", message));
        }
    }
    Ok((!is_empty).then_some(tools))
}

/// A format in the way of one of the endpoints. `schema` has the fields of a schema.
pub(super) fn format(
    field: &'static str,
    format: &Value,
    schema: impl FnOnce(&Record) -> Option<Value>,
) -> Result<ChatFormat, Fault> {
    if format.is_null() {
        return Ok(ChatFormat::Text);
    }
    let wrong = |message: &str| Fault::field(field, message);
    let record = format.as_record().ok_or_else(|| wrong("expected an object"))?;
    match record.get("type").and_then(Value::as_str) {
        Some("text") => Ok(ChatFormat::Text),
        Some("json_object") => Ok(ChatFormat::Object),
        Some("json_schema") => match schema(record) {
            Some(schema) => Ok(ChatFormat::Schema(schema)),
            None => Err(wrong("missing field `schema`")),
        },
        Some(other) => Err(unsupported(field, format!("unknown format `{other}`"))),
        None => Err(wrong("missing field `type`")),
    }
}

/// A message of a list.
pub(super) fn message(value: &Value, at: &str) -> Result<Message, Fault> {
    let record = value
        .as_record()
        .ok_or_else(|| Fault::field(at, format!("expected a message, found {}", value.kind())))?;
    let field = |name: &str| format!("{at}.{name}");
    let role = match record.get("role").and_then(Value::as_str) {
        Some("system" | "developer") => Speaker::System,
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        Some("tool" | "function") => Speaker::Tool,
        Some(other) => return Err(Fault::field(field("role"), format!("unknown role `{other}`"))),
        None => return Err(Fault::field(field("role"), "missing field `role`")),
    };
    let text = match record.get("content") {
        None | Some(Value::Null) if role == Speaker::Assistant => String::new(),
        Some(content) => content_of(content, &field("content"))?,
        None => return Err(Fault::field(field("content"), "missing field `content`")),
    };
    let text = Text::from(text.as_str());
    let others = record.iter().filter(|(name, _)| name.as_ref() != "content");
    let others = others.map(|(name, it)| (name.clone(), it.clone()));
    let whole = others.chain([("content".into(), text.clone().into())]).collect();
    Ok(Message { role, text, whole })
}

/// The text of a content: a text, or a list of parts.
fn content_of(content: &Value, at: &str) -> Result<String, Fault> {
    let parts = match content {
        Value::Text(text) => return Ok(text.to_string()),
        Value::List(parts) => parts,
        other => {
            let message = format!("expected a text or a list of parts, found {}", other.kind());
            return Err(Fault::field(at, message));
        }
    };
    let mut text = String::new();
    for (idx, part) in parts.iter().enumerate() {
        let field = |name: &str| format!("{at}[{idx}].{name}");
        let get = |name: &str| part.as_record().and_then(|it| it.get(name)).and_then(Value::as_str);
        match (get("type"), get("text").or_else(|| get("refusal"))) {
            (Some("text" | "input_text" | "output_text" | "refusal"), Some(part)) => {
                text.push_str(part);
            }
            (Some("text" | "input_text" | "output_text" | "refusal"), None) => {
                return Err(Fault::field(field("text"), "missing field `text`"));
            }
            (Some(other), _) => {
                let message = format!("parts of the type `{other}` are not supported: send text");
                return Err(unsupported(field("type"), message));
            }
            (None, _) => return Err(Fault::field(field("type"), "missing field `type`")),
        }
    }
    Ok(text)
}
