//! The picture of the plan; without a plan, the tree of the places that ran.

use svc_lang::plan::Plan;

use super::{Page, escaped, places};

const NO_PLAN: &str = "The script no longer checks with this version of svc, or a file that it \
    imports is missing, so its plan cannot be drawn. These are the places that ran:";

/// The buttons of the picture, which the page's script shows.
const TOOLS: &str = r#"<div id="graph-tools" class="tools" role="group" aria-label="Zoom of the graph" hidden>
<button type="button" id="graph-out" title="Zoom out ( - in the graph )" aria-label="Zoom out of the graph">−</button>
<button type="button" id="graph-in" title="Zoom in ( + in the graph )" aria-label="Zoom into the graph">+</button>
<button type="button" id="graph-fit" title="The whole graph ( 0 in the graph )">fit</button>
<button type="button" id="graph-full" title="Its full size ( 1 in the graph )">1:1</button>
<output id="graph-scale" class="quiet" aria-live="polite"></output>
</div>
"#;

pub(super) fn of(page: &Page<'_>) -> String {
    match &page.plan {
        Some(plan) => format!(
            r#"{TOOLS}<div id="graph" tabindex="0" role="group" aria-label="The graph of the plan">{}</div>"#,
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
