//! Requests to the components that advise: `svc guide`, `svc find` and `svc ask`.

use crate::{example::Example, looked};
use svc_contract::{
    registry::Field as _,
    value::{Record, Value},
};
use svc_engine::{Engine, Error};
use svc_guide::{BY_MODEL, Failed};
use svc_service::{Fault, desk::Planning};

/// How often a language model corrects a script that fails on the files of the goal.
const MOST_REPAIRS: usize = 2;

const PLAN: &str = "param goal: string  param takes: string?  param gives: string?
    param data: json
    goal >> guide_plan_workflow(input: takes, output: gives, data: data)";

const PLAN_WITH_MODEL: &str = "use \"std:guide\" as guide
    param goal: string  param takes: string?  param gives: string?
    param data: json  param share: bool  param failed: { script: string, error: string }?
    goal >> guide_plan_workflow(input: takes, output: gives, data: data, share: share,
        failed: failed, writer: guide.by_model)";

/// The form of what [`workflow`] returns.
pub(crate) const PLANNED: &str = "param goal: string
    param example: { output: json, cut: bool, whole: bool, before: string?, skipped: string?,
        error: string? }?
    let found = goal >> guide_plan_workflow
    { ...found, example: example }";

pub(crate) const EDIT: &str = "use \"std:guide\" as guide
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
#[derive(Clone, Debug, Default)]
pub struct Goal {
    pub goal: String,
    pub input: Option<String>,
    pub output: Option<String>,
    /// Whether the prompt of a language model has the names and types in the files of the goal. It
    /// never has their values.
    pub share: bool,
    /// Whether the part of the script that only reads is run for an example of its result.
    pub example: bool,
}

/// The parts of a goal that no component does.
#[derive(Clone, Debug)]
pub struct Missing {
    pub parts: Vec<String>,
    /// The names of the ops that come nearest.
    pub nearest: Vec<String>,
}

/// A script for a goal, with its stages, notes, estimate, and an example of its result.
///
/// A script of a language model that fails on the files of the goal goes back to the model.
pub async fn workflow(engine: &Engine, goal: Goal, with_model: bool) -> Result<Value, Error> {
    let asked = Asked::of(engine, &goal).await;
    let mut found =
        if with_model { asked.of_model(engine, None).await? } else { asked.own(engine).await? };
    let mut example = None;
    if with_model {
        (found, example) = repaired(engine, &asked, found).await?;
    }
    if !goal.example {
        example = None;
    } else if example.is_none()
        && let Some(script) = whole_script(&found)
    {
        example = Some(Example::of(engine, script).await);
    }
    let example = example.map(Example::encode).unwrap_or_default();
    Ok(with_field(&found, "example", example))
}

/// Finds a script for a goal, without a model: for the chat of the desktop.
pub fn planner(engine: Engine, goal: String) -> Planning {
    Box::pin(async move {
        let goal = Goal { goal, ..Goal::default() };
        workflow(&engine, goal, false).await.map_err(|it| Fault::of_run(&it))
    })
}

/// The result of a model after dry runs, with the last of them.
async fn repaired(
    engine: &Engine,
    asked: &Asked,
    mut found: Value,
) -> Result<(Value, Option<Example>), Error> {
    let mut repairs = 0;
    loop {
        let Some(script) = whole_script(&found).filter(|_| is_by_model(&found)) else {
            return Ok((found, None));
        };
        let script = script.to_owned();
        let example = Example::of(engine, &script).await;
        let Some(error) = example.fault.clone() else { return Ok((found, Some(example))) };
        if repairs == MOST_REPAIRS {
            let own = asked.own(engine).await?;
            let note = format!("the script of the language model fails: {error}");
            return Ok((with_note(&own, note), None));
        }
        repairs += 1;
        let failed = Failed { script: script.into(), error: error.into() };
        found = asked.of_model(engine, Some(failed)).await?;
    }
}

/// The params of a request.
struct Asked(Vec<(&'static str, Value)>, Value);

impl Asked {
    async fn of(engine: &Engine, goal: &Goal) -> Self {
        let optional = |it: &Option<String>| it.clone().map(Value::from).unwrap_or_default();
        let given = vec![
            ("data", looked::files(engine, &goal.goal).await),
            ("goal", goal.goal.as_str().into()),
            ("takes", optional(&goal.input)),
            ("gives", optional(&goal.output)),
        ];
        Self(given, goal.share.into())
    }

    async fn own(&self, engine: &Engine) -> Result<Value, Error> {
        advice(engine, PLAN, self.0.clone()).await
    }

    async fn of_model(&self, engine: &Engine, failed: Option<Failed>) -> Result<Value, Error> {
        let more = [("share", self.1.clone()), ("failed", failed.encode())];
        let given = self.0.iter().cloned().chain(more);
        advice(engine, PLAN_WITH_MODEL, given).await
    }
}

/// The script of a workflow that is more than a sketch.
fn whole_script(workflow: &Value) -> Option<&str> {
    let record = workflow.as_record()?;
    let is_whole = record.get("ok") == Some(&Value::Bool(true));
    record.get("script").filter(|_| is_whole)?.as_str()
}

fn is_by_model(workflow: &Value) -> bool {
    fields(workflow, "notes").iter().any(|it| it == BY_MODEL)
}

fn with_note(workflow: &Value, note: String) -> Value {
    let notes = fields(workflow, "notes").into_iter().chain([note]);
    with_field(workflow, "notes", Value::List(notes.map(Value::from).collect()))
}

/// The record with a field changed or added.
fn with_field(record: &Value, name: &str, value: Value) -> Value {
    let Some(fields) = record.as_record() else { return record.clone() };
    let others = fields.iter().filter(|it| it.0.as_ref() != name);
    let others = others.map(|(name, it)| (name.clone(), it.clone()));
    Value::Record(others.chain([(name.into(), value)]).collect::<Record>())
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
async fn advice(
    engine: &Engine,
    script: &str,
    given: impl IntoIterator<Item = (&'static str, Value)>,
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
