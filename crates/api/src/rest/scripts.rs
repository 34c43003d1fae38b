//! The scripts of a folder as endpoints.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    registry::{Field as _, Params as _, Usage, params, record},
    value::{Money, Text, Value},
};
use svc_engine::output::planned::Planned;
use svc_lang::diag::Report;
use svc_service::{
    Answer, Bounds, Call, Fault, Folder, Live, Resolved, Served, Work,
    jobs::{JobRow, Jobs},
    quality::Quality,
    tools,
};

use super::{
    EventsOf, Input, Reply, Rest, invoke, object,
    route::{Access, Answers, Body, Handle, Method, Route},
    value_of, with_ok,
};

record! {
    /// A served script.
    struct ScriptView {
        /// Its name.
        name: Text,
        /// Its path in the folder.
        path: Text,
        /// The comment at its head.
        description: Text,
        /// The type of its result.
        result: Text,
        /// The most that a run may cost, take and use.
        envelope: Value,
        /// What a run may do.
        effects: Value,
        /// The JSON Schema of its params.
        input_schema: Value,
        /// The JSON Schema of its result.
        output_schema: Value,
        /// Why the version on the disk is not served; an earlier one is.
        problem: Option<Text>,
    }
}

record! {
    /// A file of the folder that is not served.
    struct UnservedView {
        /// Its path in the folder.
        path: Text,
        /// Why it is not served.
        why: Text,
    }
}

record! {
    /// The served scripts.
    struct ScriptsView {
        /// The scripts, by name.
        scripts: Vec<ScriptView>,
        /// The files that are not served.
        unserved: Vec<UnservedView>,
    }
}

params! {
    /// How a run of a script is called.
    pub(super) struct Calling {
        /// The most that the run may cost: `$0.10`.
        max_cost: Option<Money> = None,
        /// The most tokens of the run.
        max_tokens: Option<u64> = None,
        /// The most time of the run: `30s`.
        timeout: Option<Duration> = None,
        /// How long to wait for the result; after that, the answer is 202 and the run goes on.
        wait: Duration = Duration::from_secs(50),
        /// Whether the run ends when the caller closes the stream of its events.
        cancel_on_close: bool = false,
        /// An address that is sent the job when it has ended or waits for an answer. The call is
        /// queued.
        notify_url: Option<Text> = None,
    }
}

