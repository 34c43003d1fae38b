//! From the ops that a goal speaks of to pipelines whose types fit.
//!
//! Step by step: each draft is carried on by every reading of what the next step speaks of,
//! over the conversions that the checker knows, and what does not check is dropped.

use super::{
    arguments::{Filling, free_text, is_count, sentence, topic},
    asking,
    draft::{Asked, Draft, Stage, joined},
    goal::Clause,
    literals::{Literal, quoted},
    mention::{Mention, What, is_free_text},
};
use crate::{
    registry::{Catalog, Effect, OpRef, Param, Scheme, Scope, Way},
    value::Type,
};

/// How many drafts are carried on from one step to the next.
const MOST_DRAFTS: usize = 6;

/// What is lost by a stage that nobody asked for, by an input that the goal does not give,
/// and by a piece of the goal that is not used.
const DETOUR: f64 = 0.4;
const ASKED: f64 = 1.5;
const UNUSED: f64 = 1.2;

/// The steps of a goal and what they speak of.
pub(super) struct Route<'a> {
    pub(super) clauses: &'a [Clause],
    pub(super) mentions: &'a [Vec<Mention>],
    pub(super) catalog: &'a dyn Catalog,
}

impl Route<'_> {
    /// The drafts that serve all steps, the best one first.
    pub(super) fn drafts(&self, start: Draft) -> Vec<Draft> {
        let mut drafts = vec![start];
        let mut step = 0;
        while step < self.clauses.len() {
            let beside = step > 0 && self.clauses[step].has_source();
            let both = self.clauses[step].words.iter().any(|it| it == "both");
            let counted = self.clauses[step].count.map(|idx| self.counted(&drafts, step, idx));
            drafts = if let Some(counted) = counted.filter(|it| !it.is_empty()) {
                counted
            } else if both && step + 1 < self.clauses.len() {
                step += 1;
                self.both(&drafts, step - 1)
            } else if beside {
                self.beside(&drafts, step)
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

    /// Every draft carried on by one step, in either order of what it speaks of.
    fn step(&self, drafts: &[Draft], step: usize) -> Vec<Draft> {
        let mentions = &self.mentions[step];
        let mut orders: Vec<Vec<&Mention>> = vec![mentions.iter().rev().collect()];
        if mentions.len() > 1 {
            orders.push(mentions.iter().collect());
        }
        let mut all = Vec::new();
        for order in orders {
            let mut on: Vec<Draft> = drafts.to_vec();
            for mention in order {
                let carried = on.iter().flat_map(|it| self.carried(it, step, mention));
                on = best(carried.collect(), MOST_DRAFTS);
            }
            all.extend(on);
        }
        best(all, MOST_DRAFTS)
    }

    /// The drafts whose last op can say how many items are meant.
    fn counted(&self, drafts: &[Draft], step: usize, idx: usize) -> Vec<Draft> {
        let number = self.clauses[step].literals[idx].literal.written();
        let on = drafts.iter().filter_map(|draft| {
            let mut draft = draft.clone();
            let stage = draft.stages.last_mut()?;
            let param = stage.op?.op.params.iter().find(|it| is_count(it))?;
            let argument = format!("{}: {number}", param.name);
            if stage.text.contains(&format!("{}: ", param.name)) {
                return None;
            }
            stage.text = match stage.text.strip_suffix(')') {
                Some(open) => format!("{open}, {argument})"),
                None => format!("{}({argument})", stage.text),
            };
            draft.score += 2.0;
            draft.used.push((step, idx));
            self.tried(draft)
        });
        best(on.collect(), MOST_DRAFTS)
    }

    /// Two steps on the same value: `parallel { a: .., b: .. }`.
    fn both(&self, drafts: &[Draft], step: usize) -> Vec<Draft> {
        let mut all = Vec::new();
        for base in drafts.iter().filter(|it| !it.is_empty()) {
            let branch = |step| {
                let stages = vec![Stage::value("it")];
                let branch = Draft { stages, entered: base.ty.clone(), ..base.clone() };
                self.step(&[branch], step).into_iter().next()
            };
            let (Some(one), Some(two)) = (branch(step), branch(step + 1)) else { continue };
            let names = (named(&one, "first"), named(&two, "second"));
            let names = if names.0 == names.1 { ("first".into(), "second".into()) } else { names };
            let inner = |it: &Draft| joined(&it.stages[1..], false).replace('\n', " ");
            let text = format!(
                "parallel {{ {}: {}, {}: {} }}",
                names.0,
                inner(&one),
                names.1,
                inner(&two)
            );
            let mut draft = base.clone();
            draft
                .stages
                .push(Stage { note: "both of the same value".into(), ..Stage::value(text) });
            draft.used.extend(one.used.iter().chain(&two.used));
            draft.score += one.score + two.score - 2.0 * base.score;
            all.extend(self.tried(draft));
        }
        best(all, MOST_DRAFTS)
    }

    /// A step that begins anew beside what was before, or goes on where it cannot.
    fn beside(&self, drafts: &[Draft], step: usize) -> Vec<Draft> {
        let mut all = Vec::new();
        let is_said = self.clauses[step].is_beside;
        for mut other in self.step(&[Draft::default()], step) {
            other.score -= if is_said { 0.0 } else { ASKED / 2.0 };
            for draft in drafts.iter().filter(|it| it.lets.is_empty()) {
                all.extend(self.side_by_side(draft, &other));
            }
        }
        all.extend(self.step(drafts, step));
        best(all, MOST_DRAFTS)
    }

    fn side_by_side(&self, one: &Draft, two: &Draft) -> Option<Draft> {
        let pipeline = |it: &Draft| joined(&it.stages, false);
        let is_same = matches!((&one.ty, &two.ty), (Some(Type::List(a, _)), Some(Type::List(b, _))) if a == b);
        let (text, note) = match is_same {
            true => ("first + second", "both lists, one behind the other"),
            false => ("{ first: first, second: second }", "both results"),
        };
        let mut draft = Draft {
            lets: vec![("first", pipeline(one)), ("second", pipeline(two))],
            params: one.params.clone(),
            stages: vec![Stage { note: note.into(), ..Stage::value(text) }],
            score: one.score + two.score,
            used: one.used.iter().chain(&two.used).copied().collect(),
            ..Draft::default()
        };
        for asked in &two.params {
            draft.ask(asked.clone());
        }
        self.tried(draft)
    }

    /// A draft carried on by every reading of a mention.
    fn carried(&self, draft: &Draft, step: usize, mention: &Mention) -> Vec<Draft> {
        let mut all = Vec::new();
        for (rank, what) in mention.what.iter().enumerate() {
            let gain = mention.gain - f64::from(u32::try_from(rank).unwrap_or(u32::MAX)) * 0.7;
            let on = match what {
                What::Sort { key } => self.sorted(draft, step, key),
                What::Op(op) => self.called(draft, step, *op, mention),
            };
            all.extend(on.into_iter().filter_map(|mut it| {
                it.score += gain;
                self.tried(it)
            }));
        }
        all
    }

    fn sorted(&self, draft: &Draft, step: usize, key: &str) -> Vec<Draft> {
        let words = &self.clauses[step].words;
        let begun = if draft.is_empty() { self.read(step) } else { vec![draft.clone()] };
        let on = begun.into_iter().filter_map(|mut it| {
            let ty = it.ty.clone()?;
            let Type::List(item, _) = &ty else { return None };
            let key = field_of(item, words).map_or(key.to_owned(), |field| format!(".{field}"));
            it.stages.push(Stage {
                note: "puts the items in order".into(),
                ..Stage::value(format!("sort {{ {key} }}"))
            });
            if words.iter().any(|it| it == "longest" || it == "shortest") {
                it.stages.push(Stage::value("first"));
            }
            Some(it)
        });
        on.collect()
    }

    /// The ways to call an op on what a draft gives.
    fn called(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Vec<Draft> {
        if draft.is_empty() {
            return self.begun(draft, step, op, mention);
        }
        let Some(ty) = &draft.ty else { return Vec::new() };
        let clause = &self.clauses[step];
        let mut ways: Vec<(Way, bool, f64)> = Vec::new();
        if clause.each
            && let Type::List(item, _) = ty
            && let Some(way) = self.catalog.way_to(item, op)
        {
            ways.push((way, true, 0.5));
        }
        ways.extend(self.whole(ty, op).map(|it| (it, false, 0.0)));
        // A list of one is never what a goal speaks of.
        ways.retain(|(way, ..)| !way.stages.iter().any(|it| it == "[it]"));
        if ways.is_empty() && asking::is_asked(op) {
            ways.push((Way::default(), false, -DETOUR));
        }
        let on = ways.into_iter().map(|(way, each, bonus)| {
            let mut next = draft.clone();
            let per_item = each || way.of_items;
            next.score += bonus - DETOUR * f64::from(u32::try_from(way.stages.len()).unwrap_or(9));
            if way.of_items && !each {
                next.score -= DETOUR / 2.0;
            }
            for stage in &way.stages {
                let stage = self.detour(stage, per_item, step, &mut next.used);
                next.stages.push(stage);
            }
            self.call(&mut next, step, op, mention, per_item);
            next
        });
        on.collect()
    }

    /// How a whole value comes to an op. A list is written as one text: item by item, each
    /// would take the place of the one before it.
    fn whole(&self, ty: &Type, op: OpRef) -> Option<Way> {
        let way = self.catalog.way_to(ty, op)?;
        match way.of_items && op.op.writes() {
            true => self.catalog.way_between(ty, &op.op.input()?.scheme.plain()),
            false => Some(way),
        }
    }

    /// A stage between two that the goal speaks of.
    fn detour(
        &self,
        stage: &str,
        per_item: bool,
        step: usize,
        used: &mut Vec<(usize, usize)>,
    ) -> Stage {
        let name = stage.split(['(', '<', ' ']).next().unwrap_or(stage);
        let Some(op) = self.catalog.registry().resolve(name) else {
            return Stage { per_item, ..Stage::value(stage) };
        };
        // A list that is written as one text has a line for each item.
        let text = match op.op.params.iter().find(|it| it.name == "sep") {
            Some(sep) if stage == name => format!("{name}({}: \"\\n\")", sep.name),
            // It may be where the step's file or folder belongs.
            _ if stage == name && is_free_text(op) => {
                let call = self.filling(step, used).call(op);
                used.extend(call.used.iter().map(|idx| (step, *idx)));
                written(name, &call.args)
            }
            _ => stage.to_owned(),
        };
        Stage { per_item, ..Stage::of(op, text) }
    }

    /// The ways to begin with an op: on a piece of the goal, or on what a file has.
    fn begun(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Vec<Draft> {
        let Some(input) = op.op.input() else {
            let mut next = draft.clone();
            self.call(&mut next, step, op, mention, false);
            return vec![next];
        };
        let mut all = Vec::new();
        let begin = |value: String, used: Vec<(usize, usize)>| {
            let mut next = draft.clone();
            next.stages.push(Stage::value(value));
            next.used.extend(used);
            next
        };
        if asking::is_asked(op) {
            all.extend(
                self.read(step).into_iter().flat_map(|it| self.called(&it, step, op, mention)),
            );
            if let Some(idx) = self.quoted(step) {
                let clause = &self.clauses[step];
                let mut next = begin(clause.literals[idx].literal.written(), vec![(step, idx)]);
                // A step without other words is the prompt itself.
                match clause.content().all(|it| mention.words.iter().any(|word| word == it)) {
                    true => next.stages.push(Stage::of(op, op.script_name())),
                    false => self.call(&mut next, step, op, mention, false),
                }
                all.push(next);
            }
            if all.is_empty() {
                let mut next = draft.clone();
                self.call(&mut next, step, op, mention, false);
                all.push(next);
            }
            return all;
        }
        for (value, used, per_item) in self.values(step, op, input) {
            let mut next = begin(value, used);
            self.call(&mut next, step, op, mention, per_item);
            all.push(next);
        }
        if let Some(text) = free_text(op, &self.clauses[step], &mention.words)
            && all.is_empty()
        {
            let mut next = begin(quoted(&text), Vec::new());
            self.call(&mut next, step, op, mention, false);
            all.push(next);
        }
        if all.is_empty() {
            all.extend(self.searched(draft, step, op, mention));
        }
        if !matches!(input.scheme, Scheme::Path) && !is_free_text(op) {
            let reads = self.read(step).into_iter();
            all.extend(reads.flat_map(|it| self.called(&it, step, op, mention)));
        }
        if all.is_empty() {
            all.extend(self.given(draft, step, op, mention));
        }
        all
    }

    /// Begins with a question, where an op that takes one gives what is needed.
    fn searched(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Vec<Draft> {
        let asks =
            |stage: &String| self.catalog.registry().resolve(stage).is_some_and(is_free_text);
        let way = self.catalog.way_to(&Type::Text, op);
        let Some(_) = way.filter(|it| it.stages.first().is_some_and(asks)) else {
            return Vec::new();
        };
        let clause = &self.clauses[step];
        let (text, used) = match (self.quoted(step), topic(clause)) {
            (Some(idx), _) => (clause.literals[idx].literal.written(), vec![(step, idx)]),
            (None, Some(topic)) => (quoted(&topic), Vec::new()),
            (None, None) => return Vec::new(),
        };
        let mut next = Draft { ty: Some(Type::Text), ..draft.clone() };
        next.stages.push(Stage::value(text));
        next.used.extend(used);
        self.called(&next, step, op, mention)
    }

    /// Begins with an input that the script is given from outside.
    fn given(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Option<Draft> {
        let input = op.op.input()?;
        let ty = match input.scheme {
            Scheme::OneOf(all) => all.first()?.show(),
            Scheme::Var(_) | Scheme::Ordered(_) => "string".to_owned(),
            Scheme::Amount(_) => "float".to_owned(),
            Scheme::List(Scheme::Var(_) | Scheme::Ordered(_), _) => "[string]".to_owned(),
            Scheme::List(Scheme::Amount(_), _) => "[float]".to_owned(),
            other => other.show(),
        };
        let mut next = draft.clone();
        next.ask(Asked { name: "given".into(), ty, doc: input.summary() });
        next.stages.push(Stage::value("given"));
        next.score -= ASKED;
        self.call(&mut next, step, op, mention, false);
        Some(next)
    }

    /// The literals that an op can begin with, of this step or else of a later one.
    fn values(
        &self,
        step: usize,
        op: OpRef,
        input: &Param,
    ) -> Vec<(String, Vec<(usize, usize)>, bool)> {
        let takes = input.scheme;
        let needed = op.op.params.iter().skip(1).filter(|it| {
            it.default.is_none() && matches!(it.scheme, Scheme::Text | Scheme::Var(_))
        });
        let needed = needed.count();
        let mut all = Vec::new();
        for at in step..self.clauses.len() {
            let literals = &self.clauses[at].literals;
            let quoted = literals.iter().filter(|it| matches!(it.literal, Literal::Quoted(_)));
            let spare = at != step || quoted.count() > needed;
            let fits = |it: &Literal| match it {
                Literal::Quoted(_) => spare && it.fits(takes),
                // An address is a text only where one is meant.
                Literal::Url(_) if input.name != "url" && at == step => false,
                Literal::Path(_) | Literal::Url(_) | Literal::Number(_) if at != step => {
                    matches!(takes, Scheme::Var(_))
                }
                it => it.fits(takes),
            };
            let fitting: Vec<usize> =
                (0..literals.len()).filter(|idx| fits(&literals[*idx].literal)).collect();
            let several = fitting.len() > 1
                && fitting.iter().all(|idx| {
                    matches!(literals[*idx].literal, Literal::Url(_) | Literal::Path(_))
                });
            if several {
                let written: Vec<String> =
                    fitting.iter().map(|idx| literals[*idx].literal.written()).collect();
                let used = fitting.iter().map(|idx| (at, *idx)).collect();
                all.push((format!("[{}]", written.join(", ")), used, true));
            } else if let Some(idx) = fitting.first() {
                all.push((literals[*idx].literal.written(), vec![(at, *idx)], false));
            }
            if !all.is_empty() {
                break;
            }
        }
        all
    }

    fn quoted(&self, step: usize) -> Option<usize> {
        let literals = &self.clauses[step].literals;
        literals.iter().position(|it| matches!(it.literal, Literal::Quoted(_)))
    }

    /// Begins with what stands in a file or on a page that the step, or a later one, names.
    pub(super) fn read(&self, step: usize) -> Vec<Draft> {
        let literals = self.clauses[step].literals.iter().enumerate();
        let readable =
            literals.filter(|(_, it)| matches!(it.literal, Literal::Path(_) | Literal::Url(_)));
        let Some((idx, given)) = readable.map(|(idx, it)| (idx, &it.literal)).next() else {
            return Vec::new();
        };
        let mut readers: Vec<(i64, OpRef)> = self.readers(given);
        readers.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
        let best = readers.first().map(|(rank, _)| *rank);
        readers.retain(|(rank, _)| Some(*rank) == best);
        let begun = readers.into_iter().take(2).filter_map(|(_, op)| {
            let input = op.op.input()?;
            let name = op.script_name();
            let filling = self.filling(step, &[(step, idx)]);
            let call = filling.call(op);
            let mut args = vec![format!("{}: {}", input.name, given.written())];
            let extra = call.args.iter().filter(|(name, _)| *name == "glob");
            args.extend(extra.map(|(name, value)| format!("{name}: {value}")));
            let mut draft = Draft { used: vec![(step, idx)], ..Draft::default() };
            draft.score -= DETOUR;
            draft.stages.push(Stage::of(op, format!("{name}({})", args.join(", "))));
            self.tried(draft)
        });
        begun.collect()
    }

    /// The ops that read what a literal names, and how well they fit its kind.
    fn readers(&self, literal: &Literal) -> Vec<(i64, OpRef)> {
        let kinds = ["pdf", "json", "jsonl", "files"];
        let kind = literal.kind_of_file().unwrap_or("page");
        let components = self.catalog.registry().components().iter().copied();
        let ops = components
            .flat_map(|component| component.ops.iter().map(move |op| OpRef { component, op }));
        let rank = |op: OpRef| {
            let input = op.op.input()?;
            let reads = op.op.effects.iter().any(|it| match it {
                Effect::Reads(Scope::Path(name) | Scope::Web(name)) => *name == input.name,
                _ => false,
            });
            let scheme_fits = literal.fits(input.scheme);
            let is_only_reading = op.op.effects.len() == 1 && reads && scheme_fits;
            let name = op.script_name();
            let has = |word: &str| name.split('_').any(|it| it == word);
            let other = kinds.iter().filter(|it| **it != kind && has(it)).count();
            let rank = 2 * i64::from(has(kind)) - i64::try_from(other).unwrap_or(9);
            is_only_reading.then_some((rank, op))
        };
        ops.filter_map(rank).collect()
    }

    fn filling<'f>(&'f self, step: usize, used: &[(usize, usize)]) -> Filling<'f> {
        let used = used.iter().filter(|(at, _)| *at == step).map(|(_, idx)| *idx).collect();
        let next = self.clauses.get(step + 1);
        Filling { clause: &self.clauses[step], next, used, catalog: self.catalog }
    }

    /// Adds the call of an op, with the arguments that the step gives.
    fn call(&self, draft: &mut Draft, step: usize, op: OpRef, mention: &Mention, per_item: bool) {
        let clause = &self.clauses[step];
        let name = op.script_name();
        if asking::is_asked(op) {
            let text = asking::stage(&name, clause, !draft.is_empty());
            // What a model is told is the step itself, with all its pieces.
            draft.used.extend((0..clause.literals.len()).map(|idx| (step, idx)));
            draft.stages.push(Stage { per_item, ..Stage::of(op, text) });
            return;
        }
        let call = self.filling(step, &draft.used).call(op);
        draft.used.extend(call.used.iter().map(|idx| (step, *idx)));
        let text = written(&name, &call.args);
        for (param, ty) in call.asked {
            draft.score -= ASKED;
            draft.ask(Asked { name: param.name.into(), ty, doc: param.summary() });
        }
        let note = sentence(&mention.words.join(" "), ' ');
        let stage = Stage::of(op, text);
        let note = if stage.note.is_empty() { note } else { stage.note.clone() };
        draft.stages.push(Stage { per_item, note, ..stage });
    }

    /// The draft with what it gives, where it checks.
    fn tried(&self, mut draft: Draft) -> Option<Draft> {
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

    /// The first step one of whose own pieces a draft leaves unused; a number may be a word
    /// that counts nothing: `into one file`.
    pub(super) fn ignored(&self, draft: &Draft) -> Option<&Clause> {
        let ignores = |(step, clause): &(usize, &Clause)| {
            clause.literals.iter().enumerate().any(|(idx, it)| {
                let is_word = matches!(it.literal, Literal::Number(_)) && !it.in_digits;
                !is_word && !draft.used.contains(&(*step, idx))
            })
        };
        self.clauses.iter().enumerate().find(ignores).map(|(_, it)| it)
    }

    /// What the pieces of the goal count that a draft leaves unused.
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

/// A call with its arguments.
fn written(name: &str, args: &[(&'static str, String)]) -> String {
    let args: Vec<String> = args.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(", ")) }
}

/// A branch as a script of its own, whose input has the type of what enters it.
fn branch_script(draft: &Draft, enters: &Type) -> String {
    let stages = joined(&draft.stages[1..], false);
    format!("param entering: {enters}\n\nentering >> {stages}")
}

/// What a branch is called: the op that it ends with.
fn named(draft: &Draft, other: &str) -> String {
    let last = draft.stages.iter().rev().find_map(|it| it.op);
    last.map_or_else(|| other.to_owned(), |it| it.script_name().replace('.', "_"))
}

/// The field of a record that the words of a step name.
fn field_of(item: &Type, words: &[String]) -> Option<String> {
    let Type::Record(of) = item else { return None };
    let named = |name: &str| words.iter().any(|it| it == name);
    of.fields.iter().map(|(name, _)| name.to_string()).find(|it| named(it))
}

/// The best drafts, each pipeline once.
fn best(mut drafts: Vec<Draft>, most: usize) -> Vec<Draft> {
    drafts.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Draft> = Vec::new();
    for draft in drafts {
        if kept.len() < most && !kept.iter().any(|it| it.script() == draft.script()) {
            kept.push(draft);
        }
    }
    kept
}
