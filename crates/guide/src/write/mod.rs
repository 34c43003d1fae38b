//! Scripts that a language model writes: the checker and the gate decide, and the model gets the
//! reasons in a conversation (`talk`).
//!
//! The answer is a record (`answer`): a script with the parts of the goal that its stages do, a
//! question, or what is impossible. Sure fixes are applied before errors are reported. The gate
//! (`gate`) holds for every script, also for those that the guide writes without a model.

use svc_contract::{
    registry::{Catalog, ErrorKind, OpError, Tried, Writer, record},
    value::Text,
};

use crate::{
    Gap, Part, Wanted, Workflow,
    workflow::{head, without_head},
};

use self::{
    answer::Answer,
    bounds::bounded,
    prompt::Prompt,
    talk::{Talk, of_errors, of_failure, of_ops, of_refusals},
};

mod answer;
mod bounds;
mod gate;
mod prompt;
mod shape;
mod talk;
mod words;

pub(crate) use gate::Gate;

/// A goal, and the result without a writer.
pub struct Proposal<'a> {
    pub wanted: &'a Wanted,
    /// The script without a writer.
    pub own: Workflow,
    /// What the writer is shown of that: a script for the same goal that has nothing of the content
    /// of files.
    pub draft: Option<&'a str>,
    /// Whether the writer is shown the names and types in the files of the goal.
    pub share: bool,
    /// The script to change, if one exists: then a failure has no other result.
    pub script: Option<&'a str>,
    /// A script of the writer that failed when it ran.
    pub failed: Option<&'a Failed>,
    /// The maximum number of calls of the writer.
    pub rounds: usize,
}

record! {
    /// A script that passes the check but fails on the files of its goal.
    pub struct Failed {
        /// The script.
        script: Text,
        /// What fails, without any value of the files.
        error: Text,
    }
}

/// The note on a script that a writer wrote.
pub const BY_MODEL: &str = "written by a language model; it passes the check";

/// Where a conversation stands.
struct State<'a> {
    talk: Talk,
    gate: Gate<'a>,
    /// The scripts of earlier answers, as they were tried.
    seen: Vec<String>,
    /// Whether further ops were shown.
    has_asked: bool,
    /// Whether the gate has refused a script.
    was_refused: bool,
    /// Whether an answer could not be read.
    was_unreadable: bool,
    /// The last script that does not check, with its errors.
    wrong: Option<(Tried, Vec<String>)>,
}

/// The reasons against a script, and the script if it does not act beyond the goal.
struct Refused {
    reasons: Vec<String>,
    sketch: Option<String>,
}

/// The end of a turn.
enum Turn {
    Next,
    /// The same script again.
    Repeated,
    Refused(Refused),
    Done(Box<Workflow>),
}

