//! `/v1/responses`: its fields, its answer, and the events of its stream.

use svc_contract::{
    registry::{Param, Params as _, params},
    value::{Record, Text, Value, json},
};
use svc_service::{
    Args, Fault,
    chat::{Conversation, Message, Speaker, ToolCall},
    decode,
};

use super::{
    Given, Shown, arguments, call_id, object,
    request::{self, Asked},
    unsupported,
};

params! {
    struct ResponsesRequest {
        /// The name of a script.
        model: Text,
        /// A text, or a list of messages.
        input: Value,
        /// Instructions, as a message of the role `system`.
        instructions: Option<Text> = None,
        /// Whether the answer comes as events.
        stream: bool = false,
        /// Has no effect.
        stream_options: Value = Value::Null,
        /// `format`: `text`, `json_object` or `json_schema`, the form of the answer.
        text: Value = Value::Null,
        /// Tools, for a script with a param `tools`.
        tools: Value = Value::Null,
        /// `auto` or `none`.
        tool_choice: Value = Value::Null,
        /// The most tokens of the run.
        max_output_tokens: Option<u64> = None,
    }
}

pub(super) const FIELDS: &[Param] = ResponsesRequest::PARAMS;

/// A request as it is asked.
pub(super) fn asked(args: Args) -> Result<Asked, Fault> {
    let known: Vec<&str> = FIELDS.iter().map(|it| it.name).collect();
    let (args, ignored) = request::sifted(args, &known)?;
    let given: ResponsesRequest = decode::decode(args)?;
    let mut messages = match &given.instructions {
        Some(text) => vec![said("system", Speaker::System, text)],
        None => Vec::new(),
    };
    messages.extend(inputs(&given.input)?);
    let format = given.text.as_record().and_then(|it| it.get("format")).cloned();
    let format = format.unwrap_or_default();
    let repeated = [
        ("instructions".into(), given.instructions.clone().map_or(Value::Null, Value::from)),
        ("max_output_tokens".into(), given.max_output_tokens.map_or(Value::Null, Value::from)),
        ("text".into(), object([("format", shown_format(&format))])),
        ("tools".into(), Some(given.tools.clone()).filter(|it| !it.is_null()).unwrap_or_else(none)),
        ("tool_choice".into(), text_or(&given.tool_choice, "auto")),
    ];
    Ok(Asked {
        model: given.model,
        conversation: Conversation {
            messages,
            tools: request::tools(given.tools, &given.tool_choice)?,
        },
        messages_field: "input",
        format: request::format("text.format", &format, |it| it.get("schema").cloned())?,
        format_field: "text.format",
        stream: given.stream,
        wants_usage: true,
        bounds: request::bounds(&[("max_output_tokens", given.max_output_tokens)])?,
        ignored,
        repeated: repeated.into(),
    })
}

fn none() -> Value {
    Vec::<Value>::new().into()
}

fn text_or(value: &Value, default: &str) -> Value {
    if value.is_null() { default.into() } else { value.clone() }
}

fn shown_format(format: &Value) -> Value {
    if format.is_null() { object([("type", "text".into())]) } else { format.clone() }
}

fn said(name: &str, role: Speaker, text: &Text) -> Message {
    let whole = [("role".into(), name.into()), ("content".into(), text.clone().into())];
    Message { role, text: text.clone(), whole: whole.into_iter().collect() }
}

/// The messages of an input.
fn inputs(input: &Value) -> Result<Vec<Message>, Fault> {
    let items = match input {
        Value::Text(text) => return Ok(vec![said("user", Speaker::User, text)]),
        Value::List(items) => items,
        other => {
            let message = format!("expected a text or a list, found {}", other.kind());
            return Err(Fault::field("input", message));
        }
    };
    let all = items.iter().enumerate().map(|(idx, it)| {
        let at = format!("input[{idx}]");
        let text = |name: &str| it.as_record().and_then(|it| it.get(name)).and_then(Value::as_str);
        match text("type") {
            None | Some("message") => request::message(it, &at),
            Some("function_call_output") => {
                let output = text("output").unwrap_or_default();
                Ok(kept(it, "tool", Speaker::Tool, output))
            }
            Some("function_call") => Ok(kept(it, "assistant", Speaker::Assistant, "")),
            Some(other) => {
                let message = format!("items of the type `{other}` are not supported");
                Err(unsupported(format!("{at}.type"), message))
            }
        }
    });
    all.collect()
}

/// An item about the call of a tool as a message, with all its fields.
fn kept(item: &Value, name: &str, role: Speaker, text: &str) -> Message {
    let message = said(name, role, &text.into());
    let others = item.as_record().into_iter().flat_map(Record::iter);
    let others = others.map(|(name, it)| (name.clone(), it.clone()));
    let own = message.whole.iter().map(|(name, it)| (name.clone(), it.clone()));
    let whole = own.chain(others.filter(|(name, _)| !["role", "content"].contains(&name.as_ref())));
    Message { whole: whole.collect(), ..message }
}

/// The whole answer.
pub(super) fn whole(shown: &Shown, given: &Given) -> Value {
    response(shown, "completed", items(shown, given), usage(given), Value::Null, &given.svc)
}

/// A response in some state.
fn response(
    shown: &Shown,
    status: &str,
    output: Vec<Value>,
    usage: Value,
    error: Value,
    svc: &Value,
) -> Value {
    let own = [
        ("id".into(), format!("resp_{}", shown.run).into()),
        ("object".into(), "response".into()),
        ("created_at".into(), shown.created.into()),
        ("status".into(), status.into()),
        ("error".into(), error),
        ("incomplete_details".into(), Value::Null),
        ("model".into(), shown.asked.model.clone().into()),
        ("output".into(), output.into()),
        ("parallel_tool_calls".into(), true.into()),
        ("temperature".into(), Value::Null),
        ("top_p".into(), Value::Null),
        ("usage".into(), usage),
        ("svc".into(), svc.clone()),
    ];
    Value::Record(own.into_iter().chain(shown.asked.repeated.clone()).collect())
}

