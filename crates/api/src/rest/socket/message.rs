//! The messages of a socket: what they ask of which route.

use svc_contract::{
    registry::{Field as _, Params, params},
    value::{Text, Value, json},
};
use svc_service::{
    Args, Fault, FieldFault,
    decode::{self, AnyFields},
};

use crate::rest::{
    Input, object,
    route::{Method, Route, routes},
};

/// The longest id in bytes.
const LONGEST_ID: usize = 64;

params! {
    struct CallMessage {
        /// The name of a script.
        script: Option<Text> = None,
        /// The name of a tool.
        tool: Option<Text> = None,
        /// The name of a component.
        component: Option<Text> = None,
        /// The op of that component.
        op: Option<Text> = None,
        /// The params of the script, the tool or the op.
        params: AnyFields = AnyFields::none(),
        /// Whether the events of the run of a script are sent as they happen.
        events: bool = false,
        /// Whether that run ends when the connection closes.
        cancel_on_close: bool = false,
        /// Makes the call once, like the header `Idempotency-Key`.
        once: Option<Text> = None,
        /// The most dollars of the run of a script.
        max_cost: Value = Value::Null,
        /// The most tokens of that run.
        max_tokens: Value = Value::Null,
        /// The most time of that run.
        timeout: Value = Value::Null,
        /// How long to wait for its result.
        wait: Value = Value::Null,
    }
}

params! {
    struct SubscribeMessage {
        /// The run.
        run_id: Text,
        /// The number of the last event that the caller has.
        last_event_id: Option<u64> = None,
        /// Whether the run ends when the connection closes.
        cancel_on_close: bool = false,
    }
}

params! {
    struct CancelMessage {
        /// The run to cancel.
        run_id: Option<Text> = None,
        /// The id of the message whose answer or events are not wanted any more.
        id: Value = Value::Null,
    }
}

/// A message that was read.
pub(super) struct Message {
    pub(super) id: Value,
    pub(super) asks: Result<Asks, Fault>,
}

/// What a message asks for.
pub(super) enum Asks {
    /// The answer of a route.
    Route(&'static Route, Box<Input>),
    /// Nothing more from this message.
    Cancel(Value),
}

impl Message {
    /// Reads a message; its id is null if it has none.
    pub(super) fn read(text: &str) -> Self {
        let body = Input { body: text.as_bytes().to_vec(), ..Input::default() };
        let mut args = match body.object() {
            Ok(args) => args,
            Err(fault) => {
                let message = fault.message.replacen("the body", "the message", 1);
                return Self { id: Value::Null, asks: Err(Fault { message, ..fault }) };
            }
        };
        match args.remove("id").filter(is_id) {
            Some(id) => Self { id, asks: asks(args) },
            None => {
                let message = "expected an `id`: a text of at most 64 bytes, or a whole number";
                Self { id: Value::Null, asks: Err(Fault::field("id", message)) }
            }
        }
    }
}

fn is_id(id: &Value) -> bool {
    match id {
        Value::Text(it) => (1..=LONGEST_ID).contains(&it.len()),
        Value::Int(_) => true,
        _ => false,
    }
}

fn asks(mut args: Args) -> Result<Asks, Fault> {
    let names: Vec<String> = args.keys().cloned().collect();
    let [name] = names.as_slice() else {
        let message = "expected one of `call`, `subscribe` and `cancel`";
        return Err(Fault::field("", format!("{message}, found {}", listed(&names))));
    };
    let value = args.remove(name).unwrap_or_default();
    match name.as_str() {
        "call" => call(read(value, name)?),
        "subscribe" => Ok(subscribe(&read(value, name)?)),
        "cancel" => cancel(read(value, name)?),
        _ => {
            let help = "use `call`, `subscribe` or `cancel`";
            Err(Fault::field(name, format!("unknown field `{name}`")).help(help))
        }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The fields of a part of a message. Its faults have the whole path.
fn read<P: Params>(value: Value, at: &str) -> Result<P, Fault> {
    let args = decode::object(value, at)?;
    decode::decode(args).map_err(|fault: Fault| {
        let within = |it: FieldFault| FieldFault { field: format!("{at}.{}", it.field), ..it };
        decode::of_fields(fault.fields.into_iter().map(within).collect())
    })
}

fn call(it: CallMessage) -> Result<Asks, Fault> {
    let bounds = [
        ("max_cost", it.max_cost),
        ("max_tokens", it.max_tokens),
        ("timeout", it.timeout),
        ("wait", it.wait),
    ];
    let bounds = bounds.into_iter().filter(|(_, it)| !it.is_null());
    let mut query: Vec<(String, String)> =
        bounds.map(|(name, it)| (name.to_owned(), word(&it))).collect();
    if it.cancel_on_close {
        query.push(("cancel_on_close".to_owned(), "true".to_owned()));
    }
    let params = it.params.encode();
    let (pattern, name, body) = match (it.script, it.tool, it.component, it.op) {
        (Some(name), None, None, None) => ("/scripts/{name}", name, params),
        (None, Some(name), None, None) => ("/tools/{name}", name, params),
        (None, None, Some(name), op) => {
            let op = op.unwrap_or_else(|| "infer".into());
            ("/invoke/{component}", name, object([("op", op.into()), ("params", params)]))
        }
        _ => {
            let message = "expected one of `script`, `tool` and `component` with `op`";
            return Err(Fault::field("call", message));
        }
    };
    let is_script = pattern == "/scripts/{name}";
    if let Some(name) =
        query.first().map(|(name, _)| name.as_str()).or(it.events.then_some("events"))
        && !is_script
    {
        return Err(Fault::field(format!("call.{name}"), format!("`{name}` is for scripts")));
    }
    let input = Input {
        path: vec![name.to_string()],
        query,
        body: json::write(&body).into_bytes(),
        wants_events: it.events,
        once: it.once.map(|it| it.to_string()),
        ..Input::default()
    };
    Ok(Asks::Route(route(Method::Post, pattern), Box::new(input)))
}

/// A value as it stands in a query.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| json::write(value), str::to_owned)
}

fn subscribe(it: &SubscribeMessage) -> Asks {
    let close = it.cancel_on_close.then(|| ("cancel_on_close".to_owned(), "true".to_owned()));
    let input = Input {
        path: vec![it.run_id.to_string()],
        query: close.into_iter().collect(),
        last_event: it.last_event_id,
        ..Input::default()
    };
    Asks::Route(route(Method::Get, "/runs/{id}/events"), Box::new(input))
}

fn cancel(it: CancelMessage) -> Result<Asks, Fault> {
    match (it.run_id, it.id) {
        (Some(run), Value::Null) => {
            let input = Input { path: vec![run.to_string()], ..Input::default() };
            Ok(Asks::Route(route(Method::Post, "/runs/{id}/cancel"), Box::new(input)))
        }
        (None, id) if is_id(&id) => Ok(Asks::Cancel(id)),
        _ => Err(Fault::field("cancel", "expected one of `run_id` and `id`")),
    }
}

/// The route of the table with this pattern.
fn route(method: Method, pattern: &str) -> &'static Route {
    let found = routes().iter().find(|it| it.method == method && it.path == pattern);
    found.expect("the table has the route")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        match Message::read(text).asks {
            Err(fault) => fault.message,
            Ok(_) => panic!("{text} is accepted"),
        }
    }

