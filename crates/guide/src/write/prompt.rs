//! What a writer is shown: the language, the ops for the goal, and the form of its answer.

use std::collections::{BTreeMap, BTreeSet};

use svc_contract::registry::{Catalog, OpRef, Param, Scheme};

use super::shape::shapes;
use super::{
    answer::FORM,
    words::{content, has},
};
use crate::{CARD, Seen, Wanted};

/// The maximum number of ops with their signatures.
const MOST_OPS: usize = 30;

/// The number of ops for each step of the goal.
const OPS_OF_A_STEP: usize = 8;

/// The maximum number of flows of the standard library.
const MOST_FLOWS: usize = 3;

/// The maximum length of an example in a prompt.
const LONGEST_EXAMPLE: usize = 240;

/// The prompt for a script, or for the change of one.
pub(super) struct Prompt<'a> {
    pub(super) wanted: &'a Wanted,
    /// A script of the guide that has nothing of the content of files.
    pub(super) draft: Option<&'a str>,
    /// Files whose names and types may be shown.
    pub(super) shared: &'a [Seen],
    /// The script to change.
    pub(super) script: Option<&'a str>,
    pub(super) catalog: &'a dyn Catalog,
}

impl Prompt<'_> {
    pub(super) fn text(&self) -> String {
        let ops = self.ops();
        let sections = [
            "You write scripts in svc, a pipeline language that is checked before it runs.".into(),
            CARD.to_owned(),
            format!("Components for this goal, each with an example:\n{}", signatures(&ops)),
            records(&ops),
            self.library(),
            self.names(&ops),
            shapes(self.shared),
            self.task(),
            self.form().to_owned(),
        ];
        let sections = sections.into_iter().filter(|it| !it.is_empty());
        sections.collect::<Vec<_>>().join("\n\n")
    }

    /// The ops that a search finds for the goal, and for each of its steps.
    fn ops(&self) -> Vec<OpRef> {
        let topics = self.catalog.topics();
        let goal = &self.wanted.goal;
        let steps: Vec<&str> = goal.split([',', ';', '.', '\n']).collect();
        let mut found: Vec<OpRef> = Vec::new();
        for (text, most) in
            steps.iter().map(|it| (*it, OPS_OF_A_STEP)).chain([(goal.as_str(), MOST_OPS)])
        {
            let new = topics.find(text).into_iter().filter_map(|it| it.topic.op());
            found.extend(new.take(most));
        }
        let called = self.script.map(|it| self.catalog.tried(it).ops).unwrap_or_default();
        let mut seen = BTreeSet::new();
        let all = called.into_iter().chain(found);
        all.filter(|it| seen.insert(it.to_string())).take(MOST_OPS).collect()
    }

    /// The flows of the standard library with the most words of the goal.
    fn library(&self) -> String {
        let words = content(&self.wanted.goal);
        let score = |text: &str| {
            let known = content(text);
            words.iter().filter(|it| has(&known, it)).count()
        };
        let mut flows: Vec<_> = self.catalog.library();
        flows.retain(|it| !it.doc.is_empty());
        flows.sort_by_key(|it| std::cmp::Reverse(score(&format!("{} {}", it.name, it.doc))));
        let lines = flows.iter().take(MOST_FLOWS).map(|it| {
            let (module, name, params) = (it.module, &it.name, it.params.join(", "));
            format!("use \"std:{module}\" as {module}  # {module}.{name}({params}): {}", it.doc)
        });
        let lines: Vec<String> = lines.collect();
        format!("Flows of the standard library that may help:\n{}", lines.join("\n"))
    }

    fn names(&self, shown: &[OpRef]) -> String {
        let components = self.catalog.registry().components().iter().copied();
        let all = components.flat_map(|component| {
            component.ops.iter().map(move |op| OpRef { component, op }.script_name())
        });
        let shown: Vec<String> = shown.iter().map(OpRef::script_name).collect();
        let rest: Vec<String> = all.filter(|it| !shown.contains(it)).collect();
        format!("All other components, by name:\n{}", rest.join(" "))
    }

    fn task(&self) -> String {
        let Wanted { goal, input, output, .. } = self.wanted;
        let mut lines = vec![format!("Goal: {goal}")];
        if let Some(script) = self.script {
            lines.push(format!(
                "Change this script so that it reaches the goal, and nothing else of it:\n\
                 ```svc\n{script}\n```"
            ));
        } else if let Some(draft) = self.draft {
            lines
                .push(format!("A first draft, which checks and may be wrong:\n```svc\n{draft}```"));
        }
        lines.extend(input.iter().map(|it| format!("Its input has the type {it}.")));
        lines.extend(output.iter().map(|it| format!("Its result has the type {it}.")));
        lines.join("\n")
    }

    fn form(&self) -> &'static str {
        if self.script.is_some() { FOR_A_CHANGE } else { FOR_A_SCRIPT }
    }
}

