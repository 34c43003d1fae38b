//! What the server is: health, components, navigation and advice.

use svc_contract::{
    registry::{ErrorKind, Field as _, Param, Params as _, params, record},
    value::{Text, Value},
};
use svc_service::{
    Args, Bounds, Call, Fault, FieldFault, Why, Work,
    access::{
        PolicyProblem,
        roles::{AccessPolicy, PolicyError},
    },
    tools,
};

use super::{
    Input, Reply, Rest, object,
    route::{Access, Answers, Body, Handle, Method, Route},
    with_ok,
};

record! {
    /// The state of the server.
    struct Health {
        /// `ok`.
        status: Text,
        /// The name of the system.
        system: Text,
        /// Its version.
        version: Text,
    }
}

record! {
    /// The names of all components.
    struct Components {
        /// The names, in the order of the registry.
        components: Vec<Text>,
    }
}

params! {
    struct Question {
        /// The question, in plain words.
        query: Text,
        /// The maximum number of results.
        #[range(1..=1000)]
        limit: i64 = 20,
    }
}

params! {
    struct Task {
        /// The task, in plain words.
        query: Text,
        /// The maximum number of results.
        #[range(1..=1000)]
        limit: i64 = 5,
    }
}

params! {
    struct Asked {
        /// The question about svc.
        query: Text,
        /// The number of passages to answer from.
        #[range(1..=20)]
        top_k: i64 = 3,
    }
}

params! {
    struct Goal {
        /// The goal, in plain words.
        #[filled]
        goal: Text,
        /// The maximum number of ops that the goal may ask for.
        #[range(1..=50)]
        max_steps: i64 = 12,
    }
}

