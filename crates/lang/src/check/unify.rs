//! Binding of the variables of schemes: from the declaration of a component to a call.

use std::{collections::BTreeMap, sync::Arc};

use svc_contract::{
    registry::{Max, OpDef, Scheme, record_type},
    value::{FlowType, RecordType, Text, Type, Value},
};

use super::term::Term;

/// The types bound to the variables of an op in one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings {
    types: BTreeMap<char, Type>,
    /// The upper bounds of variables, set by arguments.
    limits: BTreeMap<char, Type>,
}

impl Bindings {
    /// Binds variables so that `given` fits `wanted`; returns false if it cannot.
    pub(super) fn bind(&mut self, wanted: Scheme, given: &Type) -> bool {
        match (wanted, given) {
            (_, Type::Unknown | Type::Never) => {
                self.bind_all(wanted, given);
                true
            }
            (Scheme::Var(name), _) => self.bind_variable(name, given),
            (Scheme::Amount(name), _) => {
                (given.is_number() || given.is_unit()) && self.bind_variable(name, given)
            }
            (Scheme::Ordered(name), _) => given.is_ordered() && self.bind_variable(name, given),
            (Scheme::TextOf(name), _) => {
                self.limits.insert(name, Type::Text);
                given.fits(&Type::Text) && self.bind_variable(name, &Type::Text)
            }
            (Scheme::OneOf(all), _) => all.iter().any(|it| self.bind_or_undo(*it, given)),
            (Scheme::Optional(inner), Type::Optional(given)) => self.bind(*inner, given),
            (Scheme::Optional(inner), _) => self.bind(*inner, given),
            (Scheme::List(item, _), Type::List(given, _)) => self.bind(*item, given),
            (Scheme::Map(item), Type::Map(given)) => self.bind(*item, given),
            (Scheme::Map(item), Type::Json) => self.bind(*item, &Type::Json),
            (Scheme::Map(item), Type::Record(of)) => {
                let is_empty = of.fields.is_empty();
                of.fields.iter().all(|(_, given)| self.bind(*item, given))
                    && (!is_empty || self.bind(*item, &Type::Never))
            }
            // Its input is bound already: the flow was checked against it.
            (Scheme::Flow(_, gives, _), Type::Flow(of)) => self.bind(*gives, &of.gives),
            (Scheme::Record(_, fields), Type::Record(given)) => {
                fields.iter().all(|field| match given.get(field.name) {
                    Some(given) => {
                        let is_json = matches!(field.scheme.required(), Scheme::Json);
                        is_json && given.is_json() || self.bind(field.scheme, given)
                    }
                    None => matches!(field.scheme, Scheme::Optional(_)),
                })
            }
            (wanted, given) => given.fits(&wanted.plain()),
        }
    }

    /// Binds all variables of a scheme to one type, unknown or never.
    pub(super) fn bind_all(&mut self, scheme: Scheme, ty: &Type) {
        match scheme {
            Scheme::Var(name)
            | Scheme::Amount(name)
            | Scheme::Ordered(name)
            | Scheme::TextOf(name) => {
                self.bind_variable(name, ty);
            }
            Scheme::List(inner, _)
            | Scheme::Map(inner)
            | Scheme::Optional(inner)
            | Scheme::Flow(_, inner, _) => {
                self.bind_all(*inner, ty);
            }
            Scheme::Record(_, fields) => {
                for field in fields {
                    self.bind_all(field.scheme, ty);
                }
            }
            Scheme::OneOf(all) => {
                for one in all {
                    self.bind_all(*one, ty);
                }
            }
            _ => {}
        }
    }

    /// The required type of a flow argument. An input that has no value is *never*; a type that is
    /// still open is decided by the flow.
    pub(super) fn flow(&self, takes: Scheme, gives: Scheme) -> FlowType {
        FlowType {
            takes: self.filled(takes, &Type::Never),
            gives: self.filled(gives, &Type::Unknown),
        }
    }

    /// The type of a scheme, with `open` for unbound variables.
    fn filled(&self, scheme: Scheme, open: &Type) -> Type {
        match scheme {
            Scheme::Var(name) | Scheme::Amount(name) | Scheme::Ordered(name) => {
                self.types.get(&name).unwrap_or(open).clone()
            }
            Scheme::List(item, _) => Type::list(self.filled(*item, open)),
            Scheme::Map(item) => Type::Map(Arc::new(self.filled(*item, open))),
            Scheme::Optional(inner) => self.filled(*inner, open).optional(),
            Scheme::Record(name, fields) => record_type(name, fields, |it| self.filled(it, open)),
            other => other.plain(),
        }
    }

