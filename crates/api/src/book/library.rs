//! A page for each module of the standard library.

use svc_lang::stdlib::{self, FlowDoc, Module, PREFIX};

use super::{BookFile, Entry, fenced};

/// All pages, and their place in the contents.
pub(super) fn pages() -> (Vec<BookFile>, Entry) {
    let mut index = "# All modules\n\nThe modules of the standard library.\n\n".to_owned();
    let mut contents = Entry::new("All modules", "std/index.md");
    let mut pages = Vec::new();
    for module in stdlib::ALL {
        let (name, summary) = (module.name, module.summary());
        let (shown, path) = (format!("{PREFIX}{name}"), format!("std/{name}.md"));
        index += &format!("- [{shown}]({name}.md): {summary}\n");
        contents.inner.push(Entry::new(&shown, &path));
        pages.push(BookFile::new(path, page(module)));
    }
    pages.push(BookFile::new("std/index.md", index));
    (pages, contents)
}

fn page(module: &Module) -> String {
    let mut page = format!("# {PREFIX}{}\n\n{}\n", module.name, prose(&module.docs()));
    let types = module.types();
    if !types.is_empty() {
        page += &format!("\n## Types\n\n{}", fenced("svc", &types.join("\n")));
    }
    module.flows().iter().fold(page, |page, it| page + &*flow(it))
}

fn flow(flow: &FlowDoc) -> String {
    let signature = fenced("svc", &flow.signature());
    format!("\n## {}\n\n{signature}\n{}\n", flow.name, flow.doc)
}

/// The documentation with its indented scripts as blocks.
fn prose(docs: &str) -> String {
    let (mut text, mut script) = (String::new(), String::new());
    for line in docs.lines() {
        match line.strip_prefix("  ") {
            Some(line) => script += &format!("{line}\n"),
            None if line.is_empty() && !script.is_empty() => script.push('\n'),
            None => {
                text += &*ended(&mut script);
                text += &*match line.strip_prefix("Result: ") {
                    Some(result) => format!("Result:\n\n{}", fenced("json", result)),
                    None => format!("{line}\n"),
                };
            }
        }
    }
    text + &*ended(&mut script)
}

/// The script so far as a block.
fn ended(script: &mut String) -> String {
    let script = std::mem::take(script);
    if script.trim().is_empty() { String::new() } else { fenced("svc", &script) + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_the_documentation_are_blocks() {
        let wanted = "Does it.\n\n```svc\na\n\n  b\n```\n\nResult:\n\n```json\n1\n```\n";
        assert_eq!(prose("Does it.\n\n  a\n\n    b\n\nResult: 1"), wanted);
    }
}
