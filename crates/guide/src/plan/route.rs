//! Finds pipelines with fitting types for the ops that a goal mentions.
//!
//! Works step by step: each draft is extended by every meaning of the next step's mentions, using
//! the conversions that the checker knows; drafts that do not pass the check are dropped.

use svc_contract::{registry::Catalog, value::Type};

use super::{
    draft::{Draft, Stage, joined},
    goal::Clause,
    literals::Literal,
    mention::{Mention, What},
};

/// The number of drafts that are kept after each step.
pub(super) const MOST_DRAFTS: usize = 6;

/// The penalties for a stage that the goal does not mention, for a param that the goal has no value
/// for, and for a literal of the goal that is not used.
pub(super) const DETOUR: f64 = 0.4;
pub(super) const ASKED: f64 = 1.5;
const UNUSED: f64 = 1.2;

/// The penalty for an order that is neither that of the words nor its reverse.
const UNUSUAL: f64 = 0.3;

/// The steps of a goal and their mentions.
pub(super) struct Route<'a> {
    pub(super) clauses: &'a [Clause],
    pub(super) mentions: &'a [Vec<Mention>],
    pub(super) catalog: &'a dyn Catalog,
}

impl Route<'_> {
    /// Returns the drafts that serve all steps, best first.
    pub(super) fn drafts(&self, start: Draft) -> Vec<Draft> {
        let mut drafts = vec![start];
        let mut step = 0;
        while step < self.clauses.len() {
            let parallel_drafts = step > 0 && self.clauses[step].has_source();
            let both = self.clauses[step].words.iter().any(|it| it == "both");
            let counted = self.clauses[step].count.map(|idx| self.counted(&drafts, step, idx));
            drafts = if self.clauses[step].is_condition() && step + 1 < self.clauses.len() {
                let has_else = self.clauses.get(step + 2).is_some_and(Clause::is_otherwise);
                step += 1 + usize::from(has_else);
                self.decided(&drafts, step - usize::from(has_else), has_else)
            } else if let Some(counted) = counted.filter(|it| !it.is_empty()) {
                counted
            } else if both && step + 1 < self.clauses.len() {
                step += 1;
                self.both(&drafts, step - 1)
            } else if parallel_drafts {
                self.parallel_drafts(&drafts, step)
            } else {
                self.step(&drafts, step)
            };
            step += 1;
        }
        for draft in &mut drafts {
            draft.score -= self.unused(draft);
        }
        best(drafts, MOST_DRAFTS)
    }

    /// Extends every draft by one step, in the likely orders of its mentions.
    pub(super) fn step(&self, drafts: &[Draft], step: usize) -> Vec<Draft> {
        let mut all = Vec::new();
        for (rank, order) in self.orders(step).into_iter().enumerate() {
            let mut on: Vec<Draft> = drafts.to_vec();
            for mention in order {
                let carried = on.iter().flat_map(|it| self.carried(it, step, mention));
                on = best(carried.collect(), MOST_DRAFTS);
            }
            for draft in &mut on {
                draft.score -= if rank < 2 { 0.0 } else { UNUSUAL };
            }
            all.extend(on);
        }
        best(all, MOST_DRAFTS)
    }

    /// The possible orders of a step's mentions: the last one is usually done first.
    fn orders(&self, step: usize) -> Vec<Vec<&Mention>> {
        let all: Vec<&Mention> = self.mentions[step].iter().collect();
        let last_first: Vec<&Mention> = all.iter().rev().copied().collect();
        let mut orders = match all.len() {
            0 | 1 => return vec![all],
            3 => {
                let [a, b, c] = [all[0], all[1], all[2]];
                vec![last_first, all, vec![b, c, a], vec![c, a, b], vec![b, a, c], vec![a, c, b]]
            }
            _ => vec![last_first, all],
        };
        if self.clauses[step].is_joined {
            orders.swap(0, 1);
        }
        orders
    }

    /// Extends a draft by every meaning of a mention.
    fn carried(&self, draft: &Draft, step: usize, mention: &Mention) -> Vec<Draft> {
        let mut all = Vec::new();
        for (rank, what) in mention.what.iter().enumerate() {
            let gain = mention.gain - f64::from(u32::try_from(rank).unwrap_or(u32::MAX)) * 0.7;
            let on = match what {
                What::Sort { by_length, down } => self.sorted(draft, step, *by_length, *down),
                What::Where(test) => self.filtered(draft, step, test),
                What::Take { number, is_last } => self.taken(draft, step, *number, *is_last),
                What::Field(name) => Self::field(draft, name),
                What::LiteralInContext(idx) => {
                    Self::with_piece(draft, &self.clauses[step], (step, *idx))
                }
                What::At(idx) => self.looked_up(draft, step, *idx),
                What::End(name) => self.end(draft, step, name),
                What::Op(op) => self.called(draft, step, *op, mention),
            };
            all.extend(on.into_iter().filter_map(|mut it| {
                it.score += gain;
                self.tried(it)
            }));
        }
        let asks = |it: &Draft| it.params.len() > draft.params.len();
        if !all.is_empty() && all.iter().all(asks) && self.is_aside(draft, step, mention) {
            all.push(draft.clone());
            for it in &mut all {
                it.score -= mention.gain;
            }
        }
        all
    }

    /// Whether a step works without the mention: another mention is its head.
    fn is_aside(&self, draft: &Draft, step: usize, mention: &Mention) -> bool {
        let head = self.clauses[step].content().next();
        !draft.is_empty() && !mention.words.iter().any(|it| Some(it.as_str()) == head)
    }

    /// Returns the draft with its type, if it passes the check.
    pub(super) fn tried(&self, mut draft: Draft) -> Option<Draft> {
        let script = match &draft.entered {
            Some(ty) => branch_script(&draft, ty),
            None => draft.script(),
        };
        let tried = self.catalog.tried(&script);
        if !tried.errors.is_empty() {
            return None;
        }
        draft.ty = tried.gives;
        Some(draft)
    }

    /// The first step with a literal that a draft does not use; a number may be a word that counts
    /// nothing: `into one file`.
    pub(super) fn ignored(&self, draft: &Draft) -> Option<&Clause> {
        let ignores = |(step, clause): &(usize, &Clause)| {
            clause.literals.iter().enumerate().any(|(idx, it)| {
                let is_word = matches!(it.literal, Literal::Number(_)) && !it.in_digits;
                !is_word && !draft.used.contains(&(*step, idx))
            })
        };
        self.clauses.iter().enumerate().find(ignores).map(|(_, it)| it)
    }

    /// The penalty for the literals of the goal that a draft does not use.
    fn unused(&self, draft: &Draft) -> f64 {
        let mut lost = 0.0;
        for (step, clause) in self.clauses.iter().enumerate() {
            for (idx, given) in clause.literals.iter().enumerate() {
                if !draft.used.contains(&(step, idx)) {
                    let is_number = matches!(given.literal, Literal::Number(_));
                    lost += if is_number { UNUSED / 4.0 } else { UNUSED };
                }
            }
        }
        lost
    }
}

/// A stage of a conversion, in the syntax of a script. A list that is written as one text has one
/// line per item.
pub(super) fn detour(catalog: &dyn Catalog, stage: &str) -> Stage {
    let name = stage.split(['(', '<', ' ']).next().unwrap_or(stage);
    let Some(op) = catalog.registry().resolve(name) else { return Stage::value(stage) };
    match op.op.params.iter().find(|it| it.name == "sep") {
        Some(sep) if stage == name => Stage::of(op, format!("{name}({}: \"\\n\")", sep.name)),
        _ => Stage::of(op, stage.to_owned()),
    }
}

/// Formats a branch as a script, with a param of the type of its input.
fn branch_script(draft: &Draft, enters: &Type) -> String {
    let stages = joined(&draft.stages[1..], false);
    format!("param entering: {enters}\n\nentering >> {stages}")
}

/// Returns the best drafts, without duplicate pipelines.
pub(super) fn best(mut drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
    drafts.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts {
        if kept.len() < most && !kept.iter().any(|it| it.script() == draft.script()) {
            kept.push(draft);
        }
    }
    kept
}
