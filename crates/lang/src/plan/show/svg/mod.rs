//! A plan as a picture: blocks contain their nodes, and arrows go down.
//!
//! Each block is laid out separately: its boxes in rows, below those that they use. So a
//! picture grows with its blocks, and is deterministic.

mod columns;
mod draw;
mod layers;
mod measure;
mod part;
mod place;

use svc_text::markup::escaped;

use draw::Drawing;
use part::Parts;

use super::{super::Plan, outline::Outline};

const STYLE: &str = include_str!("style.css");

/// The picture of a plan.
pub(super) fn of(plan: &Plan) -> String {
    let outline = Outline::of(plan);
    let file = Parts::of(&outline).file();
    let mut drawing = Drawing::default();
    drawing.part(&file, 0, 0);
    let (width, height) = (file.width, file.height);
    let title = escaped(plan.program().source.name());
    let nodes = match outline.all().count() {
        1 => "The node".to_owned(),
        many => format!("The {many} nodes"),
    };
    let description = format!(
        "{nodes} of the script, from top to bottom. Arrows lead from results to their uses."
    );
    format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" class="svc-plan" role="img" aria-labelledby="title desc" width="{width}" height="{height}" viewBox="0 0 {width} {height}">
<title id="title">{title}</title>
<desc id="desc">{description}</desc>
<style>
{STYLE}</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="arrow" d="M0 0L8 4L0 8z"/></marker></defs>
{}</svg>
"#,
        drawing.text
    )
}
