//! Served scripts as models, in the shapes of OpenAI's API: `/v1/models`, `/v1/chat/completions` and
//! `/v1/responses`.
//!
//! A request is the call of a script, as in `POST /scripts/{name}`; what differs is its spelling. See
//! `docs/openai.md` for what each field does.

mod chat;
mod error;
mod request;
mod responses;
mod stream;

use std::sync::Arc;

use svc_contract::{
    registry::{ErrorKind, Field as _, record},
    store::RunId,
    value::{Text, Value},
};
use svc_service::{
    Answer, Call, Fault, Live, Served, Why, Work,
    chat::{ChatSignature, ToolCall, tool_calls},
    tools,
};

use super::{
    Input, Reply, Rest, object,
    route::{Access, Answers, Body, Handle, Method, Route},
};
use request::Asked;

pub(super) use error::{fault, fault_schema};

const CHAT: &str = "/v1/chat/completions";
const RESPONSES: &str = "/v1/responses";

/// Whether a path belongs to this interface.
pub(super) fn owns(path: &str) -> bool {
    path == "/v1" || path.starts_with("/v1/")
}

record! {
    /// A served script with a chat signature.
    struct ModelView {
        /// The name of the script.
        id: Text,
        /// `model`.
        object: Text,
        /// When the file was changed, in seconds since 1970.
        created: i64,
        /// `svc`.
        owned_by: Text,
        /// The comment at the head of the script.
        description: Text,
    }
}

