//! Searches that call a flow.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};
use svc_contract::{
    registry::{Cx, Field, Flow, OpError},
    value::{Value, json},
};
use svc_optimize::{Cma, Local, Nsga2, Optimizer, Point, Random, Tpe, pareto};

use super::{Infer, Method, Optimum, Pareto, Tradeoff, space::Named};

/// The most calls at the same time.
const AT_ONCE: usize = 8;

/// How many proposals in a row may be known already, before the search ends.
const MOST_KNOWN: usize = 400;

/// Finds the params with the lowest value.
pub(super) async fn lowest(infer: Infer, cx: &Cx) -> Result<Optimum, OpError> {
    let named = Named::new(&infer.space)?;
    let mut optimizer = optimizer(&infer, &named);
    let mut calls = Calls::new(&named, &infer.objective.0, infer.evaluations, cx);
    let mut best: Option<(Point, f64)> = None;
    while let Some(told) = calls.next(|count| optimizer.ask(count)).await? {
        for (point, value) in &told {
            calls.finite(point, &[*value])?;
            if best.as_ref().is_none_or(|it| *value < it.1) {
                best = Some((point.clone(), *value));
            }
        }
        optimizer.tell(&told);
    }
    let (point, value) = best.ok_or_else(|| OpError::bug("nothing was evaluated"))?;
    let evaluations = i64::try_from(calls.known.len()).unwrap_or(i64::MAX);
    Ok(Optimum { at: named.shown(&point), value, evaluations })
}

fn optimizer(infer: &Infer, named: &Named) -> Box<dyn Optimizer> {
    let (space, seed) = (&named.space, infer.seed.cast_unsigned());
    let start = space.center();
    let start = Some(&start);
    match infer.method {
        Method::Random => Box::new(Random::new(space, start, seed)),
        Method::Local => Box::new(Local::new(space, start, seed).sigma(infer.sigma)),
        Method::Auto if named.has_choices() => {
            Box::new(Tpe::new(space, start, seed).gamma(infer.gamma))
        }
        Method::Tpe => Box::new(Tpe::new(space, start, seed).gamma(infer.gamma)),
        Method::Auto | Method::Cma => Box::new(
            Cma::new(space, start, seed)
                .sigma(infer.sigma)
                .popsize(usize::try_from(infer.popsize).unwrap_or(0)),
        ),
    }
}

/// Finds the params that no others dominate.
pub(super) async fn front(op: Pareto, cx: &Cx) -> Result<Vec<Tradeoff>, OpError> {
    let named = Named::new(&op.space)?;
    let popsize = match usize::try_from(op.popsize).unwrap_or(0) {
        0 => usize::try_from(op.evaluations / 10).unwrap_or(100).clamp(10, 100),
        given => given,
    };
    let start = named.space.center();
    let mut optimizer =
        Nsga2::new(&named.space, Some(&start), op.seed.cast_unsigned()).popsize(popsize);
    let mut calls = Calls::new(&named, &op.objectives.0, op.evaluations, cx);
    let mut front: Vec<(Point, Vec<f64>)> = Vec::new();
    let mut objectives = None;
    while let Some(told) = calls.next(|count| optimizer.ask(count)).await? {
        for (point, values) in &told {
            calls.finite(point, values)?;
            let expected = *objectives.get_or_insert(values.len());
            if values.len() != expected || values.is_empty() {
                let expected = expected.max(1);
                let message = format!(
                    "expected {expected} values from `{}` at {}, found {}",
                    op.objectives.0.name(),
                    json::write(&named.shown(point)),
                    values.len()
                );
                return Err(OpError::invalid_input(message));
            }
            let is_new = !front.iter().any(|it| it.0 == *point || pareto::dominates(&it.1, values));
            if is_new {
                front.retain(|it| !pareto::dominates(values, &it.1));
                front.push((point.clone(), values.clone()));
            }
        }
        optimizer.tell(&told);
    }
    front.sort_by(|left, right| {
        let pairs = left.1.iter().zip(&right.1);
        pairs
            .map(|(left, right)| left.total_cmp(right))
            .find(|it| it.is_ne())
            .unwrap_or(left.1.len().cmp(&right.1.len()))
    });
    Ok(front.into_iter().map(|(at, values)| Tradeoff { at: named.shown(&at), values }).collect())
}

/// The calls of a flow, of which there is a maximum number.
struct Calls<'a, T> {
    named: &'a Named,
    flow: &'a Flow<Value, T>,
    cx: &'a Cx,
    most: usize,
    /// What the flow returned, by the bits of the points.
    known: BTreeMap<Vec<u64>, T>,
}

impl<'a, T: Field + Clone> Calls<'a, T> {
    fn new(named: &'a Named, flow: &'a Flow<Value, T>, most: i64, cx: &'a Cx) -> Self {
        let most = usize::try_from(most).unwrap_or(1);
        let most = named.space.cardinality().map_or(most, |all| all.min(most));
        Self { named, flow, cx, most, known: BTreeMap::new() }
    }

    /// The next points with their values; `None` at the end.
    async fn next(
        &mut self,
        mut ask: impl FnMut(usize) -> Vec<Point>,
    ) -> Result<Option<Vec<(Point, T)>>, OpError> {
        let left = self.most - self.known.len();
        if left == 0 {
            return Ok(None);
        }
        // Few at a time, so that a small number of calls still learns from the earlier ones.
        let batch = (self.most / 25).clamp(1, AT_ONCE).min(left);
        let mut points = Vec::new();
        for _ in 0..MOST_KNOWN {
            self.cx.check()?;
            points = ask(batch);
            if points.iter().any(|it| !self.known.contains_key(&bits(it))) {
                break;
            }
        }
        let mut new: Vec<&Point> = Vec::new();
        for point in &points {
            if !self.known.contains_key(&bits(point)) && !new.contains(&point) {
                new.push(point);
            }
        }
        if new.is_empty() {
            return Ok(None);
        }
        let (named, flow) = (self.named, self.flow);
        let new: Vec<Point> = new.into_iter().cloned().collect();
        let mut values = stream::iter(new.into_iter().map(|point| async move {
            let shown = named.shown(&point);
            let value =
                flow.call(shown.clone()).await.map_err(|err| failed(flow.name(), &shown, err));
            (point, value)
        }))
        .buffered(AT_ONCE);
        while let Some((point, value)) = values.next().await {
            self.known.insert(bits(&point), value?);
            let total = u64::try_from(self.most).ok();
            self.cx.progress("evaluations", self.known.len() as u64, total);
        }
        drop(values);
        let told = points.into_iter().filter_map(|point| {
            let value = self.known.get(&bits(&point))?.clone();
            Some((point, value))
        });
        Ok(Some(told.collect()))
    }

    fn finite(&self, point: &[f64], values: &[f64]) -> Result<(), OpError> {
        let Some(value) = values.iter().find(|it| !it.is_finite()) else { return Ok(()) };
        let (name, shown) = (self.flow.name(), json::write(&self.named.shown(point)));
        let message = format!("expected a finite number from `{name}` at {shown}, found {value}");
        Err(OpError::invalid_input(message))
    }
}

fn failed(name: &str, at: &Value, mut err: OpError) -> OpError {
    let shown = json::write(at);
    err.message = format!("`{name}` failed at {shown}: {}", err.message);
    err
}

fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|it| it.to_bits()).collect()
}
