//! The way from a value to an op, for generated scripts: the search for fixes, used outside a
//! check.

use svc_contract::{
    registry::{OpRef, Registry, Scheme, Way},
    value::Type,
};

use super::{MOST_STEPS, Search, Step, Wanted};
use crate::check::unify::Bindings;

/// The way from a value of a type to the input of an op: directly, item by item, or through
/// some stages.
pub fn way_to(registry: &Registry, from: &Type, op: OpRef) -> Option<Way> {
    let input = op.op.input()?;
    // A secret only goes to a port for secrets.
    if *from == Type::Secret && !matches!(input.scheme, Scheme::Secret) {
        return None;
    }
    let bindings = Bindings::default();
    let wanted = Wanted::Scheme(input.scheme, &bindings);
    let of_items = matches!(from, Type::List(item, _) if wanted.accepts_item(item));
    if of_items && !wanted.accepts(from) {
        Some(Way { of_items, ..Way::default() })
    } else {
        way(registry, from, wanted, input.name)
    }
}

/// The stages that convert a value of one type to another.
pub fn way_between(registry: &Registry, from: &Type, to: &Type) -> Option<Way> {
    way(registry, from, Wanted::Type(to), "")
}

fn way(registry: &Registry, from: &Type, wanted: Wanted<'_>, port: &str) -> Option<Way> {
    if wanted.accepts(from) {
        return Some(Way::default());
    }
    let knows = |name: &str| registry.shared_type(name).is_some();
    let search = Search { registry, knows: &knows, wanted, port };
    let steps = search.chain(from, MOST_STEPS)?;
    Some(Way { stages: steps.iter().map(Step::stage).collect(), of_items: false })
}
