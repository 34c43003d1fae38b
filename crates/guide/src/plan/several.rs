//! Several files in one step: read one by one, or joined to one text.

use svc_contract::{
    registry::{Effect, OpRef, Scheme},
    value::Type,
};
use svc_text::synonyms;

use super::{
    draft::{Draft, Stage},
    goal::LiteralInContext,
    literals::Literal,
    route::{DETOUR, Route},
};

/// Words for joining several into one.
const JOINING: &str = "join merge combine concatenate append together altogether one single \
    combined total overall all both";

impl Route<'_> {
    /// Begins with the contents of several files or folders of one kind.
    pub(super) fn read_several(&self, step: usize) -> Vec<Draft> {
        let literals = self.clauses[step].literals.iter().enumerate();
        let is_file =
            |it: &LiteralInContext| matches!(it.literal, Literal::Path(_)) && it.is_source();
        let files: Vec<(usize, &Literal)> =
            literals.filter(|(_, it)| is_file(it)).map(|(at, it)| (at, &it.literal)).collect();
        let [(_, first), _, ..] = files.as_slice() else { return Vec::new() };
        let readers = self.best_readers(first);
        let is_alike = |it: &Literal| {
            self.best_readers(it)
                .iter()
                .map(OpRef::to_string)
                .eq(readers.iter().map(OpRef::to_string))
        };
        if !files.iter().all(|(_, it)| is_alike(it)) {
            return Vec::new();
        }
        let used: Vec<(usize, usize)> = files.iter().map(|(at, _)| (step, *at)).collect();
        let written: Vec<String> = files.iter().map(|(_, it)| it.written()).collect();
        let begun = readers.into_iter().take(1).filter_map(|op| {
            let draft = Draft { used: used.clone(), score: -DETOUR, ..Draft::default() };
            self.joined(self.tried(reading(draft, &written, op))?, step)
        });
        begun.collect()
    }

    /// Flattens a list of lists, and joins texts if the step requests that.
    fn joined(&self, mut draft: Draft, step: usize) -> Option<Draft> {
        let Some(Type::List(item, _)) = &draft.ty else { return Some(draft) };
        let registry = self.catalog.registry();
        let stage = match item.as_ref() {
            Type::List(..) => Stage::of(registry.resolve("flatten")?, "flatten".into()),
            Type::Text if self.joins(step) => {
                Stage::of(registry.resolve("join")?, "join(sep: \"\\n\")".into())
            }
            _ => return Some(draft),
        };
        draft.stages.push(stage);
        self.tried(draft)
    }

    /// Whether a step joins several into one.
    pub(super) fn joins(&self, step: usize) -> bool {
        let says = |it: &String| JOINING.split_whitespace().any(|word| word == it);
        let clause = &self.clauses[step];
        // A model compares what it sees in one prompt.
        let is_for_model = clause.content().next().is_some_and(synonyms::is_for_a_model);
        clause.words.iter().any(says) || (is_for_model && !clause.each)
    }

    /// Whether an op would only join what is joined already.
    pub(super) fn has_joined(&self, draft: &Draft, step: usize, op: OpRef) -> bool {
        let names = ["join", "flatten"];
        let is_join = |it: OpRef| names.contains(&it.script_name().as_str());
        let is_done = match draft.stages.as_slice() {
            [only] => only.text == "first + second",
            [.., last] => last.op.is_some_and(is_join) && draft.stages.len() == 4,
            [] => false,
        };
        is_done && is_join(op) && self.joins(step)
    }

    /// Whether a person is asked about the content that a later step reads and writes.
    pub(super) fn is_write_of_several(&self, step: usize, op: OpRef) -> bool {
        let of_any = op.op.input().is_some_and(|it| matches!(it.scheme, Scheme::Var(_)));
        let places = |it: &LiteralInContext| matches!(it.literal, Literal::Path(_));
        let clause = &self.clauses[step];
        of_any
            && op.op.effects.contains(&Effect::Asks)
            && clause.literals.iter().any(LiteralInContext::is_target)
            && clause.literals.iter().any(|it| places(it) && it.is_source())
    }
}

/// Returns a draft that reads each of several places.
fn reading(mut draft: Draft, written: &[String], op: OpRef) -> Draft {
    let name = op.script_name();
    draft.stages.push(Stage::value(format!("[{}]", written.join(", "))));
    draft.stages.push(Stage { per_item: true, ..Stage::value("path") });
    draft.stages.push(Stage { per_item: true, ..Stage::of(op, name) });
    draft
}