const FOR_A_SCRIPT: &str = "Each word of the goal that has a meaning is in the `phrase` of a part, as the goal \
writes it; `stage` is the stage of the script that does it. Write no files, run no programs, ask no \
people and call no language model unless the goal asks for it. What the goal leaves open is a `param`.";

const FOR_A_CHANGE: &str = "Each word of the goal that has a meaning is in the `phrase` of a part, as the goal \
writes it; `stage` is the stage of the changed script that does it. `script` is the whole script \
after the change. Do nothing that neither the old script does nor the goal asks for.";

/// The last lines of a prompt.
pub(super) fn answer_form() -> String {
    format!(
        "Answer with one JSON object: {FORM}\n\
         `verdict` is `script`; or `question`, if the user must decide something first, with the \
         question in `missing`; or `impossible`, if no component does a part of the goal, with that \
         part in `missing`; or, once, `ops`, with the names of further components in `ops`, to see \
         their signatures."
    )
}

/// One op a line, each with its example.
pub(super) fn signatures(ops: &[OpRef]) -> String {
    ops.iter().map(|it| signature(*it)).collect::<Vec<_>>().join("\n")
}

fn signature(op: OpRef) -> String {
    let params: Vec<String> = op.op.params.iter().map(Param::signature).collect();
    let summary = op.op.summary().replace('\n', " ");
    let (name, params, yields) = (op.script_name(), params.join(", "), op.op.yields.show());
    let line = format!("{name}({params}) -> {yields}: {summary}");
    let example = op.op.examples.iter().find(|it| it.yields.is_ok());
    match example.filter(|it| it.script.len() <= LONGEST_EXAMPLE) {
        Some(example) => format!("{line}\n    {}", example.script.replace('\n', "\n    ")),
        None => line,
    }
}

/// The record types that the signatures name.
fn records(ops: &[OpRef]) -> String {
    let mut found = BTreeMap::new();
    for op in ops {
        let params = op.op.params.iter().map(|it| it.scheme);
        for scheme in params.chain([*op.op.yields]) {
            records_of(scheme, &mut found);
        }
    }
    if found.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = found.into_values().collect();
    format!("Their record types:\n{}", lines.join("\n"))
}

fn records_of(scheme: Scheme, found: &mut BTreeMap<&'static str, String>) {
    match scheme {
        Scheme::Record(name, fields) => {
            if !name.is_empty() && !found.contains_key(name) {
                let shown: Vec<String> =
                    fields.iter().map(|it| format!("{}: {}", it.name, it.scheme.show())).collect();
                found.insert(name, format!("type {name} = {{ {} }}", shown.join(", ")));
            }
            for field in fields {
                records_of(field.scheme, found);
            }
        }
        Scheme::List(inner, _) | Scheme::Map(inner) | Scheme::Optional(inner) => {
            records_of(*inner, found);
        }
        Scheme::Flow(takes, gives, _) => {
            records_of(*takes, found);
            records_of(*gives, found);
        }
        _ => {}
    }
}
