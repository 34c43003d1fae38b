//! The field of a record that a goal asks for: `what time`, `which entry`.

use svc_contract::registry::{Catalog, FieldScheme, Scheme};
use svc_text::stems::Vocabulary;

use super::{
    goal::{Goal, Mask, bit},
    search::Draft,
};

/// What it is worth that the goal names a field of the result.
const OF_FIELD: f64 = 1.5;

/// The draft with the field of its result that the goal asks for.
pub(super) fn with_field(draft: Draft, goal: &Goal, catalog: &dyn Catalog) -> Draft {
    let last = draft.steps.last().and_then(|it| it.op);
    let Some(Scheme::Record(_, fields)) = last.map(|it| *it.op.yields) else { return draft };
    let Some((places, name)) = asked_field(&draft, fields, goal) else { return draft };
    let mut with = draft.clone();
    with.stages.push(format!(".{name}"));
    with.covered |= places;
    with.score += OF_FIELD;
    let tried = catalog.tried(&with.script());
    match tried.gives.filter(|_| tried.errors.is_empty()) {
        Some(ty) => Draft { ty, ..with },
        None => draft,
    }
}

/// The field that a word of the goal names, with the places of that word: the noun behind `what`
/// or `which`, or a word that nothing else serves. `which` alone asks for the only text.
fn asked_field(
    draft: &Draft,
    fields: &'static [FieldScheme],
    goal: &Goal,
) -> Option<(Mask, &'static str)> {
    let mut words = Vocabulary::default();
    let asks = |at: &usize| matches!(&*goal.tokens[*at].lower, "what" | "which");
    let question = (0..goal.tokens.len()).find(asks);
    // To be written, a record needs a text: what the goal calls the result.
    let of_last = draft.steps.last().map_or(0, |it| it.words);
    let open = draft.open(goal) | if goal.target.is_some() { of_last } else { 0 };
    let noun = question.map(|it| it + 1).filter(|it| *it < goal.tokens.len());
    let places = noun.into_iter().chain((0..goal.tokens.len()).filter(|at| open & bit(*at) != 0));
    for at in places {
        let Some(term) = words.read(&goal.tokens[at].lower).next().map(|it| it.term) else {
            continue;
        };
        let mut says = |text: &str| words.terms(&text.replace('_', " ")).contains(&term);
        let by_name = fields.iter().find(|it| says(it.name));
        if let Some(field) = by_name.or_else(|| fields.iter().find(|it| says(it.doc))) {
            return Some((bit(at), field.name));
        }
    }
    let mut texts = fields.iter().filter(|it| matches!(it.scheme, Scheme::Text));
    let (only, None) = (texts.next()?, texts.next()) else { return None };
    let is_which = goal.tokens[question?].lower == "which";
    is_which.then_some((0, only.name))
}
