//! `/v1/chat/completions`: its fields, its answer, and the chunks of its stream.

use svc_contract::{
    registry::{Param, Params as _, params},
    value::{Record, Text, Value, json},
};
use svc_service::{
    Args, Fault,
    chat::{Conversation, ToolCall},
    decode,
};

use super::{
    Given, Shown, arguments, call_id, object,
    request::{self, Asked},
};

params! {
    struct ChatRequest {
        /// The name of a script.
        model: Text,
        /// The conversation: objects with a `role` and a `content`.
        #[filled]
        messages: Vec<Value>,
        /// Whether the answer comes as events.
        stream: bool = false,
        /// `include_usage`: whether the stream says at its end what was used.
        stream_options: Value = Value::Null,
        /// `text`, `json_object` or `json_schema`: the form of the answer.
        response_format: Value = Value::Null,
        /// Tools, for a script with a param `tools`.
        tools: Value = Value::Null,
        /// `auto` or `none`.
        tool_choice: Value = Value::Null,
        /// The most tokens of the run.
        max_completion_tokens: Option<u64> = None,
        /// The same, by its old name.
        max_tokens: Option<u64> = None,
    }
}

pub(super) const FIELDS: &[Param] = ChatRequest::PARAMS;

/// A request as it is asked.
pub(super) fn asked(args: Args) -> Result<Asked, Fault> {
    let known: Vec<&str> = FIELDS.iter().map(|it| it.name).collect();
    let (args, ignored) = request::sifted(args, &known)?;
    let given: ChatRequest = decode::decode(args)?;
    let messages = given.messages.iter().enumerate();
    let messages = messages.map(|(idx, it)| request::message(it, &format!("messages[{idx}]")));
    let messages = messages.collect::<Result<_, Fault>>()?;
    let format = request::format("response_format", &given.response_format, |it| {
        it.get("json_schema")?.as_record()?.get("schema").cloned()
    })?;
    let bounds = request::bounds(&[
        ("max_completion_tokens", given.max_completion_tokens),
        ("max_tokens", given.max_tokens),
    ])?;
    let includes = given.stream_options.as_record().and_then(|it| it.get("include_usage"));
    Ok(Asked {
        model: given.model,
        conversation: Conversation {
            messages,
            tools: request::tools(given.tools, &given.tool_choice)?,
        },
        messages_field: "messages",
        format,
        format_field: "response_format",
        stream: given.stream,
        wants_usage: includes == Some(&Value::Bool(true)),
        bounds,
        ignored,
        repeated: Vec::new(),
    })
}

/// The whole answer.
pub(super) fn whole(shown: &Shown, given: &Given) -> Value {
    let calls = tool_calls(shown, given, false);
    let content = if given.calls.is_empty() { given.text.as_str().into() } else { Value::Null };
    let mut message: Vec<(Text, Value)> =
        vec![("role".into(), "assistant".into()), ("content".into(), content)];
    message.push(("refusal".into(), Value::Null));
    message.extend(calls.map(|it| ("tool_calls".into(), it)));
    let choice = object([
        ("index", 0.into()),
        ("message", Value::Record(message.into_iter().collect())),
        ("logprobs", Value::Null),
        ("finish_reason", reason(given).into()),
    ]);
    let fields = [("choices".into(), vec![choice].into()), ("usage".into(), usage(given))];
    head(shown, "chat.completion", fields.into_iter().chain([("svc".into(), given.svc.clone())]))
}

/// The chunks before there is a result.
pub(super) fn opening(shown: &Shown) -> Vec<String> {
    let delta = object([("role", "assistant".into()), ("content", "".into())]);
    vec![chunk(shown, vec![choice(delta, Value::Null)], [])]
}

/// The chunks of a result.
pub(super) fn closing(shown: &Shown, given: &Given, wants_usage: bool) -> Vec<String> {
    let delta = match tool_calls(shown, given, true) {
        Some(calls) => object([("tool_calls", calls)]),
        None => object([("content", given.text.as_str().into())]),
    };
    let end = choice(object([]), reason(given).into());
    let mut all = vec![
        chunk(shown, vec![choice(delta, Value::Null)], []),
        chunk(shown, vec![end], [("svc".into(), given.svc.clone())]),
    ];
    if wants_usage {
        all.push(chunk(shown, Vec::new(), [("usage".into(), usage(given))]));
    }
    all.push(DONE.to_owned());
    all
}

/// The end of a stream.
pub(super) const DONE: &str = "data: [DONE]\n\n";

/// The calls that the caller is to make, if there are any.
fn tool_calls(shown: &Shown, given: &Given, has_index: bool) -> Option<Value> {
    let one = |(idx, it): (usize, &ToolCall)| {
        let function =
            object([("name", it.name.clone().into()), ("arguments", arguments(it).into())]);
        let index = has_index.then(|| ("index".into(), i64::try_from(idx).unwrap_or(0).into()));
        let fields = [
            ("id".into(), call_id(it, &shown.run, idx).into()),
            ("type".into(), "function".into()),
            ("function".into(), function),
        ];
        Value::Record(index.into_iter().chain(fields).collect::<Record>())
    };
    let calls: Vec<Value> = given.calls.iter().enumerate().map(one).collect();
    (!calls.is_empty()).then(|| calls.into())
}

/// A cap that is used up is an error, so an answer is never cut.
fn reason(given: &Given) -> &'static str {
    if given.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(given: &Given) -> Value {
    Value::Record(given.usage(["prompt_tokens", "completion_tokens"]).into_iter().collect())
}

fn choice(delta: Value, reason: Value) -> Value {
    object([("index", 0.into()), ("delta", delta), ("finish_reason", reason)])
}

fn chunk<const N: usize>(shown: &Shown, choices: Vec<Value>, more: [(Text, Value); N]) -> String {
    let fields = [("choices".into(), choices.into())].into_iter().chain(more);
    format!("data: {}\n\n", json::write(&head(shown, "chat.completion.chunk", fields)))
}

fn head(
    shown: &Shown,
    kind: &'static str,
    fields: impl IntoIterator<Item = (Text, Value)>,
) -> Value {
    let own = [
        ("id".into(), format!("chatcmpl-{}", shown.run).into()),
        ("object".into(), kind.into()),
        ("created".into(), shown.created.into()),
        ("model".into(), shown.asked.model.clone().into()),
    ];
    Value::Record(own.into_iter().chain(fields).collect())
}
