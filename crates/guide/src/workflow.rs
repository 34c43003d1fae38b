//! What the guide answers to a goal: a script with its parts, a sketch, or what is missing; and the
//! header of its scripts.

use svc_contract::{
    registry::{Tried, record},
    value::Text,
};

const GOAL: &str = "# Goal: ";
const TAKES: &str = "# Takes: ";
const TOUCHES: &str = "# Touches: ";

record! {
    /// A stage of a script.
    pub struct Step {
        /// The text of the stage in the script.
        stage: Text,
        /// The full name of the op that it calls; null if it calls none.
        op: Option<Text>,
        /// What the stage does.
        does: Text,
    }
}

record! {
    /// A param of the script.
    pub struct Need {
        /// The name of the param.
        name: Text,
        /// Its type.
        ty: Text,
        /// Its meaning.
        doc: Text,
    }
}

record! {
    /// A part of a goal that no component serves.
    pub struct Gap {
        /// The part, in the words of the goal.
        part: Text,
        /// The closest ops.
        nearest: Vec<Text>,
    }
}

record! {
    /// A part of a goal, and the stage of the script that does it.
    pub struct Part {
        /// The part, in the words of the goal.
        phrase: Text,
        /// The stage, as the script writes it.
        stage: Text,
    }
}

record! {
    /// A script for a goal, or the parts that are missing.
    pub struct Workflow {
        /// `script`: it does what the goal says. `sketch`: it leaves out a part, where it has a
        /// hole `?`, and does not run. `refused`: there is none.
        verdict: Text,
        /// Whether the script is whole.
        ok: bool,
        /// The goal.
        goal: Text,
        /// The script, which passes the check; a sketch with holes if `ok` is false; null if none
        /// was found.
        script: Option<Text>,
        /// The stages of the script, in order.
        steps: Vec<Step>,
        /// The phrases of the goal with the stages that serve them; empty if they are not known.
        parts: Vec<Part>,
        /// The params of the script.
        needs: Vec<Need>,
        /// The type of its result.
        result: Text,
        /// The estimate of tokens, money and time.
        envelope: Text,
        /// The effects of the script on the world.
        effects: Vec<Text>,
        /// Other pipelines for the same goal that pass the check.
        alternatives: Vec<Text>,
        /// The parts that no component serves.
        missing: Vec<Gap>,
        /// What the writer has to know before it can write the script; null if nothing.
        question: Option<Text>,
        /// Further notes about the script.
        notes: Vec<Text>,
    }
}

impl Workflow {
    /// The result without a script.
    pub fn none(goal: &str) -> Self {
        Self {
            verdict: "refused".into(),
            ok: false,
            goal: goal.into(),
            script: None,
            steps: Vec::new(),
            needs: Vec::new(),
            result: "".into(),
            envelope: "".into(),
            effects: Vec::new(),
            alternatives: Vec::new(),
            missing: Vec::new(),
            question: None,
            parts: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The result of a script that was tried.
    pub(crate) fn described(self, tried: &Tried) -> Self {
        Self {
            result: tried.gives.as_ref().map(ToString::to_string).unwrap_or_default().into(),
            envelope: tried.envelope.as_str().into(),
            effects: tried.effects.iter().map(|it| it.as_str().into()).collect(),
            ..self
        }
    }

    /// The result with a whole script.
    pub(crate) fn with_script(self, script: Text) -> Self {
        Self { verdict: "script".into(), ok: true, script: Some(script), ..self }
    }
}

/// The header of a script: its goal, its estimate, and its effects.
pub(crate) fn head(goal: &str, tried: &Tried) -> String {
    let goal = goal.split_whitespace().collect::<Vec<_>>().join(" ");
    let touches =
        if tried.effects.is_empty() { "nothing".to_owned() } else { tried.effects.join(", ") };
    format!("{GOAL}{goal}\n{TAKES}{}\n{TOUCHES}{touches}\n\n", tried.envelope)
}

/// A script without its header.
pub(crate) fn without_head(script: &str) -> String {
    let is_head = |it: &&str| [GOAL, TAKES, TOUCHES].iter().any(|head| it.starts_with(head));
    let lines: Vec<&str> = script.lines().filter(|it| !is_head(it)).collect();
    format!("{}\n", lines.join("\n").trim_start())
}
