//! The endpoints for components that tune themselves. Each answers with the result of a tool, and with
//! warnings; every answer below `/api/v1/bias` says that this is experimental.

use svc_contract::{
    registry::{Field as _, record},
    value::{Record, Text, Value},
};
use svc_service::{Bounds, Call, Fault, Work, bias::WARNING, tools};

use super::{
    Input, Reply, Rest, object,
    route::{Access, Answers, Body, Handle, Method, Route},
    state,
};

/// Where these endpoints are.
const PREFIX: &str = "/api/v1/bias";

/// The header of every answer below a path, if it has one.
pub fn header_of(path: &str) -> Option<(&'static str, &'static str)> {
    let is_below = path.strip_prefix(PREFIX).is_some_and(|it| it.is_empty() || it.starts_with('/'));
    is_below.then_some(("x-svc-warning", "experimental-self-modification"))
}

record! {
    /// The biases of all components.
    struct SnapshotReply {
        /// Each component with its bias.
        snapshot: Value,
        /// How many there are.
        component_count: i64,
        /// That this is experimental.
        warnings: Vec<Text>,
    }
}

record! {
    /// What a trace is like.
    struct ObserveReply {
        /// What is the case, in a sentence.
        situation: Text,
        /// Whether it is unlike known traces.
        is_novel: bool,
        /// How sure that is, from 0 to 1.
        confidence: f64,
        /// What is remembered of such situations.
        memory_insight: Text,
    }
}

record! {
    /// A score.
    struct Part {
        /// From 0 to 1.
        score: f64,
        /// What was measured, with its interval.
        details: Text,
    }
}

record! {
    /// A place among what is known.
    struct Place {
        /// From 1.
        rank: i64,
        /// How many are better in everything.
        dominated_by: i64,
    }
}

record! {
    /// How well something does.
    struct Evaluated {
        /// How quick it is.
        speed: Part,
        /// How cheap it is.
        cost: Part,
        /// How good it is.
        quality: Part,
        /// Its place.
        pareto: Place,
    }
}

record! {
    /// An evaluation.
    struct EvaluateReply {
        /// Its parts.
        evaluation: Evaluated,
    }
}

record! {
    /// What an evolution found.
    struct EvolveReply {
        /// The bias that is proposed.
        proposal: Value,
        /// The candidates that no other one beats.
        frontier: Vec<Value>,
        /// The version that the proposal would have.
        version: i64,
        /// Its score.
        best_score: f64,
        /// That this is experimental.
        warnings: Vec<Text>,
    }
}

record! {
    /// What each layer found.
    struct Healing {
        /// The layers that were asked.
        audits: Vec<Value>,
        /// What was taken back.
        heals: Vec<Value>,
        /// The state of the component.
        health: Value,
    }
}

record! {
    /// What became of a candidate.
    struct ApplyReply {
        /// Whether it is active now.
        applied: bool,
        /// The version that is active.
        version: i64,
        /// How many of the four layers it passed.
        safety_layers_passed: i64,
        /// What each layer found.
        healing_report: Healing,
        /// That this is experimental.
        warnings: Vec<Text>,
    }
}

record! {
    /// What is active after a rollback.
    struct RollbackReply {
        /// The version.
        version: i64,
        /// The bias.
        snapshot: Value,
        /// That this is experimental.
        warnings: Vec<Text>,
    }
}

record! {
    /// Whether a principle holds.
    struct PrincipleReply {
        /// The principle.
        name: Text,
        /// Whether it holds.
        passed: bool,
        /// How sure that is, from 0 to 1.
        confidence: f64,
        /// What was measured.
        explanation: Text,
    }
}

record! {
    /// Whether the principles hold.
    struct GroundReply {
        /// Whether all do.
        overall_passed: bool,
        /// Each of them.
        results: Vec<PrincipleReply>,
        /// What is missing, and that this is experimental.
        warnings: Vec<Text>,
    }
}

/// The further statuses of calls of these tools.
const STATUSES: &[u16] = &[402, 403, 404, 499, 502, 503, 504];

