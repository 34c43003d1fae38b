//! Steps as one script, so that they are checked together before one of them runs.

use std::{collections::BTreeMap, fmt::Write as _, ops::Range};

use svc_contract::{
    registry::{OpError, OpRef},
    value::{Money, Value},
};
use svc_lang::diag::{Code, Source, Span};

use super::{
    PipelineStep, ResourceBounds, Result, failure,
    params::{Argument, argument, signature},
};
use crate::{Engine, Response};

/// What joins the steps of a script.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// One step; the result is its result.
    Single,
    /// The result of each stage enters the next one, and the last one is the result.
    Stages,
    /// One after the other; the result is a record with the result of each.
    InOrder,
    /// All at once; the result is a record with the result of each.
    Together,
}

/// A script of steps, with the values of its params.
pub(super) struct Script {
    text: String,
    params: Vec<(String, Value)>,
    /// The place of each step in the text.
    places: Vec<Range<usize>>,
    /// The cost of all steps together.
    cap: Option<Money>,
    /// The names of the steps; without any, they are counted.
    ids: Vec<String>,
}

/// A step whose op is known.
pub(super) struct Call {
    pub(super) op: OpRef,
    pub(super) params: BTreeMap<String, Value>,
    pub(super) bounds: ResourceBounds,
    /// Its own cap of the cost, in addition to that of the script.
    pub(super) cap: Option<Money>,
}

impl Call {
    /// The op of a step, and its params.
    pub(super) fn of(engine: &Engine, step: PipelineStep, bounds: ResourceBounds) -> Result<Self> {
        let op = failure::resolve(engine, &step.component, &step.op)?;
        Ok(Self { op, params: step.params, bounds, cap: None })
    }

    /// The name of the input, if the params have no value for it and it has no default.
    pub(super) fn open_input(&self) -> Option<&'static str> {
        let input = self.op.op.input()?;
        let is_open = input.default.is_none() && !self.params.contains_key(input.name);
        is_open.then_some(input.name)
    }

    /// The first param without a value and without a default, besides an open input.
    pub(super) fn test_complete(&self, takes_previous: bool) -> Result<()> {
        let is_open = |name: &str| takes_previous && self.open_input() == Some(name);
        let lacking = self.op.op.params.iter().find(|it| {
            it.default.is_none() && !self.params.contains_key(it.name) && !is_open(it.name)
        });
        lacking.map_or(Ok(()), |it| {
            let message = format!("missing argument `{}` of `{}`", it.name, self.op);
            Err(OpError::invalid_input(message).help(signature(self.op)))
        })
    }
}

impl Script {
    pub(super) fn new(
        text: String,
        params: Vec<(String, Value)>,
        places: Vec<Range<usize>>,
        cap: Option<Money>,
        ids: Vec<String>,
    ) -> Self {
        Self { text, params, places, cap, ids }
    }

