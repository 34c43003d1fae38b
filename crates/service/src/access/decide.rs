//! Decides whether a role may call a tool, a served script, or the ops of a plan; and which rule
//! decided, for `svc access explain` and the audit.

use std::{collections::HashSet, fmt, sync::Arc};

use svc_contract::registry::{Effect, OpRef, Registry, Tier, nearest};
use svc_lang::check::{Checked, Term, TermKind, TypedFlow};

use super::{
    patterns::{Matched, Patterns},
    roles::Role,
};

/// Who calls: a role, and whether the key was issued for tuning.
#[derive(Clone, Copy, Debug)]
pub struct Rights<'a> {
    pub role: &'a Role,
    /// See [`super::keys::KeyInfo::may_tune`].
    pub may_tune: bool,
}

/// A decision, and the rule that decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub outcome: Outcome,
    /// `roles.free.tools: !payroll_*`, `roles.free.tier: free`.
    pub rule: String,
    /// What was decided about: a tool, a script or an op.
    pub subject: String,
    /// The tier that it needs.
    pub needs: Option<Tier>,
    /// The page that says what other tiers cost.
    pub pricing: Option<String>,
}

/// Whether a call is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Allowed,
    /// The tier of the role is too low.
    Tier,
    /// The role refuses the name.
    Refused,
    /// No tool has this name, or the caller may not know it: tools for operators.
    Unknown,
}

impl Verdict {
    pub fn is_allowed(&self) -> bool {
        self.outcome == Outcome::Allowed
    }
}

impl Outcome {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allowed => "allow",
            Self::Tier => "tier",
            Self::Refused => "refuse",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { outcome, rule, subject, needs, pricing: _ } = self;
        match (outcome, needs) {
            (Outcome::Allowed, _) => write!(f, "`{subject}` is allowed by `{rule}`"),
            (Outcome::Tier, Some(tier)) => {
                write!(f, "`{subject}` needs the tier `{tier}`; `{rule}`")
            }
            (Outcome::Tier | Outcome::Refused, _) => {
                write!(f, "`{subject}` is refused by `{rule}`")
            }
            (Outcome::Unknown, _) => write!(f, "unknown tool `{subject}`"),
        }
    }
}

