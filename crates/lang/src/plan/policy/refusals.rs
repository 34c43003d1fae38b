//! Every node of a plan that a policy refuses, with the rule and the way out.

use std::collections::BTreeSet;

use svc_contract::host::{Host, address};

use super::{Policy, Rule, rule::Covers};
use crate::{
    diag::{Code, Problem, Report, Source, Span},
    plan::{EffectUse, Node, Place, Plan},
};

/// Why an effect may not happen.
enum Refusal<'a> {
    DeniedBy(&'a Rule),
    NotAllowed,
}

impl Plan {
    /// What a policy refuses of this plan: one problem for each effect of each node. A path
    /// that only the run knows is left to the run's guard.
    pub fn refusals(&self, policy: &Policy, host: &dyn Host) -> Report {
        if policy.is_empty() {
            return Report::new(self.program().source.clone(), Vec::new());
        }
        let mut found: Vec<(&Source, Problem)> = Vec::new();
        let mut named = BTreeSet::new();
        for node in self.nodes() {
            for effect in &node.effects {
                if let Some(why) = policy.refuses(effect, host) {
                    named.insert(effect);
                    found.push((&node.source, why.of_node(node, effect)));
                }
            }
        }
        let source = &self.program().source;
        let all = self.effects();
        // Of a plan that is too large, not every node is there.
        for effect in all.iter().filter(|it| !named.contains(it)) {
            if let Some(why) = policy.refuses(effect, host) {
                found.push((source, why.of_plan(effect, self)));
            }
        }
        report(source, found)
    }
}

/// The problems of each text in a report of its own.
fn report(source: &Source, found: Vec<(&Source, Problem)>) -> Report {
    let is_own = |it: &Source| it.name() == source.name();
    let (own, used): (Vec<_>, Vec<_>) = found.into_iter().partition(|(it, _)| is_own(it));
    let mut report = Report::new(source.clone(), own.into_iter().map(|(_, it)| it).collect());
    for (source, problem) in used {
        match report.used.iter_mut().find(|it| it.source.name() == source.name()) {
            Some(it) => it.problems.push(problem),
            None => report.used.push(Report::new(source.clone(), vec![problem])),
        }
    }
    report
}

impl Policy {
    fn refuses(&self, effect: &EffectUse, host: &dyn Host) -> Option<Refusal<'_>> {
        let covers = |rule: &&Rule| rule.covers(effect, host);
        if let Some(rule) = self.deny.iter().find(|it| covers(it) == Covers::Yes) {
            return Some(Refusal::DeniedBy(rule));
        }
        let accepts = |all: &[Rule]| all.iter().any(|it| covers(&it) != Covers::No);
        let is_allowed = self.allow.as_deref().is_none_or(accepts);
        (!is_allowed).then_some(Refusal::NotAllowed)
    }
}

impl Refusal<'_> {
    fn of_node(&self, node: &Node, effect: &EffectUse) -> Problem {
        let message = format!("`{}` {effect}, which the policy {}", node.name, self.verdict());
        let label = format!("in `{}`", node.path);
        self.helped(Problem::error(Code::E315, node.span, message).label(label), effect)
    }

    fn of_plan(&self, effect: &EffectUse, plan: &Plan) -> Problem {
        let span = plan.program().main.as_ref().map_or(Span::default(), |it| it.span);
        let message = format!("the script {effect}, which the policy {}", self.verdict());
        self.helped(Problem::error(Code::E315, span, message).label("in here"), effect)
    }

    fn verdict(&self) -> &'static str {
        match self {
            Self::DeniedBy(_) => "denies",
            Self::NotAllowed => "does not allow",
        }
    }

    fn helped(&self, problem: Problem, effect: &EffectUse) -> Problem {
        problem.help(match (self, &effect.place) {
            (Self::DeniedBy(rule), _) => {
                format!("the rule that denies it is `{rule}`; no `--allow` overrules it")
            }
            (Self::NotAllowed, Some(Place::PathOf(param))) => {
                let verb = effect.verb.name();
                format!(
                    "`--allow \"{verb} fs:FOLDER\"` accepts it; the folder is to hold `{param}`"
                )
            }
            (Self::NotAllowed, Some(Place::Web(Some(host)))) if is_closed(host) => format!(
                "`--allow \"{effect}:PORT\"` accepts it; the port is that of the address, which is none of the open internet"
            ),
            (Self::NotAllowed, _) => format!("`--allow \"{effect}\"` accepts it"),
        })
    }
}

/// Whether a host is none of the open internet, as far as its name tells. Only a rule with
/// its port lets it be read.
fn is_closed(host: &str) -> bool {
    let address = address::Address::read(&format!("http://{}", address::authority(host)));
    address.is_ok_and(|it| it.refused().is_some())
}
