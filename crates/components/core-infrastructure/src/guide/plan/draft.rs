//! A script that is being written.

use svc_contract::{registry::OpRef, value::Type};

use super::{filters, goal::Clause};

/// A pipeline and what stands before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// The module of the standard library that it uses.
    pub(super) uses: Option<&'static str>,
    /// Pipelines that run beside each other, by the names that they are bound to.
    pub(super) lets: Vec<(&'static str, String)>,
    /// What the script is given from outside: a declaration with its documentation.
    pub(super) params: Vec<Asked>,
    pub(super) stages: Vec<Stage>,
    /// What enters it, where it is a branch: its first stage is `it`.
    pub(super) entered: Option<Type>,
    /// What it gives so far; nothing before there is anything.
    pub(super) ty: Option<Type>,
    /// How well it serves the goal.
    pub(super) score: f64,
    /// The literals that it takes, by the step and the place in it.
    pub(super) used: Vec<(usize, usize)>,
}

/// An input of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) doc: String,
}

/// One stage, or the value at the head.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) text: String,
    /// What it does, for a comment.
    pub(super) note: String,
    /// Whether it works on every item by itself.
    pub(super) per_item: bool,
    pub(super) op: Option<OpRef>,
}

impl Stage {
    pub(super) fn value(text: impl Into<String>) -> Self {
        Self { text: text.into(), note: String::new(), per_item: false, op: None }
    }

    pub(super) fn of(op: OpRef, text: String) -> Self {
        Self { text, note: told(op), per_item: false, op: Some(op) }
    }
}

impl Draft {
    pub(super) fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Whether it begins with what the script is given, as the goal gives nothing.
    pub(super) fn begins_asked(&self) -> bool {
        self.stages.first().is_some_and(|it| it.text == "given")
    }

    /// The ops of its stages, by their names.
    pub(super) fn ops(&self) -> impl Iterator<Item = String> {
        self.stages.iter().filter_map(|it| it.op).map(|it| it.script_name())
    }

    /// The inputs, the branches and the pipeline, without comments.
    pub(super) fn script(&self) -> String {
        let stages = joined(&self.stages, false);
        format!("{}{}{}{stages}", self.used_module(), self.declared(false), self.bound())
    }

    /// The same with what each stage does.
    pub(super) fn explained(&self) -> String {
        let stages = joined(&self.stages, true);
        format!("{}{}{}{stages}\n", self.used_module(), self.declared(true), self.bound())
    }

    /// Adds an input, once.
    pub(super) fn ask(&mut self, asked: Asked) {
        if !self.params.contains(&asked) {
            self.params.push(asked);
        }
    }

    /// Makes a filter of the last stage, which tells of each item whether something holds.
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

/// Stages as one pipeline; those of each item stand in one block.
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
        match with_notes && !note.is_empty() {
            true => format!("{lead}{text}  # {note}"),
            false => format!("{lead}{text}"),
        }
    };
    lines.iter().enumerate().map(line).collect()
}

/// Stages that follow each other and are alike in working on items or not.
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

/// What an op does, in one short line: its summary up to a sign behind which it only says more.
fn told(op: OpRef) -> String {
    const LEAST: usize = 24;
    let summary = op.op.summary().replace('\n', " ");
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    // What stands behind a comma may be another thing that it does.
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
