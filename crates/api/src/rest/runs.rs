//! Runs: those that go on, and those of the store.

use svc_contract::{
    registry::{Field as _, Params as _, choices, params, record},
    store::RunState,
    value::{Record, Text, Value},
};
use svc_service::{
    Fault, Live, Why,
    bias::Work,
    jobs::{JobFilter, JobRow, JobState},
    quality::Quality,
    tools,
};

use super::{
    EventsOf, Input, Reply, Rest, blocking, bug, object,
    route::{Answers, Body, Handle, Method, Route},
    scripts::{accepted, of_job, usage},
    title::{title, title_of_job},
    value_of, with_ok,
};
use crate::{
    failure::with_step,
    page::{Page, PageLimits},
    runs::RunJson,
    show::{ShowJson, planned},
    store::{Run, RunStore},
    tap::{Tapped, tap},
    tuning::{drawn, fronts_of},
};

/// The largest value of a page, and all values together.
const LIMITS: PageLimits = PageLimits { value: 1 << 20, page: 64 << 20 };

choices! {
    /// The state of a run that has begun.
    enum Wanted {
        Running = "running",
        Waiting = "waiting",
        Ok = "ok",
        Failed = "failed",
        Cancelled = "cancelled",
        Died = "died",
        Queued = "queued",
        Stuck = "stuck",
    }
}

params! {
    struct Listed {
        /// The maximum number of runs.
        #[range(1..=1000)]
        limit: i64 = 50,
        /// Only those of the latest 1,000 runs that are in this state.
        state: Option<Wanted> = None,
    }
}

/// How many runs are looked at for those in a state.
const MOST_LISTED: usize = 1000;

params! {
    struct Watched {
        /// Whether the run ends when the caller closes the stream.
        cancel_on_close: bool = false,
        /// The number of the last event that the caller has.
        after: u64 = 0,
    }
}

record! {
    /// The runs.
    struct RunsView {
        /// The runs, the latest first: those that wait for their turn, then those that have begun.
        runs: Vec<Value>,
    }
}

