//! A script that is being written.

use svc_contract::{registry::OpRef, value::Type};

use super::{filters, goal::Clause};

/// A pipeline and the declarations before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The imported module of the standard library.
    pub(super) uses: Option<&'static str>,
    /// Parallel pipelines, with the names that they are bound to.
    pub(super) lets: Vec<(&'static str, String)>,
    /// The params of the script: declarations with documentation.
    pub(super) params: Vec<Asked>,
    pub(super) stages: Vec<Stage>,
    /// The type of the incoming value of a branch: its first stage is `it`.
    pub(super) entered: Option<Type>,
    /// The type of the result so far; `None` while the draft is empty.
    pub(super) ty: Option<Type>,
    /// How well the draft matches the goal.
    pub(super) score: f64,
    /// The literals that it uses, by step and index in the step.
    pub(super) used: Vec<(usize, usize)>,
}

/// A param of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) doc: String,
}

/// One stage, or the value at the start.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) text: String,
    /// What it does, for a comment.
    pub(super) note: String,
    /// Whether it works on each item separately.
    pub(super) per_item: bool,
    pub(super) op: Option<OpRef>,
}

impl Stage {
    pub(super) fn value(text: impl Into<String>) -> Self {
        Self { text: text.into(), note: String::new(), per_item: false, op: None }
    }

    pub(super) fn of(op: OpRef, text: String) -> Self {
        Self { text, note: short_doc(op), per_item: false, op: Some(op) }
    }
}

impl Draft {
    pub(super) fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Whether it begins with a param of the script because the goal has no value.
    pub(super) fn begins_asked(&self) -> bool {
        self.stages.first().is_some_and(|it| it.text == "given")
    }

    /// The names of the ops of its stages.
    pub(super) fn ops(&self) -> impl Iterator<Item = String> {
        self.stages.iter().filter_map(|it| it.op).map(|it| it.script_name())
    }

    /// The params, the branches and the pipeline, without comments.
    pub(super) fn script(&self) -> String {
        let stages = joined(&self.stages, false);
        format!("{}{}{}{stages}", self.used_module(), self.declared(false), self.bound())
    }

    /// The script with a comment for each stage.
    pub(super) fn explained(&self) -> String {
        let stages = joined(&self.stages, true);
        format!("{}{}{}{stages}\n", self.used_module(), self.declared(true), self.bound())
    }

    /// Adds a param, once.
    pub(super) fn ask(&mut self, asked: Asked) {
        if !self.params.contains(&asked) {
            self.params.push(asked);
        }
    }

    /// Converts the last stage, which tests each item, to a filter.
    pub(super) fn keep(&mut self, clause: &Clause) {
        if let Some(last) = self.stages.last_mut() {
            *last = filters::kept(last, clause);
        }
    }

    fn used_module(&self) -> String {
        self.uses.map(|it| format!("use \"std:{it}\" as {it}\n\n")).unwrap_or_default()
    }

    fn declared(&self, with_docs: bool) -> String {
        let param = |it: &Asked| {
            let doc = if with_docs { format!("## {}\n", it.doc) } else { String::new() };
            format!("{doc}param {}: {}\n\n", it.name, it.ty)
        };
        self.params.iter().map(param).collect()
    }

    fn bound(&self) -> String {
        let lets = self.lets.iter().map(|(name, pipeline)| format!("let {name} = {pipeline}\n"));
        lets.collect::<Vec<_>>().concat()
    }
}

/// Formats stages as one pipeline; adjacent stages per item share one block.
pub(super) fn joined(stages: &[Stage], with_notes: bool) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for (per_item, group) in runs(stages) {
        if per_item {
            let inner: Vec<&str> = group.iter().map(|it| it.text.as_str()).collect();
            let notes: Vec<&str> =
                group.iter().map(|it| it.note.as_str()).filter(|it| !it.is_empty()).collect();
            lines.push((format!("each {{ {} }}", inner.join(" >> ")), notes.join("; ")));
        } else {
            lines.extend(group.iter().map(|it| (it.text.clone(), it.note.clone())));
        }
    }
    let line = |(idx, (text, note)): (usize, &(String, String))| {
        let lead = if idx == 0 { "" } else { "\n  >> " };
        if with_notes && !note.is_empty() {
            format!("{lead}{text}  # {note}")
        } else {
            format!("{lead}{text}")
        }
    };
    lines.iter().enumerate().map(line).collect()
}

/// Groups adjacent stages that all work per item, or all on the whole value.
fn runs(stages: &[Stage]) -> Vec<(bool, Vec<&Stage>)> {
    let mut runs: Vec<(bool, Vec<&Stage>)> = Vec::new();
    for stage in stages {
        match runs.last_mut() {
            Some((per_item, run)) if *per_item == stage.per_item => run.push(stage),
            _ => runs.push((stage.per_item, vec![stage])),
        }
    }
    runs
}

/// A short description of an op: its summary up to a punctuation mark after which only details
/// follow.
fn short_doc(op: OpRef) -> String {
    const LEAST: usize = 24;
    let summary = op.op.summary().replace('\n', " ");
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    // The text after a comma may be another thing that the op does.
    let is_list = |rest: &str| rest.contains(" or ");
    let ends = |(idx, it): &(usize, char)| match it {
        '.' => summary[idx + 1..].starts_with(' ') || idx + 1 == summary.len(),
        ';' | ':' => *idx >= LEAST,
        ',' => *idx >= LEAST && !is_list(&summary[*idx..]),
        _ => false,
    };
    let end = summary.char_indices().find(ends).map_or(summary.len(), |(idx, _)| idx);
    let mut chars = summary[..end].chars();
    let first = chars.next().map(|it| it.to_lowercase().to_string()).unwrap_or_default();
    format!("{first}{}", chars.as_str())
}
