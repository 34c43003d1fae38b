//! The shortest chain of steps from one type to another.
//!
//! A breadth-first search over the conversions of a value: ops that need nothing but their
//! input, a field, an item, a list of it. Steps that keep the meaning of the value come before
//! those that drop part of it, and ties are broken by the order of the registry, so that the
//! same script always gets the same fix.

use svc_contract::{
    registry::{Effect, Generic, Max, OpRef, Price, Registry, Scheme},
    value::Type,
};

use super::{
    step::Step,
    wanted::{Wanted, is_given, is_writable},
};
use crate::check::unify::Bindings;

/// The most steps of a chain.
pub(in crate::check) const MOST_STEPS: usize = 3;

/// The most types that are followed from one step to the next.
const MOST_TYPES: usize = 24;

/// The goal and the context of a search.
pub(in crate::check) struct Search<'a> {
    pub(in crate::check) registry: &'a Registry,
    /// The types that a script can name.
    pub(in crate::check) knows: &'a dyn Fn(&str) -> bool,
    pub(in crate::check) wanted: Wanted<'a>,
    /// The name of the port: of several fields that fit, the one with this name is meant.
    pub(in crate::check) port: &'a str,
}

/// A type reached by some steps.
struct Reached {
    ty: Type,
    steps: Vec<Step>,
    cost: u32,
    /// Whether a step changed the meaning of the value; a chain has at most one such step.
    converted: bool,
}

/// A possible step, and the type that it reaches.
struct Move {
    step: Step,
    ty: Type,
    cost: u32,
    converts: bool,
}