record! {
    /// A run.
    struct RunView {
        /// The run.
        run_id: Text,
        /// `queued`, `running`, `waiting`, `ok`, `failed`, `cancelled` or `died`.
        state: Text,
        /// The script.
        script: Text,
        /// What it is about: the script, or the question or goal of a script that was sent as a text.
        title: Text,
        /// The result, if it has one.
        result: Value,
        /// How good the result is; null if nothing is known of that.
        quality: Option<Quality>,
        /// Why it failed.
        error: Value,
        /// The tokens and dollars that it used.
        usage: Value,
        /// When it began, as in RFC 3339.
        started_at: Option<Text>,
        /// When it ended.
        ended_at: Option<Text>,
        /// Its recorded calls.
        calls: Vec<Value>,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let get = |path, summary, reply, handle| Route::get("runs", path, summary, reply, handle);
    let any: fn() -> Value = || object([("type", "object".into())]);
    vec![
        Route {
            query: Listed::PARAMS,
            statuses: &[],
            ..get(
                "/runs",
                "The runs, the latest first.",
                || tools::output_schema(RunsView::SCHEME),
                Handle::Blocking(list),
            )
        },
        get(
            "/runs/{id}",
            "A run with its result and its calls.",
            || tools::output_schema(RunView::SCHEME),
            Handle::Blocking(one),
        ),
        Route {
            query: Watched::PARAMS,
            answers: Answers::Events,
            ..get(
                "/runs/{id}/events",
                "What happens in a run, as server-sent events.",
                any,
                Handle::Blocking(events),
            )
        },
        Route {
            answers: Answers::Page,
            ..get(
                "/runs/{id}/page",
                "A run as one page of HTML: the graph, a timeline and every value.",
                any,
                Handle::Io(|rest, input| Box::pin(page(rest, input))),
            )
        },
        get("/runs/{id}/why", "Why each call of a run was made.", any, Handle::Blocking(why)),
        Route {
            method: Method::Post,
            body: Some(Body::Fields(&[])),
            statuses: &[202, 404, 409],
            ..get(
                "/runs/{id}/cancel",
                "Ends a run: nothing new starts. It can be resumed.",
                any,
                Handle::Io(|rest, input| Box::pin(cancel(rest, input))),
            )
        },
        Route {
            method: Method::Post,
            body: Some(Body::Fields(&[])),
            statuses: &[202, 404, 409, 503],
            ..get(
                "/runs/{id}/resume",
                "Continues a run where it stopped: finished calls are not made again.",
                any,
                Handle::Io(|rest, input| Box::pin(resume(rest, input))),
            )
        },
    ]
}

fn list(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Listed = input.query()?;
    let limit = usize::try_from(asked.limit).unwrap_or(50);
    let Some(store) = rest.store() else {
        return Ok(Reply::ok(with_ok(object([("runs", Value::from(Vec::<Value>::new()))]))));
    };
    let takes_queued = matches!(asked.state, None | Some(Wanted::Queued));
    let wanted = asked.state.map(Wanted::encode);
    let mut runs = if takes_queued { queued(rest, limit)? } else { Vec::new() };
    for run in store.latest(if wanted.is_some() { MOST_LISTED } else { limit })? {
        let goes_on = if run.state == RunState::Ok { None } else { job(rest, run.id.as_str())? };
        let state = state_of(&run, goes_on.as_ref());
        if runs.len() >= limit {
            break;
        }
        if wanted.as_ref().is_none_or(|it| it.as_str() == Some(state)) {
            runs.push(Value::Record(listed(&store, &run, state)?));
        }
    }
    Ok(Reply::ok(with_ok(object([("runs", runs.into())]))))
}

/// The runs that wait for their turn, the latest first.
fn queued(rest: &Rest, limit: usize) -> Result<Vec<Value>, Fault> {
    let Ok(jobs) = rest.service.jobs() else { return Ok(Vec::new()) };
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let filter = JobFilter { state: Some(JobState::Queued), limit, ..JobFilter::default() };
    let found = jobs.list(rest.service.owner(), &filter)?;
    Ok(found.iter().filter(|it| !it.has_begun).map(queued_row).collect())
}

fn queued_row(job: &JobRow) -> Value {
    let id = || job.run.as_str().into();
    object([
        ("run_id", id()),
        ("title", Value::Text(title_of_job(job))),
        ("run", id()),
        ("script", job.name.as_str().into()),
        ("state", JobState::Queued.name().into()),
        ("started", Value::Null),
        ("ended", Value::Null),
        ("tokens", 0.into()),
        ("cost", "$0.00".into()),
        ("error", Value::Null),
    ])
}

/// A run of the list, in the state that `/runs/{id}` shows.
fn listed(store: &RunStore, run: &Run, state: &str) -> Result<Record, Fault> {
    let id = run.id.as_str();
    let row = value_of(&RunJson::new(run))?;
    let own =
        row.as_record().into_iter().flat_map(Record::iter).map(|(name, it)| match name.as_ref() {
            "state" => (name.clone(), state.into()),
            _ => (name.clone(), it.clone()),
        });
    let first = [("run_id".into(), id.into()), ("title".into(), Value::Text(title(store, run)))];
    Ok(first.into_iter().chain(own).collect())
}

fn one(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let id = input.part(0);
    let live = rest.service.live(id).filter(|it| it.outcome().is_none() || !it.is_stored());
    let job = job(rest, id)?;
    if let Some(live) = &live
        && !(live.is_stored() && rest.service.kept().is_some_and(|it| it.knows(live.id())))
    {
        return Ok(Reply::ok(with_ok(of_live(live, job.as_ref()))));
    }
    if let Some(job) = job.as_ref().filter(|it| !it.state.is_over())
        && !rest.service.kept().is_some_and(|it| it.knows(&job.run))
    {
        return Ok(Reply::ok(with_ok(of_queued(job))));
    }
    let (store, run) = stored(rest, id)?;
    let nodes = store.calls(&run.id)?;
    let tapped = || tap(rest.service.engine(), &store, run.id.as_str(), Tapped::Result).ok();
    let result = if live.is_some() { None } else { tapped() };
    let quality = result.as_ref().and_then(|it| rest.service.quality(&run.id, it));
    let shown = value_of(&ShowJson::new(&run, &nodes))?;
    let of = |value: &Value, name: &str| value.as_record().and_then(|it| it.get(name)).cloned();
    let own = of(&shown, "run").unwrap_or_default();
    let text = |name: &str| of(&own, name).and_then(|it| it.as_str().map(Text::from));
    let view = RunView {
        run_id: run.id.as_str().into(),
        state: live.map_or_else(|| state_of(&run, job.as_ref()), |it| it.word()).into(),
        script: run.script.as_str().into(),
        title: title(&store, &run),
        result: result.unwrap_or_default(),
        quality,
        error: of(&own, "error").unwrap_or_default(),
        usage: usage(run.used),
        started_at: text("started"),
        ended_at: text("ended"),
        calls: of(&shown, "nodes").and_then(Vec::<Value>::decode).unwrap_or_default(),
    };
    Ok(Reply::ok(with_ok(view.encode())))
}

/// The job of a run, if it has one.
fn job(rest: &Rest, id: &str) -> Result<Option<JobRow>, Fault> {
    match rest.service.jobs() {
        Ok(jobs) => jobs.of_run(rest.service.owner(), id),
        Err(_) => Ok(None),
    }
}

/// The state of a stored run. One that ended for now is cancelled or died, but its job goes on.
fn state_of(run: &Run, job: Option<&JobRow>) -> &'static str {
    let goes_on = job.map(|it| it.state).filter(|it| !it.is_over() && run.state != RunState::Ok);
    goes_on.map_or(run.state.word(), JobState::name)
}

/// A run that has not begun.
fn of_queued(job: &JobRow) -> Value {
    // A worker may have taken it, but the run has not begun.
    let state = if job.state == JobState::Running { JobState::Queued } else { job.state };
    RunView {
        run_id: job.run.as_str().into(),
        state: state.name().into(),
        script: job.name.as_str().into(),
        title: title_of_job(job),
        result: Value::Null,
        quality: None,
        error: Value::Null,
        usage: Value::Null,
        started_at: None,
        ended_at: None,
        calls: Vec::new(),
    }
    .encode()
}

