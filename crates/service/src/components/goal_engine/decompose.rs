//! A goal as steps: the guide's script for the whole of it, or for each of its parts.

use svc_contract::{
    registry::{Catalog, OpError, OpRef, record},
    value::{Text, Type},
};
use svc_guide::{Wanted, Workflow, planned};

use super::{
    clauses::{Clause, Verbs, clauses},
    cover::{Covering, asks_a_person, covering, nearest, path_of, reader_for},
};

record! {
    /// One step towards a goal.
    pub(super) struct GoalStep {
        /// The part of the goal that it does.
        title: Text,
        /// The component; null for a stage of the language, such as `where`.
        component: Option<Text>,
        /// The op of the component.
        op: Option<Text>,
        /// The positions of the steps whose results it uses, from 0.
        depends_on: Vec<i64>,
        /// Why this op, or the stage as a script writes it.
        rationale: Text,
    }
}

record! {
    /// A part of a goal that nothing does.
    pub(super) struct MissingPart {
        /// The part, in the words of the goal.
        part: Text,
        /// The closest ops.
        nearest: Vec<Text>,
    }
}

record! {
    /// A goal as steps.
    pub(super) struct GoalPlan {
        /// The goal.
        goal: Text,
        /// The steps, in an order in which they can be done.
        steps: Vec<GoalStep>,
        /// The parts that no op does.
        missing: Vec<MissingPart>,
        /// How sure it is, 0 to 1: 0 if no part has a step.
        confidence: f64,
    }
}

/// The confidence in a script for the whole goal, in one for a part, and in an op whose
/// documentation has the words of a part.
const OF_WHOLE: f64 = 0.95;
const OF_PART: f64 = 0.85;
const OF_WORDS: f64 = 0.7;

pub(super) fn decomposed(
    goal: &str,
    max_steps: usize,
    context: Option<&str>,
    catalog: &dyn Catalog,
) -> Result<GoalPlan, OpError> {
    if !goal.contains(char::is_alphanumeric) {
        return Err(OpError::invalid_input("empty goal").help("describe what you want"));
    }
    let mut plan = Draft { catalog, steps: Vec::new(), missing: Vec::new(), sure: Vec::new() };
    let clauses = clauses(goal, &Verbs::of(catalog.registry()));
    let has_person = clauses.iter().any(|it| asks_a_person(&it.text));
    let whole = if has_person { None } else { whole(goal, context, catalog)? };
    match whole {
        Some(workflow) => {
            plan.add(&workflow, &Clause { text: goal.to_owned(), goes_on: false });
            plan.sure.push(OF_WHOLE);
        }
        None => {
            for clause in &clauses {
                plan.part(clause)?;
            }
        }
    }
    Ok(plan.finished(goal, max_steps))
}

/// The script for the whole goal, with what else is known where the goal alone is not enough.
fn whole(
    goal: &str,
    context: Option<&str>,
    catalog: &dyn Catalog,
) -> Result<Option<Workflow>, OpError> {
    let alone = script(goal, catalog)?;
    let Some(context) = context.filter(|it| it.contains(char::is_alphanumeric)) else {
        return Ok(alone);
    };
    if alone.as_ref().is_some_and(|it| it.needs.is_empty()) {
        return Ok(alone);
    }
    let known = script(&format!("{} {}", goal.trim_end_matches('.'), context), catalog)?;
    Ok(known.or(alone))
}

fn script(goal: &str, catalog: &dyn Catalog) -> Result<Option<Workflow>, OpError> {
    let wanted = Wanted {
        goal: goal.to_owned(),
        max_steps: 50,
        input: None,
        output: None,
        has_looked: false,
        seen: Vec::new(),
    };
    let workflow = planned(&wanted, catalog)?;
    Ok((workflow.ok && workflow.steps.iter().any(|it| it.op.is_some())).then_some(workflow))
}

/// The script for one part, also without a verb that only says that something is to be had.
fn part_script(clause: &Clause, catalog: &dyn Catalog) -> Result<Option<Workflow>, OpError> {
    const LIGHT: [&str; 11] = [
        "what is ",
        "what are ",
        "compute ",
        "calculate ",
        "get ",
        "give me ",
        "show me ",
        "show ",
        "work out ",
        "determine ",
        "return ",
    ];
    if let Some(workflow) = script(&clause.text, catalog)? {
        return Ok(Some(workflow));
    }
    let lower = clause.text.to_ascii_lowercase();
    match LIGHT.iter().find_map(|it| lower.strip_prefix(it)) {
        Some(rest) => script(&clause.text[clause.text.len() - rest.len()..], catalog),
        None => Ok(None),
    }
}

struct Draft<'a> {
    catalog: &'a dyn Catalog,
    /// Each with the type of what it takes and gives, where an op does it.
    steps: Vec<(GoalStep, Option<OpRef>)>,
    missing: Vec<MissingPart>,
    /// The confidence in each part; 0 for a missing one.
    sure: Vec<f64>,
}

