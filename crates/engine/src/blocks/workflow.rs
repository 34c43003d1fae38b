//! Steps that wait for each other, as one script: a `let` for each step.
//!
//! The engine computes `let`s at the same time unless one uses another, so a step begins as soon as
//! the steps that it waits for have ended.

use std::{collections::BTreeMap, fmt::Write as _};

use svc_contract::{registry::OpError, value::Value};

use super::{
    ComponentRegistry, PipelineStep, Result, Steps, failure,
    params::{Argument, argument},
    script::{Call, Script, name},
};

/// A step of a workflow.
#[derive(Clone, Debug)]
pub struct WorkflowStep {
    /// Its name in comments and messages: a plain word.
    pub id: String,
    pub step: PipelineStep,
    /// The steps that must have ended before it begins. The result of a single one is the input of a
    /// step that has none.
    pub after: Vec<usize>,
    /// Params whose values are results of other steps, which end before it begins, too.
    pub results: BTreeMap<String, ResultOf>,
}

/// The result of a step, or a field of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultOf {
    pub step: usize,
    /// The names of the fields on the way.
    pub fields: Vec<String>,
}

/// What a failed step means for the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The run fails.
    Stop,
    /// The steps that wait for it are not made, and all others are.
    Continue,
}

/// What became of a step of a run that continues after failures.
#[derive(Clone, Debug, PartialEq)]
pub enum StepOutcome {
    Done(Value),
    /// The kind of the error, and its message.
    Failed(String, String),
}

impl ComponentRegistry {
    /// Steps of which each begins when those that it waits for have ended. They must come before it
    /// in the list.
    pub fn workflow(&self, steps: Vec<WorkflowStep>, on_error: OnError) -> Result<Steps> {
        let mut script = Writing { registry: self, on_error, params: Vec::new() };
        let (mut lets, mut mistakes) = (Vec::new(), Vec::new());
        let ids: Vec<String> = steps.iter().map(|it| it.id.clone()).collect();
        for (idx, step) in steps.into_iter().enumerate() {
            if let Some(later) = step.waits_for().find(|it| *it >= idx) {
                let message = format!("expected an earlier step to wait for, found {}", later + 1);
                mistakes.push(failure::of_named(OpError::invalid_input(message), &step.id));
                continue;
            }
            match script.written(step, &ids) {
                Ok(text) => lets.push(text),
                Err(err) => mistakes.push(failure::of_named(err, &ids[idx])),
            }
        }
        if let Some(error) = failure::together(mistakes) {
            return Err(error);
        }
        let count = ids.len();
        Ok(Steps::of(script.whole(ids, &lets), count))
    }
}

impl StepOutcome {
    /// Reads the result of a step of a workflow that continues after failures.
    pub fn of(value: &Value) -> Option<Self> {
        let record = value.as_record()?;
        if let Some(done) = record.get("done").and_then(Value::as_record) {
            return Some(Self::Done(done.get("value")?.clone()));
        }
        let error = record.get("error")?.as_record()?;
        let text = |name: &str| Some(error.get(name)?.as_str()?.to_owned());
        Some(Self::Failed(text("kind")?, text("message")?))
    }
}

/// A script that is being written.
struct Writing<'a> {
    registry: &'a ComponentRegistry,
    on_error: OnError,
    /// Values that are not written as text, with their names and types.
    params: Vec<(String, String, Value)>,
}

impl Writing<'_> {
    /// A step as the value of a `let`.
    fn written(&mut self, step: WorkflowStep, ids: &[String]) -> Result<String> {
        let WorkflowStep { mut step, after, results, id: _ } = step;
        for name in results.keys() {
            // The place is taken: what is written there follows.
            step.params.insert(name.clone(), Value::Null);
        }
        let call = Call::of(self.registry.engine(), step, self.registry.bounds())?;
        let takes_input = after.len() == 1 && call.open_input().is_some();
        let mut args = Vec::new();
        for (param, value) in &call.params {
            let value = match results.get(param) {
                Some(of) => self.result(of, ids),
                None => self.argument(&call, param, value)?,
            };
            args.push(format!("{param}: {value}"));
        }
        call.test_complete(takes_input)?;
        let bounds = call.bounds.of_call(call.op, call.cap);
        let mut text = format!("{}({}){bounds}", call.op, args.join(", "));
        if takes_input {
            let input = ResultOf { step: after[0], fields: Vec::new() };
            text = format!("{} >> {text}", self.result(&input, ids));
        } else {
            text = self.waiting(text, &after, &results, ids);
        }
        Ok(match self.on_error {
            OnError::Stop => text,
            OnError::Continue => caught(&text),
        })
    }

    fn argument(&mut self, call: &Call, param: &str, value: &Value) -> Result<String> {
        Ok(match argument(call.op, param, value.clone())? {
            Argument::Written(text) => text,
            Argument::Given(ty, value) => {
                let name = format!("value{}", self.params.len() + 1);
                self.params.push((name.clone(), ty, value));
                name
            }
        })
    }

    /// The text of a result, which the step then waits for.
    fn result(&self, of: &ResultOf, ids: &[String]) -> String {
        let own = name(of.step);
        let mut text = match self.on_error {
            OnError::Stop => own,
            OnError::Continue => {
                let id = &ids[of.step];
                format!("({own}.done ?? fail(\"the step `{id}` has no result\")).value")
            }
        };
        for field in &of.fields {
            let _ = write!(text, ".{field}");
        }
        text
    }

    /// A call that also waits for steps whose results it does not use.
    fn waiting(
        &self,
        call: String,
        after: &[usize],
        results: &BTreeMap<String, ResultOf>,
        ids: &[String],
    ) -> String {
        let is_used = |idx: usize| results.values().any(|it| it.step == idx);
        let waits = after.iter().filter(|it| !is_used(**it)).map(|idx| {
            let result = self.result(&ResultOf { step: *idx, fields: Vec::new() }, ids);
            format!("{}: {result}", name(*idx))
        });
        let waits: Vec<String> = waits.collect();
        if waits.is_empty() {
            return call;
        }
        format!("{{ {} }} >> {{ value: ({call}) }} >> .value", waits.join(", "))
    }

    fn whole(self, ids: Vec<String>, lets: &[String]) -> Script {
        let mut text = String::new();
        for (name, ty, _) in &self.params {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "param {name}: {ty}");
        }
        let mut places = Vec::new();
        for (idx, (id, step)) in ids.iter().zip(lets).enumerate() {
            let _ = write!(text, "# {id}\nlet {} = ", name(idx));
            let start = text.len();
            text.push_str(step);
            places.push(start..text.len());
            text.push('\n');
        }
        let fields = (0..ids.len()).map(|idx| format!("{0}: {0}", name(idx)));
        let _ = writeln!(text, "{{ {} }}", fields.collect::<Vec<_>>().join(", "));
        let params = self.params.into_iter().map(|(name, _, value)| (name, value)).collect();
        Script::new(text, params, places, self.registry.bounds().budget(), ids)
    }
}

/// A step whose failure is its result.
fn caught(text: &str) -> String {
    format!(
        "{{ done: {{ value: ({text}) }}, error: null }}\n  fallback {{ done: null, error: {{ kind: \
         error.kind, message: error.message }} }}"
    )
}

impl WorkflowStep {
    /// The steps that it waits for.
    fn waits_for(&self) -> impl Iterator<Item = usize> {
        self.after.iter().copied().chain(self.results.values().map(|it| it.step))
    }
}
