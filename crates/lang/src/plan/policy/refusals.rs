//! Reports every node of a plan that a policy refuses, with the rule and a way out.

use std::collections::BTreeSet;

use svc_contract::{
    host::{Host, address},
    registry::{Hint, HintId},
};

use super::{Policy, Rule, rule::Covers};
use crate::{
    diag::{Code, Problem, Refused, Report, Source, Span},
    plan::{EffectUse, Node, Place, Plan, Verb},
};

/// The reason why an effect is refused.
pub(super) enum Refusal<'a> {
    DeniedBy(&'a Rule),
    NotAllowed,
    /// Without a rule that allows it, an untrusted script runs no program.
    Untrusted,
}

impl Plan {
    /// The effects of this plan refused by a policy: one problem for each effect of each node. A
    /// path that is only known in the run is left to the guard of the run.
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
        // A plan that is too large does not have all nodes.
        for effect in all.iter().filter(|it| !named.contains(it)) {
            if let Some(why) = policy.refuses(effect, host) {
                found.push((source, why.of_plan(effect, self)));
            }
        }
        report(source, found)
    }
}

/// Groups the problems into one report per text.
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
    pub(super) fn refuses(&self, effect: &EffectUse, host: &dyn Host) -> Option<Refusal<'_>> {
        let covers = |rule: &&Rule| rule.covers(effect, host);
        let denies = |it: &&Rule| matches!(covers(it), Covers::Yes | Covers::Undecided);
        if let Some(rule) = self.deny.iter().find(denies) {
            return Some(Refusal::DeniedBy(rule));
        }
        let accepts = |all: &[Rule]| {
            all.iter().any(|it| matches!(covers(&it), Covers::Yes | Covers::InTheRun))
        };
        match self.allow.as_deref() {
            Some(rules) => (!accepts(rules)).then_some(Refusal::NotAllowed),
            None if self.is_untrusted && effect.verb == Verb::Runs => Some(Refusal::Untrusted),
            None => None,
        }
    }
}

impl Refusal<'_> {
    fn of_node(&self, node: &Node, effect: &EffectUse) -> Problem {
        let message = format!("`{}` {effect}, which {}", node.name, self.verdict());
        let label = format!("in `{}`", node.path);
        self.helped(Problem::error(Code::E315, node.span, message).label(label), effect)
    }

    pub(super) fn of_flow(
        &self,
        name: &str,
        span: Span,
        flow: &str,
        effect: &EffectUse,
    ) -> Problem {
        let message = format!("`{name}` {effect}, which {}", self.verdict());
        let label = format!("in the flow `{flow}`");
        self.helped(Problem::error(Code::E315, span, message).label(label), effect)
    }

    fn of_plan(&self, effect: &EffectUse, plan: &Plan) -> Problem {
        let span = plan.program().main.as_ref().map_or(Span::default(), |it| it.span);
        let message = format!("the script {effect}, which {}", self.verdict());
        self.helped(Problem::error(Code::E315, span, message).label("in this pipeline"), effect)
    }

    fn verdict(&self) -> &'static str {
        match self {
            Self::DeniedBy(_) => "the policy denies",
            Self::NotAllowed => "the policy does not allow",
            Self::Untrusted => "an untrusted script may not do",
        }
    }

    fn helped(&self, problem: Problem, effect: &EffectUse) -> Problem {
        let rule = match self {
            Self::DeniedBy(rule) => Some(rule.to_string()),
            Self::NotAllowed | Self::Untrusted => None,
        };
        let (verb, place) = (effect.verb.name(), effect.place.as_ref().map(ToString::to_string));
        problem.refused(Refused { verb, place, rule }).help(match (self, &effect.place) {
            (Self::DeniedBy(rule), _) => Hint::new(HintId::RemoveRule).with("rule", rule),
            (Self::NotAllowed, Some(Place::PathOf(param))) => {
                let verb = effect.verb.name();
                Hint::new(HintId::AllowFolder).with("verb", verb).with("param", param)
            }
            (Self::NotAllowed, Some(Place::Web(Some(at)))) if is_closed(&at.host) => {
                match at.port {
                    Some(port) => {
                        let (verb, host) = (effect.verb.name(), address::authority(&at.host));
                        let rule = format!("{verb} web:{host}:{port}");
                        Hint::new(HintId::AllowEffect).with("rule", rule)
                    }
                    None => Hint::new(HintId::AllowPort).with("rule", effect),
                }
            }
            (Self::NotAllowed | Self::Untrusted, _) => {
                Hint::new(HintId::AllowEffect).with("rule", effect)
            }
        })
    }
}

/// Whether the name of a host shows that it is not on the open internet. Reading it requires a
/// rule with its port.
fn is_closed(host: &str) -> bool {
    let address = address::Address::read(&format!("http://{}", address::authority(host)));
    address.is_ok_and(|it| it.refused().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Verb;
    use svc_host_os::test::TestHost;

    /// Whether a policy refuses to run a program, or one that is only known in the run.
    fn refuses(allow: &[&str], deny: &[&str], program: Option<&str>) -> bool {
        let policy = allow.iter().try_fold(Policy::default(), |it, rule| it.allow(rule)).unwrap();
        let policy = deny.iter().try_fold(policy, |it, rule| it.deny(rule)).unwrap();
        let place = Some(Place::Command(program.map(str::to_owned)));
        let effect = EffectUse { verb: Verb::Runs, place };
        policy.refuses(&effect, &TestHost::new()).is_some()
    }

    /// No guard watches which program starts, so a plan decides as if it were the wrong one.
    #[test]
    fn an_unknown_program_is_refused_by_rules_about_one() {
        for (allow, deny, git, unknown) in [
            (&[][..], &[][..], false, false),
            (&["runs"], &[], false, false),
            (&["runs cmd"], &[], false, false),
            (&["runs cmd:git"], &[], false, true),
            (&["runs cmd:cargo"], &[], true, true),
            (&["reads"], &[], true, true),
            (&[], &["runs"], true, true),
            (&[], &["runs cmd"], true, true),
            (&[], &["runs cmd:git"], true, true),
            (&[], &["runs cmd:cargo"], false, true),
            (&["runs"], &["runs cmd:cargo"], false, true),
            (&[], &["reads", "writes"], false, false),
        ] {
            assert_eq!(refuses(allow, deny, Some("git")), git, "{allow:?} {deny:?}");
            assert_eq!(refuses(allow, deny, None), unknown, "{allow:?} {deny:?}");
            if !deny.contains(&"runs cmd:cargo") {
                let elsewhere = refuses(allow, deny, Some("/tmp/git"));
                assert_eq!(elsewhere, unknown, "{allow:?} {deny:?}");
            }
        }
    }
}
