//! Generic flows: the types of a call, and the flow with these types in place.
//!
//! The body of a generic flow is checked once, with every type parameter as a type of which nothing
//! is known. A call infers the types from its arguments and calls an *instance*: a copy of the
//! checked flow that has these types in place of the parameters, so that plans and runs never see
//! a type parameter.

use std::{collections::BTreeMap, sync::Arc};

use svc_contract::value::{FlowType, Text, Type};

use super::{
    Checker, Input, Term, TermKind, TypedFlow,
    call::Site,
    term::Origin,
    types::{MOST_PARTS, is_too_large},
};
use crate::diag::{Code, Label, Problem, Span};

/// The most instances of one check, and the most terms that they have together: flows that call
/// each other twice with other types double their number at every level.
const MOST_INSTANCES: usize = 1_000;
const MOST_TERMS: usize = 200_000;

/// The help where a value of a generic type is used as one of a known type.
pub(super) fn any_type(ty: &Type) -> String {
    let ty = ty.required();
    format!(
        "{ty} can be any type: pass its values on, compare them with `==`, or take a flow for \
         the rest, such as `of: flow<{ty} -> float>`"
    )
}

/// The types of the type parameters in one call.
#[derive(Debug)]
pub(super) struct TypeArgs<'f> {
    names: &'f [Text],
    types: BTreeMap<Text, Bound>,
}

/// The type of a type parameter, and the place that decided it.
#[derive(Debug)]
struct Bound {
    ty: Type,
    at: Span,
}

impl<'f> TypeArgs<'f> {
    pub(super) fn new(names: &'f [Text]) -> Self {
        Self { names, types: BTreeMap::new() }
    }

    /// Binds the first type parameter, which `name<T>(..)` names.
    pub(super) fn bind_first(&mut self, ty: Type, at: Span) {
        if let Some(name) = self.names.first() {
            self.types.insert(name.clone(), Bound { ty, at });
        }
    }

    /// Binds the type parameters of `wanted` so that `given` fits it, as far as it can.
    pub(super) fn bind(&mut self, wanted: &Type, given: &Type, at: Span) {
        match (wanted, given) {
            (Type::Var(name), _) if self.names.contains(name) => self.bind_one(name, given, at),
            (_, Type::Unknown | Type::Never) => self.bind_all(wanted, given, at),
            (Type::Optional(wanted), _) => self.bind(wanted, given.required(), at),
            (Type::List(wanted, _), Type::List(given, _)) => self.bind(wanted, given, at),
            (Type::Map(wanted), Type::Map(given)) => self.bind(wanted, given, at),
            (Type::Map(wanted), Type::Record(given)) => {
                given.fields.iter().for_each(|(_, ty)| self.bind(wanted, ty, at));
            }
            (Type::Record(wanted), Type::Record(given)) => {
                for (name, wanted) in &wanted.fields {
                    if let Some(given) = given.get(name) {
                        self.bind(wanted, given, at);
                    }
                }
            }
            // Its input is decided by the other arguments, before the flow is checked.
            (Type::Flow(wanted), Type::Flow(given)) => self.bind(&wanted.gives, &given.gives, at),
            _ => {}
        }
    }

    fn bind_one(&mut self, name: &Text, given: &Type, at: Span) {
        let Some(known) = self.types.get_mut(name) else {
            self.types.insert(name.clone(), Bound { ty: given.clone(), at });
            return;
        };
        let was_open = matches!(known.ty, Type::Never);
        if let Some(joined) = known.ty.join(given) {
            known.ty = joined;
            if was_open {
                known.at = at;
            }
        }
    }

    fn bind_all(&mut self, wanted: &Type, given: &Type, at: Span) {
        for name in self.names {
            if wanted.has_var(&|it| it == name) {
                self.bind_one(name, given, at);
            }
        }
    }