impl Search<'_> {
    /// The shortest chain from a type to the wanted one, of at most `most` steps.
    pub(in crate::check) fn chain(&self, from: &Type, most: usize) -> Option<Vec<Step>> {
        if matches!(from, Type::Unknown | Type::Never) {
            return None;
        }
        let start = Reached { ty: from.clone(), steps: Vec::new(), cost: 0, converted: false };
        let mut seen = vec![from.clone()];
        let mut frontier = vec![start];
        for _ in 0..most {
            let mut next: Vec<Reached> = frontier.iter().flat_map(|it| self.after(it)).collect();
            next.sort_by_key(|it| it.cost);
            if let Some(found) = next.iter().find(|it| self.wanted.accepts(&it.ty)) {
                return Some(found.steps.clone());
            }
            next.retain(|it| {
                let is_new = !seen.contains(&it.ty);
                if is_new {
                    seen.push(it.ty.clone());
                }
                is_new
            });
            next.truncate(MOST_TYPES);
            frontier = next;
        }
        None
    }

    fn after(&self, reached: &Reached) -> Vec<Reached> {
        let mut moves = self.moves(&reached.ty);
        moves.retain(|it| !(reached.converted && (it.converts || measures(it))));
        let then = |it: Move| Reached {
            ty: it.ty,
            steps: reached.steps.iter().cloned().chain([it.step]).collect(),
            cost: reached.cost + it.cost,
            converted: reached.converted || it.converts,
        };
        moves.into_iter().map(then).collect()
    }

    /// All steps that are possible from a type.
    fn moves(&self, from: &Type) -> Vec<Move> {
        let keeps = |step, ty, cost| Move { step, ty, cost, converts: false };
        match from {
            Type::Optional(inner) => return self.of_null(inner),
            // A secret is never converted.
            Type::Secret => return Vec::new(),
            Type::List(item, _) => {
                let mut moves = self.ops(from);
                moves.extend(self.each(item));
                moves.extend(self.bound(item));
                return moves;
            }
            _ => {}
        }
        let mut moves = self.ops(from);
        if let Type::Record(of) = from {
            let fields = of.fields.iter().filter(|(name, ty)| self.is_meant(from, name, ty));
            moves.extend(fields.map(|(name, ty)| keeps(Step::Field(name.clone()), ty.clone(), 1)));
        }
        if *from == Type::Json
            && let Some(ty) = self.testable()
        {
            moves.push(keeps(Step::Test(ty.clone()), ty, 0));
        }
        moves.push(keeps(Step::Wrap, Type::List(from.clone().into(), Some(1)), 2));
        moves
    }

    /// The steps for a value that may be null.
    fn of_null(&self, inner: &Type) -> Vec<Move> {
        let keeps = |step, ty, cost| Move { step, ty, cost, converts: false };
        if matches!(inner, Type::List(..)) {
            return vec![keeps(Step::OrEmpty, inner.clone(), 1)];
        }
        let fails = self.all_ops().find(|it| matches!(*it.op.yields, Scheme::Never));
        fails
            .map(|it| keeps(Step::Require(it.script_name()), inner.clone(), 2))
            .into_iter()
            .collect()
    }

    /// The steps for every item of a list.
    fn each(&self, item: &Type) -> Vec<Move> {
        let moves = self.ops(item).into_iter().filter(|it| it.converts);
        moves
            .map(|it| Move {
                step: Step::Each(Box::new(it.step)),
                ty: Type::list(it.ty),
                cost: it.cost + 3,
                converts: true,
            })
            .collect()
    }

    /// `take(n: ..)`, if the expected list is bounded.
    fn bound(&self, item: &Type) -> Option<Move> {
        let most = self.wanted.most_items()?;
        let ty = Type::List(item.clone().into(), Some(most));
        self.all_ops().find_map(|op| {
            let Scheme::List(Scheme::Var(given), Max::InputOr(arg)) = *op.op.yields else {
                return None;
            };
            let takes = op.op.input()?.scheme;
            let same = matches!(takes, Scheme::List(Scheme::Var(it), _) if it == given);
            let first = op.op.params.get(1).is_some_and(|it| it.name == arg);
            let step = Step::Bound(op, arg, most);
            (same && first && is_free(op)).then(|| Move {
                step,
                ty: ty.clone(),
                cost: 1,
                converts: false,
            })
        })
    }

    /// Whether a field is the one that is meant: the only one that fits, or the one with the name
    /// of the port, or with the name of the text of a document.
    fn is_meant(&self, record: &Type, name: &str, ty: &Type) -> bool {
        let Type::Record(of) = record else { return false };
        if !self.wanted.accepts(ty) {
            return matches!(ty, Type::List(..) | Type::Record(_));
        }
        let fitting = || of.fields.iter().filter(|(_, ty)| self.wanted.accepts(ty));
        let named = |wanted: &str| fitting().any(|(it, _)| it.as_ref() == wanted);
        match fitting().count() {
            1 => true,
            _ if named(self.port) => name == self.port,
            _ => is_given(record, self.registry) && name == "text",
        }
    }

    fn testable(&self) -> Option<Type> {
        self.wanted.testable().filter(|it| is_writable(it, self.knows))
    }

    fn all_ops(&self) -> impl Iterator<Item = OpRef> {
        let all = self.registry.components().iter();
        all.flat_map(|component| component.ops.iter().map(|op| OpRef { component, op }))
    }

    fn ops(&self, from: &Type) -> Vec<Move> {
        self.all_ops().filter_map(|it| self.by_op(it, from)).collect()
    }

    /// The step of calling an op, if that makes sense for the value.
    fn by_op(&self, op: OpRef, from: &Type) -> Option<Move> {
        let [input, others @ ..] = *op.op.params else { return None };
        if !is_free(op) || others.iter().any(|it| it.default.is_none()) {
            return None;
        }
        // The fields of a record are seldom meant as a map.
        let is_map = matches!((input.scheme, from), (Scheme::Map(_), Type::Record(_)));
        // Of a moment, the name of its weekday is only a part, unless that is what is wanted.
        let is_part = from.is_moment()
            && matches!(*op.op.yields, Scheme::Enum(_))
            && self.wanted.accepts(&Type::Text);
        let mut bindings = Bindings::default();
        if is_map || is_part || !bindings.bind(input.scheme, from) {
            return None;
        }
        if op.op.generic == Generic::Tested {
            return self.typed(op, from);
        }
        // Which format a text has is a guess.
        if op.op.generic == Generic::Read {
            return None;
        }
        let ty = bindings.settled(*op.op.yields)?;
        let reads = if op.op.is_pure() { 0 } else { 20 };
        let slow = if op.op.is_inline() { 0 } else { 4 };
        let (cost, converts) = kind_of(input.scheme, *op.op.yields, from)?;
        let is_same = ty == *from;
        (!is_same).then_some(Move { step: Step::Op(op), ty, cost: cost + slow + reads, converts })
    }

    /// `parse_json<T>`: parses text as the expected type.
    fn typed(&self, op: OpRef, from: &Type) -> Option<Move> {
        if *from != Type::Text || !op.op.is_inline() || op.op.generic != Generic::Tested {
            return None;
        }
        let ty = self
            .testable()
            .filter(|it| !is_given(it, self.registry) && !it.is_beyond_json())
            // Text with a choice or a unit is plain, not JSON in quotes.
            .filter(|it| !it.is_text() && !it.is_unit() && *it != Type::Path)?;
        let step = if ty == Type::Json { Step::Op(op) } else { Step::Typed(op, ty.clone()) };
        Some(Move { step, ty, cost: 2, converts: true })
    }
}

/// Whether a step takes a number or an answer out of a record. In the result of a conversion, it
/// counts or measures.
fn measures(step: &Move) -> bool {
    matches!(step.step, Step::Field(_)) && (step.ty.is_number() || step.ty == Type::Bool)
}

/// Whether an op costs nothing and changes nothing. Ops that read something named by their
/// input are excluded: that would be a guess.
fn is_free(op: OpRef) -> bool {
    let reads_elsewhere = |it: &Effect| match it {
        Effect::Reads(_) => op.op.input().is_some_and(|it| matches!(it.scheme, Scheme::Text)),
        _ => false,
    };
    matches!(op.op.price, Price::Free) && op.op.effects.iter().all(reads_elsewhere)
}