    #[test]
    fn every_mistake_of_a_message_has_its_place() {
        for (text, why) in [
            ("", "expected an `id`"),
            ("{", "not valid JSON"),
            ("[1]", "expected an object"),
            (r#"{"id": null, "call": {}}"#, "expected an `id`"),
            (r#"{"id": 1.5, "call": {}}"#, "expected an `id`"),
            (r#"{"id": "", "call": {}}"#, "expected an `id`"),
            (r#"{"id": 1}"#, "found none"),
            (r#"{"id": 1, "call": {"script": "a"}, "cancel": {}}"#, "found call, cancel"),
            (r#"{"id": 1, "cal": {}}"#, "unknown field `cal`"),
            (r#"{"id": 1, "call": 1}"#, "expected an object"),
            (r#"{"id": 1, "call": {}}"#, "expected one of `script`"),
            (r#"{"id": 1, "call": {"script": "a", "tool": "b"}}"#, "expected one of `script`"),
            (r#"{"id": 1, "call": {"script": "a", "parms": {}}}"#, "did you mean `params`?"),
            (r#"{"id": 1, "call": {"tool": "a", "events": true}}"#, "`events` is for scripts"),
            (r#"{"id": 1, "call": {"tool": "a", "wait": "1s"}}"#, "`wait` is for scripts"),
            (r#"{"id": 1, "subscribe": {}}"#, "missing field `run_id`"),
            (r#"{"id": 1, "cancel": {}}"#, "expected one of `run_id`"),
        ] {
            let said = refused(text);
            assert!(said.contains(why), "{text}: {said}");
        }
        let deep = format!(r#"{{"id": 1, "call": {}1{}}}"#, "[".repeat(100), "]".repeat(100));
        assert!(refused(&deep).contains("nested too deeply"));
    }

    #[test]
    fn a_call_is_the_request_of_a_route() {
        let text = r#"{"id": "x", "call": {"script": "a", "params": {"n": 1}, "max_tokens": 5, "wait": "1s", "once": "k"}}"#;
        let Message { id, asks: Ok(Asks::Route(route, input)) } = Message::read(text) else {
            panic!("it is a call")
        };
        assert_eq!((id.as_str(), route.path), (Some("x"), "/scripts/{name}"));
        assert_eq!(input.path, ["a"]);
        assert_eq!(input.body, br#"{"n":1}"#);
        let query: Vec<(&str, &str)> =
            input.query.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
        assert_eq!(query, [("max_tokens", "5"), ("wait", "1s")]);
        assert_eq!(input.once.as_deref(), Some("k"));
        let text = r#"{"id": 1, "call": {"component": "text", "op": "upper"}}"#;
        let Message { asks: Ok(Asks::Route(route, input)), .. } = Message::read(text) else {
            panic!("it is a call")
        };
        assert_eq!(route.path, "/invoke/{component}");
        assert_eq!(input.body, br#"{"op":"upper","params":{}}"#);
    }
}
