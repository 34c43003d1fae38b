//! Steps that wait for each other, or a script for a goal.

use std::collections::BTreeMap;

use svc_contract::{
    registry::{
        ErrorKind, Example, Field, Inline, Op, OpError, Scheme, Tool, choices, nearest, params,
        record,
    },
    value::{Text, Value, to_value},
};
use svc_engine::{
    Engine,
    blocks::{OnError, PipelineStep, ResultOf, StepOutcome, WorkflowStep},
    output::planned::Planned,
};
use svc_guide::{Wanted, guarded, planned};
use svc_lang::{
    diag::{Report, Source},
    plan::Plan,
    syntax,
};

use super::{Meta, ResourceBounds, UsageView, millis, run_id, with};
use crate::{
    Answer, Bounds, Call, Fault, FieldFault, StepReport, Work,
    call::Args,
    decode::{AnyFields, decode, of_fields},
    resolve::in_a_script,
};

/// The field of a param whose value is the result of another step.
const RESULT: &str = "$result";

/// The longest id of a step.
const LONGEST_ID: usize = 64;

record! {
    /// One step of a workflow.
    struct ComposeStep {
        /// Its name in this workflow: small letters, digits and `_`.
        id: Text,
        /// The component, or a short name of one of its ops.
        component: Text,
        /// The op; `infer` if it is left out.
        op: Option<Text>,
        /// The arguments by the names of the params. `{"$result": "fetch.title"}` is the result of
        /// the step `fetch`, or a field of it.
        params: Option<AnyFields>,
        /// The ids of the steps that must have ended before it begins.
        depends_on: Option<Vec<Text>>,
    }
}

record! {
    /// What became of a step.
    struct StepResult {
        /// The id of the step.
        id: Text,
        /// Whether it has a result.
        ok: bool,
        /// `ok`, `failed`, or `skipped` if a step that it waits for has no result.
        status: Text,
        /// The result.
        result: Option<Value>,
        /// Why it has none.
        error: Option<String>,
        /// The time of its calls in milliseconds; 0 for a step that is computed in place.
        ms: f64,
    }
}

record! {
    /// What a workflow did.
    struct Composed {
        /// The run, if it is stored.
        run_id: Option<String>,
        /// The script that was run.
        script: String,
        /// What became of each step, in the order of the request; of a goal, one result with the
        /// id `goal`; of a dry run, none.
        results: Vec<StepResult>,
        /// What it used.
        usage: UsageView,
        /// What a run would do and cost, for a dry run.
        plan: Option<Value>,
    }
}

choices! {
    /// What a failed step means for the others.
    enum AfterError { Stop = "stop", Continue = "continue" }
}

params! {
    /// Runs steps that wait for each other, each as soon as it can, or the script that the guide
    /// writes for a goal.
    ///
    /// A step without a value for its input that waits for a single other step gets its result.
    /// Everything is checked before the first step runs. With `on_error: "continue"` the steps that
    /// wait for a failed one are skipped, and all others are made.
    pub(super) struct Compose {
        /// What to do, in plain words, instead of steps.
        #[filled]
        goal: Option<Text> = None,
        /// The steps, at most 64.
        #[filled]
        steps: Option<Vec<ComposeStep>> = None,
        /// The params of the script that is written for a goal.
        params: Option<AnyFields> = None,
        /// What a failed step means for the others.
        on_error: AfterError = AfterError::Stop,
        /// Whether only the plan is made, and nothing runs.
        dry_run: bool = false,
        /// Tighter bounds than the default ones.
        bounds: Option<ResourceBounds> = None,
    }
}

impl Op for Compose {
    const NAME: &'static str = "compose";
    const YIELDS: Scheme = Composed::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "run steps that depend on each other",
        "compose a workflow and run it",
        "run a graph of operations in parallel",
        "turn a goal into a workflow and run it",
    ];
    const TOOL: Option<Tool> = Some(Tool::builder("compose_and_run"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported];
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script is a workflow itself",
        r#"core.compose(goal: "count the words of essay.txt")"#,
        "a script cannot call it",
    )];
}

impl Inline for Compose {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("core.compose"))
    }
}

/// What surrounds the results of the steps.
#[derive(Clone)]
pub(crate) struct Composing {
    script: String,
    /// The steps in the order in which the script has them, which is not that of the request.
    steps: Vec<Placed>,
    continues: bool,
    is_dry: bool,
    /// The plan of a dry run, or why there is none: the rights of the caller come before it.
    plan: Option<Result<Value, Fault>>,
}

