//! The lists that a step can select from: the current list, the lines of a text, the items in JSON.

use svc_contract::value::Type;

use super::{
    draft::{Draft, Stage},
    route::{DETOUR, Route, detour},
};

impl Route<'_> {
    /// Adds a stage to drafts that return a list, or to the step's file.
    pub(super) fn on_lists(
        &self,
        draft: &Draft,
        step: usize,
        of_json: &Type,
        stage: impl Fn(&mut Draft, &Type) -> Stage,
    ) -> Vec<Draft> {
        let begun = if draft.is_empty() { self.lists(step) } else { vec![draft.clone()] };
        let on = begun.into_iter().filter_map(|it| {
            let mut it = self.as_list(it, step, of_json)?;
            let ty = it.ty.clone()?;
            let Type::List(item, _) = &ty else { return None };
            let stage = stage(&mut it, item);
            it.stages.push(stage);
            Some(it)
        });
        on.collect()
    }

    /// Converts the result of a draft to a list: the lines of a text, or the typed items of JSON.
    fn as_list(&self, mut draft: Draft, step: usize, of_json: &Type) -> Option<Draft> {
        let stages = match draft.ty.as_ref()? {
            Type::List(item, _) if **item == Type::Json && *of_json != Type::Json => {
                let item = Stage::value(format!("it as {of_json}"));
                draft.stages.push(Stage { per_item: true, ..item });
                return self.tried(draft);
            }
            Type::List(..) => return Some(draft),
            Type::Text => vec![self.parts_of_text(step).to_owned()],
            Type::Json => {
                self.catalog.way_between(&Type::Json, &Type::list(of_json.clone()))?.stages
            }
            _ => return None,
        };
        draft.score -= DETOUR;
        draft.stages.extend(stages.iter().map(|it| detour(self.catalog, it)));
        self.tried(draft)
    }

    /// The parts of a text: its words if a step mentions words, otherwise its lines.
    fn parts_of_text(&self, step: usize) -> &'static str {
        let says =
            |all: [&str; 2]| self.clauses[step].words.iter().any(|it| all.contains(&it.as_str()));
        if says(["word", "words"]) && !says(["line", "lines"]) { "words" } else { "lines" }
    }

    /// The lists of a step: its file, or its numbers.
    fn lists(&self, step: usize) -> Vec<Draft> {
        let mut all = self.read(step);
        let literals = self.clauses[step].literals.iter().enumerate();
        let numbers = literals.filter(|(_, it)| it.literal.is_several());
        let begun = numbers.filter_map(|(idx, it)| {
            let stages = vec![Stage::value(it.literal.written())];
            self.tried(Draft { stages, used: vec![(step, idx)], ..Draft::default() })
        });
        all.extend(begun);
        all
    }
}
