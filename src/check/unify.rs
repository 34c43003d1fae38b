//! From what a component declares to what a call has: binding the variables of schemes.

use std::{collections::BTreeMap, sync::Arc};

use super::term::Term;
use crate::{
    registry::{Max, OpDef, Scheme},
    value::{FlowType, RecordType, Type, Value},
};

/// The types that stand for an op's variables in one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings(BTreeMap<char, Type>);

impl Bindings {
    /// Lets a value of type `given` stand where `wanted` is due; false when it cannot.
    pub(super) fn bind(&mut self, wanted: Scheme, given: &Type) -> bool {
        match (wanted, given) {
            (_, Type::Unknown) => true,
            (Scheme::Var(name), _) => self.bind_variable(name, given),
            (Scheme::Amount(name), _) => {
                (given.is_number() || given.is_unit() || matches!(given, Type::Never))
                    && self.bind_variable(name, given)
            }
            (Scheme::Ordered(name), _) => given.is_ordered() && self.bind_variable(name, given),
            (Scheme::OneOf(all), _) => all.iter().any(|it| self.bind_or_undo(*it, given)),
            (Scheme::Optional(inner), Type::Optional(given)) => self.bind(*inner, given),
            (Scheme::Optional(inner), _) => self.bind(*inner, given),
            (Scheme::List(item, _), Type::List(given, _)) => self.bind(*item, given),
            // What it takes is bound already: the flow was checked against it.
            (Scheme::Flow(_, gives, _), Type::Flow(of)) => self.bind(*gives, &of.gives),
            (Scheme::Record(_, fields), Type::Record(given)) => {
                fields.iter().all(|field| match given.get(field.name) {
                    Some(given) => self.bind(field.scheme, given),
                    None => matches!(field.scheme, Scheme::Optional(_)),
                })
            }
            (_, Type::Never) => true,
            (wanted, given) => given.fits(&wanted.plain()),
        }
    }

    /// What a flow that is an argument must take and give, as far as it is known.
    pub(super) fn flow(&self, takes: Scheme, gives: Scheme) -> FlowType {
        FlowType { takes: self.known(takes), gives: self.known(gives) }
    }

    fn known(&self, scheme: Scheme) -> Type {
        match scheme {
            Scheme::Var(name) => self.0.get(&name).cloned().unwrap_or(Type::Unknown),
            other => other.plain(),
        }
    }

    fn bind_or_undo(&mut self, wanted: Scheme, given: &Type) -> bool {
        let before = self.clone();
        let bound = self.bind(wanted, given);
        if !bound {
            *self = before;
        }
        bound
    }

    fn bind_variable(&mut self, name: char, given: &Type) -> bool {
        let joined = match self.0.get(&name) {
            Some(bound) => bound.join(given),
            None => Some(given.clone()),
        };
        match joined {
            Some(ty) => {
                self.0.insert(name, ty);
                true
            }
            None => false,
        }
    }

    /// What is due, in words, with the variables that are already bound.
    pub(super) fn show(&self, scheme: Scheme) -> String {
        match scheme {
            Scheme::Var(name) => self.0.get(&name).map_or("any value".into(), Type::to_string),
            Scheme::Amount(_) => "a number, a duration, money or a size".to_owned(),
            Scheme::Ordered(_) => "a number, a string or a unit".to_owned(),
            Scheme::List(item, _) => match item {
                Scheme::Var(_) => "a list".to_owned(),
                Scheme::Amount(_) => "a list of numbers or units".to_owned(),
                Scheme::Ordered(_) => "a list of values that have an order".to_owned(),
                _ => scheme.show(),
            },
            other => other.show(),
        }
    }

    /// The type that a scheme denotes once its variables are bound; nothing where one is
    /// not. No arguments are known, so lists have no bounds.
    pub(super) fn settled(&self, scheme: Scheme) -> Option<Type> {
        Some(match scheme {
            Scheme::Var(name) | Scheme::Amount(name) | Scheme::Ordered(name) => {
                self.0.get(&name).filter(|it| !it.is_unknown()).cloned()?
            }
            Scheme::List(item, _) => Type::list(self.settled(*item)?),
            Scheme::Optional(inner) => self.settled(*inner)?.optional(),
            Scheme::Record(name, fields) => {
                let mut settled = Vec::with_capacity(fields.len());
                for it in fields {
                    settled.push((it.name.into(), self.settled(it.scheme)?));
                }
                let name = (!name.is_empty()).then(|| name.into());
                Type::Record(Arc::new(RecordType { name, fields: settled }))
            }
            Scheme::Never | Scheme::OneOf(_) => return None,
            plain => plain.plain(),
        })
    }

    /// The type that a scheme denotes in this call.
    pub(super) fn apply(&self, scheme: Scheme, call: &Arguments<'_>) -> Type {
        match scheme {
            Scheme::Var(name) | Scheme::Amount(name) | Scheme::Ordered(name) => {
                self.0.get(&name).cloned().unwrap_or(Type::Unknown)
            }
            Scheme::List(item, max) => Type::List(Arc::new(self.apply(*item, call)), call.max(max)),
            Scheme::Optional(inner) => self.apply(*inner, call).optional(),
            Scheme::Record(name, fields) => Type::Record(Arc::new(RecordType {
                name: (!name.is_empty()).then(|| name.into()),
                fields: fields
                    .iter()
                    .map(|it| (it.name.into(), self.apply(it.scheme, call)))
                    .collect(),
            })),
            other => other.plain(),
        }
    }
}

/// The arguments of one call, for bounds that depend on them.
pub(super) struct Arguments<'a> {
    pub(super) op: &'a OpDef,
    pub(super) terms: &'a [Term],
}

impl Arguments<'_> {
    fn max(&self, max: Max) -> Option<u64> {
        match max {
            Max::Unknown => None,
            Max::Arg(name) => self.largest(name),
            Max::Input => self.input_max(),
            Max::InputOr(name) => match (self.input_max(), self.largest(name)) {
                (Some(input), Some(arg)) => Some(input.min(arg)),
                (input, arg) => input.or(arg),
            },
        }
    }

    /// The most items of the list that comes in.
    fn input_max(&self) -> Option<u64> {
        match &self.terms.first()?.ty {
            Type::List(_, max) => *max,
            _ => None,
        }
    }

    /// The largest value that an argument can have.
    fn largest(&self, name: &str) -> Option<u64> {
        let idx = self.op.params.iter().position(|it| it.name == name)?;
        let term = self.terms.get(idx)?;
        let largest = match (term.constant(), &term.ty, self.op.params[idx].scheme) {
            (Some(Value::Int(it)), _, _) => *it,
            (_, Type::Int(Some((_, high))), Scheme::IntRange(_, most)) => most.min(*high),
            (_, Type::Int(Some((_, high))), _) => *high,
            (_, _, Scheme::IntRange(_, most)) => most,
            _ => return None,
        };
        u64::try_from(largest).ok()
    }
}
