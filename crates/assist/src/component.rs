//! The documentation of a component as a page that an editor can open.

use svc_contract::registry::{Component, Example, OpRef};

use super::Callable;

/// The documentation of a component, as Markdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentPage {
    pub text: String,
    /// Where its ops begin, in their order: offsets in bytes.
    ops: Vec<usize>,
}

impl ComponentPage {
    pub fn new(component: &'static Component) -> Self {
        let mut text = format!("# {}\n\n{}\n", component.name, component.summary);
        text += &format!("\n{}, version {}.\n", component.cluster, component.version);
        let bias = component.bias;
        if !bias.strategy.is_empty() {
            text += &format!("\nStrategy: {}.\n", bias.strategy);
        }
        if !bias.assumptions.is_empty() {
            text += &format!("\nAssumes:\n\n- {}\n", bias.assumptions.join("\n- "));
        }
        let mut ops = Vec::new();
        for op in component.ops {
            let op = OpRef { component, op };
            text.push('\n');
            ops.push(text.len());
            text += &format!("## {}\n\n{}\n", op.script_name(), Callable::Op(op).page());
            text.extend(op.op.examples.iter().map(example));
        }
        Self { text, ops }
    }

    /// Where an op begins: an offset in bytes.
    pub fn op(&self, op: OpRef) -> usize {
        let idx = op.component.ops.iter().position(|it| it.name == op.op.name);
        idx.and_then(|it| self.ops.get(it)).copied().unwrap_or_default()
    }
}

fn example(example: &Example) -> String {
    let with: Vec<String> =
        example.files.iter().map(|(path, _)| format!(" With `{path}`.")).collect();
    let with = with.concat();
    let (title, script) = (example.title, example.script.trim());
    let result = match example.yields {
        Ok(json) => format!("```json\n{}\n```\n", json.trim()),
        Err(message) => format!("Fails: {message}\n"),
    };
    format!("\n{title}:{with}\n\n```svc\n{script}\n```\n\n{result}")
}
