//! Renders the documentation of ops as text.

use svc_api::inspect::{self, Subject, fields};
use svc_contract::registry::{Bias, Component, Example, FieldScheme, OpRef, Param, Tuning};

use super::terminal::{Ink, Stream};

/// The documentation of the component and the selected ops.
pub(super) fn page(subject: &Subject, tuning: &Tuning, out: Stream) -> String {
    let component = subject.component;
    let name = out.paint(component.name, Ink::Bold);
    let (summary, version) = (component.summary, component.version);
    let mut page = format!("{name}  {summary}\n{}, version {version}\n", component.cluster);
    page += &about(component, out);
    for op in &subject.ops {
        page.push('\n');
        page.push_str(&op_page(op, tuning, out));
    }
    let others: Vec<&str> = component
        .ops
        .iter()
        .map(|it| it.name)
        .filter(|name| !subject.ops.iter().any(|it| it.op.name == *name))
        .collect();
    if !others.is_empty() {
        page += "\n";
        page += &["other ops: ", &others.join(", "), "\n"].concat();
    }
    page
}

/// How the component works, what it takes for granted, and whether it learns.
fn about(component: &Component, out: Stream) -> String {
    let Bias { strategy, assumptions, .. } = component.bias;
    let learns = if component.learns() {
        format!("`learn` returns a `Model<{}>`", component.name)
    } else {
        String::new()
    };
    let mut rows = vec![("strategy", strategy)];
    rows.extend(
        assumptions
            .iter()
            .enumerate()
            .map(|(idx, it)| (if idx == 0 { "assumes" } else { "" }, *it)),
    );
    rows.push(("learns", &learns));
    let shown = rows.iter().filter(|(_, it)| !it.is_empty());
    let line = |(name, it): &(&str, &str)| {
        [&out.paint(&format!("{name:<10}"), Ink::Bold), *it, "\n"].concat()
    };
    shown.map(line).collect()
}

fn op_page(op: &OpRef, tuning: &Tuning, out: Stream) -> String {
    let mut page = format!("{}  {op}\n\n", out.paint(&op.script_name(), Ink::Cyan));
    page += &[&prefixed(&op.op.text(), "  "), "\n\n"].concat();
    let params = op.op.params.iter().map(|it| param(op.component, it, tuning));
    page += &section("params", params, out);
    page += &facts(op, out);
    page += &section("fields", fields(*op.op.yields).iter().map(field), out);
    if !op.op.examples.is_empty() {
        let shown: Vec<String> = op.op.examples.iter().map(example).collect();
        page += &["  ", &out.paint("examples", Ink::Bold), "\n", &shown.join("\n")].concat();
    }
    page
}

/// A heading, followed by pairs of a signature and its documentation.
fn section(title: &str, pairs: impl Iterator<Item = (String, String)>, out: Stream) -> String {
    let mut lines = vec![format!("  {}", out.paint(title, Ink::Bold))];
    for (head, doc) in pairs {
        lines.push(format!("    {head}"));
        lines.push(deeper(&doc));
    }
    if lines.len() == 1 { String::new() } else { lines.join("\n") + "\n\n" }
}

/// The facts about the op as a whole.
fn facts(op: &OpRef, out: Stream) -> String {
    let shown = inspect::facts(op).into_iter().map(|(name, value)| {
        let name = out.paint(&format!("{name:<8}"), Ink::Bold);
        format!("  {name}{value}")
    });
    shown.collect::<Vec<_>>().join("\n") + "\n\n"
}

fn param(component: &Component, param: &Param, tuning: &Tuning) -> (String, String) {
    let input = if param.is_input { "  (input)" } else { "" };
    let tuned = tuned(component, param, tuning);
    (format!("{}{input}{tuned}", param.signature()), param.summary())
}

/// Whether and to what a default is tuned.
fn tuned(component: &Component, param: &Param, tuning: &Tuning) -> String {
    if !param.is_tunable() {
        return String::new();
    }
    let word = if param.is_evolvable { "evolvable" } else { "tunable" };
    match tuning.changed(component, param) {
        Some(value) => format!("  ({word}; tuned to {})", Param::written(value)),
        None => format!("  ({word})"),
    }
}

fn field(field: &FieldScheme) -> (String, String) {
    (format!("{}: {}", field.name, field.scheme.show()), field.doc.trim().to_owned())
}

fn example(example: &Example) -> String {
    let mut lines = vec![format!("    # {}", example.title)];
    lines.extend(example.files.iter().map(|(path, _)| format!("    # with the file {path}")));
    lines.extend(example.env.iter().map(|(name, value)| format!("    # with {name}={value}")));
    lines.push(deeper(example.script));
    match example.yields {
        Ok(value) => lines.extend(["    # result".to_owned(), deeper(value)]),
        Err(message) => lines.push(format!("    # fails: {message}")),
    }
    lines.join("\n") + "\n"
}

fn deeper(text: &str) -> String {
    prefixed(text, "      ")
}

fn prefixed(text: &str, prefix: &str) -> String {
    let line = |it: &str| format!("{prefix}{}", it.trim_end()).trim_end().to_owned();
    text.trim().lines().map(line).collect::<Vec<_>>().join("\n")
}