/// A run that is not in the store, or not yet.
fn of_live(live: &Live, job: Option<&JobRow>) -> Value {
    let (mut result, mut quality) = (Value::Null, None);
    let (error, used) = match live.outcome() {
        Some(Ok(answer)) => {
            (result, quality) = (answer.value, answer.quality);
            (Value::Null, usage(answer.usage))
        }
        Some(Err(fault)) => {
            let error = object([
                ("kind", fault.why.name().into()),
                ("message", fault.message.as_str().into()),
            ]);
            (error, Value::Null)
        }
        None => (Value::Null, Value::Null),
    };
    RunView {
        run_id: live.id().as_str().into(),
        state: live.word().into(),
        script: live.name().into(),
        title: job.map_or_else(|| live.name().into(), title_of_job),
        result,
        quality,
        error,
        usage: used,
        started_at: None,
        ended_at: None,
        calls: Vec::new(),
    }
    .encode()
}

fn events(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Watched = input.query()?;
    let id = input.part(0);
    match rest.service.live(id) {
        Some(run) => {
            let after = input.last_event.unwrap_or(asked.after);
            let cancel_on_close = asked.cancel_on_close;
            Ok(Reply::Events(EventsOf { run, after, cancel_on_close }))
        }
        None => {
            let (_, run) = stored(rest, id)?;
            let message = format!("the events of the run {} are over", run.id);
            Err(Fault::not_found(message).help(format!("GET /runs/{} has its result", run.id)))
        }
    }
}

async fn page(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let (store, run, nodes, fronts) = blocking(rest, move |rest| {
        let (store, run) = stored(rest, input.part(0))?;
        let nodes = store.calls(&run.id)?;
        let fronts = match rest.service.biases().cloned() {
            Some(biases) => {
                let work = || Ok(Work::new(biases, rest.service.engine().clone()));
                fronts_of(&store, &nodes, work)?
            }
            None => Vec::new(),
        };
        Ok::<_, Fault>((store, run, nodes, fronts))
    })
    .await??;
    let pictures = drawn(fronts, rest.service.engine()).await;
    let text = blocking(rest, move |rest| {
        let plan = planned(rest.service.engine(), &store, &run);
        let nodes = with_step(&run, nodes, plan.as_ref());
        let page = Page::new(&store, (&run, &nodes), plan, LIMITS).map_err(|err| bug(&err))?;
        let mut out = Vec::new();
        page.with_pictures(pictures).write(&mut out).map_err(|err| bug(&err))?;
        String::from_utf8(out).map_err(|err| bug(&err))
    });
    Ok(Reply::Text(200, "text/html; charset=utf-8", text.await??))
}

fn why(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let (store, run) = stored(rest, input.part(0))?;
    let engine = store.engine(rest.service.engine().clone());
    let why = engine.why(run.id.as_str(), None, None)?;
    Ok(Reply::ok(with_ok(value_of(&why)?)))
}

async fn cancel(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    input.nothing()?;
    let id = input.part(0);
    let _ = svc_service::once::begins();
    let of = id.to_owned();
    let found = blocking(rest, move |rest| job(rest, &of)).await??;
    if let Some(job) = found.filter(|it| !it.state.is_over()) {
        let job = rest.service.jobs()?.cancel(rest.service.owner(), &job.id).await?;
        return Ok(Reply::Json(202, of_job(&job)));
    }
    match rest.service.live(id) {
        Some(live) if live.outcome().is_none() => {
            live.cancel();
            Ok(Reply::Json(202, accepted(&live)))
        }
        Some(live) => Err(over(id, live.word())),
        None => {
            let of = id.to_owned();
            let (_, run) = blocking(rest, move |rest| stored(rest, &of)).await??;
            Err(over(run.id.as_str(), run.state.word()))
        }
    }
}

async fn resume(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    input.nothing()?;
    let id = input.part(0).to_owned();
    rest.service.test_ended(&id)?;
    let (_, run) = blocking(rest, move |rest| stored(rest, &id)).await??;
    if run.state == RunState::Ok {
        return Err(over(run.id.as_str(), run.state.word()));
    }
    let live = rest.service.resume(&run.id).await?;
    live.begun().await;
    Ok(Reply::Json(202, accepted(&live)))
}

fn over(id: &str, state: &str) -> Fault {
    Fault::new(Why::Conflict, format!("the run {id} has ended: {state}"))
}

/// A run of the store, by its whole name.
fn stored(rest: &Rest, id: &str) -> Result<(RunStore, Run), Fault> {
    let unknown = || Fault::not_found(format!("unknown run `{id}`"));
    let store = rest.store().ok_or_else(unknown)?;
    let run = store.run(id)?;
    // A prefix, or `last`, is for people at a prompt.
    if run.id.as_str() == id { Ok((store, run)) } else { Err(unknown()) }
}