/// The output: a message, or the calls that the caller is to make.
fn items(shown: &Shown, given: &Given) -> Vec<Value> {
    if given.calls.is_empty() {
        return vec![message(shown, "completed", vec![part(&given.text)])];
    }
    given.calls.iter().enumerate().map(|(idx, it)| call(shown, it, idx)).collect()
}

fn message(shown: &Shown, status: &str, content: Vec<Value>) -> Value {
    object([
        ("id", item_id(shown).into()),
        ("type", "message".into()),
        ("status", status.into()),
        ("role", "assistant".into()),
        ("content", content.into()),
    ])
}

fn item_id(shown: &Shown) -> String {
    format!("msg_{}", shown.run)
}

fn part(text: &str) -> Value {
    object([
        ("type", "output_text".into()),
        ("text", text.into()),
        ("annotations", none()),
        ("logprobs", none()),
    ])
}

fn call(shown: &Shown, it: &ToolCall, idx: usize) -> Value {
    object([
        ("id", format!("fc_{}_{idx}", shown.run).into()),
        ("type", "function_call".into()),
        ("status", "completed".into()),
        ("call_id", call_id(it, &shown.run, idx).into()),
        ("name", it.name.clone().into()),
        ("arguments", arguments(it).into()),
    ])
}

fn usage(given: &Given) -> Value {
    let details = [
        ("input_tokens_details".into(), object([("cached_tokens", 0.into())])),
        ("output_tokens_details".into(), object([("reasoning_tokens", 0.into())])),
    ];
    let all = given.usage(["input_tokens", "output_tokens"]).into_iter();
    Value::Record(all.chain(details).collect())
}

/// The events of a stream, which are numbered.
#[derive(Default)]
pub(super) struct Events {
    next: i64,
}

impl Events {
    /// The events before there is a result.
    pub(super) fn opening(&mut self, shown: &Shown) -> Vec<String> {
        let begun =
            || response(shown, "in_progress", Vec::new(), Value::Null, Value::Null, &shown.begun());
        vec![
            self.event("response.created", [("response", begun())]),
            self.event("response.in_progress", [("response", begun())]),
        ]
    }

    /// The events of a result.
    pub(super) fn closing(&mut self, shown: &Shown, given: &Given) -> Vec<String> {
        let mut all = if given.calls.is_empty() {
            self.message(shown, given)
        } else {
            self.calls(shown, given)
        };
        all.push(self.event("response.completed", [("response", whole(shown, given))]));
        all
    }

    /// The events of a failure.
    pub(super) fn failing(&mut self, shown: &Shown, code: &str, message: &str) -> Vec<String> {
        let error = object([("code", code.into()), ("message", message.into())]);
        let failed = response(shown, "failed", Vec::new(), Value::Null, error, &shown.begun());
        vec![self.event("response.failed", [("response", failed)])]
    }

    fn message(&mut self, shown: &Shown, given: &Given) -> Vec<String> {
        let id = || Value::from(item_id(shown));
        let (text, zero) = (Value::from(given.text.as_str()), || Value::from(0));
        let begun = message(shown, "in_progress", Vec::new());
        let ended = message(shown, "completed", vec![part(&given.text)]);
        let place = || [("item_id", id()), ("output_index", zero()), ("content_index", zero())];
        let at = |more: Vec<(&'static str, Value)>| place().into_iter().chain(more);
        let logprobs = || ("logprobs", none());
        vec![
            self.event("response.output_item.added", [("output_index", zero()), ("item", begun)]),
            self.event("response.content_part.added", at(vec![("part", part(""))])),
            self.event("response.output_text.delta", at(vec![("delta", text.clone()), logprobs()])),
            self.event("response.output_text.done", at(vec![("text", text), logprobs()])),
            self.event("response.content_part.done", at(vec![("part", part(&given.text))])),
            self.event("response.output_item.done", [("output_index", zero()), ("item", ended)]),
        ]
    }

    fn calls(&mut self, shown: &Shown, given: &Given) -> Vec<String> {
        let mut all = Vec::new();
        for (idx, it) in given.calls.iter().enumerate() {
            let (place, id) = (i64::try_from(idx).unwrap_or(0), format!("fc_{}_{idx}", shown.run));
            let item = call(shown, it, idx);
            let at = || [("item_id", id.as_str().into()), ("output_index", place.into())];
            let text = || Value::from(arguments(it));
            let (added, done) = ("response.output_item.added", "response.output_item.done");
            let [delta, whole] =
                ["delta", "done"].map(|it| ["response.function_call_arguments.", it].concat());
            let with_item = || [("output_index", place.into()), ("item", item.clone())];
            all.push(self.event(added, with_item()));
            all.push(self.event(&delta, at().into_iter().chain([("delta", text())])));
            let name = ("name", it.name.clone().into());
            all.push(self.event(&whole, at().into_iter().chain([("arguments", text()), name])));
            all.push(self.event(done, with_item()));
        }
        all
    }

    fn event(
        &mut self,
        kind: &str,
        fields: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> String {
        let own = [("type".into(), kind.into()), ("sequence_number".into(), self.next.into())];
        self.next += 1;
        let fields = fields.into_iter().map(|(name, it)| (name.into(), it));
        let data = Value::Record(own.into_iter().chain(fields).collect::<Record>());
        format!("event: {kind}\ndata: {}\n\n", json::write(&data))
    }
}