    /// The type with all type parameters in place; `open` stands for unbound ones.
    pub(super) fn filled(&self, ty: &Type, open: &Type) -> Type {
        ty.with_vars(&|name| {
            if self.names.contains(name) {
                self.types.get(name).map_or_else(|| open.clone(), |it| it.ty.clone())
            } else {
                Type::Var(name.clone())
            }
        })
    }

    /// The required type of a flow argument. An input that has no value is *never*; a result that
    /// is still open is decided by the flow.
    pub(super) fn flow(&self, of: &FlowType) -> FlowType {
        FlowType {
            takes: self.filled(&of.takes, &Type::Never),
            gives: self.filled(&of.gives, &Type::Unknown),
        }
    }

    /// The types in the order of the type parameters; unknown where nothing decides one.
    fn in_order(&self) -> Box<[Type]> {
        let types = self.names.iter().map(|it| self.types.get(it));
        types.map(|it| it.map_or(Type::Unknown, |it| it.ty.clone())).collect()
    }
}

impl Checker<'_> {
    /// Adds the reason for each type parameter in `declared` to the problems that were reported at
    /// `place` since there were `before` of them.
    pub(super) fn explain_types(
        &mut self,
        before: usize,
        place: Span,
        declared: &Type,
        types: &TypeArgs<'_>,
    ) {
        for problem in self.problems.iter_mut().skip(before) {
            let is_there = problem.labels.first().is_some_and(|it| it.span == place);
            for (name, Bound { ty, at }) in types.types.iter().filter(|_| is_there) {
                if declared.has_var(&|it| it == name) {
                    let text = format!("`{name}` is {ty} because of this");
                    problem.labels.push(Label { span: *at, text });
                }
            }
        }
    }

    /// Reports type parameters that no argument decides, and types that none can have.
    pub(super) fn report_types(
        &mut self,
        flow: &TypedFlow,
        types: &mut TypeArgs<'_>,
        site: &Site<'_>,
    ) {
        let is_taken = |name: &Text| flow.params.iter().any(|it| it.ty.has_var(&|var| var == name));
        for (idx, name) in flow.generics.iter().enumerate() {
            match types.types.get(name) {
                None => {
                    // One that only flows mention has no values; one that nothing mentions is open.
                    let ty = if is_taken(name) { Type::Never } else { Type::Unknown };
                    if !is_taken(name) {
                        self.undecided(flow, idx, site);
                    }
                    types.types.insert(name.clone(), Bound { ty, at: site.name_span });
                }
                Some(Bound { ty, at }) if ty.is_beyond_json() => {
                    let message = format!("`{name}` of `{}` cannot be {ty}", site.name);
                    self.report(
                        Problem::error(Code::E204, *at, message)
                            .label(format!("this is {ty}"))
                            .help("a type parameter is the type of data, which has a form in JSON"),
                    );
                    let at = *at;
                    types.types.insert(name.clone(), Bound { ty: Type::Unknown, at });
                }
                Some(_) => {}
            }
        }
    }

    fn undecided(&mut self, flow: &TypedFlow, idx: usize, site: &Site<'_>) {
        let (name, of) = (&flow.generics[idx], &site.name);
        let message = format!("nothing decides the type `{name}` of `{of}`");
        let help = if idx == 0 {
            format!("write the type: `{of}<string>(..)`")
        } else {
            format!(
                "`{of}<..>(..)` decides `{}` alone: use `{name}` in a parameter of the flow, too",
                flow.generics[0]
            )
        };
        self.report(
            Problem::error(Code::E219, site.name_span, message)
                .label(format!("the type `{name}` is open"))
                .help(help),
        );
    }

    /// The flow with these types in place of its type parameters.
    pub(super) fn instance(
        &mut self,
        flow: &Arc<TypedFlow>,
        types: &TypeArgs<'_>,
        site: &Site<'_>,
    ) -> Arc<TypedFlow> {
        if flow.generics.is_empty() {
            return flow.clone();
        }
        let made = self.instances.of(flow, &types.in_order());
        if made.is_none() {
            let message = format!(
                "the generic flows are called with too many or too large types (limits \
                 {MOST_INSTANCES} calls, {MOST_TERMS} terms, {MOST_PARTS} parts of a type)"
            );
            self.report(
                Problem::error(Code::E104, site.name_span, message)
                    .label("one too many")
                    .help("call them with fewer types, and keep only the fields that you need"),
            );
        }
        made.unwrap_or_else(|| flow.clone())
    }
}