record! {
    /// The models that the caller may use.
    struct ModelsView {
        /// `list`.
        object: Text,
        /// The models, by name.
        data: Vec<ModelView>,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let list = Route {
        method: Method::Get,
        path: "/v1/models",
        tag: "openai",
        summary: "The served scripts that can be used as chat models.",
        access: Access::Key,
        query: &[],
        body: None,
        reply: || tools::output_schema(ModelsView::SCHEME),
        statuses: &[],
        tool: None,
        answers: Answers::Bare,
        handle: Handle::Blocking(|rest, _| Ok(list(rest))),
    };
    let one = Route {
        path: "/v1/models/{id}",
        summary: "A served script that can be used as a chat model.",
        reply: || tools::output_schema(ModelView::SCHEME),
        statuses: &[404],
        handle: Handle::Blocking(one),
        ..list
    };
    let post = |path, summary, fields, handle| Route {
        method: Method::Post,
        path,
        tag: "openai",
        summary,
        access: Access::Key,
        query: &[],
        body: Some(Body::AtLeast(fields)),
        reply: || object([("type", "object".into())]),
        statuses: &[403, 404, 499, 502, 503, 504],
        tool: None,
        answers: Answers::BareOrEvents,
        handle,
    };
    vec![
        list,
        one,
        post(
            CHAT,
            "Answers a conversation with a script.",
            chat::FIELDS,
            Handle::Io(|rest, input| Box::pin(answer(rest, CHAT, input))),
        ),
        post(
            RESPONSES,
            "Answers an input with a script.",
            responses::FIELDS,
            Handle::Io(|rest, input| Box::pin(answer(rest, RESPONSES, input))),
        ),
    ]
}

fn list(rest: &Rest) -> Reply {
    let scripts = rest.service.scripts();
    let models = scripts.iter().filter(|it| ChatSignature::of(it).is_ok()).map(|it| view(it));
    let view = ModelsView { object: "list".into(), data: models.collect() };
    Reply::ok(view.encode())
}

fn one(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let (served, _) = model(rest, input.part(0))?;
    if !rest.service.caller().may_run(&served.name) {
        return Err(of_model(format!("unknown model `{}`", served.name)));
    }
    Ok(Reply::ok(view(&served).encode()))
}

fn view(served: &Served) -> ModelView {
    ModelView {
        id: served.name.as_str().into(),
        object: "model".into(),
        created: served.modified,
        owned_by: "svc".into(),
        description: served.description.as_str().into(),
    }
}

/// The script of this name, and how it is used in a chat.
fn model(rest: &Rest, name: &str) -> Result<(Arc<Served>, ChatSignature), Fault> {
    let served = rest.service.served(name).map_err(|it| {
        let fault = of_model(it.message.replacen("script", "model", 1));
        fault.help_opt(it.help)
    })?;
    match ChatSignature::of(&served) {
        Ok(signature) => Ok((served, signature)),
        Err(why) => {
            let message = format!("the script `{name}` has no chat signature: {why}");
            Err(of_model(message).help(format!("call it with POST /scripts/{name}")))
        }
    }
}

/// A name that is not that of a model.
fn of_model(message: String) -> Fault {
    let why = Why::Op(ErrorKind::NotFound);
    Fault { why, message: message.clone(), ..Fault::field("model", message) }
}

/// Something that the interface has, and this server does not.
fn unsupported(field: impl Into<String>, message: impl Into<String>) -> Fault {
    let message = message.into();
    let fault = Fault::field(field, message.clone());
    Fault { why: Why::Op(ErrorKind::Unsupported), message, ..fault }
}

async fn answer(rest: &Rest, path: &'static str, input: Input) -> Result<Reply, Fault> {
    let (asked, shown) = planned(rest, path, &input)?;
    if asked.stream && input.once.is_some() {
        let message =
            "a stream cannot be repeated: send the header `Idempotency-Key` without `stream`";
        return Err(unsupported("stream", message));
    }
    let args = shown.signature.args(&asked.conversation)?;
    let work = Work::Served { name: asked.model.to_string(), args };
    let call = Call { work, bounds: asked.bounds };
    let run = rest.service.start(rest.service.resolve(call)?).await?;
    let shown = Shown { run: run.id().to_string(), ..shown };
    if asked.stream {
        return Ok(Reply::Stream(stream::of(run, shown, asked.wants_usage)));
    }
    let ends = CancelledOnDrop(run.clone());
    let outcome = tokio::select! {
        outcome = run.ended() => outcome,
        () = rest.service.parting() => {
            let fault = Fault::new(Why::Stopping, "the server is stopping");
            return Err(fault.retry_after(std::time::Duration::from_secs(1)));
        }
    };
    drop(ends);
    let answer = outcome.map_err(|fault| of_run(&run, fault))?;
    Ok(Reply::ok(shown.whole(&shown.given(&answer))))
}

/// A request, and how its answer is shown. Nothing has run.
fn planned(rest: &Rest, path: &'static str, input: &Input) -> Result<(Asked, Shown), Fault> {
    let args = input.object()?;
    let asked = if path == CHAT { chat::asked(args)? } else { responses::asked(args)? };
    let (served, signature) = model(rest, &asked.model)?;
    if asked.conversation.tools.is_some() && !signature.takes_tools() {
        let message = format!(
            "the script `{}` takes no tools: it has no param `tools` of the type `json`",
            served.name
        );
        return Err(
            unsupported("tools", message).help("leave them out, or set `tool_choice` to `none`")
        );
    }
    if let Err(misfit) = asked.format.test(&served) {
        let message = format!(
            "the result of the script `{}`, {}, does not fit the schema at {misfit}",
            served.name, served.result
        );
        return Err(unsupported(asked.format_field, message));
    }
    let mut ignored = asked.ignored.clone();
    for idx in 0..asked.conversation.messages.len() {
        if !signature.sees(&asked.conversation, idx) {
            ignored.push(format!("{}[{idx}]", asked.messages_field));
        }
    }
    let shown = Shown {
        path,
        run: String::new(),
        created: rest.service.engine().host().now() / 1000,
        asked: asked.clone(),
        signature,
        ignored,
    };
    Ok((asked, shown))
}

/// The answer of a call whose run has ended in another process.
pub(super) fn stored(
    rest: &Rest,
    path: &'static str,
    input: &Input,
    run: &RunId,
    answer: &Answer,
) -> Result<Value, Fault> {
    let (_, shown) = planned(rest, path, input)?;
    let shown = Shown { run: run.to_string(), ..shown };
    Ok(shown.whole(&shown.given(answer)))
}

/// The fault for a repeat of a call whose run goes on.
pub(super) fn goes_on(run: &str) -> Fault {
    let message = format!("the run {run} of this call goes on");
    Fault::new(Why::Conflict, message).retry_after(std::time::Duration::from_secs(1))
}

/// The fault of a run, or of one that waits for a person.
fn of_run(run: &Live, fault: Fault) -> Fault {
    if run.is_waiting() {
        let message = format!("the run {} waits for the answer of a person", run.id());
        let fault = Fault::new(Why::Op(ErrorKind::Failed), message);
        return fault
            .help("GET /approvals lists the questions, and GET /runs/ID has the result later");
    }
    fault
}

/// Cancels a run whose caller goes away.
struct CancelledOnDrop(Arc<Live>);

impl Drop for CancelledOnDrop {
    fn drop(&mut self) {
        if self.0.outcome().is_none() {
            self.0.cancel();
        }
    }
}

/// How an answer is shown.
struct Shown {
    path: &'static str,
    run: String,
    created: i64,
    asked: Asked,
    signature: ChatSignature,
    /// The fields that have no effect.
    ignored: Vec<String>,
}

/// What an answer shows.
struct Given {
    text: String,
    calls: Vec<ToolCall>,
    input_tokens: u64,
    output_tokens: u64,
    /// What only this server says.
    svc: Value,
}

impl Shown {
    /// What only this server says of a run that has begun.
    fn begun(&self) -> Value {
        object([("run_id", self.run.as_str().into())])
    }