    /// Writes the script of some calls, or returns the mistakes in all of their params.
    pub(super) fn of(calls: Vec<Result<Call>>, shape: Shape, cap: Option<Money>) -> Result<Self> {
        let (mut params, mut steps, mut mistakes) = (Vec::new(), Vec::new(), Vec::new());
        let is_alone = shape == Shape::Single;
        for (idx, call) in calls.into_iter().enumerate() {
            let has_previous = idx > 0 && matches!(shape, Shape::Stages | Shape::InOrder);
            match call.and_then(|it| step(&it, has_previous, &mut params)) {
                Ok(it) => steps.push(it),
                Err(err) => mistakes.push(failure::of_step(err, (!is_alone).then_some(idx))),
            }
        }
        if let Some(error) = failure::together(mistakes) {
            return Err(error);
        }
        let mut text = String::new();
        for (name, ty, _) in &params {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "param {name}: {ty}");
        }
        let places = body(&mut text, &steps, shape);
        let params = params.into_iter().map(|(name, _, value)| (name, value)).collect();
        Ok(Self { text, params, places, cap, ids: Vec::new() })
    }

    /// Checks the script with its values, and that its bounds can be kept; nothing runs.
    pub(super) fn check(&self, engine: &Engine) -> Result<()> {
        self.request(engine).plan().map(drop).map_err(|err| failure::of_run(engine, err, self))
    }

    /// Runs the script. The warnings are without those about bounds that have no effect: every
    /// step has all of them.
    pub(super) async fn run(&self, engine: &Engine) -> Result<Response> {
        let ended = self.request(engine).await;
        let mut response = ended.map_err(|err| failure::of_run(engine, err, self))?;
        response.warnings.problems.retain(|it| it.code != Code::E306);
        Ok(response)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn request<'e>(&self, engine: &'e Engine) -> crate::Request<'e> {
        let mut request = engine.run(Source::new("steps", self.text.clone()));
        for (name, value) in &self.params {
            request = request.param(name, value.clone());
        }
        match self.cap {
            Some(cap) => request.max_cost(cap),
            None => request,
        }
    }

    /// The error with the step at its place of the text.
    pub(super) fn in_step(&self, error: OpError, span: Span) -> OpError {
        let idx = self.step_at(span);
        match idx.and_then(|it| self.ids.get(it)) {
            Some(id) => failure::of_named(error, id),
            None => failure::of_step(error, idx),
        }
    }

    /// The step at a place of the text, if there is more than one.
    fn step_at(&self, span: Span) -> Option<usize> {
        let is_there = |it: &&Range<usize>| it.start <= span.start && span.end <= it.end;
        let idx = self.places.iter().rposition(|it| is_there(&it));
        idx.filter(|_| self.places.len() > 1 && span != Span::default())
    }
}

/// The results of steps that run in order or together, in the order of the steps.
pub(super) fn results(value: &Value, count: usize) -> Result<Vec<Value>> {
    let record = value.as_record();
    let result = |idx| record.and_then(|it| it.get(&name(idx))).cloned();
    let all: Option<Vec<Value>> = (0..count).map(result).collect();
    all.ok_or_else(|| OpError::bug(format!("expected {count} results, found {}", value.kind())))
}

/// The field with the result of a step.
pub(super) fn name(idx: usize) -> String {
    format!("step{}", idx + 1)
}

/// A step as text.
struct Written {
    text: String,
    /// Whether the result of the step before it is its input.
    takes_previous: bool,
}

/// Writes a step. Values that are not written go to `params`, with their types.
fn step(
    call: &Call,
    has_previous: bool,
    params: &mut Vec<(String, String, Value)>,
) -> Result<Written> {
    let mut args = Vec::new();
    for (param, value) in &call.params {
        let value = match argument(call.op, param, value.clone())? {
            Argument::Written(text) => text,
            Argument::Given(ty, value) => {
                let name = format!("value{}", params.len() + 1);
                params.push((name.clone(), ty, value));
                name
            }
        };
        args.push(format!("{param}: {value}"));
    }
    call.test_complete(has_previous)?;
    let takes_previous = has_previous && call.open_input().is_some();
    let bounds = call.bounds.of_call(call.op, call.cap);
    let text = format!("{}({}){bounds}", call.op, args.join(", "));
    Ok(Written { text, takes_previous })
}

/// Writes the main pipeline of the steps, and returns their places.
fn body(text: &mut String, steps: &[Written], shape: Shape) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    if shape == Shape::Together {
        text.push_str("parallel {\n");
    }
    for (idx, step) in steps.iter().enumerate() {
        let own = name(idx);
        let (before, after) = match shape {
            Shape::Single => (String::new(), ""),
            Shape::Stages if idx == 0 => (String::new(), ""),
            Shape::Stages => ("\n  >> ".to_owned(), ""),
            Shape::InOrder if idx == 0 => (format!("{{ {own}: ("), ") }"),
            Shape::InOrder => (format!("\n  >> {{ ...it, {own}: ("), ") }"),
            Shape::Together => (format!("  {own}: "), ",\n"),
        };
        text.push_str(&before);
        if step.takes_previous && shape == Shape::InOrder {
            let _ = write!(text, "it.{} >> ", name(idx - 1));
        }
        let start = text.len();
        text.push_str(&step.text);
        places.push(start..text.len());
        text.push_str(after);
    }
    if shape == Shape::Together {
        text.push('}');
    }
    places
}
