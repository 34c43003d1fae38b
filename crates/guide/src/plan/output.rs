//! The bounds, stages and params of the final script.

use crate::{Need, Step};

use super::draft::{Asked, Stage};

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
