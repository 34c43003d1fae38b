//! Requests to the components that advise: `svc guide`, `svc find` and `svc ask`.

use crate::looked;
use svc_contract::value::Value;
use svc_engine::{Engine, Error};

pub(crate) const PLAN: &str = "param goal: string  param takes: string?  param gives: string?
    param data: json
    goal >> guide_plan_workflow(input: takes, output: gives, data: data)";

const PLAN_WITH_MODEL: &str = "use \"std:guide\" as guide
    param goal: string  param takes: string?  param gives: string?
    param data: json
    goal >> guide_plan_workflow(input: takes, output: gives, data: data, writer: guide.by_model)";

const EDIT: &str = "use \"std:guide\" as guide
    param goal: string  param script: string
    goal >> guide_plan_workflow(script: script, writer: guide.by_model)";

pub(crate) const OVERVIEW: &str = "guide_system_overview";

pub(crate) const FIND: &str =
    "param query: string  param limit: int  query >> nav_search(limit: limit)";

pub(crate) const ASK: &str =
    "param query: string  param top_k: int  query >> guide_ask(top_k: top_k)";

const ASK_WITH_MODEL: &str =
    "param query: string  param top_k: int  query >> guide_ask(top_k: top_k, writer: ask)";

const DIFFERENCE: &str =
    "param old: string  param new: string  { old: old, new: new } >> diff >> .patch";

/// A goal, and the types of the script that reaches it.
#[derive(Clone, Debug)]
pub struct Goal {
    pub goal: String,
    pub input: Option<String>,
    pub output: Option<String>,
}

/// The parts of a goal that no component does.
#[derive(Clone, Debug)]
pub struct Missing {
    pub parts: Vec<String>,
    /// The names of the ops that come nearest.
    pub nearest: Vec<String>,
}

/// A script for a goal, with its stages, notes and estimate.
pub async fn workflow(engine: &Engine, goal: Goal, with_model: bool) -> Result<Value, Error> {
    let optional = |it: Option<String>| it.map(Value::from).unwrap_or_default();
    let given = [
        ("data", looked::files(engine, &goal.goal).await),
        ("goal", goal.goal.as_str().into()),
        ("takes", optional(goal.input)),
        ("gives", optional(goal.output)),
    ];
    advice(engine, if with_model { PLAN_WITH_MODEL } else { PLAN }, given).await
}

/// A changed script for a goal, written by the language model that the environment names.
pub async fn edited(engine: &Engine, script: &str, goal: &str) -> Result<Value, Error> {
    advice(engine, EDIT, [("goal", goal.into()), ("script", script.into())]).await
}

/// The difference of two scripts, as a unified diff; empty if they are equal.
pub async fn difference(engine: &Engine, old: &str, new: &str) -> Result<String, Error> {
    let patch = advice(engine, DIFFERENCE, [("old", old.into()), ("new", new.into())]).await?;
    Ok(patch.to_string())
}

/// What a language model has to know before it can write the script.
pub fn question(workflow: &Value) -> Option<&str> {
    workflow.as_record()?.get("question")?.as_str()
}

/// The parts of the goal that a workflow lacks; `None` if it does not say.
pub fn missing(workflow: &Value) -> Option<Missing> {
    let missing = workflow.as_record()?.get("missing");
    let Some(Value::List(gaps)) = missing else { return None };
    let parts = gaps.iter().map(|it| field(it, "part")).collect();
    let mut nearest: Vec<String> = Vec::new();
    for name in gaps.iter().flat_map(|it| fields(it, "nearest")) {
        if !nearest.contains(&name) {
            nearest.push(name);
        }
    }
    Some(Missing { parts, nearest })
}

/// The purpose of the program, its components and its language.
pub async fn overview(engine: &Engine) -> Result<Value, Error> {
    advice(engine, OVERVIEW, []).await
}

/// The ops that match a query, with the reason for each.
pub async fn find(engine: &Engine, query: &str, limit: i64) -> Result<Value, Error> {
    advice(engine, FIND, [("query", query.into()), ("limit", Value::Int(limit))]).await
}

/// An answer from the `top_k` best passages of the documentation, with its sources.
pub async fn ask(
    engine: &Engine,
    question: &str,
    top_k: i64,
    with_model: bool,
) -> Result<Value, Error> {
    let given = [("query", question.into()), ("top_k", Value::Int(top_k))];
    advice(engine, if with_model { ASK_WITH_MODEL } else { ASK }, given).await
}

/// Runs a built-in script and returns its result.
async fn advice<const N: usize>(
    engine: &Engine,
    script: &str,
    given: [(&str, Value); N],
) -> Result<Value, Error> {
    let request = engine.run(script);
    let request = given.into_iter().fold(request, |it, (name, value)| it.param(name, value));
    request.await.map(|it| it.value)
}

/// Whether the environment names a language model.
pub fn has_model(engine: &Engine) -> bool {
    engine.host().env("SVC_MODEL").is_some()
}

/// A field of a record as text.
pub fn field(record: &Value, name: &str) -> String {
    let value = record.as_record().and_then(|it| it.get(name));
    value.map(ToString::to_string).unwrap_or_default()
}

/// A field of a record that is a list, as texts.
pub fn fields(record: &Value, name: &str) -> Vec<String> {
    match record.as_record().and_then(|it| it.get(name)) {
        Some(Value::List(items)) => items.iter().map(ToString::to_string).collect(),
        _ => Vec::new(),
    }
}