impl Proposal<'_> {
    /// Returns the script of the writer, its question, or the result without it.
    ///
    /// If the writer fails, it is not called again.
    pub async fn written(
        self,
        writer: &Writer,
        catalog: &dyn Catalog,
    ) -> Result<Workflow, OpError> {
        let Self { wanted, draft, script, .. } = &self;
        let shared = if self.share { wanted.seen.as_slice() } else { &[] };
        let prompt = Prompt { wanted, draft: *draft, shared, script: *script, catalog };
        let before = script.map(|it| catalog.tried(it).effects).unwrap_or_default();
        let mut state = State {
            talk: Talk::new(prompt.text()),
            gate: Gate::new(&wanted.goal, before, catalog),
            seen: Vec::new(),
            has_asked: false,
            was_refused: false,
            was_unreadable: false,
            wrong: None,
        };
        if let Some(failed) = self.failed {
            state.talk.reply(&failed.script, of_failure(failed, catalog));
        }
        for _ in 0..self.rounds {
            let answer = match writer.write(&state.talk.prompt()).await {
                Ok(answer) => answer,
                Err(error) => return self.after_failure(error),
            };
            match self.turn(&answer, &mut state, catalog) {
                Turn::Next => {}
                Turn::Repeated => break,
                Turn::Refused(refused) => return Ok(self.refused(refused)),
                Turn::Done(workflow) => return Ok(*workflow),
            }
        }
        Ok(self.open(state.wrong, catalog))
    }

    fn turn(&self, answer: &str, state: &mut State<'_>, catalog: &dyn Catalog) -> Turn {
        match Answer::read(answer) {
            Answer::Question(question) => {
                Turn::Done(Box::new(Workflow { question: Some(question), ..self.nothing() }))
            }
            Answer::Impossible(part) => Turn::Done(Box::new(self.impossible(&part))),
            Answer::Ops(_) if state.has_asked => {
                state.talk.reply(answer, "Write the script with these components.".into());
                Turn::Next
            }
            Answer::Ops(names) => {
                state.has_asked = true;
                state.talk.reply(answer, of_ops(&names, catalog));
                Turn::Next
            }
            Answer::Unreadable if state.was_unreadable => Turn::Repeated,
            Answer::Unreadable => {
                state.was_unreadable = true;
                state.talk.reply(answer, "This is not an answer of the expected form.".into());
                Turn::Next
            }
            Answer::Script { script, parts } => self.tried(answer, &script, parts, state, catalog),
        }
    }

    fn tried(
        &self,
        answer: &str,
        script: &str,
        parts: Vec<Part>,
        state: &mut State<'_>,
        catalog: &dyn Catalog,
    ) -> Turn {
        let bounds::Bounded { tried, note } = bounded(&catalog.fixed(script), catalog);
        let errors = self.errors(&tried, catalog);
        if !errors.is_empty() {
            let reply = of_errors(&tried, &errors, catalog);
            let is_repeated = state.seen.contains(&tried.text);
            state.seen.push(tried.text.clone());
            state.wrong = Some((tried, errors));
            state.talk.reply(answer, reply);
            return if is_repeated { Turn::Repeated } else { Turn::Next };
        }
        let mut reasons = state.gate.refusals(&tried);
        let acts = !reasons.is_empty();
        reasons.extend(state.gate.uncovered(&parts, &tried.text));
        if reasons.is_empty() && self.has_failed(&tried) {
            return Turn::Repeated;
        }
        if reasons.is_empty() {
            return Turn::Done(Box::new(self.taken(&tried, parts, note, catalog)));
        }
        if state.was_refused {
            let sketch = (!acts).then(|| tried.text.clone());
            return Turn::Refused(Refused { reasons, sketch });
        }
        state.was_refused = true;
        state.talk.reply(answer, of_refusals(&reasons));
        Turn::Next
    }

    /// Whether this is the script that failed when it ran.
    fn has_failed(&self, tried: &Tried) -> bool {
        let bare = |it: &str| without_head(it).trim().to_owned();
        self.failed.is_some_and(|it| bare(&it.script) == bare(&tried.text))
    }

    /// The problems of a script: all findings of the checker, or a wrong type.
    fn errors(&self, tried: &Tried, catalog: &dyn Catalog) -> Vec<String> {
        if !tried.errors.is_empty() {
            return tried.errors.clone();
        }
        let Some(gives) = &tried.gives else {
            return if self.script.is_some() {
                Vec::new()
            } else {
                vec!["missing main pipeline".into()]
            };
        };
        let wanted = self.wanted.output.as_deref();
        let misfit = wanted.filter(|it| !catalog.type_of(it).is_some_and(|ty| gives.fits(&ty)));
        misfit
            .map(|it| format!("expected a result of type {it}, found {gives}"))
            .into_iter()
            .collect()
    }

    fn taken(
        &self,
        tried: &Tried,
        parts: Vec<Part>,
        note: Option<String>,
        catalog: &dyn Catalog,
    ) -> Workflow {
        let whole = match self.script {
            Some(_) => tried.clone(),
            None => catalog.tried(&format!("{}{}", head(&self.wanted.goal, tried), tried.text)),
        };
        let mut notes = vec![BY_MODEL.into()];
        notes.extend(note.map(Into::into));
        let workflow = self.nothing().described(&whole).with_script(whole.text.as_str().into());
        Workflow { parts, notes, ..workflow }
    }

    fn impossible(&self, part: &str) -> Workflow {
        let goal = self.wanted.goal.as_str();
        let part = if part.trim().is_empty() { goal } else { part };
        let mut notes = vec!["the language model finds the goal impossible".into()];
        if self.own.ok {
            notes.push("the guide has a script without a model: use `--no-model`".into());
        }
        let missing = vec![Gap { part: part.into(), nearest: Vec::new() }];
        Workflow { missing, notes, ..self.nothing() }
    }

    /// The result after a failure of the writer: the script without it.
    fn after_failure(self, error: OpError) -> Result<Workflow, OpError> {
        // A writer that is not configured never works; and a change needs one.
        if error.kind == ErrorKind::Unsupported || self.script.is_some() {
            return Err(error);
        }
        Ok(self.without(format!("the language model did not answer: {error}")))
    }

    /// The result of the gate's second refusal. A script whose parts do not cover the goal is shown
    /// as a sketch; one that acts beyond the goal is not.
    fn refused(self, refused: Refused) -> Workflow {
        let Refused { reasons, sketch } = refused;
        let why = format!("the script of the language model is refused: {}", reasons.join("; "));
        if self.own.ok {
            return self.without(why);
        }
        let part = self.wanted.goal.as_str().into();
        let missing = vec![Gap { part, nearest: Vec::new() }];
        let verdict = if sketch.is_some() { "sketch" } else { "refused" };
        Workflow {
            verdict: verdict.into(),
            script: sketch.map(Into::into),
            missing,
            notes: vec![why.into()],
            ..self.nothing()
        }
    }

    /// The result if no script of the writer checks: the guide's own, or a sketch.
    fn open(self, wrong: Option<(Tried, Vec<String>)>, catalog: &dyn Catalog) -> Workflow {
        let Some((tried, errors)) = wrong else {
            let why = match self.failed {
                Some(it) => format!("the script of the language model fails: {}", it.error),
                None => "the language model wrote no script".to_owned(),
            };
            return self.without(why);
        };
        let why = format!(
            "the script of the language model does not pass the check: {}",
            errors.join("\n")
        );
        if self.own.ok {
            return self.without(why);
        }
        let Some(sketch) = catalog.sketched(&tried.text) else { return self.without(why) };
        let open = "a sketch: replace each `?`, for which `svc check` shows what fits";
        Workflow {
            verdict: "sketch".into(),
            script: Some(sketch.as_str().into()),
            missing: self.own.missing.clone(),
            notes: vec![why.into(), open.into()],
            ..self.nothing()
        }
    }

    fn without(self, note: String) -> Workflow {
        let mut own = self.own;
        own.notes.push(note.into());
        own
    }

    fn nothing(&self) -> Workflow {
        Workflow::none(&self.wanted.goal)
    }
}

/// The guide's own result behind the gate: a script that acts beyond its goal is withheld, and one
/// that spends gets bounds that are valid here.
pub fn guarded(own: Workflow, wanted: &Wanted, catalog: &dyn Catalog) -> Workflow {
    let Some(script) = own.script.clone().filter(|_| own.ok) else { return own };
    let bounds::Bounded { tried, note } = bounded(&script, catalog);
    let reasons = Gate::new(&wanted.goal, Vec::new(), catalog).refusals(&tried);
    if !reasons.is_empty() {
        let notes = reasons.into_iter().map(Into::into).collect();
        return Workflow { notes, ..Workflow::none(&wanted.goal) };
    }
    if tried.text.trim() == script.trim() {
        return own;
    }
    let body = without_head(&tried.text);
    let whole = catalog.tried(&format!("{}{body}", head(&wanted.goal, &tried)));
    let notes = own.notes.iter().cloned().chain(note.map(Into::into)).collect();
    let script = Some(whole.text.as_str().into());
    let (envelope, effects) = (whole.envelope.as_str().into(), own.effects.clone());
    Workflow { script, envelope, effects, notes, ..own }
}
