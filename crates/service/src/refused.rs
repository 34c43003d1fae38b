//! Calls that the rights of their caller refuse.

use svc_contract::registry::{ErrorKind, Tier};

use crate::{
    Fault, FieldFault, Why,
    access::decide::{Outcome, Verdict},
};

/// A call that is refused, and the rule that refuses it, for the audit.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) fault: Box<Fault>,
    pub(crate) rule: String,
}

/// The rule that allows something, or the refusal.
pub(crate) fn test(verdict: Verdict) -> Result<String, Refused> {
    if verdict.is_allowed() {
        return Ok(verdict.rule);
    }
    Err(Refused { fault: Box::new(of_verdict(&verdict)), rule: verdict.rule })
}

fn of_verdict(verdict: &Verdict) -> Fault {
    let Verdict { outcome, rule, subject, needs, pricing } = verdict;
    let denied = |message: String| Fault::new(Why::Op(ErrorKind::Denied), message);
    match (outcome, needs) {
        (Outcome::Unknown, _) => Fault::not_found(format!("unknown tool `{subject}`"))
            .help("`guide_find_tool` finds the tool for a task"),
        (Outcome::Tier, Some(tier)) => {
            let field = |field: &str, message: &str| FieldFault {
                field: field.to_owned(),
                message: message.to_owned(),
            };
            let fields = vec![field("tool", subject), field("tier", tier.name())];
            let page = pricing.as_ref().map(|it| format!(": see {it}")).unwrap_or_default();
            let message = format!("{subject} needs the tier {tier}{page}");
            let fault = Fault { fields, ..denied(message) };
            match tier {
                Tier::Admin => fault.help(
                    "only a script that the server serves may run programs, if its policy allows it",
                ),
                Tier::Bias => fault.help("ask the operator for a key issued with `--bias`"),
                _ => fault.help(
                    "ask the operator for a key of that tier; `docs/access.md` lists the tiers",
                ),
            }
        }
        _ => denied(format!("{subject} is refused by `{rule}`")),
    }
}

impl From<Fault> for Refused {
    /// What cannot be planned, or what the rules for effects refuse: no rule of names decides.
    fn from(fault: Fault) -> Self {
        let is_refusal = fault.why == Why::Op(ErrorKind::Denied);
        let rule = if is_refusal { "effects" } else { fault.why.name() };
        Self { fault: Box::new(fault), rule: rule.to_owned() }
    }
}
