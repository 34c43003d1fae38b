//! The places of a run as a table and as a tree, readable without JavaScript.

use svc_contract::value::units;
use svc_text::markup::escaped;

use crate::{failure, folded::FoldedPlace, runs};

/// A table with one row per place.
pub(super) fn table(places: &[FoldedPlace<'_>]) -> String {
    if places.is_empty() {
        return "<p class=\"quiet\">No call of this run was recorded.</p>".to_owned();
    }
    let rows: String = places.iter().map(row).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Places\">\
         <table id=\"places\"><thead><tr><th>Place</th><th>Component</th>\
         <th>Calls</th><th>State</th><th>Took, in all</th><th>Used</th></tr></thead>\n\
         <tbody>{rows}</tbody></table></div>"
    )
}

fn row(place: &FoldedPlace<'_>) -> String {
    let first = place.nodes.first();
    let op = first.map(|it| failure::op(it)).unwrap_or_default();
    let cells = [
        op,
        place.nodes.len().to_string(),
        place.state(),
        units::show_measured(place.took()),
        runs::cost(place.used()),
    ];
    let cells = cells.map(|it| format!("<td>{}</td>", escaped(&it))).concat();
    format!("<tr><td><code>{}</code></td>{cells}</tr>\n", escaped(&place.path))
}

/// Nested lists, one level for each part of a path.
pub(super) fn tree(places: &[FoldedPlace<'_>]) -> String {
    let mut sorted: Vec<&FoldedPlace<'_>> = places.iter().collect();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let (mut text, mut open) = (String::from("<div class=\"tree\">"), Vec::<&str>::new());
    for place in sorted {
        let parts: Vec<&str> = place.path.split('/').collect();
        let shared = parts.iter().zip(&open).take_while(|(a, b)| a == b).count();
        text.push_str(&"</li></ul>".repeat(open.len() - shared));
        for part in &parts[shared..] {
            text.push_str(&format!("<ul><li><code>{}</code>", escaped(part)));
        }
        let (count, state) = (place.nodes.len(), escaped(&place.state()));
        text.push_str(&format!(" <span class=\"quiet\">×{count}, {state}</span>"));
        open = parts;
    }
    text.push_str(&"</li></ul>".repeat(open.len()));
    text + "</div>"
}
