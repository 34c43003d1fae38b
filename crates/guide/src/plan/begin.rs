//! The beginnings of pipelines: a literal of the goal, the content of a file or page, a question,
//! or a param of the script.

use svc_contract::{
    registry::{OpRef, Param, Scheme},
    value::Type,
};

use super::{
    arguments::{free_text, topic},
    asking,
    draft::{Asked, Draft, Stage},
    goal::Clause,
    literals::quoted,
    mention::{Mention, is_free_text},
    route::{ASKED, Route},
};

impl Route<'_> {
    /// Returns the ways to begin with an op: on a literal of the goal, or on the content of a file.
    pub(super) fn begun(
        &self,
        draft: &Draft,
        step: usize,
        op: OpRef,
        mention: &Mention,
    ) -> Vec<Draft> {
        let Some(input) = op.op.input() else { return vec![self.bare(draft, step, op)] };
        if asking::is_asked(op) {
            return self.asked(draft, step, op, mention);
        }
        if self.is_write_of_several(step, op) {
            let reads = self.read(step).into_iter();
            return reads.flat_map(|it| self.called(&it, step, op, mention)).collect();
        }
        let values = self.values(step, op, input).into_iter();
        let mut all: Vec<Draft> = values
            .map(|it| {
                let mut next = begin(draft, it.written, it.used);
                self.call(&mut next, step, op, it.per_item);
                next
            })
            .collect();
        if all.is_empty() {
            all.extend(self.in_words(draft, step, op, mention));
        }
        if all.is_empty() {
            all.extend(self.searched(draft, step, op, mention));
        }
        if all.is_empty() && !matches!(input.scheme, Scheme::Path) {
            all.extend(self.on_text(draft, step, op, mention));
        }
        if self.reads_worse(step, op) {
            return self.read(step);
        }
        if !matches!(input.scheme, Scheme::Path) && !is_free_text(op) {
            let reads = self.read(step).into_iter();
            all.extend(reads.flat_map(|it| self.called(&it, step, op, mention)));
        }
        if all.is_empty() {
            all.extend(self.given(draft, step, op));
        }
        all
    }

    /// Begins with a literal of the goal.
    pub(super) fn with_piece(draft: &Draft, clause: &Clause, place: (usize, usize)) -> Vec<Draft> {
        if !draft.is_empty() {
            return Vec::new();
        }
        let written = clause.literals[place.1].literal.written();
        vec![begin(draft, written, vec![place])]
    }

    /// Begins with an op that has no input.
    fn bare(&self, draft: &Draft, step: usize, op: OpRef) -> Draft {
        let mut next = draft.clone();
        self.call(&mut next, step, op, false);
        next
    }

    /// Begins with a question to a model: about a file, about a text, or on its own.
    fn asked(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Vec<Draft> {
        if self.has_folder(step)
            && let searched = self.passages(draft, step)
            && !searched.is_empty()
        {
            return searched.iter().flat_map(|it| self.called(it, step, op, mention)).collect();
        }
        let reads = self.read(step).into_iter();
        let mut all: Vec<Draft> =
            reads.flat_map(|it| self.called(&it, step, op, mention)).collect();
        if let Some(idx) = self.quoted(step) {
            let clause = &self.clauses[step];
            let text = clause.literals[idx].literal.written();
            let mut next = begin(draft, text, vec![(step, idx)]);
            // If a step has no other words, it is the prompt itself.
            if clause.content().all(|it| mention.words.iter().any(|word| word == it)) {
                next.stages.push(Stage::of(op, op.script_name()));
            } else {
                self.call(&mut next, step, op, false);
            }
            all.push(next);
        }
        if all.is_empty() {
            all.push(self.bare(draft, step, op));
        }
        all
    }

    /// The documents that a question finds, formatted by the op that writes them for prompts.
    fn passages(&self, draft: &Draft, step: usize) -> Vec<Draft> {
        let Some(op) = self.catalog.registry().resolve("docs_to_text") else { return Vec::new() };
        let mention = Mention { what: Vec::new(), gain: 0.0, words: Vec::new() };
        let all = self.searched(draft, step, op, &mention).into_iter();
        all.filter_map(|it| self.tried(it)).collect()
    }

    /// Begins with the words of the step, if the op takes words.
    fn in_words(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Option<Draft> {
        let text = free_text(op, &self.clauses[step], &mention.words)?;
        let mut next = begin(draft, quoted(&text), Vec::new());
        self.call(&mut next, step, op, false);
        Some(next)
    }

    /// Begins with a question, if an op that takes one returns the required type.
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
        let next = Draft { ty: Some(Type::Text), ..begin(draft, text, used) };
        self.called(&next, step, op, mention)
    }

    /// Begins with a quoted text, from which the required type can be made.
    fn on_text(&self, draft: &Draft, step: usize, op: OpRef, mention: &Mention) -> Vec<Draft> {
        let needs = |it: &&Param| it.default.is_none() && matches!(it.scheme, Scheme::Text);
        let Some(idx) = self.quoted(step) else { return Vec::new() };
        if self.clauses[step].has_place() || op.op.params.iter().skip(1).any(|it| needs(&it)) {
            return Vec::new();
        }
        let text = self.clauses[step].literals[idx].literal.written();
        let next = Draft { ty: Some(Type::Text), ..begin(draft, text, vec![(step, idx)]) };
        self.called(&next, step, op, mention)
    }

    /// Begins with a param of the script.
    fn given(&self, draft: &Draft, step: usize, op: OpRef) -> Option<Draft> {
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
        self.call(&mut next, step, op, false);
        Some(next)
    }
}

/// Returns a draft that begins with a value.
fn begin(draft: &Draft, value: String, used: Vec<(usize, usize)>) -> Draft {
    let mut next = draft.clone();
    next.stages.push(Stage::value(value));
    next.used.extend(used);
    next
}
