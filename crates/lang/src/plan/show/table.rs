//! A plan as text: aligned columns, children indented under their blocks.

use std::ops::RangeInclusive;

use super::{
    super::{Node, Plan, Range},
    amounts::{self, Amount},
    bound, fit,
    outline::Outline,
    remarks, totals, verdict_on,
};
use crate::diag::{Style, visible, visible_line};

/// The totals of a plan that calls only pure functions.
const FREE: &str = "no cost, no tokens, negligible time: only pure functions run\n";

/// The preferred width of a plan.
pub(super) const WIDTH: usize = 120;

/// The columns that are shortened if a table is too wide, and their width range. The full text
/// is below the table, and in JSON.
const SHORTENED: [(&str, RangeInclusive<usize>); 2] = [("result", 16..=48), ("effects", 24..=60)];

/// The columns that are shortened further on a narrow terminal, to at least this width.
const NARROW: [(&str, usize); 3] = [("effects", 12), ("result", 8), ("node", 16)];

/// The columns that are left out if the terminal is still too narrow, the first one first. The
/// totals are below the table, and everything is in JSON.
const LEFT_OUT: [&str; 4] = ["result", "effects", "tokens", "cost"];

/// The least width of the column of bounds.
const BOUNDS: usize = 28;

/// The least width of a terminal that a plan is fitted to.
const NARROWEST: usize = 40;

/// The plan as text. Without a terminal, only the table has a width.
pub(super) fn of(plan: &Plan, style: Style, columns: Option<usize>) -> String {
    let outline = Outline::of(plan);
    let columns = columns.map(|it| it.max(NARROWEST));
    let fitted = |text: String| match columns {
        Some(room) => fit::wrapped(&text, room),
        None => text,
    };
    let inputs = fitted(inputs(plan));
    if plan.nodes().is_empty() {
        return inputs + fitted(without_nodes(plan).to_owned()).as_str();
    }
    let table = nodes(&outline, style, columns);
    let parts =
        [inputs, table, fitted(totals::of(&outline, style)), fitted(remarks::of(&outline, style))];
    let parts: Vec<String> = parts.into_iter().filter(|it| !it.is_empty()).collect();
    parts.join("\n")
}

/// The lines below the table.
pub(super) fn totals_of(plan: &Plan, style: Style) -> String {
    if plan.nodes().is_empty() {
        return without_nodes(plan).to_owned();
    }
    let totals = totals::of(&Outline::of(plan), style);
    if totals.is_empty() { FREE.to_owned() } else { totals }
}

fn inputs(plan: &Plan) -> String {
    let line = |input: &crate::check::Input| match (input.is_secret(), input.default.is_some()) {
        (true, _) => format!("secret {}\n", input.name),
        (_, true) => format!("input {}: {}, optional\n", input.name, input.ty),
        (_, false) => format!("input {}: {}\n", input.name, input.ty),
    };
    let lines: String = plan.program().inputs.iter().map(line).collect();
    visible(&lines).into_owned()
}

fn without_nodes(plan: &Plan) -> &'static str {
    match plan.program().main {
        Some(_) => "no component runs: the value is computed from the inputs\n",
        None => "nothing runs: the script only defines flows and types\n",
    }
}

/// A column other than the last: its head, and a cell for every node.
#[derive(Clone)]
struct Column {
    head: &'static str,
    cells: Vec<String>,
}

fn nodes(outline: &Outline, style: Style, room: Option<usize>) -> String {
    let nodes: Vec<&Node> = outline.all().map(|it| outline.node(it)).collect();
    let each = |cell: &dyn Fn(&Node) -> String| nodes.iter().map(|it| cell(it)).collect();
    let mut columns = vec![
        Column { head: "node", cells: names(outline) },
        Column { head: "result", cells: each(&|it| visible_line(&it.ty.to_string()).into_owned()) },
        Column { head: "effects", cells: each(&does) },
        Column { head: "tokens", cells: pairs(nodes.iter().map(|it| &it.envelope.tokens)) },
        Column { head: "cost", cells: pairs(nodes.iter().map(|it| &it.envelope.cost)) },
        Column { head: "time", cells: pairs(nodes.iter().map(|it| &it.envelope.time)) },
    ];
    columns.retain(|it| it.cells.iter().any(|it| !it.is_empty()));
    let bounds = Bounds::of(&nodes, style);
    let Some(room) = room else {
        shortened(&mut columns, &bounds, WIDTH);
        return joined(&aligned(&columns), &bounds, WIDTH);
    };
    let mut left_out = LEFT_OUT.iter();
    loop {
        let mut fitted = columns.clone();
        shortened(&mut fitted, &bounds, room);
        // On a narrow terminal, the bounds are below their node.
        for (head, least) in NARROW {
            if total(&fitted) > room {
                shorten(&mut fitted, head, &(least..=usize::MAX), room, 0);
            }
        }
        match left_out.next().filter(|_| total(&fitted) > room) {
            Some(head) => columns.retain(|it| it.head != *head),
            None => return fitted_to(&aligned(&fitted), &bounds, room),
        }
    }
}

