//! The expected type where a value does not fit.

use svc_contract::{
    registry::{Registry, Scheme},
    value::Type,
};

use super::super::unify::Bindings;

/// An expected type.
#[derive(Clone, Copy, Debug)]
pub(in crate::check) enum Wanted<'a> {
    Type(&'a Type),
    /// The port of an op, with the variables bound so far.
    Scheme(Scheme, &'a Bindings),
}

impl Wanted<'_> {
    pub(super) fn accepts(&self, ty: &Type) -> bool {
        match self {
            Self::Type(wanted) => ty.fits(wanted),
            Self::Scheme(scheme, bindings) => (*bindings).clone().bind(*scheme, ty),
        }
    }

    /// Whether the items of a list fit.
    pub(super) fn accepts_item(&self, item: &Type) -> bool {
        !item.is_unknown() && *item != Type::Never && self.accepts(item)
    }

    /// The type that JSON can be tested for.
    pub(super) fn testable(&self) -> Option<Type> {
        match self {
            Self::Type(wanted) => Some((*wanted).clone()),
            Self::Scheme(scheme, _) => plainest(*scheme),
        }
    }

    /// The most items of the expected list.
    pub(super) fn most_items(&self) -> Option<u64> {
        match self {
            Self::Type(Type::List(_, max)) => *max,
            _ => None,
        }
    }
}

/// A type without variables that fits a port.
fn plainest(scheme: Scheme) -> Option<Type> {
    match scheme {
        Scheme::List(item, _) => plainest(*item).map(Type::list),
        Scheme::OneOf(all) => all.iter().find_map(|it| plainest(*it)),
        Scheme::Var(_) => Some(Type::Json),
        Scheme::Amount(_) | Scheme::Ordered(_) => Some(Type::FLOAT),
        Scheme::TextOf(_) => Some(Type::Text),
        Scheme::Never | Scheme::Optional(_) => None,
        plain => plain.is_plain().then(|| plain.plain()),
    }
}

/// Whether a script can write the type as shown in messages, given the names that it knows.
pub(super) fn is_writable(ty: &Type, knows: &dyn Fn(&str) -> bool) -> bool {
    match ty {
        Type::Unknown | Type::Never => false,
        Type::List(item, _) | Type::Map(item) | Type::Optional(item) => is_writable(item, knows),
        Type::Record(of) => match &of.name {
            Some(name) => knows(name),
            None => of.fields.iter().all(|(_, it)| is_writable(it, knows)),
        },
        Type::Enum(of) => of.name.as_ref().is_none_or(|it| knows(it)),
        _ => true,
    }
}

/// Whether a type is a record that only components create, not scripts.
pub(super) fn is_given(ty: &Type, registry: &Registry) -> bool {
    match ty {
        Type::List(item, _) | Type::Map(item) | Type::Optional(item) => is_given(item, registry),
        Type::Record(_) => registry.types().any(|it| it.is_given && it.ty() == *ty),
        _ => false,
    }
}