/// A step of the script.
#[derive(Clone)]
struct Placed {
    id: String,
    /// Its place in the request.
    at: usize,
    /// Those that it waits for, as places in the script.
    waits_for: Vec<usize>,
}

pub(super) fn work(args: Args, bounds: Bounds, engine: &Engine) -> Result<(Call, Meta), Fault> {
    let asked: Compose = decode(args)?;
    let bounds = with(asked.bounds, bounds)?;
    let continues = asked.on_error == AfterError::Continue;
    let base = Composing {
        script: String::new(),
        steps: Vec::new(),
        continues,
        is_dry: asked.dry_run,
        plan: None,
    };
    let (work, composing) = match (asked.steps, asked.goal) {
        (Some(steps), None) => {
            if asked.params.is_some() {
                let message = "expected no params next to `steps`: each step has its own";
                return Err(Fault::field("params", message));
            }
            let (steps, placed) = ordered(steps)?;
            let on_error = if continues { OnError::Continue } else { OnError::Stop };
            (Work::Workflow { steps, on_error }, Composing { steps: placed, ..base })
        }
        (None, Some(goal)) => {
            let script = of_goal(&goal, engine)?;
            let args = asked.params.map(AnyFields::args);
            let source = Source::new("goal", script.as_str());
            (Work::Script { source, args: args.unwrap_or_default() }, Composing { script, ..base })
        }
        (None, None) => {
            return Err(Fault::field("steps", "expected `steps` or `goal`, found neither"));
        }
        (Some(_), Some(_)) => {
            return Err(Fault::field("goal", "expected `steps` or `goal`, found both"));
        }
    };
    Ok((Call { work, bounds }, Meta::Compose(composing)))
}

/// The script of the guide, if it does all of the goal.
fn of_goal(goal: &str, engine: &Engine) -> Result<String, Fault> {
    let wanted = Wanted {
        goal: goal.to_owned(),
        max_steps: 50,
        input: None,
        output: None,
        has_looked: false,
        seen: Vec::new(),
    };
    let own = planned(&wanted, engine).map_err(|err| Fault::field("goal", err.message))?;
    let found = guarded(own, &wanted, engine);
    match (&found.script, found.ok) {
        (Some(script), true) => Ok(script.to_string()),
        (sketch, _) => {
            let missing = found.missing.iter().map(|it| {
                let part = &it.part;
                let near = it.nearest.iter().map(|it| format!("`{it}`")).collect::<Vec<_>>();
                let near = if near.is_empty() {
                    String::new()
                } else {
                    format!("; the nearest are {}", near.join(", "))
                };
                (String::from("goal"), format!("no component does \"{part}\"{near}"))
            });
            let sketch = sketch.iter().map(|it| (String::from("sketch"), it.to_string()));
            let notes = found.notes.iter().map(|it| (String::from("goal"), it.to_string()));
            let all = missing.chain(notes).chain(sketch);
            let fields = all.map(|(field, message)| FieldFault { field, message }).collect();
            let message = "the guide has no complete script for this goal";
            let fault = Fault { fields, ..Fault::field("goal", message) };
            Err(fault.help("name the steps yourself, or put the goal in other words"))
        }
    }
}

/// The steps, each after those that it waits for, and their places in the request.
fn ordered(steps: Vec<ComposeStep>) -> Result<(Vec<WorkflowStep>, Vec<Placed>), Fault> {
    let ids: Vec<String> = steps.iter().map(|it| it.id.to_string()).collect();
    let mut faults = Vec::new();
    for (idx, id) in ids.iter().enumerate() {
        let field = || format!("steps[{idx}].id");
        if !is_id(id) {
            let message = format!(
                "expected small letters, digits and `_`, at most {LONGEST_ID}, found {id:?}"
            );
            faults.push(FieldFault { field: field(), message });
        } else if ids[..idx].contains(id) {
            faults.push(FieldFault { field: field(), message: format!("duplicate id `{id}`") });
        }
    }
    let mut read = Vec::new();
    for (idx, step) in steps.into_iter().enumerate() {
        read.push(workflow_step(step, idx, &ids, &mut faults));
    }
    if !faults.is_empty() {
        return Err(of_fields(faults));
    }
    let waits_for: Vec<Vec<usize>> = read.iter().map(waits_for).collect();
    let order = in_order(&waits_for).map_err(|cycle| {
        let mut names: Vec<&str> = cycle.iter().map(|it| ids[*it].as_str()).collect();
        names.extend(names.first().copied());
        let field = format!("steps[{}].depends_on", cycle[0]);
        Fault::field(field, format!("the steps wait for each other: {}", names.join(" -> ")))
    })?;
    let mut place = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    let placed = order.iter().map(|old| Placed {
        id: ids[*old].clone(),
        at: *old,
        waits_for: waits_for[*old].iter().map(|it| place[*it]).collect(),
    });
    let placed = placed.collect();
    let mut read: Vec<Option<WorkflowStep>> = read.into_iter().map(Some).collect();
    let moved = order.iter().filter_map(|old| read[*old].take()).map(|mut it| {
        it.after = it.after.iter().map(|it| place[*it]).collect();
        for of in it.results.values_mut() {
            of.step = place[of.step];
        }
        it
    });
    Ok((moved.collect(), placed))
}

