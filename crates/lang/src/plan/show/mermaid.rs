//! A plan as a Mermaid flowchart, for documents that render it.

use super::{super::Plan, amounts, bound, outline::Outline, verdict_on};
use crate::diag::{Style, visible_line};

/// The header: titles of blocks have one line, and room below it.
const HEAD: &str = r#"%%{init: {"flowchart": {"wrappingWidth": 700, "subGraphTitleMargin": {"top": 4, "bottom": 12}}}}%%
flowchart TB
"#;

/// The flowchart of a plan.
pub(super) fn of(plan: &Plan) -> String {
    let outline = Outline::of(plan);
    let mut chart = Chart { outline: &outline, text: HEAD.to_owned(), arrows: 0 };
    for idx in &outline.roots {
        chart.node(*idx, 1);
    }
    chart.draw_arrows();
    match beyond(&chart.text, chart.arrows) {
        Some(why) => format!("%% {why}\n{}", chart.text),
        None => chart.text,
    }
}

/// The defaults of Mermaid. A chart cannot raise them; the page that draws it can.
const MAX_TEXT: usize = 50_000;
const MAX_EDGES: usize = 500;

/// Why Mermaid refuses a chart with its default settings.
fn beyond(text: &str, arrows: usize) -> Option<String> {
    // Counted as JavaScript does, with the remark, which is part of the text.
    let letters = text.encode_utf16().count() + 200;
    let mut limits = Vec::new();
    if letters > MAX_TEXT {
        limits.push(format!("`maxTextSize` to at least {letters} (default {MAX_TEXT})"));
    }
    if arrows > MAX_EDGES {
        limits.push(format!("`maxEdges` to at least {arrows} (default {MAX_EDGES})"));
    }
    let limits = limits.join(" and ");
    (!limits.is_empty()).then(|| format!("too large for Mermaid by default: set {limits}"))
}

struct Chart<'o, 'p> {
    outline: &'o Outline<'p>,
    text: String,
    /// The number of arrows.
    arrows: usize,
}

impl Chart<'_, '_> {
    fn node(&mut self, idx: usize, depth: usize) {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let children = self.outline.children(idx);
            if children.is_empty() {
                let label = self.label(idx).join("<br/>");
                return self.line(depth, &format!("n{idx}[\"{label}\"]"));
            }
            let label = self.label(idx).join(" · ");
            self.line(depth, &format!("subgraph n{idx}[\"{label}\"]"));
            for child in children {
                self.node(*child, depth + 1);
            }
            self.line(depth, "end");
        });
    }

    fn line(&mut self, depth: usize, text: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The lines of a node.
    fn label(&self, idx: usize) -> Vec<String> {
        let node = self.outline.node(idx);
        let mut lines = vec![format!("<b>{}</b>", escaped(&self.outline.label(idx)))];
        let effects: Vec<String> = node.effects.iter().map(ToString::to_string).collect();
        let written = node.bounds.iter().filter_map(|(key, limit)| {
            let verdict = verdict_on(key, &node.verdicts);
            let is_said = node.op.is_none() || verdict.is_some();
            is_said.then(|| bound(key, limit, verdict, Style::Plain))
        });
        let rest = [
            node.op.clone().unwrap_or_default(),
            amounts::at_most(&node.envelope),
            effects.join(", "),
            written.collect::<Vec<_>>().join(", "),
            node.barrier.map_or_else(String::new, |it| format!("waits for {it}")),
        ];
        lines.extend(rest.iter().filter(|it| !it.is_empty()).map(|it| escaped(it)));
        lines
    }

    fn draw_arrows(&mut self) {
        for idx in self.outline.all() {
            for need in &self.outline.node(idx).needs {
                // Mermaid draws no arrow from a block to a node inside it.
                let is_apart = !self.outline.around(idx).any(|it| it == *need)
                    && !self.outline.around(*need).any(|it| it == idx);
                if is_apart {
                    self.line(1, &format!("n{need} --> n{idx}"));
                    self.arrows += 1;
                }
            }
        }
    }
}

/// Text between quotes. Mermaid reads `#35;` as the sign with that number.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in visible_line(text).chars() {
        match letter {
            '"' | '#' | '&' | '<' | '>' | '`' | '\\' | '*' | ';' => {
                safe.push_str(&format!("#{};", u32::from(letter)));
            }
            it => safe.push(it),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn labels_are_safe() {
        assert_eq!(escaped("a\"]\nb<i>#1;"), "a#34;]#92;u{a}b#60;i#62;#35;1#59;");
    }
}