pub(super) fn routes() -> Vec<Route> {
    let observe = Route {
        method: Method::Post,
        path: "/api/v1/bias/observe",
        tag: "bias",
        summary: "Says whether a trace of a workflow is novel.",
        access: Access::Key,
        query: &[],
        body: Some(Body::Tool("bias_observe")),
        reply: || tools::output_schema(ObserveReply::SCHEME),
        statuses: STATUSES,
        tool: Some("bias_observe"),
        answers: Answers::Bare,
        handle: Handle::Io(|rest, input| Box::pin(called(rest, input, "bias_observe"))),
    };
    let post = |path, summary, tool, reply, handle| Route {
        path,
        summary,
        body: Some(Body::Tool(tool)),
        reply,
        tool: Some(tool),
        handle,
        ..state::copy(&observe)
    };
    let all = vec![
        Route {
            method: Method::Get,
            body: None,
            ..post(
                "/api/v1/bias/snapshot",
                "The active bias of every component that can be tuned.",
                "bias_snapshot",
                || tools::output_schema(SnapshotReply::SCHEME),
                Handle::Io(|rest, _| Box::pin(snapshot(rest))),
            )
        },
        post(
            "/api/v1/bias/evaluate",
            "Scores a trace by speed, cost and quality.",
            "bias_evaluate",
            || tools::output_schema(EvaluateReply::SCHEME),
            Handle::Io(|rest, input| Box::pin(evaluate(rest, input))),
        ),
        post(
            "/api/v1/bias/evolve",
            "Searches for better params of a component.",
            "bias_evolve",
            || tools::output_schema(EvolveReply::SCHEME),
            Handle::Io(|rest, input| Box::pin(warned(rest, input, "bias_evolve"))),
        ),
        post(
            "/api/v1/bias/apply",
            "Verifies a candidate and makes it active.",
            "bias_apply",
            || tools::output_schema(ApplyReply::SCHEME),
            Handle::Io(|rest, input| Box::pin(warned(rest, input, "bias_apply"))),
        ),
        post(
            "/api/v1/bias/rollback",
            "Returns to an earlier version.",
            "bias_rollback",
            || tools::output_schema(RollbackReply::SCHEME),
            Handle::Io(|rest, input| Box::pin(warned(rest, input, "bias_rollback"))),
        ),
        post(
            "/api/v1/bias/ground-check",
            "Measures whether the principles hold for a candidate.",
            "bias_ground_check",
            || tools::output_schema(GroundReply::SCHEME),
            Handle::Io(|rest, input| Box::pin(warned(rest, input, "bias_ground_check"))),
        ),
    ];
    std::iter::once(observe).chain(all).collect()
}

/// Calls a tool with the fields of a body.
async fn result(rest: &Rest, input: &Input, tool: &str) -> Result<Value, Fault> {
    let work = Work::Tool { name: tool.to_owned(), args: input.object()? };
    Ok(rest.service.call(Call { work, bounds: Bounds::default() }).await?.value)
}

async fn called(rest: &Rest, input: Input, tool: &str) -> Result<Reply, Fault> {
    Ok(Reply::ok(result(rest, &input, tool).await?))
}

/// The same with the warning that this is experimental.
async fn warned(rest: &Rest, input: Input, tool: &str) -> Result<Reply, Fault> {
    Ok(Reply::ok(with_warning(&result(rest, &input, tool).await?)))
}

async fn snapshot(rest: &Rest) -> Result<Reply, Fault> {
    Ok(Reply::ok(with_warning(&state::called(rest, "bias_snapshot", []).await?)))
}

async fn evaluate(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let found = result(rest, &input, "bias_evaluate").await?;
    let part =
        |name: &str| found.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default();
    let field = |of: &Value, name: &str| {
        of.as_record().and_then(|it| it.get(name)).cloned().unwrap_or_default()
    };
    let score = |name: &str| {
        let of = part(name);
        object([("score", field(&of, "score")), ("details", field(&of, "details"))])
    };
    let pareto = part("pareto");
    let place = object([
        ("rank", field(&pareto, "rank")),
        ("dominated_by", field(&pareto, "dominated_by")),
    ]);
    let evaluation = object([
        ("speed", score("speed")),
        ("cost", score("cost")),
        ("quality", score("quality")),
        ("pareto", place),
    ]);
    Ok(Reply::ok(object([("evaluation", evaluation)])))
}

/// A result with its warnings, and that this is experimental.
fn with_warning(value: &Value) -> Value {
    let Value::Record(fields) = value else { return value.clone() };
    let own =
        fields.get("warnings").and_then(Value::as_list).map(|it| it.iter().cloned().collect());
    let mut warnings: Vec<Value> = own.unwrap_or_default();
    warnings.push(WARNING.into());
    let all = fields.iter().filter(|(name, _)| &***name != "warnings");
    let all = all.map(|(name, it)| (name.clone(), it.clone()));
    let all: Record = all.chain([("warnings".into(), Value::List(warnings.into()))]).collect();
    Value::Record(all)
}
