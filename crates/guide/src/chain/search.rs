//! Searches a pipeline of the ops that a goal asks for: each fits the type of the value before it,
//! and together they serve every word.

use svc_contract::{
    registry::{Catalog, Effect, OpRef, Scope},
    value::{Type, literal},
};
use svc_text::stems::Vocabulary;

use super::{
    arguments::{self, Arguments, Form},
    formats::{self, fits_format, takes_path},
    goal::{Given, Goal, Kind, Mask, bit, bits},
    meaning::{Meaning, What},
};
use crate::tables::{Seen, words::Token};

/// The most ops of a pipeline.
const DEEPEST: usize = 4;

/// The pipelines that go on after each op.
const WIDEST: usize = 10;

/// What an op costs, and a stage that only converts; each word that nothing serves costs more.
const OF_OP: f64 = 0.5;
pub(super) const OF_CONVERSION: f64 = 0.4;
const OF_WORD: f64 = 6.0;

/// What an order of ops costs that is not the one of the words.
const OF_ORDER: f64 = 0.6;

/// What it costs that a pipeline begins with a later value of the goal.
pub(super) const OF_LATE: f64 = 0.3;

/// A pipeline that is being written.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    /// The declarations before it.
    pub(super) params: Vec<Asked>,
    /// The module of the standard library that it uses.
    pub(super) module: Option<&'static str>,
    pub(super) stages: Vec<String>,
    pub(super) ty: Type,
    pub(super) covered: Mask,
    /// The values of the goal that it uses.
    pub(super) used: Mask,
    /// The ops, with the words that asked for each and the stage.
    pub(super) steps: Vec<Step>,
    pub(super) score: f64,
}

/// A value that the goal does not have.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) name: String,
    pub(super) ty: String,
    pub(super) doc: String,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) op: Option<OpRef>,
    /// The number of the meaning.
    pub(super) meaning: usize,
    pub(super) words: Mask,
    pub(super) stage: String,
}

impl Draft {
    /// The pipeline with its declarations.
    pub(super) fn script(&self) -> String {
        let declared = self.params.iter().map(|it| format!("param {}: {}\n\n", it.name, it.ty));
        let module = self.module.map(|it| format!("use \"std:{it}\" as {it}\n\n"));
        let declared = module.into_iter().chain(declared).collect::<String>();
        declared + &self.stages.join("\n  >> ")
    }

    /// The words that nothing serves.
    pub(super) fn open(&self, goal: &Goal) -> Mask {
        goal.content & !self.covered
    }

    /// Whether each value of the goal is used.
    pub(super) fn uses_all(&self, goal: &Goal) -> bool {
        (0..goal.givens.len()).all(|it| self.used & bit(it) != 0)
    }
}

pub(super) struct Search<'a> {
    pub(super) goal: &'a Goal,
    pub(super) meanings: &'a [Meaning],
    pub(super) catalog: &'a dyn Catalog,
    pub(super) seen: &'a [Seen],
    pub(super) words: &'a mut Vocabulary,
}