record! {
    /// The roles of the server.
    struct PolicyView {
        /// The policy that holds from now on, and how many roles it has.
        message: Text,
        /// Six hex digits that change whenever a right changes; empty without keys.
        policy: Text,
        /// The names of the roles, the lowest tier first.
        roles: Vec<Text>,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let base = Route {
        method: Method::Get,
        path: "/health",
        tag: "state",
        summary: "Whether the server works, and its version.",
        access: Access::Open,
        query: &[],
        body: None,
        reply: || tools::output_schema(Health::SCHEME),
        statuses: &[],
        tool: None,
        answers: Answers::Bare,
        handle: Handle::Now(|rest, _| Ok(health(rest))),
    };
    let names: fn() -> Value = || tools::output_schema(Components::SCHEME);
    vec![
        copy(&base),
        Route { path: "/health/live", summary: "Whether the process answers.", ..copy(&base) },
        Route {
            path: "/health/ready",
            summary: "Whether calls are accepted.",
            statuses: &[503],
            handle: Handle::Now(|rest, _| ready(rest)),
            ..copy(&base)
        },
        Route {
            path: "/metrics",
            summary: "Calls, durations, runs and costs, as Prometheus reads them.",
            access: Access::Admin,
            reply: || object([("type", "string".into())]),
            answers: Answers::Lines,
            handle: Handle::Now(|rest, _| Ok(metrics(rest))),
            ..copy(&base)
        },
        Route {
            path: "/.well-known/oauth-protected-resource",
            summary: "Whose access tokens are accepted (RFC 9728).",
            reply: || object([("type", "object".into())]),
            statuses: &[404],
            handle: Handle::Now(|rest, _| metadata(rest, "")),
            ..copy(&base)
        },
        Route {
            path: "/.well-known/oauth-protected-resource/mcp",
            summary: "The same for `/mcp`.",
            reply: || object([("type", "object".into())]),
            statuses: &[404],
            handle: Handle::Now(|rest, _| metadata(rest, "/mcp")),
            ..copy(&base)
        },
        Route {
            path: "/.well-known/oauth-protected-resource/mcp/compact",
            summary: "The same for `/mcp/compact`.",
            reply: || object([("type", "object".into())]),
            statuses: &[404],
            handle: Handle::Now(|rest, _| metadata(rest, "/mcp/compact")),
            ..copy(&base)
        },
        Route {
            path: "/components",
            summary: "The names of all components.",
            access: Access::Key,
            reply: names,
            handle: Handle::Now(|rest, _| Ok(components(rest))),
            ..copy(&base)
        },
        Route {
            path: "/blocks",
            summary: "The same as `/components`.",
            access: Access::Key,
            reply: names,
            handle: Handle::Now(|rest, _| Ok(components(rest))),
            ..copy(&base)
        },
        Route {
            answers: Answers::Bare,
            ..of_tool(
                "/nav/discover",
                "nav_discover",
                "Components that match a question, best first.",
                Question::PARAMS,
                Handle::Io(|rest, input| Box::pin(discover(rest, input))),
            )
        },
        of_tool(
            "/nav/recommend",
            "nav_recommend",
            "Components for a task, with the purpose of each.",
            Task::PARAMS,
            Handle::Io(|rest, input| Box::pin(recommend(rest, input))),
        ),
        Route {
            statuses: &[404],
            ..of_tool(
                "/nav/inspect/{component}",
                "nav_inspect",
                "What a component can do.",
                &[],
                Handle::Io(|rest, input| Box::pin(inspect(rest, input))),
            )
        },
        of_tool(
            "/nav/stats",
            "nav_stats",
            "The numbers of components, ops and tools.",
            &[],
            Handle::Io(|rest, _| Box::pin(stats(rest))),
        ),
        Route {
            method: Method::Post,
            body: Some(Body::Fields(Asked::PARAMS)),
            ..of_tool(
                "/guide/ask",
                "guide_ask",
                "An answer from the documentation, with sources.",
                &[],
                Handle::Io(|rest, input| Box::pin(ask(rest, input))),
            )
        },
        Route {
            method: Method::Post,
            body: Some(Body::Fields(Goal::PARAMS)),
            ..of_tool(
                "/guide/plan",
                "guide_plan_workflow",
                "A script for a goal.",
                &[],
                Handle::Io(|rest, input| Box::pin(plan(rest, input))),
            )
        },
        Route {
            method: Method::Post,
            path: "/admin/reload-policy",
            summary: "Reads the policy file again. If it has a mistake, the old roles stay.",
            access: Access::Admin,
            reply: || tools::output_schema(PolicyView::SCHEME),
            statuses: &[422],
            answers: Answers::Object,
            handle: Handle::Blocking(|rest, _| reload(rest)),
            ..copy(&base)
        },
        of_tool(
            "/guide/overview",
            "guide_system_overview",
            "What svc is, and where to start.",
            &[],
            Handle::Io(|rest, _| Box::pin(overview(rest))),
        ),
    ]
}

/// The same route: `Route` holds only constants.
pub(super) fn copy(it: &Route) -> Route {
    Route {
        method: it.method,
        path: it.path,
        tag: it.tag,
        summary: it.summary,
        access: it.access,
        query: it.query,
        body: it.body,
        reply: it.reply,
        statuses: it.statuses,
        tool: it.tool,
        answers: it.answers,
        handle: it.handle,
    }
}

/// A route whose answer is the result of a tool.
fn of_tool(
    path: &'static str,
    tool: &'static str,
    summary: &'static str,
    query: &'static [Param],
    handle: Handle,
) -> Route {
    let tag = if path.starts_with("/nav") { "navigation" } else { "guide" };
    Route {
        method: Method::Get,
        path,
        tag,
        summary,
        access: Access::Key,
        query,
        body: None,
        reply: || object([("type", "object".into())]),
        statuses: &[],
        tool: Some(tool),
        answers: Answers::Object,
        handle,
    }
}

fn metadata(rest: &Rest, path: &str) -> Result<Reply, Fault> {
    let found = rest.service.resource_metadata(path);
    let none = || Fault::not_found("this server accepts keys, and tokens of no issuer");
    found.map(Reply::ok).ok_or_else(none)
}

fn health(rest: &Rest) -> Reply {
    let health = Health { status: "ok".into(), system: "svc".into(), version: rest.version.into() };
    Reply::ok(health.encode())
}

fn ready(rest: &Rest) -> Result<Reply, Fault> {
    rest.service.accepts()?;
    Ok(health(rest))
}

fn reload(rest: &Rest) -> Result<Reply, Fault> {
    let policy = rest.service.reload_policy().map_err(|err| match err {
        PolicyError::File(why) => Fault::new(Why::Op(ErrorKind::Failed), why),
        PolicyError::Wrong(problems) => {
            let field = |it: &PolicyProblem| FieldFault {
                field: format!("{}:{}: {}", it.line, it.column, it.field),
                message: it.message.clone(),
            };
            let fields: Vec<FieldFault> = problems.iter().map(field).collect();
            let message = format!("the policy has {} mistakes; the old roles stay", fields.len());
            Fault { fields, ..Fault::new(Why::Op(ErrorKind::InvalidInput), message) }
        }
    })?;
    let message =
        policy.as_ref().map_or_else(|| "no keys are used".to_owned(), ToString::to_string);
    let view = PolicyView {
        message: message.into(),
        policy: policy.as_ref().map_or_else(|| "".into(), |it| it.version().into()),
        roles: policy
            .iter()
            .flat_map(AccessPolicy::roles)
            .map(|it| it.name.as_str().into())
            .collect(),
    };
    Ok(Reply::ok(with_ok(view.encode())))
}

fn metrics(rest: &Rest) -> Reply {
    Reply::Text(200, "text/plain; version=0.0.4; charset=utf-8", rest.service.metrics_text())
}

fn components(rest: &Rest) -> Reply {
    let all = rest.service.engine().registry().components();
    let components = all.iter().map(|it| it.name.into()).collect();
    Reply::ok(Components { components }.encode())
}

async fn discover(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: Question = input.query()?;
    let args = [("query", asked.query.into()), ("limit", asked.limit.into())];
    Ok(Reply::ok(called(rest, "nav_discover", args).await?))
}

async fn recommend(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: Task = input.query()?;
    let args = [("query", asked.query.into()), ("limit", asked.limit.into())];
    Ok(Reply::ok(with_ok(called(rest, "nav_recommend", args).await?)))
}

async fn inspect(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let args = [("component", input.part(0).into())];
    Ok(Reply::ok(with_ok(called(rest, "nav_inspect", args).await?)))
}

async fn stats(rest: &Rest) -> Result<Reply, Fault> {
    let own = called(rest, "nav_stats", []).await?;
    let tools = tools::table(rest.service.engine().registry()).len();
    let seconds = i64::try_from(rest.service.uptime().as_secs()).unwrap_or(i64::MAX);
    let recent = rest.service.metrics().recent();
    let count = |it: u64| Value::Int(i64::try_from(it).unwrap_or(i64::MAX));
    let p95 = recent.p95.map_or(Value::Null, |it| Value::Float(it.as_secs_f64() * 1000.0));
    let more: [(Text, Value); 5] = [
        ("tools_total".into(), i64::try_from(tools).unwrap_or(i64::MAX).into()),
        ("calls_24h".into(), count(recent.calls)),
        ("errors_24h".into(), count(recent.errors)),
        ("p95_ms".into(), p95),
        ("uptime_sec".into(), seconds.into()),
    ];
    let own = own.as_record().map(|of| of.iter().map(|(k, v)| (k.clone(), v.clone())).collect());
    let own: Vec<(Text, Value)> = own.unwrap_or_default();
    Ok(Reply::ok(with_ok(Value::Record(own.into_iter().chain(more).collect()))))
}

async fn ask(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: Asked = input.read()?;
    let args = [("query", asked.query.into()), ("top_k", asked.top_k.into())];
    Ok(Reply::ok(with_ok(called(rest, "guide_ask", args).await?)))
}

async fn plan(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let asked: Goal = input.read()?;
    let args = [("goal", asked.goal.into()), ("max_steps", asked.max_steps.into())];
    Ok(Reply::ok(with_ok(called(rest, "guide_plan_workflow", args).await?)))
}

async fn overview(rest: &Rest) -> Result<Reply, Fault> {
    Ok(Reply::ok(with_ok(called(rest, "guide_system_overview", []).await?)))
}

/// The result of a tool.
pub(super) async fn called<const N: usize>(
    rest: &Rest,
    tool: &str,
    args: [(&str, Value); N],
) -> Result<Value, Fault> {
    let args: Args = args.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    let work = Work::Tool { name: tool.to_owned(), args };
    Ok(rest.service.call(Call { work, bounds: Bounds::default() }).await?.value)
}
