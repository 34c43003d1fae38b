//! A plan as text: aligned columns, children indented under their blocks.

use super::{
    super::{Node, Plan, Range},
    amounts::{self, Amount},
    bound,
    outline::Outline,
    remarks, totals, verdict_on,
};
use crate::diag::Style;

/// The width that a table keeps to where it can.
const WIDTH: usize = 120;

/// The widest and the narrowest that types are; JSON has them whole.
const GIVES: std::ops::RangeInclusive<usize> = 16..=48;

/// The plan as a person reads it.
pub(super) fn of(plan: &Plan, style: Style) -> String {
    let outline = Outline::of(plan);
    let inputs = inputs(plan);
    if plan.nodes().is_empty() {
        return inputs + without_nodes(plan);
    }
    let parts =
        [inputs, nodes(&outline, style), totals::of(&outline, style), remarks::of(&outline, style)];
    let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    parts.join("\n")
}

fn inputs(plan: &Plan) -> String {
    let line = |input: &crate::check::Input| match (input.is_secret(), input.default.is_some()) {
        (true, _) => format!("secret {}\n", input.name),
        (_, true) => format!("input {}: {}, optional\n", input.name, input.ty),
        (_, false) => format!("input {}: {}\n", input.name, input.ty),
    };
    plan.program().inputs.iter().map(line).collect()
}

fn without_nodes(plan: &Plan) -> &'static str {
    match plan.program().main {
        Some(_) => "no component runs: the value is computed from the inputs\n",
        None => "nothing runs: the script only defines flows and types\n",
    }
}

/// One column: its head, and a cell for every node.
struct Column {
    head: &'static str,
    cells: Vec<String>,
}

fn nodes(outline: &Outline, style: Style) -> String {
    let nodes: Vec<&Node> = outline.shown().map(|it| outline.node(it)).collect();
    let each = |cell: &dyn Fn(&Node) -> String| nodes.iter().map(|it| cell(it)).collect();
    let mut columns = vec![
        Column { head: "node", cells: names(outline) },
        Column { head: "gives", cells: each(&|it| it.ty.to_string()) },
        Column { head: "does", cells: each(&does) },
        Column { head: "tokens", cells: pairs(nodes.iter().map(|it| &it.envelope.tokens)) },
        Column { head: "cost", cells: pairs(nodes.iter().map(|it| &it.envelope.cost)) },
        Column { head: "time", cells: pairs(nodes.iter().map(|it| &it.envelope.time)) },
        // The last one, because what is painted has no width.
        Column { head: "within", cells: each(&|it| within(it, style)) },
    ];
    columns.retain(|it| it.cells.iter().any(|it| !it.is_empty()));
    shorten_types(&mut columns, each(&|it| within(it, Style::Plain)));
    aligned(&columns)
}

fn names(outline: &Outline) -> Vec<String> {
    let name = |idx| {
        let depth = outline.around(idx).count() - 1;
        format!("{}{}", "  ".repeat(depth), outline.label(idx))
    };
    outline.shown().map(name).collect()
}

fn does(node: &Node) -> String {
    let effects: Vec<String> = node.effects.iter().map(ToString::to_string).collect();
    match (&node.op, effects.is_empty()) {
        (Some(_), true) => "pure".to_owned(),
        _ => effects.join(", "),
    }
}

/// What is expected and the most, one below the other.
fn pairs<'a, T: Amount + 'a>(ranges: impl Iterator<Item = &'a Range<T>>) -> Vec<String> {
    let pairs: Vec<(String, String)> = ranges.map(amounts::brief).collect();
    let width = pairs.iter().map(|(expected, _)| width(expected)).max().unwrap_or(0);
    let cell = |(expected, most): &(String, String)| match (width, most.is_empty()) {
        (_, true) => String::new(),
        (0, _) => most.clone(),
        _ => format!("{expected:>width$} {most}"),
    };
    pairs.iter().map(cell).collect()
}

fn within(node: &Node, style: Style) -> String {
    let shown = |(key, limit): &(&'static str, String)| {
        bound(key, limit, verdict_on(key, &node.verdicts), style)
    };
    node.bounds.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Cuts types as far as the table is too wide, whose last cells are these when plain.
fn shorten_types(columns: &mut [Column], last: Vec<String>) {
    let all: usize = columns.iter().map(|it| it.width() + 2).sum();
    let painted = columns.last().filter(|it| it.head == "within").map_or(0, Column::width);
    let plain = if painted > 0 { Column { head: "within", cells: last }.width() } else { 0 };
    let Some(gives) = columns.iter_mut().find(|it| it.head == "gives") else { return };
    let others = (all + plain).saturating_sub(painted + gives.width());
    let room = WIDTH.saturating_sub(others).clamp(*GIVES.start(), *GIVES.end());
    for cell in &mut gives.cells {
        *cell = cut(std::mem::take(cell), room);
    }
}

fn cut(text: String, room: usize) -> String {
    if width(&text) <= room {
        return text;
    }
    let kept: String = text.chars().take(room - 1).collect();
    format!("{kept}…")
}

fn width(text: &str) -> usize {
    text.chars().count()
}

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().map(|it| width(it)).chain([width(self.head)]).max().unwrap_or(0)
    }
}

fn aligned(columns: &[Column]) -> String {
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    let mut text = line(&mut columns.iter().map(|it| it.head));
    for row in 0..columns[0].cells.len() {
        text.push_str(&line(&mut columns.iter().map(|it| it.cells[row].as_str())));
    }
    text
}