impl Search<'_> {
    /// The pipelines from all starts, best first.
    pub(super) fn drafts(&mut self, starts: Vec<Draft>) -> Vec<Draft> {
        let mut all = starts.clone();
        let mut on = starts;
        for _ in 0..DEEPEST {
            let mut next: Vec<Draft> = on.iter().flat_map(|it| self.extended(it)).collect();
            best(&mut next);
            next.truncate(WIDEST);
            all.extend(next.iter().cloned());
            on = next;
        }
        best(&mut all);
        all
    }

    /// The draft with each op that serves a further word.
    fn extended(&mut self, draft: &Draft) -> Vec<Draft> {
        let mut all = Vec::new();
        for number in 0..self.meanings.len() {
            let meaning = &self.meanings[number];
            let is_new = meaning.core & self.goal.content & !draft.covered != 0;
            let is_new = is_new || meaning.core == 0 && self.takes_value(draft);
            if !is_new || draft.steps.iter().any(|it| it.meaning == number) {
                continue;
            }
            match meaning.what {
                What::Op(op) => all.extend(self.called(draft, number, op)),
                What::Stage(name) => {
                    let falls = |it: &Token| matches!(&*it.lower, "descending" | "falling");
                    let mut stages = vec![format!("{name} {{ it }}")];
                    if self.goal.tokens.iter().any(falls) {
                        stages.push("reverse".to_owned());
                    }
                    all.extend(self.with_stages(draft, number, stages, &unchanged(draft), None));
                }
                What::Lengths(falls) => all.extend(self.by_length(draft, number, falls)),
                // A flow does not read a file by itself.
                What::Flow(_) if draft.ty == Type::Path => {}
                What::Flow(module) => {
                    let with = Draft { module: Some(module), ..draft.clone() };
                    let stage = meaning.name.clone();
                    all.extend(self.with_stages(
                        &with,
                        number,
                        vec![stage],
                        &unchanged(draft),
                        None,
                    ));
                }
            }
        }
        all
    }

    /// Texts by their lengths: all of them, so many of them, or the first.
    fn by_length(&self, draft: &Draft, number: usize, falls: bool) -> Option<Draft> {
        if !matches!(&draft.ty, Type::List(item, _) if **item == Type::Text) {
            return None;
        }
        let at = self.meanings[number].core.trailing_zeros() as usize;
        let goes_on = self.goal.tokens.get(at + 1).is_some_and(|it| it.lower == "first");
        let count = self.goal.givens.iter().position(|it| it.end == at && it.kind == Kind::Number);
        let sign = if falls { "-" } else { "" };
        let mut stages = vec![format!("sort {{ {sign}len(it) }}")];
        let mut own = unchanged(draft);
        match count {
            Some(idx) => {
                stages.push(format!("take(n: {})", self.goal.givens[idx].text));
                own.used |= bit(idx);
            }
            None if goes_on => {}
            None => stages.push("first".to_owned()),
        }
        self.with_stages(draft, number, stages, &own, None)
    }

    /// Whether a value is there that asks for an op without a word: a zone for a moment, a file of
    /// a format.
    fn takes_value(&self, draft: &Draft) -> bool {
        let mut givens = self.goal.givens.iter().enumerate();
        let is_open =
            |(idx, it): (usize, &Given)| it.kind == Kind::Zone && draft.used & bit(idx) == 0;
        draft.ty == Type::Path || draft.ty == Type::Time && givens.any(is_open)
    }

    /// A call of a language model: the words around it are its task, with the text so far.
    fn asked_of_model(&self, draft: &Draft, number: usize, op: OpRef) -> Option<Draft> {
        let tokens = &self.goal.tokens;
        let core = self.meanings[number].core;
        let ends = |at: &usize| {
            tokens[*at].ends
                || tokens[at + 1].lower.is_empty()
                || matches!(&*tokens[at + 1].lower, "then" | "save" | "write")
        };
        let from = core.trailing_zeros() as usize;
        let end = (from..tokens.len() - 1).find(ends).unwrap_or(tokens.len() - 1) + 1;
        let is_said = |it: &usize| core & bit(*it) == 0 && !tokens[*it].lower.is_empty();
        let mut task: Vec<&Token> = (from + 1..end).filter(is_said).map(|it| &tokens[it]).collect();
        while task.last().is_some_and(|it| it.is_stop) {
            task.pop();
        }
        let task: Vec<&str> = task.iter().map(|it| it.text.as_str()).collect();
        if draft.ty != Type::Text || task.is_empty() {
            return None;
        }
        let task = literal::text(&task.join(" "));
        let prompt = format!("{}\\n\\n${{it}}\"", task.trim_end_matches('"'));
        let covers = bits(from..end) & self.goal.content;
        let said = self.goal.givens.iter().enumerate();
        let said = said.filter(|(_, it)| it.at >= from && it.end <= end);
        let used = draft.used | bits(said.map(|(idx, _)| idx));
        let own = Arguments { used, covers, ..Arguments::default() };
        self.with_stages(draft, number, vec![prompt, op.script_name()], &own, Some(op))
    }

    /// The draft with a call of an op: on the whole value, and on each item if the goal says so.
    fn called(&mut self, draft: &Draft, number: usize, op: OpRef) -> Vec<Draft> {
        // What else spends, such as a search of the web, has its own arguments.
        let asks_model = op.op.effects.contains(&Effect::Reads(Scope::Named("llm")));
        if asks_model {
            return self.asked_of_model(draft, number, op).into_iter().collect();
        }
        let readers = self.all_readers();
        let reads = |given: &Given, form: Form| reader(&readers, given, form);
        let own = arguments::arguments(op, self.goal, draft.used, &reads, self.words);
        let Some(own) = own else { return Vec::new() };
        // `replace "a" with "b" in c.txt`: the file is what is changed, and no argument.
        let is_of_text = draft.stages.first().is_some_and(|it| it.starts_with('"'));
        let is_file = |it: &String| it.contains(": (read_text(") && !it.contains(" >> ");
        if is_of_text && own.written.iter().any(is_file) {
            return Vec::new();
        }
        let name = op.script_name();
        let call = if own.written.is_empty() {
            name
        } else {
            format!("{name}({})", own.written.join(", "))
        };
        let item = match &draft.ty {
            Type::List(item, _) if self.each() & !draft.covered != 0 => Some(item.as_ref()),
            _ => None,
        };
        let of_each = item.and_then(|it| self.stages(draft, it, op, &call)).map(|it| {
            let is_each = it.last().is_some_and(|it| it.starts_with("each {"));
            if is_each { it } else { vec![format!("each {{ {} }}", it.join(" >> "))] }
        });
        let whole = match &draft.ty {
            // The lines of each file are one list of lines: else the files would be counted.
            Type::List(item, _) if matches!(**item, Type::List(..)) => self
                .stages(draft, item, op, &call)
                .map(|it| ["flatten".to_owned()].into_iter().chain(it).collect()),
            ty => self.stages(draft, ty, op, &call),
        };
        let both = of_each.into_iter().chain(whole);
        both.filter_map(|it| self.with_stages(draft, number, it, &own, Some(op))).collect()
    }

    /// The stages from a value of a type to the result of an op.
    fn stages(&self, draft: &Draft, from: &Type, op: OpRef, call: &str) -> Option<Vec<String>> {
        let way = self.catalog.way_to(from, op)?;
        let takes_path = op.op.input().is_some_and(|it| takes_path(it.scheme));
        let is_path = draft.ty == Type::Path;
        if is_path && (way.stages.is_empty() && !takes_path || !fits_format(op, &draft.stages[0])) {
            return None;
        }
        let of_items = if way.of_items { format!("each {{ {call} }}") } else { call.to_owned() };
        let is_plain = way.stages.iter().all(|it| self.is_plain(draft, it));
        is_plain.then(|| way.stages.into_iter().chain([of_items]).collect())
    }

    /// Whether a stage on the way to an op only converts: it reads the file, takes a field, or does
    /// what the goal asks for. Anything else gives the goal another meaning.
    fn is_plain(&self, draft: &Draft, stage: &str) -> bool {
        let name = stage.split(['(', '<', ' ']).next().unwrap_or_default();
        let is_text = !formats::is_binary(&draft.stages[0]);
        let reads =
            draft.ty == Type::Path && name.starts_with("read_") && (is_text || name != "read_text");
        let op = self.catalog.registry().resolve(name);
        let is_asked = |it: &Meaning| match (it.op(), op) {
            (Some(own), Some(op)) => std::ptr::eq(own.op, op.op),
            (own, op) => own.is_none() && op.is_none(),
        };
        let is_named = op.is_some() && self.meanings.iter().any(is_asked);
        let joins = name == "docs_to_text" || stage.starts_with("(it as ");
        reads || joins || is_named || stage.starts_with('.') || stage.starts_with("each { .")
    }

    fn with_stages(
        &self,
        draft: &Draft,
        number: usize,
        stages: Vec<String>,
        own: &Arguments,
        op: Option<OpRef>,
    ) -> Option<Draft> {
        let meaning = &self.meanings[number];
        let mut next = draft.clone();
        let stage = stages.last().cloned().unwrap_or_default();
        next.score += meaning.strength - OF_OP;
        for _ in 1..stages.len() {
            next.score -= OF_CONVERSION;
        }
        if let Some(before) = draft.steps.last() {
            next.score -= self.order(before.words, meaning.core);
        }
        next.stages.extend(stages);
        let words = (meaning.covers | own.covers) & !draft.covered;
        next.covered |= words;
        for (idx, given) in self.goal.givens.iter().enumerate() {
            if own.used & !draft.used & bit(idx) != 0 {
                next.covered |= self.label(given) | bits(given.at..given.end);
                next.covered |= self.between(given);
            }
        }
        next.used |= own.used;
        if stage.starts_with("each {") {
            next.covered |= self.each();
        }
        next.steps.push(Step { op, meaning: number, words, stage });
        let tried = self.catalog.tried(&next.script());
        if !tried.errors.is_empty() || !self.is_needed(&next) {
            return None;
        }
        next.ty = tried.gives?;
        Some(next)
    }

    /// Whether each op serves a word that no other one does.
    fn is_needed(&self, draft: &Draft) -> bool {
        let own = |step: &Step| &self.meanings[step.meaning];
        draft.steps.iter().enumerate().all(|(at, step)| {
            let others = draft.steps.iter().enumerate().filter(|(it, _)| *it != at);
            let others = others.fold(0, |mask, (_, it)| mask | own(it).covers);
            let core = own(step).core;
            core == 0 || core & self.goal.content & !others != 0
        })
    }

    /// `between` before a value, which is one end.
    fn between(&self, given: &Given) -> Mask {
        let is_it = |it: &usize| self.goal.tokens[*it].lower == "between";
        given.at.checked_sub(1).filter(is_it).map_or(0, bit)
    }

    /// `each` and `every`, which a stage for each item serves.
    pub(super) fn each(&self) -> Mask {
        let is_each = |at: &usize| matches!(&*self.goal.tokens[*at].lower, "each" | "every");
        bits((0..self.goal.tokens.len()).filter(is_each))
    }

    /// What it costs that one op is done before another one: `the last of the sorted lines` sorts
    /// first, `sort the lines and take the last` does so, too.
    fn order(&self, first: Mask, then: Mask) -> f64 {
        if first == 0 || then == 0 {
            return 0.0;
        }
        let (first, then) = (first.trailing_zeros(), then.trailing_zeros());
        let (low, high) = (first.min(then), first.max(then));
        let between = (low..high).map(|it| &self.goal.tokens[it as usize]);
        let mut between = between.collect::<Vec<_>>().into_iter();
        let is_sequence =
            between.any(|it| it.ends || matches!(&*it.lower, "and" | "then" | "before"));
        if (first < then) == is_sequence { 0.0 } else { OF_ORDER }
    }

    /// How good a draft is as the whole script.
    pub(super) fn worth(&self, draft: &Draft) -> f64 {
        let unused = (0..self.goal.givens.len()).filter(|it| draft.used & bit(*it) == 0).count();
        let open = draft.open(self.goal).count_ones() + u32::try_from(unused).unwrap_or(u32::MAX);
        draft.score - f64::from(open) * OF_WORD
    }
}

/// The arguments of a stage that takes no value of the goal.
fn unchanged(draft: &Draft) -> Arguments {
    Arguments { used: draft.used, ..Arguments::default() }
}

/// The stages that read each file, by its place: as what is in it first, as any value, as text last.
pub(super) type Readers = Vec<(usize, Vec<String>)>;

pub(super) fn reader(readers: &Readers, given: &Given, form: Form) -> Option<String> {
    let (_, own) = readers.iter().find(|(at, _)| *at == given.at)?;
    match form {
        Form::Text => own.last(),
        Form::Any => own.get(1).or(own.first()),
        Form::Typed => own.first(),
    }
    .cloned()
}

/// Sorts drafts by what they serve and how well; equal pipelines occur once.
fn best(drafts: &mut Vec<Draft>) {
    let gain = |it: &Draft| it.score + f64::from(it.covered.count_ones()) * 2.0;
    drafts.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    let mut known: Vec<String> = Vec::new();
    drafts.retain(|it| {
        let script = it.script();
        let is_new = !known.contains(&script);
        known.push(script);
        is_new
    });
}
