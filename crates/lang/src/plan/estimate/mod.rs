//! One pass over a checked script that estimates its run: the nodes, the usage of each, and
//! the verdicts on the bounds.
//!
//! Terms are interpreted abstractly: extents ([`extent`]) take the place of values, and loads
//! ([`load`]) the place of usage.
//!
//! **Invariant:** no run takes more than the estimate for its inputs, whatever fails, is
//! retried or is late; and no successful run takes less. Time is measured by the clock of the
//! host, and includes the time of components, not that of the engine between them.

mod abstract_value;
mod amount;
mod blocks;
mod bounds;
mod callers;
mod calls;
mod resource_use;
mod seen;
mod shown;
mod values;
mod walk;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use svc_contract::{
    host::Host,
    registry::{OpRef, Usage},
    value::{Money, Text, Value, units},
};

use self::{
    abstract_value::AbstractValue,
    amount::Amount,
    bounds::{InForce, Limits},
    callers::{Impossible, blame_callers},
    resource_use::ResourceUse,
    walk::Walk,
};
use super::{Caps, EffectUse, Envelope, Holds, Node, Scopes, Verdict};
use crate::{
    check::{BoundKey, Checked, Input},
    diag::{Code, Problem, Report, Source},
};

/// The facts that an estimate is based on.
pub struct EstimateContext<'a> {
    /// The host, which configures prices and models.
    pub host: &'a dyn Host,
    /// The number of computations that run at the same time.
    pub workers: usize,
    /// The inputs given so far. Missing inputs with a default take it.
    pub given: &'a BTreeMap<Text, Value>,
    /// The caps set by the caller of the run.
    pub caps: Caps,
    /// Whether nodes are created; the totals do not need them.
    pub shows_nodes: bool,
    /// Returns the usage of calls of an op in earlier runs, if it was recorded.
    pub past: &'a dyn Fn(OpRef) -> Option<Past>,
}

/// The average usage of calls of an op in earlier runs.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The number of calls.
    pub calls: usize,
    pub usage: Usage,
    pub took: Duration,
}

/// The estimate of a run.
#[derive(Clone, Debug)]
pub struct Estimate {
    pub nodes: Vec<Node>,
    /// The places of bounds.
    pub scopes: Scopes,
    pub envelope: Envelope,
    /// The effects of the whole script, each once.
    pub effects: BTreeSet<EffectUse>,
    /// The verdicts on the bounds of the whole file and the whole run.
    pub verdicts: Vec<Verdict>,
    /// The price tables used for the money, by day.
    pub prices: Vec<String>,
    /// The reason why a maximum is unknown, if one is.
    pub open: Option<String>,
    /// The number of ops whose expected usage comes from earlier runs.
    pub from_past: usize,
    /// The problems of bounds, by file.
    pub problems: Problems,
    /// Whether the inputs can change anything but the time.
    pub varies: bool,
}

/// Problems of several files, each once.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    by_file: Vec<(Source, Vec<Problem>)>,
    impossible: Vec<Impossible>,
    is_muted: bool,
}

impl Problems {
    fn add(&mut self, source: &Source, problem: Problem) {
        if self.is_muted {
            return;
        }
        let known = self.by_file.iter().position(|(it, _)| it.name() == source.name());
        let idx = known.unwrap_or_else(|| {
            self.by_file.push((source.clone(), Vec::new()));
            self.by_file.len() - 1
        });
        let all = &mut self.by_file[idx].1;
        // The same bound may be reached in several ways; only the first one is reported.
        let is_new = !all.iter().any(|it| it.code == problem.code && it.span() == problem.span());
        if is_new {
            all.push(problem);
        }
    }

    fn has(&self, source: &Source, problem: &Problem) -> bool {
        let of = self.by_file.iter().find(|(it, _)| it.name() == source.name());
        let is_it = |it: &Problem| it.code == problem.code && it.span() == problem.span();
        of.is_some_and(|(_, all)| all.iter().any(is_it))
    }

    /// Keeps those that hold although the script has the errors of a report: lists without a limit,
    /// before the first error. What comes after an error may be wrong because of it.
    #[must_use]
    pub fn sound_with(mut self, report: &Report) -> Self {
        let first = report.errors().map(|it| it.span().start).min().unwrap_or(usize::MAX);
        let is_whole = report.used.iter().all(|it| !it.has_errors());
        let own = report.source.name();
        self.by_file.retain(|(source, _)| is_whole && source.name() == own);
        for (_, all) in &mut self.by_file {
            all.retain(|it| it.code == Code::E310 && it.span().end <= first);
        }
        self.by_file.retain(|(_, all)| !all.is_empty());
        self
    }

    pub fn is_empty(&self) -> bool {
        self.by_file.is_empty()
    }

    /// Adds the problems to the report of a check.
    pub fn report(self, report: &mut Report) {
        for (source, problems) in self.by_file {
            let own = if report.source.name() == source.name() {
                Some(&mut *report)
            } else {
                report.used.iter_mut().find(|it| it.source.name() == source.name())
            };
            match own {
                Some(report) => {
                    let all = report.problems.drain(..).chain(problems).collect();
                    report.problems = Report::new(source, all).problems;
                }
                None => report.used.push(Report::new(source, problems)),
            }
        }
    }
}

