//! Converts the drafts to the final script, or to a list of missing parts.

use svc_contract::{
    registry::{Catalog, Effect, Index, Match, OpError, Tried, Where},
    value::{Text, Type},
};

use crate::{
    Gap, Part, Workflow,
    tables::{self, Answer, Outcome, Seen},
    workflow::head,
};

use super::{
    draft::{Asked, Draft, Stage, joined},
    forbidden::Forbidden,
    goal::{Clause, Goal},
    library,
    mention::{Mention, What, describes_components, is_generic, spoken},
    output::{edition, need, step},
    route::{self, Route},
    spelling::Spelling,
    unexplained,
};

/// The requirements for a script.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The goal, in plain words.
    pub goal: String,
    /// The maximum number of steps of the goal.
    pub max_steps: usize,
    /// The type of the input of the script; by default it follows from the goal.
    pub input: Option<String>,
    /// The required type of the result.
    pub output: Option<String>,
    /// Files that the goal names, and what is in them.
    pub seen: Vec<Seen>,
}

/// The minimum score of an alternative pipeline, relative to the best one.
const NEAR: f64 = 0.6;

/// The maximum number of alternatives.
const MOST_ALTERNATIVES: usize = 2;

/// The default budget of a script that spends money.
const USUAL_BUDGET: &str = "$0.50";

/// Writes a script for a goal, using only the documentation and the checker.
pub fn planned(wanted: &Wanted, catalog: &dyn Catalog) -> Result<Workflow, OpError> {
    let input = wanted.input.as_deref().map(|it| typed(it, catalog)).transpose()?;
    let output = wanted.output.as_deref().map(|it| typed(it, catalog)).transpose()?;
    match tables::answer(&wanted.goal, &wanted.seen, catalog) {
        Some(Outcome::Answer(answer)) => {
            if let Some(workflow) = from_data(wanted, answer, catalog) {
                return Ok(workflow);
            }
        }
        Some(Outcome::Open { words, why }) => {
            let mut index = Index::of(catalog.registry());
            let missing = words.iter().map(|it| gap(it, &mut index)).collect();
            return Ok(Workflow {
                missing,
                notes: vec![why.into()],
                ..Workflow::none(&wanted.goal)
            });
        }
        None => {}
    }
    let is_name = |it: &str| catalog.registry().resolve(it).is_some();
    let mut index = Index::of(catalog.registry());
    let mut goal = Goal::read(&wanted.goal, &is_name, &Spelling::of(&index));
    if goal.clauses.is_empty() {
        return Err(OpError::invalid_input("empty goal").help("describe what you want"));
    }
    if goal.clauses.len() > wanted.max_steps {
        let steps = goal.clauses.len();
        let message = format!("the goal asks for {steps} steps, more than `max_steps`");
        return Err(OpError::invalid_input(message));
    }
    let forbidden = Forbidden::taken(&mut goal, &mut index);
    let mut missing = Vec::new();
    let understood = Understood::of(&goal, &mut index, &mut missing);
    let mentions = &understood.mentions;
    let route = Route { clauses: &goal.clauses, mentions, catalog };
    let finish =
        Finish { wanted, goal: &goal, output: output.as_ref(), catalog, forbidden: &forbidden };
    let library = route.by_library(&wanted.goal, &goal);
    let is_needed = !missing.is_empty() || forbidden.part().is_some();
    let meant = library.filter(|it| input.is_none() && (is_needed || it.score >= library::SURE));
    if let Some(workflow) = meant.and_then(|it| finish.best(&[it.draft])) {
        return Ok(workflow);
    }
    if missing.is_empty() && mentions.iter().all(Vec::is_empty) {
        missing.push(gap(&wanted.goal, &mut index));
    }
    if !missing.is_empty() {
        return Ok(Workflow { missing, ..Workflow::none(&wanted.goal) });
    }
    let all = route.drafts(started(wanted, input.as_ref()));
    // A literal that no stage uses is a part that nothing serves.
    let whole: Vec<Draft> = all.iter().filter(|it| route.ignored(it).is_none()).cloned().collect();
    if let Some(workflow) = finish.best(&whole) {
        return Ok(unexplained::with_uncovered_words(
            workflow,
            &goal,
            &understood,
            &mut index,
            catalog,
        ));
    }
    if let Some(part) = forbidden.part().filter(|_| !whole.is_empty()) {
        return Ok(Workflow {
            missing: vec![gap(&part, &mut index)],
            ..Workflow::none(&wanted.goal)
        });
    }
    let ignored = all.first().filter(|_| whole.is_empty()).and_then(|it| route.ignored(it));
    let missing = match ignored {
        Some(clause) => gap(&clause.text, &mut index),
        None => unchained(wanted, mentions, &mut index),
    };
    Ok(Workflow { missing: vec![missing], ..Workflow::none(&wanted.goal) })
}