fn waits_for(step: &WorkflowStep) -> Vec<usize> {
    step.after.iter().copied().chain(step.results.values().map(|it| it.step)).collect()
}

fn workflow_step(
    step: ComposeStep,
    idx: usize,
    ids: &[String],
    faults: &mut Vec<FieldFault>,
) -> WorkflowStep {
    let find = |id: &str, field: String, faults: &mut Vec<FieldFault>| {
        let found = ids.iter().position(|it| it == id);
        if found.is_none() {
            let message = match nearest(id, ids.iter().map(String::as_str)) {
                Some(meant) => format!("unknown step `{id}`; did you mean `{meant}`?"),
                None => format!("unknown step `{id}`"),
            };
            faults.push(FieldFault { field, message });
        }
        found
    };
    let mut after = Vec::new();
    for (at, id) in step.depends_on.iter().flatten().enumerate() {
        let found = find(id, format!("steps[{idx}].depends_on[{at}]"), faults);
        after.extend(found.filter(|it| !after.contains(it)));
    }
    let op = step.op.unwrap_or_else(|| "infer".into());
    let mut call = PipelineStep::new(step.component.as_ref(), op.as_ref());
    let mut results = BTreeMap::new();
    for (name, value) in step.params.map(AnyFields::args).into_iter().flatten() {
        let field = format!("steps[{idx}].params.{name}");
        match result_of(&value) {
            None => {
                call.params.insert(name, value);
            }
            Some(Err(message)) => faults.push(FieldFault { field, message }),
            Some(Ok((id, fields))) => {
                if let Some(step) = find(&id, field, faults) {
                    results.insert(name, ResultOf { step, fields });
                }
            }
        }
    }
    WorkflowStep { id: step.id.to_string(), step: call, after, results }
}

/// The id of a step and the names of fields, for a value that stands for a result.
fn result_of(value: &Value) -> Option<Result<(String, Vec<String>), String>> {
    let record = value.as_record()?;
    let text = record.get(RESULT)?;
    let is_word = |it: &&str| {
        it.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
            && it.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
    };
    let mut words = text.as_str().unwrap_or_default().split('.');
    let id = words.next().unwrap_or_default().to_owned();
    let fields: Vec<&str> = words.collect();
    if record.names().len() != 1 || id.is_empty() || !fields.iter().all(is_word) {
        let message = format!(
            "expected only `{RESULT}` with the id of a step and names of fields, such as `fetch.title`"
        );
        return Some(Err(message));
    }
    Some(Ok((id, fields.into_iter().map(str::to_owned).collect())))
}

/// Whether a text can be the id of a step.
fn is_id(text: &str) -> bool {
    (1..=LONGEST_ID).contains(&text.len())
        && text.starts_with(|it: char| it.is_ascii_lowercase())
        && text.bytes().all(|it| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'_')
}

impl Composing {
    pub(super) fn is_dry(&self) -> bool {
        self.is_dry
    }

    /// Notes the script of the steps, and the plan of a dry run.
    pub(super) fn with(mut self, script: Option<&str>, plan: Option<Result<Plan, Fault>>) -> Self {
        if let Some(script) = script {
            self.script = syntax::format(script).text;
        }
        self.plan = plan.map(|it| it.and_then(|it| shown(&it)));
        self
    }

    pub(super) fn result(&self, answer: &Answer) -> Result<Value, Fault> {
        let results = match (&answer.value, self.is_dry) {
            (_, true) => Vec::new(),
            (value, _) if self.steps.is_empty() => vec![StepResult {
                id: "goal".into(),
                ok: true,
                status: "ok".into(),
                result: Some(value.clone()),
                error: None,
                ms: millis(answer.took),
            }],
            (Value::List(values), _) => {
                self.results(&values.iter().cloned().collect::<Vec<_>>(), &answer.steps)?
            }
            (other, _) => return Err(unfit(other)),
        };
        let composed = Composed {
            run_id: run_id(answer),
            script: self.script.clone(),
            results: Vec::new(),
            usage: UsageView::of(answer),
            plan: self.plan.clone().transpose()?,
        };
        let results: Vec<Value> = results.into_iter().map(StepResult::shown).collect();
        Ok(with_results(&composed.encode(), &results.into()))
    }