impl Rights<'_> {
    /// Whether a tier is included. The tools for tuning are apart from the ladder.
    pub fn includes(&self, tier: Tier) -> bool {
        match tier {
            Tier::Bias => self.may_tune,
            Tier::Free | Tier::Researcher | Tier::Builder | Tier::Admin => tier <= self.role.tier,
        }
    }

    /// Whether the caller may call a tool.
    pub fn of_tool(&self, name: &str, registry: &Registry) -> Verdict {
        match registry.find_tool(name).map(tier_of) {
            Some(Tier::Admin) if self.role.tier != Tier::Admin => Self::unknown(name),
            Some(tier) => self.of_name(name, Some(tier), "tools", &self.role.tools),
            None => Self::unknown(name),
        }
    }

    /// Whether the caller may call a served script. The operator published it, so its ops need no
    /// tier.
    pub fn of_script(&self, name: &str) -> Verdict {
        self.of_name(name, None, "tools", &self.role.tools)
    }

    /// Whether the caller may call these ops in a script that it sent, or through a meta tool. The
    /// first refused op decides.
    pub fn of_ops(&self, ops: &[OpRef]) -> Verdict {
        let verdicts = ops.iter().map(|it| self.of_op(*it));
        let mut allowed = None;
        for verdict in verdicts {
            if !verdict.is_allowed() {
                return verdict;
            }
            if allowed.as_ref().is_none_or(|it: &Verdict| it.needs < verdict.needs) {
                allowed = Some(verdict);
            }
        }
        allowed.unwrap_or_else(|| Verdict {
            outcome: Outcome::Allowed,
            rule: "no op is called".to_owned(),
            subject: "script".to_owned(),
            needs: Some(Tier::Free),
            pricing: None,
        })
    }

    /// Whether the caller may call an op in a script that it sent.
    pub fn of_op(&self, op: OpRef) -> Verdict {
        let name = op.to_string();
        let tier = tier_of(op);
        // Which program runs is only safe to decide for a script that the operator published.
        if runs(op) && op.op.tool.is_none() {
            return Verdict {
                outcome: Outcome::Refused,
                rule: "only a served script runs programs".to_owned(),
                subject: name,
                needs: Some(tier),
                pricing: None,
            };
        }
        self.of_name(&name, Some(tier), "ops", &self.role.ops)
    }

    fn of_name(
        &self,
        name: &str,
        needs: Option<Tier>,
        field: &str,
        patterns: &Patterns,
    ) -> Verdict {
        let role = &self.role.name;
        let matched = patterns.of(name);
        let (outcome, rule) = match (needs, matched) {
            (Some(Tier::Bias), _) if !self.may_tune => (
                Outcome::Tier,
                "the key was not issued with `--bias`, or its trial is over".to_owned(),
            ),
            (Some(tier), _) if !self.includes(tier) => {
                (Outcome::Tier, format!("roles.{role}.tier: {}", self.role.tier))
            }
            (_, Matched::Allowed(it)) => (Outcome::Allowed, format!("roles.{role}.{field}: {it}")),
            (_, Matched::Refused(it)) => (Outcome::Refused, format!("roles.{role}.{field}: {it}")),
            (_, Matched::Unnamed) => {
                (Outcome::Refused, format!("roles.{role}.{field}: no pattern matches"))
            }
        };
        let pricing = self.role.pricing.clone().filter(|_| outcome == Outcome::Tier);
        Verdict { outcome, rule, subject: name.to_owned(), needs, pricing }
    }

    fn unknown(name: &str) -> Verdict {
        let rule = "no such tool".to_owned();
        let subject = name.to_owned();
        Verdict { outcome: Outcome::Unknown, rule, subject, needs: None, pricing: None }
    }

    /// The name of a tool that the caller may know, closest to an unknown one.
    pub fn nearest_tool(&self, name: &str, registry: &Registry) -> Option<&'static str> {
        let may_know = |op: OpRef| tier_of(op) != Tier::Admin || self.role.tier == Tier::Admin;
        let known = registry.tools().filter(|(_, op)| may_know(*op));
        nearest(name, known.map(|(it, _)| it.name))
    }
}

/// The tier that an op needs.
pub fn tier_of(op: OpRef) -> Tier {
    op.tier()
}

fn runs(op: OpRef) -> bool {
    op.op.effects.iter().any(|it| matches!(it, Effect::Runs(_)))
}

/// Every op that a script can call, also in flows that it passes on, each once.
pub fn ops_of(program: &Checked) -> Vec<OpRef> {
    let mut found: Vec<OpRef> = Vec::new();
    let mut flows: HashSet<*const TypedFlow> = HashSet::new();
    let defaults = program.inputs.iter().filter_map(|it| it.default.as_ref());
    let mut open: Vec<&Term> = program.main.iter().chain(defaults).collect();
    // Without a main pipeline, any of the flows may be called.
    if program.main.is_none() {
        open.extend(program.flows.iter().map(|it| &it.body));
    }
    while let Some(term) = open.pop() {
        match &term.kind {
            TermKind::Call(call) => {
                let is_known = |it: &OpRef| std::ptr::eq(it.op, call.op.op);
                if !found.iter().any(is_known) {
                    found.push(call.op);
                }
            }
            TermKind::Flow { flow, .. } | TermKind::FlowRef(flow)
                if flows.insert(Arc::as_ptr(flow)) =>
            {
                open.push(&flow.body);
                open.extend(flow.params.iter().filter_map(|it| it.default.as_ref()));
            }
            _ => {}
        }
        term.each_part(&mut |it| open.push(it));
    }
    found.sort_by_key(ToString::to_string);
    found
}