/// The script for a question about a file that was looked at.
fn from_data(wanted: &Wanted, answer: Answer, catalog: &dyn Catalog) -> Option<Workflow> {
    let tried = catalog.tried(&answer.script);
    if !tried.errors.is_empty() {
        return None;
    }
    let whole = format!("{}{}", head(&wanted.goal, &tried), tried.text);
    let part =
        |(phrase, stage): (String, String)| Part { phrase: phrase.into(), stage: stage.into() };
    let parts = answer.parts.into_iter().map(part).collect();
    Some(Workflow {
        parts,
        ..Workflow::none(&wanted.goal).described(&tried).with_script(whole.into())
    })
}

/// The meaning of the steps.
pub(super) struct Understood {
    /// The mentions of each step.
    pub(super) mentions: Vec<Vec<Mention>>,
    /// The words that the mentions cover.
    pub(super) covered: Vec<String>,
}

impl Understood {
    /// Reads all steps, and collects those that nothing serves.
    fn of(goal: &Goal, index: &mut Index, missing: &mut Vec<Gap>) -> Self {
        let mut all = Self { mentions: Vec::new(), covered: Vec::new() };
        for clause in &goal.clauses {
            let mut found = spoken(clause, index);
            drop_named_again(clause, &all.mentions, &mut found.mentions);
            if found.unserved {
                missing.push(gap(&clause.text, index));
            }
            all.mentions.push(found.mentions);
            all.covered.extend(found.covered);
        }
        all
    }
}

/// Drops what an earlier step does and a later one only refers to: `save the total`.
fn drop_named_again(clause: &Clause, before: &[Vec<Mention>], mentions: &mut Vec<Mention>) {
    let first = |it: &Mention| match it.what.first() {
        Some(What::Op(op)) => Some(op.to_string()),
        _ => None,
    };
    let done: Vec<String> = before.iter().flatten().filter_map(first).collect();
    let names = |it: &Mention| {
        let is_head = |word: &str| clause.content().next() == Some(word);
        let behind_the =
            |at: &[String]| at[0] == "the" && it.words.contains(&at[1]) && !is_head(&at[1]);
        clause.words.windows(2).any(behind_the) && first(it).is_some_and(|it| done.contains(&it))
    };
    if mentions.len() > 1 {
        mentions.retain(|it| !names(it));
    }
}

fn typed(written: &str, catalog: &dyn Catalog) -> Result<Type, OpError> {
    catalog.type_of(written).ok_or_else(|| {
        OpError::invalid_input(format!("`{written}` is not a type"))
            .help("write a type as in a script: `string`, `[Doc]`, `{ title: string }`")
    })
}

/// A draft that starts with the input of the script, if its type is given.
fn started(wanted: &Wanted, input: Option<&Type>) -> Draft {
    let (Some(ty), Some(written)) = (input, &wanted.input) else { return Draft::default() };
    let mut draft = Draft { ty: Some(ty.clone()), ..Draft::default() };
    draft.ask(Asked { name: "given".into(), ty: written.clone(), doc: "The input.".into() });
    draft.stages.push(Stage::value("given"));
    draft
}

/// A part of the goal, with the closest ops.
pub(super) fn gap(part: &str, index: &mut Index) -> Gap {
    const MOST: usize = 3;
    let found = index.find(part).into_iter().filter(is_near).take(MOST);
    let nearest = found.map(|it| it.op.script_name().into()).collect();
    Gap { part: part.into(), nearest }
}

/// Whether an op matches a part by more than a word in its details.
fn is_near(found: &Match) -> bool {
    !describes_components(found.op)
        && found.words.iter().any(|(word, place)| {
            !is_generic(word) && matches!(place, Where::Name | Where::Meant | Where::Summary)
        })
}