/// Estimates the run of a program. A file without a main pipeline has no nodes; its flows are
/// still judged.
pub fn estimate(program: &Checked, context: &EstimateContext<'_>) -> Estimate {
    let mut walk = Walk::new(program, context);
    let mut load = ResourceUse::none();
    let mut verdicts = Vec::new();
    if let Some(main) = &program.main {
        let inputs = program.inputs.iter().map(|it| walk.input(it)).collect();
        load = walk.whole(main, inputs);
        verdicts = std::mem::take(&mut walk.of_whole);
    }
    let effects = std::mem::take(&mut walk.effects);
    let scopes = std::mem::take(&mut walk.scopes);
    walk.flows_by_themselves();
    // A file without a main pipeline has the effects of its flows.
    let effects = if program.main.is_some() { effects } else { walk.effects.clone() };
    verdicts.extend(walk.judge_caps(&load));
    let load = load.in_turns(context.workers).limited(&limits(context.caps));
    let open = (load.tokens.max.is_none() || load.cost.max.is_none()).then(|| load.why_open());
    let prices = load.prices.iter().map(ToString::to_string).collect();
    let envelope = load.envelope();
    blame_callers(program, context, &mut walk.problems);
    Estimate {
        nodes: walk.nodes,
        scopes,
        envelope,
        effects,
        verdicts,
        prices,
        from_past: walk.past.values().flatten().filter(|it| it.calls >= calls::FEWEST).count(),
        open,
        problems: walk.problems,
        varies: walk.varies,
    }
}

fn limits(caps: Caps) -> Limits {
    Limits { cost: caps.cost, tokens: caps.tokens, timeout: caps.time, max_parallel: None }
}

/// The bounds that the caps of a run put in force everywhere. They only tighten: the default
/// bounds of an op hold in addition.
fn in_force(caps: Caps) -> InForce {
    InForce {
        tokens: caps.tokens,
        cost: caps.cost.map(Money::nanos),
        timeout: caps.time,
        reuses: caps.max_age.is_some(),
        ..InForce::default()
    }
}

impl ResourceUse {
    /// The load of a whole run, whose computations wait for one of the workers.
    fn in_turns(mut self, workers: usize) -> Self {
        if self.is_delayed {
            let workers = u32::try_from(workers.max(1)).unwrap_or(u32::MAX);
            let waits = self.compute.map(|it| it / workers);
            self.time.max = self.time.max.zip(waits).map(|(a, b)| a.plus(b));
        }
        self
    }
}

impl<'a> Walk<'a> {
    /// The extent of an input.
    fn input(&mut self, input: &'a Input) -> AbstractValue {
        if let Some(value) = self.context.given.get(&input.name) {
            return AbstractValue::Known(value.clone());
        }
        match &input.default {
            Some(default) => self.quietly(|walk| walk.term(default).extent),
            None => AbstractValue::given(&input.ty),
        }
    }

    /// The verdicts on the caps set by the caller of the run.
    fn judge_caps(&self, load: &ResourceUse) -> Vec<Verdict> {
        let Caps { cost, tokens, time, .. } = self.context.caps;
        let cost = cost.map(|cap| {
            let shown = |it: Money| it.to_string();
            let ruling = match load.unpriced() {
                Some(why) => (Holds::Impossible, why),
                None => ruled(load.needs.cost, load.cost.max, cap, shown, load),
            };
            (BoundKey::MaxCost, cap.to_string(), ruling)
        });
        let tokens = tokens.map(|cap| {
            let shown = |it: u64| format!("{it} tokens");
            let is_asked = load.is_within(cap) && !load.asks_within(cap);
            let ruling = if is_asked && load.needs.tokens <= cap {
                (Holds::Enforced, bounds::ASKS.to_owned())
            } else {
                ruled(load.needs.tokens, load.tokens.max, cap, shown, load)
            };
            (BoundKey::MaxTokens, cap.to_string(), ruling)
        });
        let time = time.map(|cap| {
            let ruling = if load.time.min > cap {
                (Holds::Impossible, needs(&units::show_duration(load.time.min)))
            } else {
                (Holds::Enforced, "the clock stops the run".to_owned())
            };
            (BoundKey::Timeout, units::show_duration(cap), ruling)
        });
        let all = [cost, tokens, time].into_iter().flatten();
        all.map(|(key, limit, (holds, why))| {
            let prices = match key {
                BoundKey::MaxCost => load.prices.iter().map(ToString::to_string).collect(),
                _ => Vec::new(),
            };
            Verdict { key, limit, holds, why, span: None, prices }
        })
        .collect()
    }
}

fn needs(least: &str) -> String {
    format!("the run needs at least {least}")
}

fn ruled<T: Ord + Copy>(
    least: T,
    most: Option<T>,
    cap: T,
    shown: impl Fn(T) -> String,
    load: &ResourceUse,
) -> (Holds, String) {
    if least > cap {
        (Holds::Impossible, needs(&shown(least)))
    } else {
        bounds::settled(most, cap, shown, load)
    }
}
