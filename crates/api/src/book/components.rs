//! A page for each component, and one for each of its ops.

use svc_contract::registry::{Component, Example, FieldScheme, OpRef, Param, Registry};

use super::{BookFile, Entry, code, fenced};
use crate::{
    components::by_cluster,
    inspect::{facts, fields},
};

/// All pages, and their place in the contents.
pub(super) fn pages(registry: &Registry) -> (Vec<BookFile>, Entry) {
    let mut index = "# All components\n".to_owned();
    let mut contents = Entry::new("All components", "components/index.md");
    let mut pages = Vec::new();
    for (cluster, members) in by_cluster(registry.components()) {
        index += &format!("\n## {cluster}\n\n");
        for component in members {
            let name = component.name;
            index += &format!("- [{name}]({name}.md): {}\n", component.summary);
            let path = format!("components/{name}.md");
            let mut entry = Entry::new(name, &path);
            pages.push(BookFile::new(path, component_page(component)));
            for op in ops(component) {
                let path = format!("components/{name}/{}.md", op.op.name);
                entry.inner.push(Entry::new(&op.script_name(), &path));
                pages.push(BookFile::new(path, op_page(&op)));
            }
            contents.inner.push(entry);
        }
    }
    pages.push(BookFile::new("components/index.md", index));
    (pages, contents)
}

fn ops(component: &'static Component) -> impl Iterator<Item = OpRef> {
    component.ops.iter().map(move |op| OpRef { component, op })
}

fn component_page(component: &'static Component) -> String {
    let Component { name, cluster, summary, version, bias, .. } = component;
    let mut page = format!("# {name}\n\n{summary}\n\nCluster {cluster}, version {version}.\n");
    if !bias.strategy.is_empty() {
        page += &format!("\nIts strategy: {}.\n", bias.strategy);
    }
    if !bias.assumptions.is_empty() {
        page += "\nIt assumes that:\n\n";
        page.extend(bias.assumptions.iter().map(|it| format!("- {it}\n")));
    }
    if component.learns() {
        page += &format!("\n`learn` returns a `Model<{name}>`.\n");
    }
    page += "\n## Ops\n\n";
    for op in ops(component) {
        let (shown, own) = (op.script_name(), op.op.name);
        page += &format!("- [{}]({name}/{own}.md): {}\n", code(&shown), op.op.summary());
    }
    page
}

fn op_page(op: &OpRef) -> String {
    let OpRef { component, op: def } = op;
    let name = component.name;
    let mut page = format!("# {}\n\n", op.script_name());
    page += &format!("The op `{op}` of [{name}](../{name}.md).\n\n{}\n", def.text().trim());
    page += &*section("Params", def.params.iter().map(param));
    let rows = facts(op)
        .into_iter()
        .map(|(name, it)| format!("- {name}: {}\n", code(&it.replace('`', ""))));
    page += &*section("Facts", rows);
    page += &*section("Fields", fields(*def.yields).iter().map(field));
    page += &*section("Examples", def.examples.iter().map(example));
    page + &*section("In other words", def.says.iter().map(|it| format!("- {it}\n")))
}

/// A part of the page of an op. The search of the book splits pages at larger headings, and an op is
/// one result.
fn section(title: &str, parts: impl Iterator<Item = String>) -> String {
    let parts: String = parts.collect();
    if parts.is_empty() { parts } else { format!("\n#### {title}\n\n{parts}") }
}

fn param(param: &Param) -> String {
    let input = if param.is_input { " (the input)" } else { "" };
    format!("- {}{input}: {}\n", code(&param.signature()), in_item(&param.summary()))
}

fn field(field: &FieldScheme) -> String {
    let head = format!("{}: {}", field.name, field.scheme.show());
    format!("- {}: {}\n", code(&head), in_item(field.doc))
}

/// A text as part of an item of a list.
fn in_item(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim).collect();
    lines.join("\n  ")
}

fn example(example: &Example) -> String {
    let mut part = format!("{}:\n\n", example.title);
    for (path, content) in example.files {
        part += &format!("With the file `{path}`:\n\n{}\n", fenced("text", content));
    }
    for (name, value) in example.env {
        part += &format!("With `{name}={value}`.\n\n");
    }
    part += &fenced("svc", example.script);
    let result = match example.yields {
        Ok(value) => format!("\nResult:\n\n{}\n", fenced("json", value)),
        Err(message) => format!("\nFails: {message}\n\n"),
    };
    part + &*result
}
