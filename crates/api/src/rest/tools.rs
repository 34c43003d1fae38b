//! The tools: ops by their public names.

use svc_contract::{
    registry::{Field as _, Params as _, params, record},
    value::{Text, Value},
};
use svc_service::{Bounds, Call, Fault, Work, tools};

use super::{
    Input, Reply, Rest, object,
    route::{Access, Answers, Body, Handle, Method, Route},
    scripts::queued,
    with_ok,
};

record! {
    /// A tool as other programs see it.
    struct ToolView {
        /// Its name.
        name: Text,
        /// The tier that it needs.
        tier: Text,
        /// How much a call counts in rate limits.
        weight: i64,
        /// What it does.
        description: String,
        /// The op that does it.
        op: String,
        /// The effects of a call.
        effects: Vec<String>,
        /// What a call costs.
        price: String,
        /// Changes when the arguments, the result or the effects change.
        fingerprint: String,
        /// Whether a call changes nothing.
        read_only: bool,
        /// Whether a call may change something that cannot be changed back.
        destructive: bool,
        /// Whether a second call with the same arguments changes nothing further.
        idempotent: bool,
        /// Whether a call reaches beyond this machine.
        open_world: bool,
        /// The JSON Schema of the arguments.
        input_schema: Value,
        /// The JSON Schema of the result.
        output_schema: Value,
    }
}

record! {
    /// All tools.
    struct ToolViews {
        /// The tools, by name.
        tools: Vec<ToolView>,
    }
}

params! {
    /// How a tool is called.
    struct Calling {
        /// An address that is sent the job when it has ended or waits for an answer. The call is
        /// queued, and the answer is 202.
        notify_url: Option<Text> = None,
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route {
            method: Method::Get,
            path: "/tools",
            tag: "tools",
            summary: "The tools that the caller can call.",
            access: Access::Key,
            query: &[],
            body: None,
            reply: || svc_service::tools::output_schema(ToolViews::SCHEME),
            statuses: &[],
            tool: None,
            answers: Answers::Object,
            handle: Handle::Blocking(|rest, _| Ok(list(rest))),
        },
        Route {
            method: Method::Post,
            path: "/tools/{name}",
            tag: "tools",
            summary: "Calls a tool with its arguments.",
            access: Access::Key,
            query: Calling::PARAMS,
            body: Some(Body::Open),
            reply: || object([("type", "object".into())]),
            statuses: &[202, 402, 403, 404, 499, 502, 503, 504],
            tool: None,
            answers: Answers::Object,
            handle: Handle::Io(|rest, input| Box::pin(call(rest, input))),
        },
    ]
}

/// The schema of several tools.
pub(crate) fn views_schema() -> Value {
    object([("type", "array".into()), ("items", tools::output_schema(ToolView::SCHEME))])
}

/// A tool as JSON.
pub fn view(row: &tools::Row) -> Value {
    ToolView {
        name: row.name.into(),
        tier: row.tier.name().into(),
        weight: row.weight.into(),
        description: row.description.clone(),
        op: row.op.to_string(),
        effects: row.effects.clone(),
        price: row.price.clone(),
        fingerprint: row.fingerprint.clone(),
        read_only: row.hints.read_only,
        destructive: row.hints.destructive,
        idempotent: row.hints.idempotent,
        open_world: row.hints.open_world,
        input_schema: row.input_schema.clone(),
        output_schema: row.output_schema.clone(),
    }
    .encode()
}

fn list(rest: &Rest) -> Reply {
    let rows = tools::table(rest.service.engine().registry());
    let (caller, registry) = (rest.service.caller(), rest.service.engine().registry());
    let views = rows.iter().filter(|it| caller.may_use(it.name, registry)).map(view);
    Reply::ok(with_ok(object([("tools", views.collect::<Vec<_>>().into())])))
}

async fn call(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let args = input.object()?;
    let calling: Calling = input.query()?;
    let work = Work::Tool { name: input.part(0).to_owned(), args };
    let call = Call { work, bounds: Bounds::default() };
    if let Some(notify) = &calling.notify_url {
        let jobs = rest.service.jobs()?;
        let resolved = rest.service.resolve(call.clone())?;
        if resolved.queues() {
            let message = "this tool queues a job itself";
            return Err(Fault::field("notify_url", message).help("pass `notify_url` to the tool"));
        }
        return queued(rest, jobs, &resolved, call, Some(notify)).await;
    }
    let answer = rest.service.call(call).await?;
    Ok(Reply::ok(with_ok(answer.value)))
}