record! {
    /// The result of a run.
    struct RunReply {
        /// The result itself.
        result: Value,
        /// The run.
        run_id: Text,
        /// The tokens and dollars that it used.
        usage: Value,
        /// The confidence that the result states, if it does.
        confidence: Option<f64>,
        /// How good the result is; null if nothing is known of that.
        quality: Option<Quality>,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let list = Route {
        method: Method::Get,
        path: "/scripts",
        tag: "scripts",
        summary: "The served scripts, and the files that are not served.",
        access: Access::Key,
        query: &[],
        body: None,
        reply: || tools::output_schema(ScriptsView::SCHEME),
        statuses: &[],
        tool: None,
        answers: Answers::Object,
        handle: Handle::Blocking(|rest, _| list(rest)),
    };
    let one = Route {
        method: Method::Get,
        path: "/scripts/{name}",
        tag: "scripts",
        summary: "A served script: its params, its result, and the most that a run may take.",
        access: Access::Key,
        query: &[],
        body: None,
        reply: || tools::output_schema(ScriptView::SCHEME),
        statuses: &[404],
        tool: None,
        answers: Answers::Object,
        handle: Handle::Blocking(one),
    };
    let plan = Route {
        method: Method::Post,
        path: "/scripts/{name}/plan",
        tag: "scripts",
        summary: "What a run with these params would do and cost. Nothing runs.",
        access: Access::Key,
        query: Calling::PARAMS,
        body: Some(Body::Open),
        reply: || object([("type", "object".into())]),
        statuses: &[403, 404],
        tool: None,
        answers: Answers::Object,
        handle: Handle::Blocking(plan),
    };
    let call = Route {
        method: Method::Post,
        path: "/scripts/{name}",
        tag: "scripts",
        summary: "Runs a script with these params.",
        access: Access::Key,
        query: Calling::PARAMS,
        body: Some(Body::Open),
        reply: || tools::output_schema(RunReply::SCHEME),
        statuses: &[202, 402, 403, 404, 499, 502, 503, 504],
        tool: None,
        answers: Answers::ObjectOrEvents,
        handle: Handle::Io(|rest, input| Box::pin(call(rest, input))),
    };
    vec![list, one, plan, call]
}

fn list(rest: &Rest) -> Result<Reply, Fault> {
    let scripts: Vec<_> =
        rest.service.scripts().iter().map(|it| view(it)).collect::<Result<_, Fault>>()?;
    let unserved = rest.service.folder().map(Folder::unserved).unwrap_or_default().into_iter();
    let unserved = unserved.map(|it| UnservedView { path: it.path.into(), why: it.why.into() });
    Ok(Reply::ok(with_ok(ScriptsView { scripts, unserved: unserved.collect() }.encode())))
}

fn one(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let served = rest.service.served(input.part(0))?;
    Ok(Reply::ok(with_ok(view(&served)?.encode())))
}

fn view(served: &Served) -> Result<ScriptView, Fault> {
    let planned = Planned::of(&served.plan, &Report::new("".into(), Vec::new()));
    Ok(ScriptView {
        name: served.name.as_str().into(),
        path: served.path.as_str().into(),
        description: served.description.as_str().into(),
        result: served.result.as_str().into(),
        envelope: value_of(&planned.envelope)?,
        effects: value_of(&planned.effects)?,
        input_schema: served.input_schema.clone(),
        output_schema: served.output_schema.clone(),
        problem: served.problem.as_deref().map(Text::from),
    })
}

fn plan(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let calling: Calling = input.query()?;
    let call = served_call(input, &calling)?;
    let plan = rest.service.resolve(call)?.plan(rest.service.published())?;
    let planned = Planned::of(&plan, &Report::new("".into(), Vec::new()));
    Ok(Reply::ok(with_ok(value_of(&planned)?)))
}

async fn call(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let calling: Calling = input.query()?;
    let call = served_call(&input, &calling)?;
    let resolved = rest.service.resolve(call.clone())?;
    if let Ok(jobs) = rest.service.jobs()
        && (input.is_async || calling.notify_url.is_some())
        && !input.wants_events
    {
        return queued(rest, jobs, &resolved, call, calling.notify_url.as_ref()).await;
    }
    if calling.notify_url.is_some() {
        return Err(Fault::field("notify_url", "only a job is reported, without events")
            .help("leave it out, or ask for no events"));
    }
    let run = rest.service.start(resolved).await?;
    if input.wants_events {
        let cancel_on_close = calling.cancel_on_close;
        return Ok(Reply::Events(EventsOf { run, after: 0, cancel_on_close }));
    }
    let wait = if input.is_async { Duration::ZERO } else { calling.wait };
    let outcome = tokio::select! {
        outcome = run.ended() => Some(outcome),
        () = tokio::time::sleep(wait) => None,
        () = rest.service.parting() => None,
    };
    match outcome {
        Some(_) if run.is_waiting() => Ok(Reply::Json(202, accepted(&run))),
        Some(outcome) => Ok(Reply::ok(ended(&run, outcome?))),
        None => later(rest, &run).await,
    }
}

/// The answer of a run that goes on without its caller, as a job: what is acknowledged survives
/// whatever happens to the server.
async fn later(rest: &Rest, run: &Arc<Live>) -> Result<Reply, Fault> {
    run.begun().await;
    match run.outcome() {
        Some(outcome) if !run.is_waiting() => Ok(Reply::ok(ended(run, outcome?))),
        _ => {
            if let Ok(jobs) = rest.service.jobs() {
                jobs.adopt_run(run).await?;
            }
            Ok(Reply::Json(202, accepted(run)))
        }
    }
}

/// Queues a call, if it can be planned.
pub(super) async fn queued(
    rest: &Rest,
    jobs: &Jobs,
    resolved: &Resolved,
    call: Call,
    notify: Option<&Text>,
) -> Result<Reply, Fault> {
    let engine = rest.service.published();
    resolved.test(engine)?;
    let notify = notify.map(|it| rest.service.notifiable(it)).transpose()?;
    let job = jobs.submit_call(rest.service.owner(), call, notify).await?;
    Ok(Reply::Json(202, of_job(&job)))
}

/// The answer for a job that goes on.
pub(super) fn of_job(job: &JobRow) -> Value {
    with_ok(object([
        ("run_id", job.run.as_str().into()),
        ("job_id", job.id.as_str().into()),
        ("state", job.state.name().into()),
    ]))
}

/// The answer for a run that goes on.
pub(super) fn accepted(run: &Live) -> Value {
    let (id, state) = (run.id().as_str(), run.word());
    with_ok(match run.job_id() {
        Some(job) => {
            object([("run_id", id.into()), ("job_id", job.into()), ("state", state.into())])
        }
        None => object([("run_id", id.into()), ("state", state.into())]),
    })
}

/// The answer for a run that has ended.
pub(super) fn ended(run: &Live, answer: Answer) -> Value {
    finished(run.id().as_str(), answer)
}

/// The answer of a run of this name.
pub(super) fn finished(run: &str, answer: Answer) -> Value {
    let confidence = answer.confidence();
    let (usage, quality) = (usage(answer.usage), answer.quality);
    let reply = RunReply { result: answer.value, run_id: run.into(), usage, confidence, quality };
    with_ok(invoke::without_null(reply.encode(), "confidence"))
}

pub(super) fn usage(used: Usage) -> Value {
    let tokens = i64::try_from(used.tokens).unwrap_or(i64::MAX);
    object([("tokens", tokens.into()), ("cost_usd", used.cost.dollars().into())])
}

fn served_call(input: &Input, calling: &Calling) -> Result<Call, Fault> {
    let args = input.object()?;
    let bounds = Bounds {
        max_tokens: calling.max_tokens,
        max_cost: calling.max_cost,
        timeout: calling.timeout,
        max_retries: None,
    };
    Ok(Call { work: Work::Served { name: input.part(0).to_owned(), args }, bounds })
}