/// The instances of a check: a flow that is called twice with the same types is copied once.
#[derive(Debug, Default)]
pub(super) struct Instances {
    made: Vec<Arc<TypedFlow>>,
    terms: usize,
}

impl Instances {
    /// The instance of a flow for these types, or `None` if there are too many.
    fn of(&mut self, flow: &Arc<TypedFlow>, types: &[Type]) -> Option<Arc<TypedFlow>> {
        let is_it = |it: &&Arc<TypedFlow>| {
            let origin = it.origin.as_ref();
            origin.is_some_and(|it| Arc::ptr_eq(&it.flow, flow) && *it.types == *types)
        };
        if let Some(known) = self.made.iter().find(is_it) {
            return Some(known.clone());
        }
        if self.made.len() >= MOST_INSTANCES || types.iter().any(is_too_large) {
            return None;
        }
        let of = |name: &Text| {
            let place = flow.generics.iter().position(|it| it == name);
            place.map_or_else(|| Type::Var(name.clone()), |it| types[it].clone())
        };
        let copy = self.copy(flow, &of)?;
        let origin = Some(Origin { flow: flow.clone(), types: types.into() });
        let instance = Arc::new(TypedFlow { generics: Box::default(), origin, ..copy });
        self.made.push(instance.clone());
        Some(instance)
    }

    fn copy(&mut self, flow: &TypedFlow, of: &dyn Fn(&Text) -> Type) -> Option<TypedFlow> {
        let mut copy = flow.clone();
        copy.yields = copy.yields.with_vars(of);
        for Input { ty, default, .. } in &mut copy.params {
            *ty = ty.with_vars(of);
            if let Some(default) = default {
                self.fill(default, of)?;
            }
        }
        self.fill(&mut copy.body, of)?;
        Some(copy)
    }

    /// Puts types in place of the type parameters of a term and all its parts.
    fn fill(&mut self, term: &mut Term, of: &dyn Fn(&Text) -> Type) -> Option<()> {
        self.terms += 1;
        if self.terms > MOST_TERMS {
            return None;
        }
        if term.ty.has_vars() {
            term.ty = term.ty.with_vars(of);
            if is_too_large(&term.ty) {
                return None;
            }
        }
        match &mut term.kind {
            TermKind::Call(call) => {
                call.wanted = call.wanted.as_ref().map(|it| it.with_vars(of));
                call.tested = call.tested.as_ref().map(|it| it.with_vars(of));
            }
            TermKind::Flow { flow, .. } => {
                if let Some(Origin { flow: generic, types }) = &flow.origin {
                    let types: Vec<Type> = types.iter().map(|it| it.with_vars(of)).collect();
                    *flow = self.of(generic, &types)?;
                }
            }
            // It was made for this place.
            TermKind::FlowRef(flow) => *flow = Arc::new(self.copy(flow, of)?),
            #[cfg(feature = "rhai")]
            TermKind::Rhai { inline_script, .. } if inline_script.yields().has_vars() => {
                let typed = inline_script.with_result(inline_script.yields().with_vars(of));
                *inline_script = Arc::new(typed);
            }
            _ => {}
        }
        let mut filled = Some(());
        term.each_part_mut(&mut |it| {
            filled = filled.and_then(|()| {
                stacker::maybe_grow(super::STACK_LEFT, super::STACK_MORE, || self.fill(it, of))
            });
        });
        filled
    }
}
