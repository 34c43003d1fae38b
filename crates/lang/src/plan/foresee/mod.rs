//! One pass over a checked script that foresees its run: the nodes, what each of them
//! takes, and what that says about the bounds.
//!
//! A term is looked at as if it ran, with what is known of values ([`extent`]) in the place
//! of values, and what it takes ([`load`]) in the place of taking it.
//!
//! **Invariant:** no run takes more than what is foreseen for its inputs, whatever fails, is
//! tried again or comes late; and no run that ends well takes less. Time is measured by the
//! host's clock, and counts what components take, not what the engine does between them.

mod amount;
mod blocks;
mod bounds;
mod calls;
mod extent;
mod load;
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
    amount::Amount,
    bounds::{InForce, Limits},
    extent::Extent,
    load::Load,
    walk::Walk,
};
use super::{Caps, EffectUse, Envelope, Holds, Node, Scopes, Verdict};
use crate::{
    check::{BoundKey, Checked, Input},
    diag::{Problem, Report, Source},
};

/// What is known when a script is looked at.
pub struct Outlook<'a> {
    /// Where prices and models are configured.
    pub host: &'a dyn Host,
    /// How many computations work at the same time.
    pub workers: usize,
    /// The inputs that are there already. Those that have a default and are not here have
    /// their default.
    pub given: &'a BTreeMap<Text, Value>,
    /// What whoever starts the run allows.
    pub caps: Caps,
    /// Whether the nodes are wanted; what is known of the whole needs none.
    pub shows_nodes: bool,
    /// What calls of an op took in earlier runs, where that is kept.
    pub past: &'a dyn Fn(OpRef) -> Option<Past>,
}

/// What calls of an op took in earlier runs, on average.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// How many calls there were.
    pub calls: usize,
    pub usage: Usage,
    pub took: Duration,
}

/// What a run will be like.
#[derive(Clone, Debug)]
pub struct Foresight {
    pub nodes: Vec<Node>,
    /// Where bounds stand.
    pub scopes: Scopes,
    pub envelope: Envelope,
    /// What the whole does to the world, each effect once.
    pub effects: BTreeSet<EffectUse>,
    /// What is known of the bounds of the whole file and of the whole run.
    pub verdicts: Vec<Verdict>,
    /// The price tables that money was counted with, by day.
    pub prices: Vec<String>,
    /// Why no most can be given, where none is.
    pub open: Option<String>,
    /// How many ops are expected to take what they took in earlier runs.
    pub from_past: usize,
    /// What is wrong with the bounds, by the file that it is wrong in.
    pub problems: Problems,
}

/// Problems of several files, each once.
#[derive(Clone, Debug, Default)]
pub struct Problems {
    by_file: Vec<(Source, Vec<Problem>)>,
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
        // The same bound may be met on several ways; the first one tells it.
        let is_new = !all.iter().any(|it| it.code == problem.code && it.span() == problem.span());
        if is_new {
            all.push(problem);
        }
    }

    /// Adds them to the report of a check.
    pub fn tell(self, report: &mut Report) {
        for (source, problems) in self.by_file {
            let own = match report.source.name() == source.name() {
                true => Some(&mut *report),
                false => report.used.iter_mut().find(|it| it.source.name() == source.name()),
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

/// Foresees the run of a program. A file without a main pipeline has no nodes; its flows are
/// judged all the same.
pub fn foresee(program: &Checked, outlook: &Outlook<'_>) -> Foresight {
    let mut walk = Walk::new(program, outlook);
    let mut load = Load::none();
    let mut verdicts = Vec::new();
    if let Some(main) = &program.main {
        let inputs = program.inputs.iter().map(|it| walk.input(it)).collect();
        load = walk.whole(main, inputs);
        verdicts = std::mem::take(&mut walk.of_whole);
    }
    let effects = std::mem::take(&mut walk.effects);
    let scopes = std::mem::take(&mut walk.scopes);
    walk.flows_by_themselves();
    // A file without a main pipeline does what its flows do.
    let effects = if program.main.is_some() { effects } else { walk.effects.clone() };
    verdicts.extend(walk.judge_caps(&load));
    let load = load.in_turns(outlook.workers).limited(&limits(outlook.caps));
    let open = (load.tokens.max.is_none() || load.cost.max.is_none()).then(|| load.why_open());
    let prices = load.prices.iter().map(ToString::to_string).collect();
    let envelope = load.envelope();
    Foresight {
        nodes: walk.nodes,
        scopes,
        envelope,
        effects,
        verdicts,
        prices,
        from_past: walk.past.values().flatten().filter(|it| it.calls >= calls::FEWEST).count(),
        open,
        problems: walk.problems,
    }
}

fn limits(caps: Caps) -> Limits {
    Limits { cost: caps.cost, tokens: caps.tokens, timeout: caps.time, max_parallel: None }
}

/// What the caps of a run put in force everywhere. They only tighten: the bounds that an op
/// has by itself hold beside them.
fn in_force(caps: Caps) -> InForce {
    InForce {
        tokens: caps.tokens,
        cost: caps.cost.map(Money::nanos),
        timeout: caps.time,
        reuses: caps.max_age.is_some(),
        ..InForce::default()
    }
}

impl Load {
    /// The whole of a run, whose computations wait for one of so many workers.
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
    /// What is known of an input.
    fn input(&mut self, input: &'a Input) -> Extent {
        if let Some(value) = self.outlook.given.get(&input.name) {
            return Extent::Known(value.clone());
        }
        match &input.default {
            Some(default) => self.quietly(|walk| walk.term(default).extent),
            None => Extent::given(&input.ty),
        }
    }

    /// What is known of the caps that whoever starts the run gave.
    fn judge_caps(&self, load: &Load) -> Vec<Verdict> {
        let Caps { cost, tokens, time, .. } = self.outlook.caps;
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
            let ruling = match load.is_within(cap) && !load.asks_within(cap) {
                true if load.needs.tokens <= cap => (Holds::Enforced, bounds::ASKS.to_owned()),
                _ => ruled(load.needs.tokens, load.tokens.max, cap, shown, load),
            };
            (BoundKey::MaxTokens, cap.to_string(), ruling)
        });
        let time = time.map(|cap| {
            let ruling = match load.time.min > cap {
                true => (Holds::Impossible, needs(&units::show_duration(load.time.min))),
                false => (Holds::Enforced, "the clock ends the run".to_owned()),
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
    load: &Load,
) -> (Holds, String) {
    match least > cap {
        true => (Holds::Impossible, needs(&shown(least))),
        false => bounds::settled(most, cap, shown, load),
    }
}