    /// The results in the order of the request.
    fn results(&self, values: &[Value], reports: &[StepReport]) -> Result<Vec<StepResult>, Fault> {
        let mut all: Vec<(usize, StepResult)> = Vec::new();
        for (idx, step) in self.steps.iter().enumerate() {
            let value = values.get(idx).ok_or_else(|| unfit(&Value::Null))?;
            let outcome = if self.continues {
                StepOutcome::of(value).ok_or_else(|| unfit(value))?
            } else {
                StepOutcome::Done(value.clone())
            };
            let waited = step.waits_for.iter().all(|it| all[*it].1.ok);
            let (status, result, error) = match outcome {
                StepOutcome::Done(value) => ("ok", Some(value), None),
                StepOutcome::Failed(_, message) if waited => ("failed", None, Some(message)),
                StepOutcome::Failed(_, message) => ("skipped", None, Some(message)),
            };
            let took = reports.get(idx).map(|it| millis(it.took)).unwrap_or_default();
            let id = step.id.as_str().into();
            let ok = result.is_some();
            all.push((
                step.at,
                StepResult { id, ok, status: status.into(), result, error, ms: took },
            ));
        }
        all.sort_by_key(|(at, _)| *at);
        Ok(all.into_iter().map(|(_, it)| it).collect())
    }
}

impl StepResult {
    /// Without the field that it does not have.
    fn shown(self) -> Value {
        let absent = if self.ok { "error" } else { "result" };
        let value = self.encode();
        let Value::Record(of) = &value else { return value };
        let kept = of.iter().filter(|(name, _)| name.as_ref() != absent);
        Value::Record(kept.map(|(name, it)| (name.clone(), it.clone())).collect())
    }
}

/// The record with these results, and without a plan and a run that it does not have.
fn with_results(whole: &Value, results: &Value) -> Value {
    let Value::Record(of) = whole else { return whole.clone() };
    let fields = of.iter().filter(|(_, it)| !it.is_null()).map(|(name, it)| {
        let it = if name.as_ref() == "results" { results.clone() } else { it.clone() };
        (name.clone(), it)
    });
    Value::Record(fields.collect())
}

fn shown(plan: &Plan) -> Result<Value, Fault> {
    let planned = Planned::of(plan, &Report::new("".into(), Vec::new()));
    to_value(&planned).map_err(|err| OpError::bug(err.to_string()).into())
}

fn unfit(found: &Value) -> Fault {
    OpError::bug(format!("expected the results of the steps, found {}", found.kind())).into()
}

/// An order in which each step comes after those that it waits for, or a cycle.
fn in_order(waits_for: &[Vec<usize>]) -> Result<Vec<usize>, Vec<usize>> {
    let mut order = Vec::new();
    let mut is_placed = vec![false; waits_for.len()];
    loop {
        let is_next =
            |idx: &usize| !is_placed[*idx] && waits_for[*idx].iter().all(|it| is_placed[*it]);
        let next: Vec<usize> = (0..waits_for.len()).filter(is_next).collect();
        if next.is_empty() {
            break;
        }
        for idx in next {
            is_placed[idx] = true;
            order.push(idx);
        }
    }
    match is_placed.iter().position(|it| !it) {
        None => Ok(order),
        Some(start) => Err(cycle(waits_for, &is_placed, start)),
    }
}

/// The cycle that a step, which cannot be placed, leads to.
fn cycle(waits_for: &[Vec<usize>], is_placed: &[bool], start: usize) -> Vec<usize> {
    let mut path: Vec<usize> = Vec::new();
    let mut idx = start;
    loop {
        if let Some(first) = path.iter().position(|it| *it == idx) {
            return path.split_off(first);
        }
        path.push(idx);
        // A step that cannot be placed waits for one that cannot be placed.
        match waits_for[idx].iter().find(|it| !is_placed[**it]) {
            Some(next) => idx = *next,
            None => return path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_come_after_those_they_wait_for() {
        assert_eq!(in_order(&[vec![2], vec![], vec![1]]), Ok(vec![1, 2, 0]));
        assert_eq!(in_order(&[vec![1], vec![2], vec![1]]), Err(vec![1, 2]));
        assert_eq!(in_order(&[vec![0]]), Err(vec![0]));
        assert_eq!(in_order(&[]), Ok(vec![]));
    }
}
