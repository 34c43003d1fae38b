//! Converts a goal in words to a script that passes the check.
//!
//! The goal is split into steps (`goal`), the documentation determines the ops that each step
//! mentions (`mention`), a search over types chains them (`route`) with arguments from the goal's
//! own words (`arguments`), and the checker decides what is valid (`finish`). A language model may
//! write the script instead ([`super::write`]).

use svc_contract::{registry::record, value::Text};

mod arguments;
mod asking;
mod begin;
mod branches;
mod calls;
mod conditions;
mod coordination;
mod draft;
mod fields;
mod filters;
mod finish;
mod forbidden;
mod goal;
mod idioms;
mod implied;
mod items;
mod library;
mod lists;
mod literals;
mod mention;
mod open;
mod output;
mod phrases;
mod route;
mod several;
mod sources;
mod spelling;
mod strength;
mod tokens;
mod unexplained;

pub use finish::{Wanted, planned};

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