/// The whole goal, if its parts are served but cannot be joined.
fn unchained(wanted: &Wanted, mentions: &[Vec<Mention>], index: &mut Index) -> Gap {
    let ops = mentions.iter().flatten().filter_map(|it| match it.what.first() {
        Some(What::Op(op)) => Some(Text::from(op.script_name())),
        _ => None,
    });
    let ops: Vec<Text> = ops.collect();
    if ops.is_empty() {
        gap(&wanted.goal, index)
    } else {
        Gap { part: wanted.goal.as_str().into(), nearest: ops }
    }
}

struct Finish<'a> {
    wanted: &'a Wanted,
    goal: &'a Goal,
    output: Option<&'a Type>,
    catalog: &'a dyn Catalog,
    forbidden: &'a Forbidden,
}

impl Finish<'_> {
    /// Returns the first draft that passes all checks, with similar ones as alternatives.
    fn best(&self, drafts: &[Draft]) -> Option<Workflow> {
        let (best, workflow) = drafts.iter().find_map(|it| Some((it, self.workflow(it)?)))?;
        // A draft of another type than the requested one is not an alternative.
        let others = if self.output.is_some() { &[] } else { drafts };
        let near = others.iter().filter(|it| {
            it.score >= best.score - NEAR
                && !it.ops().eq(best.ops())
                && it.params.len() <= best.params.len()
                && it.stages.len() <= best.stages.len()
                && it.lets.is_empty()
        });
        let one_line = |it: &Draft| joined(&it.stages, false).replace("\n ", "");
        let alternatives: Vec<String> = near.take(MOST_ALTERNATIVES).map(one_line).collect();
        let comments = alternatives.iter().map(|it| format!("# Another way: {it}\n"));
        let comments = comments.collect::<Vec<_>>().concat();
        let script = workflow.script.map(|it| format!("{it}{comments}").into());
        let alternatives = alternatives.into_iter().map(Text::from).collect();
        Some(Workflow { script, alternatives, ..workflow })
    }

    fn workflow(&self, draft: &Draft) -> Option<Workflow> {
        let mut draft = draft.clone();
        if let (Some(output), Some(gives)) = (self.output, &draft.ty) {
            let way = self.catalog.way_between(gives, output)?;
            draft.stages.extend(way.stages.iter().map(|it| route::detour(self.catalog, it)));
        }
        let (script, tried) = self.script(&draft)?;
        if self.output.is_some_and(|it| !tried.gives.as_ref().is_some_and(|ty| ty.fits(it))) {
            return None;
        }
        Some(Workflow {
            steps: draft.stages.iter().filter(|it| it.text != "given").map(step).collect(),
            needs: draft.params.iter().map(need).collect(),
            ..Workflow::none(&self.wanted.goal).described(&tried).with_script(script.into())
        })
    }

    fn spends(&self, script: &str) -> bool {
        self.catalog.tried(script).effects.iter().any(|it| it.starts_with("spends"))
    }

    /// Returns the script with its bounds and its envelope, if it passes the check.
    fn script(&self, draft: &Draft) -> Option<(String, Tried)> {
        let mut bounds = self.goal.bounds.clone();
        let spends = |it: &Stage| it.op.is_some_and(|op| op.op.effects.contains(&Effect::Spends));
        let has_budget = bounds.iter().any(|(key, _)| *key == "max_cost");
        let asked = bounds.clone();
        let spends_in_module = || draft.uses.is_some() && self.spends(&draft.explained());
        if (draft.stages.iter().any(spends) || spends_in_module()) && !has_budget {
            bounds.push(("max_cost", USUAL_BUDGET.to_owned()));
        }
        [bounds, asked].iter().find_map(|bounds| {
            let body = format!("{}{}", edition(bounds), draft.explained());
            let tried = self.catalog.tried(&body);
            if !tried.errors.is_empty() || !self.forbidden.allows(&tried) {
                return None;
            }
            let whole = format!("{}{}", head(&self.wanted.goal, &tried), tried.text);
            let tried = self.catalog.tried(&whole);
            tried.errors.is_empty().then(|| (tried.text.clone(), tried))
        })
    }
}
