//! The picture of the plan; without a plan, the tree of the places that ran.

use svc_lang::plan::Plan;

use super::{Page, escaped, places};

const NO_PLAN: &str = "The script no longer checks with this version of svc, or a file that it \
    imports is missing, so its plan cannot be drawn. These are the places that ran:";

pub(super) fn of(page: &Page<'_>) -> String {
    match &page.plan {
        Some(plan) => format!(
            r#"<div id="graph" tabindex="0" role="group" aria-label="The graph of the plan">{}</div>"#,
            plan.svg()
        ),
        None => format!("<p>{}</p>{}", escaped(NO_PLAN), places::tree(&page.places)),
    }
}

/// The styles inside of a picture.
pub(super) fn style(graph: &str) -> Option<&str> {
    let (_, style) = graph.split_once("<style>")?;
    style.split_once("</style>").map(|(style, _)| style)
}

/// The places of calls that are recorded, which are all except inline ops.
pub(super) fn kept(plan: &Plan) -> Vec<&str> {
    let calls = plan.nodes().iter().filter(|it| !matches!(it.cost_class, None | Some("inline")));
    calls.map(|it| it.path.as_str()).collect()
}