fn shortened(columns: &mut [Column], bounds: &Bounds, room: usize) {
    for (head, widths) in SHORTENED {
        shorten(columns, head, &widths, room, bounds.width().min(BOUNDS));
    }
}

fn names(outline: &Outline) -> Vec<String> {
    let name = |idx| {
        let depth = outline.around(idx).count() - 1;
        format!("{}{}", "  ".repeat(depth), outline.label(idx))
    };
    outline.all().map(name).collect()
}

fn does(node: &Node) -> String {
    let effects: Vec<String> = node.effects.iter().map(ToString::to_string).collect();
    match (node.cost_class, effects.is_empty()) {
        (Some(_), true) => "pure".to_owned(),
        _ => visible_line(&effects.join(", ")).into_owned(),
    }
}

/// The expected amounts and the maxima, aligned.
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

/// The last column: the bounds of each node, with their widths without colour.
struct Bounds(Vec<Vec<(String, usize)>>);

impl Bounds {
    fn of(nodes: &[&Node], style: Style) -> Self {
        let written = |node: &&Node| {
            let shown = |(key, limit): &(&'static str, String)| {
                let verdict = verdict_on(key, &node.verdicts);
                let plain = bound(key, limit, verdict, Style::Plain);
                (bound(key, limit, verdict, style), width(&plain))
            };
            node.bounds.iter().map(shown).collect()
        };
        Self(nodes.iter().map(written).collect())
    }

    fn width(&self) -> usize {
        let cell = |all: &Vec<(String, usize)>| all.iter().map(|it| it.1 + 2).sum::<usize>();
        self.0.iter().map(cell).max().unwrap_or(0)
    }

    /// The bounds of a node, in lines at most `room` wide if possible.
    fn lines(&self, node: usize, room: usize) -> Vec<String> {
        let mut lines: Vec<(String, usize)> = Vec::new();
        for (text, width) in &self.0[node] {
            match lines.last_mut() {
                Some((line, used)) if *used + 2 + width <= room => {
                    line.push_str(", ");
                    line.push_str(text);
                    *used += 2 + width;
                }
                last => {
                    if let Some((line, _)) = last {
                        line.push(',');
                    }
                    lines.push((text.clone(), *width));
                }
            }
        }
        lines.into_iter().map(|(line, _)| line).collect()
    }
}

/// The table within the width of a terminal: the bounds are next to their node, or below it.
fn fitted_to(table: &[String], bounds: &Bounds, room: usize) -> String {
    let left = table.first().map_or(0, |it| width(it));
    let wide = left + 2 + bounds.width().min(BOUNDS);
    if wide <= room { joined(table, bounds, room) } else { below(table, bounds, room) }
}

/// Puts the bounds next to the other columns, on several lines if there are many.
fn joined(table: &[String], bounds: &Bounds, room: usize) -> String {
    let left = table.first().map_or(0, |it| width(it));
    let room = room.saturating_sub(left + 2).max(BOUNDS);
    let head = if bounds.width() > 0 { "within" } else { "" };
    let mut text = String::new();
    let mut line = |left: &str, right: &str| {
        text.push_str(format!("{left}  {right}").trim_end());
        text.push('\n');
    };
    for (row, cells) in table.iter().enumerate() {
        let lines = match row.checked_sub(1) {
            Some(node) => bounds.lines(node, room),
            None => vec![head.to_owned()],
        };
        line(cells, lines.first().map_or("", |it| it));
        for more in lines.iter().skip(1) {
            line(&" ".repeat(left), more);
        }
    }
    text
}

/// The rows, each followed by its bounds.
fn below(table: &[String], bounds: &Bounds, room: usize) -> String {
    const INDENT: &str = "      ";
    let mut text = String::new();
    for (row, cells) in table.iter().enumerate() {
        text.push_str(cells.trim_end());
        text.push('\n');
        let node = row.checked_sub(1);
        for line in node.iter().flat_map(|it| bounds.lines(*it, room - INDENT.len() - 7)) {
            text.push_str(&format!("{INDENT}within {line}\n"));
        }
    }
    text
}

fn total(columns: &[Column]) -> usize {
    columns.iter().map(|it| it.width() + 2).sum::<usize>().saturating_sub(2)
}

/// Shortens a column if the table is too wide with bounds of this width.
fn shorten(
    columns: &mut [Column],
    head: &str,
    widths: &RangeInclusive<usize>,
    room: usize,
    bounds: usize,
) {
    let all: usize = columns.iter().map(|it| it.width() + 2).sum();
    let Some(column) = columns.iter_mut().find(|it| it.head == head) else { return };
    let others = (all + bounds).saturating_sub(column.width());
    let room = room.saturating_sub(others).clamp(*widths.start(), *widths.end());
    for cell in &mut column.cells {
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

/// The head and the rows, all of the same width.
fn aligned(columns: &[Column]) -> Vec<String> {
    let widths: Vec<usize> = columns.iter().map(Column::width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ")
    };
    let rows = columns.first().map_or(0, |it| it.cells.len());
    let row = |row: usize| line(&mut columns.iter().map(|it| it.cells[row].as_str()));
    let head = line(&mut columns.iter().map(|it| it.head));
    std::iter::once(head).chain((0..rows).map(row)).collect()
}
