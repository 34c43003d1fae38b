//! Fields of JSON in a step: `by priority`, `whose score is over 0.8`, `the field "name"`.

use svc_contract::value::Type;

use super::{
    draft::{Draft, Stage},
    goal::{Clause, LiteralInContext, is_filler},
    literals::Literal,
    mention::is_generic,
    route::Route,
};

/// Fields that usually hold numbers.
const AMOUNTS: &str = "score price amount age size total cost count number rating year quantity \
    salary weight height length value points votes priority rank revenue sales population";

/// The type of the JSON items that a step needs: records with the field that it names, or numbers.
pub(super) fn items_of_json(clause: &Clause, is_compared: bool) -> Type {
    let Some(name) = named(clause) else { return Type::FLOAT };
    let is_amount = is_compared || AMOUNTS.split_whitespace().any(|it| it == name);
    let ty = if is_amount { Type::FLOAT } else { Type::Text };
    Type::record(vec![(name.into(), ty)])
}

/// The field after `by` or `whose`, or before the value that it is compared with.
pub(super) fn named(clause: &Clause) -> Option<&str> {
    const LEADS: [&str; 5] = ["by", "whose", "their", "having", "where"];
    const COMPARES: &str = "over above below under exceeding greater less more higher lower is";
    let words: Vec<&str> =
        clause.words.iter().map(String::as_str).filter(|it| !matches!(*it, "the" | "a")).collect();
    let is_name = |it: &&str| !is_filler(it) && (!is_generic(it) || AMOUNTS.contains(*it));
    let leads = words.windows(2).find(|it| LEADS.contains(&it[0]) && is_name(&it[1]));
    let compared = || {
        let compares = |it: &str| COMPARES.split_whitespace().any(|word| word == it);
        words.windows(2).find(|it| compares(it[1]) && is_name(&it[0]) && it[0] != "those")
    };
    leads.map(|it| it[1]).or_else(|| compared().map(|it| it[0]))
}

/// The position of a quoted field of a step: `the field "name"`.
pub(super) fn quoted_field(clause: &Clause) -> Option<usize> {
    const NOUNS: [&str; 5] = ["field", "key", "property", "attribute", "entry"];
    let near = |it: &LiteralInContext| {
        let near = it.before.last().into_iter().chain(it.behind.first());
        near.into_iter().any(|it| NOUNS.contains(&it.as_str()))
    };
    let is_field = |it: &LiteralInContext| matches!(it.literal, Literal::Quoted(_)) && near(it);
    clause.literals.iter().position(is_field)
}

impl Route<'_> {
    /// Looks up a name in JSON, or in each item of it.
    pub(super) fn looked_up(&self, draft: &Draft, step: usize, idx: usize) -> Vec<Draft> {
        let begun = if draft.is_empty() { self.read(step) } else { vec![draft.clone()] };
        let Some(op) = self.catalog.registry().resolve("at") else { return Vec::new() };
        let path = self.clauses[step].literals[idx].literal.written();
        let on = begun.into_iter().filter_map(|mut it| {
            let per_item = match it.ty.as_ref()? {
                Type::Json => false,
                Type::List(item, _) if **item == Type::Json => true,
                _ => return None,
            };
            let stage = Stage::of(op, format!("at(path: {path})"));
            it.stages.push(Stage { per_item, ..stage });
            it.used.push((step, idx));
            Some(it)
        });
        on.collect()
    }
}