/// The cost of a conversion between schemes, and whether it changes the meaning of the value.
/// `None` for an op that only counts or measures.
fn kind_of(takes: Scheme, gives: Scheme, from: &Type) -> Option<(u32, bool)> {
    let measures = matches!(gives, Scheme::Int | Scheme::Float | Scheme::Bool);
    match (takes.is_plain(), gives.is_plain()) {
        // What finds a record by its number converts nothing.
        (true, _) if from.is_number() && matches!(gives, Scheme::Record(..)) => None,
        (true, _) => Some((0, true)),
        (false, true) if is_choice(takes) && !measures => Some((1, true)),
        // Anything can be shown; only values that a person reads as they are qualify.
        (false, true) => {
            let is_scalar = from.is_number()
                || from.is_unit()
                || from.is_moment()
                || matches!(from, Type::Bool);
            (matches!(gives, Scheme::Text) && is_scalar).then_some((3, true))
        }
        (false, false) => Some((reshapes(gives)?, false)),
    }
}

/// Whether a port takes one of several specific types.
fn is_choice(takes: Scheme) -> bool {
    // What takes json, too, such as `to_csv`, writes any value.
    let says = |it: &Scheme| !matches!(it, Scheme::Record(_, []) | Scheme::Var(_) | Scheme::Json);
    // What takes numbers only writes them in a form of its own; `show` is meant.
    let is_number = |it: &Scheme| matches!(it, Scheme::Int | Scheme::Float);
    matches!(takes, Scheme::OneOf(all) if all.iter().all(says) && !all.iter().all(is_number))
}

/// The cost of taking a list apart. Sums and similar results have another meaning.
fn reshapes(gives: Scheme) -> Option<u32> {
    match gives {
        Scheme::List(Scheme::Var(_), _) => Some(1),
        Scheme::Var(_) => Some(4),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::step::stages, *};
    use svc_contract::registry::{
        Field,
        documents::{Doc, Hit},
    };

    fn way(from: &Type, to: &Type) -> Option<String> {
        let registry = svc_components::registry();
        let knows = |name: &str| matches!(name, "Doc" | "Hit" | "Note");
        let search =
            Search { registry: &registry, knows: &knows, wanted: Wanted::Type(to), port: "" };
        search.chain(from, MOST_STEPS).map(|it| stages(&it))
    }

    fn leads(from: &Type, to: &Type, chain: &str) {
        assert_eq!(way(from, to).as_deref(), Some(chain), "{from} to {to}");
    }

    fn note() -> Type {
        Type::record(vec![("title".into(), Type::Text), ("size".into(), Type::Size)])
    }

    #[test]
    fn the_shortest_chain_keeps_what_is_meant() {
        let (hit, doc) = (Hit::SCHEME.plain(), Doc::SCHEME.plain());
        let hits = Type::list(hit.clone());
        leads(&hits, &Type::Text, "docs_to_text");
        leads(&Type::list(hits.clone()), &Type::Text, "flatten >> docs_to_text");
        leads(&doc, &Type::Text, ".text");
        leads(&note(), &Type::Text, ".title");
        leads(&Type::Text, &hits, "search");
        leads(&Type::Text, &Type::list(Type::Text), "lines");
        leads(&Type::Text, &Type::Path, "path");
        leads(&Type::Text, &Type::INT, "to_int");
        leads(&Type::Text, &Type::Json, "parse_json");
        leads(&Type::INT, &Type::Text, "show");
        leads(&Type::Date, &Type::Text, "show");
        leads(&Type::Time, &Type::Text, "show");
        leads(&Type::INT, &Type::list(Type::INT), "[it]");
        leads(&Type::Json, &note(), "(it as { title: string, size: size })");
        leads(&hits, &hit, "first");
        leads(&Type::list(Type::Text.optional()), &Type::list(Type::Text), "compact");
        leads(&Type::list(Type::INT), &Type::list(Type::Text), "each { show }");
        let five = Type::List(hit.into(), Some(5));
        leads(&hits, &five, "take(n: 5)");
    }

    #[test]
    fn null_is_never_replaced_by_a_guess() {
        leads(&Type::INT.optional(), &Type::INT, "(it ?? fail(\"missing value\"))");
        leads(&Type::list(Type::INT).optional(), &Type::list(Type::INT), "(it ?? [])");
    }

    #[test]
    fn what_only_measures_or_guesses_is_no_way() {
        let hits = Type::list(Hit::SCHEME.plain());
        for (from, to) in [
            (hits.clone(), Type::INT),
            (hits, Type::Bool),
            (Type::Path, Type::Text),
            (note(), Type::Money),
            (Type::Duration, Type::INT),
            (Type::Unknown, Type::Text),
        ] {
            assert_eq!(way(&from, &to), None, "{from} to {to}");
        }
        // Two fields fit, and it is unknown which one is meant.
        let two = Type::record(vec![("a".into(), Type::Text), ("b".into(), Type::Text)]);
        assert_eq!(way(&two, &Type::Text), None);
    }
}