impl Draft<'_> {
    /// Adds the steps of a part, or notes that nothing does it.
    fn part(&mut self, clause: &Clause) -> Result<(), OpError> {
        let covered = covering(&clause.text, !self.sure.is_empty(), self.catalog);
        // What goes on with a result has no beginning of its own.
        let is_sure = matches!(&covered, Some(Covering::Op(_, it)) if *it >= 1.0);
        let is_known = is_sure && (clause.goes_on || asks_a_person(&clause.text));
        let written = if is_known { None } else { part_script(clause, self.catalog)? };
        if let Some(workflow) = written {
            self.add(&workflow, clause);
            self.sure.push(OF_PART);
            return Ok(());
        }
        match covered {
            Some(Covering::Op(op, covered)) => {
                let depends_on = match reader_for(&clause.text, op, self.catalog) {
                    Some(reader) => {
                        self.push(reader.op.summary(), Some(reader), because(reader), Vec::new());
                        self.last()
                    }
                    None => self.source_of(clause, op),
                };
                self.push(&clause.text, Some(op), because(op), depends_on);
                self.sure.push(OF_WORDS * covered);
            }
            Some(Covering::Stage(name, does, covered)) => {
                let depends_on = self.last();
                self.push(&clause.text, None, format!("`{name}`: {does}"), depends_on);
                self.sure.push(OF_WORDS * covered);
            }
            None => {
                let nearest = nearest(&clause.text, self.catalog);
                self.missing.push(MissingPart { part: clause.text.as_str().into(), nearest });
                self.sure.push(0.0);
            }
        }
        Ok(())
    }

    /// Adds the stages of a script, each after the one before it.
    fn add(&mut self, workflow: &Workflow, clause: &Clause) {
        let registry = self.catalog.registry();
        let mut is_first = true;
        for (at, step) in workflow.steps.iter().enumerate() {
            let op = step.op.as_deref().and_then(|it| registry.resolve(it));
            // A value or a param that the others begin with.
            if op.is_none() && at == 0 {
                continue;
            }
            let phrase = workflow.parts.iter().find(|it| it.stage == step.stage);
            let title = match phrase {
                Some(it) if !it.phrase.is_empty() => it.phrase.as_ref(),
                _ => op.map_or(step.stage.as_ref(), |it: OpRef| it.op.summary()),
            };
            let title = title.lines().next().unwrap_or_default().to_owned();
            let rationale = match op {
                Some(op) => format!("`{}`: {}", step.stage, first_line(op)),
                None => format!("`{}`", step.stage),
            };
            let depends_on = match op {
                _ if !is_first => self.last(),
                Some(op) => self.source_of(clause, op),
                None if clause.goes_on => self.last(),
                None => Vec::new(),
            };
            self.push(&title, op, rationale, depends_on);
            is_first = false;
        }
    }

    fn push(&mut self, title: &str, op: Option<OpRef>, rationale: String, depends_on: Vec<i64>) {
        let step = GoalStep {
            title: title.into(),
            component: op.map(|it| it.component.name.into()),
            op: op.map(|it| it.op.name.into()),
            depends_on,
            rationale: rationale.into(),
        };
        self.steps.push((step, op));
    }

    fn last(&self) -> Vec<i64> {
        let last = self.steps.len().checked_sub(1).and_then(|it| i64::try_from(it).ok());
        last.into_iter().collect()
    }

    /// The step whose result the first op of a part uses: the one before it, if the words say so, or
    /// if the part names nothing to begin with and the types fit.
    fn source_of(&self, clause: &Clause, op: OpRef) -> Vec<i64> {
        let Some((_, before)) = self.steps.last() else { return Vec::new() };
        // The file of what writes is where the result goes.
        if clause.goes_on || op.op.writes() {
            return self.last();
        }
        let names_something =
            path_of(&clause.text).is_some() || clause.text.contains(['"', '[', '{']);
        let fits = before.is_none_or(|it| self.fits(it, op));
        if !names_something && fits { self.last() } else { Vec::new() }
    }

    /// Whether the result of an op can become the input of another one.
    fn fits(&self, from: OpRef, to: OpRef) -> bool {
        let (gives, takes) = (from.op.yields.plain(), to.op.input().map(|it| it.scheme.plain()));
        let Some(takes) = takes else { return false };
        takes == Type::Unknown || self.catalog.way_between(&gives, &takes).is_some()
    }

    fn finished(mut self, goal: &str, max_steps: usize) -> GoalPlan {
        for (step, op) in self.steps.drain(max_steps.min(self.steps.len())..) {
            let nearest = op.map(|it| it.script_name().into()).into_iter().collect();
            self.missing.push(MissingPart { part: step.title, nearest });
            self.sure.push(0.0);
        }
        #[expect(clippy::cast_precision_loss, reason = "a handful of parts")]
        let confidence = self.sure.iter().sum::<f64>() / self.sure.len().max(1) as f64;
        GoalPlan {
            goal: goal.into(),
            steps: self.steps.into_iter().map(|it| it.0).collect(),
            missing: self.missing,
            confidence: (confidence * 100.0).round() / 100.0,
        }
    }
}

fn because(op: OpRef) -> String {
    format!("`{}`: {}", op.script_name(), first_line(op))
}

fn first_line(op: OpRef) -> &'static str {
    op.op.summary().lines().next().unwrap_or_default().trim()
}
