//! Pipelines composed in Rust, as scripts.

use std::{fmt, ops::Shr};

use svc_contract::value::{Value, json, literal};
use svc_lang::diag::Source;

/// A stage, or stages joined by `>>`.
///
/// ```
/// use svc_engine::block;
///
/// let pipeline = block("split").arg("sep", ",") >> block("reverse");
/// assert_eq!(pipeline.to_string(), r#"split(sep: ",") >> reverse"#);
/// ```
#[derive(Clone, Debug)]
pub struct Block {
    stages: Vec<Stage>,
}

#[derive(Clone, Debug)]
struct Stage {
    name: String,
    args: Vec<(String, Value)>,
}

/// A stage by its name: a component's, or `component.op`.
pub fn block(name: impl Into<String>) -> Block {
    Block { stages: vec![Stage { name: name.into(), args: Vec::new() }] }
}

impl Block {
    /// Adds an argument to the last stage.
    #[must_use]
    pub fn arg(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let last = self.stages.last_mut().expect("a block has a stage");
        last.args.push((name.into(), value.into()));
        self
    }
}

impl Shr for Block {
    type Output = Self;

    fn shr(mut self, next: Self) -> Self {
        self.stages.extend(next.stages);
        self
    }
}

impl fmt::Display for Block {
    /// Writes the block as a script.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, stage) in self.stages.iter().enumerate() {
            let pipe = if idx == 0 { "" } else { " >> " };
            write!(f, "{pipe}{}", stage.name)?;
            if stage.args.is_empty() {
                continue;
            }
            let args: Vec<String> =
                stage.args.iter().map(|(name, it)| format!("{name}: {}", written(it))).collect();
            write!(f, "({})", args.join(", "))?;
        }
        Ok(())
    }
}

impl From<Block> for Source {
    fn from(block: Block) -> Self {
        Self::new("block", block.to_string())
    }
}

/// A value as the language writes it, or as JSON if the language has no literal for it.
fn written(value: &Value) -> String {
    literal::written(value).unwrap_or_else(|| json::write(value))
}