    fn given(&self, answer: &Answer) -> Given {
        let calls = if self.asked.conversation.tools.is_some() {
            tool_calls(&answer.value)
        } else {
            Vec::new()
        };
        // What was taken over from another process is counted as input.
        let output_tokens = answer.output_tokens.min(answer.usage.tokens);
        let ignored: Vec<Value> = self.ignored.iter().map(|it| it.as_str().into()).collect();
        let quality = match &answer.quality {
            Some(it) => it.clone().encode(),
            None => Value::Null,
        };
        let svc = object([
            ("run_id", self.run.as_str().into()),
            ("cost_usd", answer.usage.cost.dollars().into()),
            ("quality", quality),
            ("ignored", ignored.into()),
        ]);
        Given {
            text: self.asked.format.write(&answer.value),
            calls,
            input_tokens: answer.usage.tokens - output_tokens,
            output_tokens,
            svc,
        }
    }

    /// The whole answer of a call that is not a stream.
    fn whole(&self, given: &Given) -> Value {
        if self.path == CHAT { chat::whole(self, given) } else { responses::whole(self, given) }
    }
}

impl Given {
    fn usage(&self, names: [&str; 2]) -> Vec<(Text, Value)> {
        let count = |it: u64| Value::from(i64::try_from(it).unwrap_or(i64::MAX));
        let [input, output] = names;
        let total = self.input_tokens.saturating_add(self.output_tokens);
        vec![
            (input.into(), count(self.input_tokens)),
            (output.into(), count(self.output_tokens)),
            ("total_tokens".into(), count(total)),
        ]
    }
}

/// The arguments of a call as JSON text.
fn arguments(call: &ToolCall) -> String {
    match &call.arguments {
        Value::Text(text) => text.to_string(),
        other => svc_contract::value::json::write(other),
    }
}

/// The name of a call, by which its result is given back.
fn call_id(call: &ToolCall, run: &str, idx: usize) -> String {
    call.id.as_ref().map_or_else(|| format!("call_{run}_{idx}"), ToString::to_string)
}
