//! A goal as steps: the guide's script for the whole of it, or for each of its parts.

use svc_contract::{
    registry::{Catalog, OpError, OpRef, Place, record},
    value::{Text, Type},
};
use svc_guide::{Wanted, Workflow, planned};
use svc_text::stems::Vocabulary;

use super::clauses::{Clause, Verbs, clauses};

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

/// The share of a part's words that the name, the phrasings or the summary of an op must have.
const LEAST_COVERED: f64 = 0.6;

/// The confidence in a script for the whole goal, in one for a part, and in an op whose
/// documentation has the words of a part.
const OF_WHOLE: f64 = 0.95;
const OF_PART: f64 = 0.85;
const OF_WORDS: f64 = 0.7;

/// How many ops are named for a part that nothing does.
const MOST_NEAREST: usize = 3;

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
    match whole(goal, context, catalog)? {
        Some(workflow) => {
            plan.add(&workflow, &Clause { text: goal.to_owned(), goes_on: false });
            plan.sure.push(OF_WHOLE);
        }
        None => {
            for clause in clauses(goal, &Verbs::of(catalog.registry())) {
                plan.part(&clause)?;
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
        if let Some(workflow) = script(&clause.text, self.catalog)? {
            self.add(&workflow, clause);
            self.sure.push(OF_PART);
            return Ok(());
        }
        match covering(&clause.text, self.catalog) {
            Some((op, covered)) => {
                let rationale = format!("`{}`: {}", op.script_name(), first_line(op));
                self.push(clause.text.as_str(), Some(op), rationale, self.source_of(clause, op));
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
        if clause.goes_on {
            return self.last();
        }
        let names_something = svc_guide::named(&clause.text).into_iter().next().is_some()
            || clause.text.contains(['"', '[', '{']);
        let fits = before.is_some_and(|it| self.fits(it, op));
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

fn first_line(op: OpRef) -> &'static str {
    op.op.summary().lines().next().unwrap_or_default().trim()
}

/// The op whose name, phrasings or summary have the words of a part, and their share by weight.
fn covering(part: &str, catalog: &dyn Catalog) -> Option<(OpRef, f64)> {
    let topics = catalog.topics();
    let mut vocabulary = Vocabulary::default();
    let words: Vec<_> = vocabulary
        .read(part)
        .filter(|it| !it.is_stop && !is_value(part, &it.range))
        .map(|it| it.range)
        .collect();
    // A word that nothing has is as rare as can be.
    let rarest = 6.0;
    let weight = |range: &std::ops::Range<usize>| match topics.rarity(&part[range.clone()].to_lowercase()) {
        it if it > 0.0 => it,
        _ => rarest,
    };
    let total: f64 = words.iter().map(weight).sum();
    let first = words.first()?;
    let found = topics.find(part);
    let best = found.iter().take(5).filter_map(|it| {
        let op = it.topic.op().filter(|it| it.op.lacks().is_none())?;
        let has = |range: &std::ops::Range<usize>| {
            it.words.iter().any(|(at, place)| at == range && *place < Place::Details)
        };
        let covered: f64 = words.iter().filter(|it| has(it)).map(weight).sum();
        has(first).then_some((op, covered / total))
    });
    let best = best.max_by(|one, two| one.1.total_cmp(&two.1));
    best.filter(|it| it.1 >= LEAST_COVERED)
}

/// Whether a word is part of a quoted text, a path or a number.
fn is_value(text: &str, range: &std::ops::Range<usize>) -> bool {
    let before = &text[..range.start];
    let is_quoted = before.matches('"').count() % 2 == 1;
    let start = before.rfind(char::is_whitespace).map_or(0, |it| it + 1);
    let end = text[range.end..].find(char::is_whitespace).map_or(text.len(), |it| range.end + it);
    let word = text[start..end].trim_end_matches(['.', ',', ';', ':', '?', '!']);
    is_quoted || word.contains(['.', '/', '@']) || word.bytes().any(|it| it.is_ascii_digit())
}

/// The ops that have words of a part.
fn nearest(part: &str, catalog: &dyn Catalog) -> Vec<Text> {
    let found = catalog.topics().find(part).into_iter();
    let is_near = |places: &[(_, Place)]| places.iter().any(|it| it.1 < Place::Details);
    let ops = found.filter(|it| is_near(&it.words)).filter_map(|it| it.topic.op());
    ops.take(MOST_NEAREST).map(|it| it.script_name().into()).collect()
}