    /// The type that an argument of type `given` is converted to: variables are only final when all
    /// arguments are known, and may then be wider than `given`.
    pub(super) fn expected(&self, scheme: Scheme, given: &Type) -> Type {
        match (scheme, given) {
            (_, Type::Unknown | Type::Never) => given.clone(),
            (Scheme::Var(name) | Scheme::Amount(name) | Scheme::Ordered(name), _) => {
                self.types.get(&name).unwrap_or(given).clone()
            }
            (Scheme::Optional(inner), Type::Optional(of)) => self.expected(*inner, of).optional(),
            (Scheme::Optional(inner), _) => self.expected(*inner, given),
            (Scheme::List(item, _), Type::List(of, max)) => {
                Type::List(self.expected(*item, of).into(), *max)
            }
            (Scheme::Map(item), Type::Map(of)) => Type::Map(self.expected(*item, of).into()),
            (Scheme::Map(item), Type::Record(of)) => {
                let of = of.fields.iter().map(|(_, ty)| self.expected(*item, ty));
                let joined = of.reduce(|a, b| a.join(&b).unwrap_or(Type::Unknown));
                Type::Map(joined.unwrap_or(Type::Never).into())
            }
            (Scheme::Record(_, fields), Type::Record(of)) => {
                let expected = |(name, ty): &(Text, Type)| {
                    let field = fields.iter().find(|it| it.name == name.as_ref());
                    let ty = field.map_or_else(|| ty.clone(), |it| self.expected(it.scheme, ty));
                    (name.clone(), ty)
                };
                let fields = of.fields.iter().map(expected).collect();
                Type::Record(Arc::new(RecordType { name: of.name.clone(), fields }))
            }
            (Scheme::OneOf(all), _) => {
                let fitting = all.iter().find(|it| Self::default().bind(**it, given));
                fitting.map_or_else(|| given.clone(), |it| self.expected(*it, given))
            }
            _ => given.clone(),
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
        let joined = match self.types.get(&name) {
            Some(bound) => bound.join(given),
            None => Some(given.clone()),
        };
        let limit = self.limits.get(&name);
        match joined.filter(|it| limit.is_none_or(|limit| it.fits(limit))) {
            Some(ty) => {
                self.types.insert(name, ty);
                true
            }
            None => false,
        }
    }

    /// Describes the expected type, with the variables bound so far.
    pub(super) fn show(&self, scheme: Scheme) -> String {
        match scheme {
            Scheme::Var(name) => self.types.get(&name).map_or("any value".into(), Type::to_string),
            Scheme::Amount(_) => "a number, a duration, money or a size".to_owned(),
            Scheme::Ordered(_) => "a number, a string or a unit".to_owned(),
            Scheme::List(item, _) => match item {
                Scheme::Var(_) => "a list".to_owned(),
                Scheme::Amount(_) => "a list of numbers or units".to_owned(),
                Scheme::Ordered(_) => "a list of values that can be ordered".to_owned(),
                _ => scheme.show(),
            },
            other => other.show(),
        }
    }

    /// The type of a scheme, or `None` if a variable is unbound. No arguments are known, so lists
    /// have no bounds.
    pub(super) fn settled(&self, scheme: Scheme) -> Option<Type> {
        Some(match scheme {
            Scheme::Var(name) | Scheme::Amount(name) | Scheme::Ordered(name) => {
                self.types.get(&name).filter(|it| !it.has_unknown()).cloned()?
            }
            Scheme::List(item, _) => Type::list(self.settled(*item)?),
            Scheme::Map(item) => Type::Map(self.settled(*item)?.into()),
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

    /// The type of a scheme in this call. An unbound variable was never given a value, so it is
    /// *never*.
    pub(super) fn apply(&self, scheme: Scheme, call: &Arguments<'_>) -> Type {
        // The type of a variable that no parameter has is unknown.
        let open = |name: char| {
            if call.op.params.iter().any(|it| it.scheme.has_variable(name)) {
                Type::Never
            } else {
                Type::Unknown
            }
        };
        match scheme {
            Scheme::Var(name) | Scheme::Ordered(name) => self.filled(scheme, &open(name)),
            Scheme::Amount(name) => self.filled(scheme, &open(name)).unranged(),
            Scheme::List(item, max) => Type::List(Arc::new(self.apply(*item, call)), call.max(max)),
            Scheme::Map(item) => Type::Map(Arc::new(self.apply(*item, call))),
            Scheme::Optional(inner) => self.apply(*inner, call).optional(),
            Scheme::Record(name, fields) => record_type(name, fields, |it| self.apply(it, call)),
            other => self.filled(other, &Type::Never),
        }
    }
}

/// The arguments of one call, for list bounds that depend on them.
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
            Max::Is(number) => Some(number),
            Max::Never => Some(0),
            Max::InputOr(name) => match (self.input_max(), self.largest(name)) {
                (Some(input), Some(arg)) => Some(input.min(arg)),
                (input, arg) => input.or(arg),
            },
        }
    }

    /// The most items of the incoming list.
    fn input_max(&self) -> Option<u64> {
        match &self.terms.first()?.ty {
            Type::List(_, max) => *max,
            _ => None,
        }
    }

    /// The largest possible value of an argument.
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
