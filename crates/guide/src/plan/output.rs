//! The final script, with its header and its description.

use svc_contract::registry::Tried;

use super::{
    Need, Step, Workflow,
    draft::{Asked, Stage},
};

/// The result without a script.
pub(super) fn nothing(goal: &str) -> Workflow {
    Workflow::none(goal)
}

/// Describes a script that was tried.
pub(super) fn described(goal: &str, tried: &Tried) -> Workflow {
    Workflow {
        result: tried.gives.as_ref().map(ToString::to_string).unwrap_or_default().into(),
        envelope: tried.envelope.as_str().into(),
        effects: tried.effects.iter().map(|it| it.as_str().into()).collect(),
        ..nothing(goal)
    }
}

/// The header of a script: its goal, its estimate, and its effects.
pub(super) fn head(goal: &str, tried: &Tried) -> String {
    let goal = goal.split_whitespace().collect::<Vec<_>>().join(" ");
    let touches =
        if tried.effects.is_empty() { "nothing".to_owned() } else { tried.effects.join(", ") };
    format!("# Goal: {goal}\n# Takes: {}\n# Touches: {touches}\n\n", tried.envelope)
}

pub(super) fn edition(bounds: &[(&'static str, String)]) -> String {
    if bounds.is_empty() {
        return String::new();
    }
    let all: Vec<String> = bounds.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("svc 1 within {{ {} }}\n\n", all.join(", "))
}

pub(super) fn step(stage: &Stage) -> Step {
    let text =
        if stage.per_item { format!("each {{ {} }}", stage.text) } else { stage.text.clone() };
    Step {
        stage: text.into(),
        op: stage.op.map(|it| it.to_string().into()),
        does: stage.note.as_str().into(),
    }
}

pub(super) fn need(asked: &Asked) -> Need {
    let Asked { name, ty, doc } = asked;
    Need { name: name.as_str().into(), ty: ty.as_str().into(), doc: doc.as_str().into() }
}
