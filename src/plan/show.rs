//! A plan as text: aligned columns, children indented under their blocks.

use std::fmt::Write as _;

use super::{Node, Plan};

impl Plan {
    /// The plan as a person reads it.
    pub fn show(&self) -> String {
        let mut text = String::new();
        for input in &self.program().inputs {
            if input.is_secret() {
                writeln!(text, "secret {}", input.name).expect("a string takes all");
                continue;
            }
            let default = if input.default.is_some() { ", optional" } else { "" };
            writeln!(text, "input {}: {}{default}", input.name, input.ty)
                .expect("a string takes all");
        }
        let rows: Vec<[String; 4]> = self.nodes().iter().map(row).collect();
        if rows.is_empty() {
            return text + self.without_nodes();
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let head = ["node", "gives", "does", "within"].map(str::to_owned);
        let widths = widths(&head, &rows);
        for cells in std::iter::once(&head).chain(&rows) {
            text.push_str(&aligned(cells, &widths));
        }
        writeln!(
            text,
            "\ngives {}",
            self.program().main.as_ref().map_or_else(String::new, |it| it.ty.to_string())
        )
        .expect("a string takes all");
        text
    }

    fn without_nodes(&self) -> &'static str {
        match self.program().main {
            Some(_) => "no component runs: the value is computed from the inputs\n",
            None => "nothing runs: the script only defines flows and types\n",
        }
    }
}

fn row(node: &Node) -> [String; 4] {
    let effects: Vec<String> = node.effects.iter().map(ToString::to_string).collect();
    let does = match (&node.op, effects.is_empty()) {
        (Some(_), true) => "pure".to_owned(),
        _ => effects.join(", "),
    };
    let bounds: Vec<String> =
        node.bounds.iter().map(|(key, value)| format!("{key} {value}")).collect();
    let name = if node.path.is_empty() { &node.name } else { &node.path };
    let name = format!("{}{name}", "  ".repeat(node.depth));
    [name, cut(node.ty.to_string()), does, bounds.join(", ")]
}

/// The widest type that a row shows; JSON has them whole.
const WIDEST: usize = 48;

fn cut(text: String) -> String {
    if text.chars().count() <= WIDEST {
        return text;
    }
    let kept: String = text.chars().take(WIDEST - 1).collect();
    format!("{kept}…")
}

fn widths(head: &[String; 4], rows: &[[String; 4]]) -> [usize; 4] {
    std::array::from_fn(|column| {
        let cells = std::iter::once(head).chain(rows).map(|it| it[column].chars().count());
        cells.max().unwrap_or(0)
    })
}

fn aligned(cells: &[String; 4], widths: &[usize; 4]) -> String {
    let columns: Vec<String> =
        cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
    format!("{}\n", columns.join("  ").trim_end())
}
