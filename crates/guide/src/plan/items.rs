//! The selection of list items, and their order.

use svc_contract::value::Type;

use super::{
    arguments::is_count,
    draft::{Draft, Stage},
    fields::items_of_json,
    goal::{Clause, LiteralInContext},
    literals::Literal,
    route::{MOST_DRAFTS, Route, best, detour},
};

impl Route<'_> {
    /// Returns the drafts whose last op can take the number of items.
    pub(super) fn counted(&self, drafts: &[Draft], step: usize, idx: usize) -> Vec<Draft> {
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

    /// Sorts the items of a list, by a field that the step names or by themselves.
    pub(super) fn sorted(
        &self,
        draft: &Draft,
        step: usize,
        by_length: bool,
        down: bool,
    ) -> Vec<Draft> {
        let words = &self.clauses[step].words;
        let of_json = items_of_json(&self.clauses[step], false);
        let mut sorted = self.on_lists(draft, step, &of_json, |_, item| Stage {
            note: "sorts the items".into(),
            ..Stage::value(order(item, words, by_length, down))
        });
        let is_extreme = words.iter().any(|it| it == "longest" || it == "shortest");
        if is_extreme || extreme_of_several(&self.clauses[step]).is_some() {
            for it in &mut sorted {
                let stage = self.extreme(step, &mut it.used);
                it.stages.push(stage);
            }
        }
        sorted
    }

    /// Selects from a list with the longest items first: a single item, or a number of them.
    fn extreme(&self, step: usize, used: &mut Vec<(usize, usize)>) -> Stage {
        let is_number = |it: &LiteralInContext| matches!(it.literal, Literal::Number(_));
        let literals = &self.clauses[step].literals;
        let Some(idx) = literals.iter().position(is_number) else {
            return detour(self.catalog, "first");
        };
        used.push((step, idx));
        detour(self.catalog, &format!("take(n: {})", literals[idx].literal.written()))
    }
}

/// A stage that sorts items, greatest first if requested.
fn order(item: &Type, words: &[String], by_length: bool, down: bool) -> String {
    let field = field_of(item, words);
    let key = field.as_deref().map_or("it".to_owned(), |it| format!(".{it}"));
    let of_numbers = match (item, &field) {
        (Type::Record(of), Some(field)) => {
            of.fields.iter().any(|(name, ty)| **name == *field && is_amount(ty))
        }
        (item, _) => is_amount(item),
    };
    match (by_length, down) {
        (true, true) => "sort { -len(it) }".to_owned(),
        (true, false) => "sort { len(it) }".to_owned(),
        (false, true) if of_numbers => format!("sort {{ -{key} }}"),
        (false, true) => format!("sort {{ {key} }} >> reverse"),
        (false, false) => format!("sort {{ {key} }}"),
    }
}

fn is_amount(ty: &Type) -> bool {
    ty.is_number() || matches!(ty, Type::Duration | Type::Money | Type::Size)
}

/// Reads `the 3 biggest`: the end of the order, if several items are meant.
pub(super) fn extreme_of_several(clause: &Clause) -> Option<&'static str> {
    const EXTREMES: [&str; 8] =
        ["biggest", "largest", "highest", "greatest", "smallest", "lowest", "longest", "shortest"];
    let numbers = clause.literals.iter().filter(|it| matches!(it.literal, Literal::Number(_)));
    let mut near = numbers.flat_map(|it| it.behind.first().into_iter().chain(it.before.last()));
    near.find_map(|it| EXTREMES.into_iter().find(|word| *word == it))
}

/// The field of a record that the words of a step name.
pub(super) fn field_of(item: &Type, words: &[String]) -> Option<String> {
    let Type::Record(of) = item else { return None };
    let named = |name: &str| words.iter().any(|it| it == name);
    of.fields.iter().map(|(name, _)| name.to_string()).find(|it| named(it))
}
