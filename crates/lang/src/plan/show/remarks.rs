//! The remarks below the table of a plan: its result and effects, the verdicts on its bounds,
//! and the places where streaming ends.

use super::{
    super::{Node, Range, Verdict},
    amounts::{self, ANY, Amount, UNKNOWN},
    bound,
    outline::Outline,
    table::WIDTH,
};
use crate::diag::{Style, visible_line};

/// The indentation of the lines of a section, and of their continuation.
const INDENT: &str = "\n  ";
const HANGING: &str = "\n    ";

/// What the times of a plan leave out.
pub(super) const OWN_WORK: &str = "the work of svc itself adds to the times";

pub(super) fn of(outline: &Outline, style: Style) -> String {
    let plan = outline.plan;
    let mut text = String::new();
    if let Some(main) = &plan.program().main {
        text.push_str(&format!("result {}\n", visible_line(&main.ty.to_string())));
    }
    let effects: Vec<String> = plan.effects().iter().map(ToString::to_string).collect();
    if !effects.is_empty() {
        text.push_str(&format!("effects {}\n", visible_line(&effects.join(", "))));
    }
    text.push_str(&signs(outline));
    text.push_str(&section("bounds", &verdicts(outline, style)));
    text.push_str(&section("streaming ends", &places(outline, barriers)));
    text.push_str(&section("notes", &places(outline, |it| it.notes.clone())));
    text
}

fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    format!("\n{title}{INDENT}{}\n", lines.join(INDENT))
}

/// The legend: the signs before amounts, and the basis of expected amounts.
fn signs(outline: &Outline) -> String {
    let envelopes: Vec<_> = outline.plan.nodes().iter().map(|it| &it.envelope).collect();
    let envelopes = || envelopes.iter().copied().chain([outline.plan.envelope()]);
    let takes_something = envelopes().any(|it| {
        !amounts::is_nothing(&it.tokens)
            || !amounts::is_nothing(&it.cost)
            || !amounts::is_nothing(&it.time)
    });
    if !takes_something {
        return String::new();
    }
    let is_open = envelopes().any(|it| open(&it.tokens) || open(&it.cost) || open(&it.time));
    let any = if is_open { format!(", {ANY}: no limit") } else { String::new() };
    let why = outline.plan.open().map(|it| visible_line(it).into_owned());
    let why = why.map_or_else(String::new, |it| format!("{ANY} because {it}\n"));
    let is_unknown =
        envelopes().any(|it| it.tokens.expected.is_none() || it.cost.expected.is_none());
    let unknown = if is_unknown { format!(", {UNKNOWN}: unknown") } else { String::new() };
    let by = match outline.plan.from_past() {
        0 => "by estimates of the components",
        _ => "by earlier calls where a note says so, otherwise by estimates of the components",
    };
    let has_time = envelopes().any(|it| !amounts::is_nothing(&it.time));
    let own = if has_time { format!("; {OWN_WORK}") } else { String::new() };
    format!("~ expected, {by}{unknown}; ≤ at most{any}{own}\n{why}")
}

fn open<T: Amount>(range: &Range<T>) -> bool {
    range.max.is_none()
}

fn verdicts(outline: &Outline, style: Style) -> Vec<String> {
    let line = |place: &str, verdict: &Verdict| {
        let shown = bound(verdict.key.name(), &verdict.limit, Some(verdict), style);
        let prices = match verdict.prices.as_slice() {
            [] => String::new(),
            tables => format!(" (prices: {})", tables.join(", ")),
        };
        let why = if verdict.why.is_empty() { "" } else { &format!(", {}", verdict.why) };
        format!("{place}: {shown}{}", visible_line(&format!("{why}{prices}")))
    };
    let file = outline.plan.verdicts().iter().map(|it| {
        let place = if it.is_of_the_run() { "run" } else { "file" };
        (place.to_owned(), it)
    });
    let inner = outline
        .all()
        .flat_map(|idx| outline.node(idx).verdicts.iter().map(move |it| (outline.place(idx), it)));
    let judged = file.chain(inner).filter(|(_, it)| it.is_judged());
    judged.map(|(place, it)| line(&place, it)).collect()
}

fn barriers(node: &Node) -> Vec<String> {
    node.barrier.map(|it| format!("waits for {it}")).into_iter().collect()
}

/// The remarks about nodes, each once, with the places that it applies to.
fn places(outline: &Outline, said: impl Fn(&Node) -> Vec<String>) -> Vec<String> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for idx in outline.all() {
        for text in said(outline.node(idx)).iter().map(|it| visible_line(it).into_owned()) {
            match all.iter_mut().find(|(it, _)| *it == text) {
                Some((_, places)) => places.push(outline.place(idx)),
                None => all.push((text, vec![outline.place(idx)])),
            }
        }
    }
    all.into_iter().map(|(text, places)| wrapped(&places.join(", "), &text)).collect()
}

/// Places and a remark, on as many lines as the places need.
fn wrapped(places: &str, text: &str) -> String {
    let mut shown = String::new();
    let mut used = INDENT.len();
    for place in places.split_inclusive(' ') {
        let width = place.trim_end().chars().count();
        if !shown.is_empty() && used + width > WIDTH {
            shown.truncate(shown.trim_end().len());
            shown.push_str(HANGING);
            used = HANGING.len();
        }
        shown.push_str(place);
        used += place.chars().count();
    }
    format!("{shown}: {text}")
}
