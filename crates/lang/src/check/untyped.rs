//! The last check of a program without problems: everything that will run must have a type. A
//! value without a type fits everywhere, so the guarantees of types would not hold.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use svc_contract::value::Type;

use super::{Checked, Term, TermKind, TypedFlow};
use crate::diag::{Code, Problem, Span};

/// Reports a part of a program without a type, if there is one.
pub(super) fn untyped(program: &Checked) -> Option<Problem> {
    let mut look = Look { program, flows: HashSet::new(), typed: HashMap::new(), open: Vec::new() };
    look.begin();
    let place = look.untyped()?;
    Some(
        Problem::error(Code::E227, place, "the type of this value is unknown")
            .label("unknown type")
            .help("use a component that declares the type of its result"),
    )
}

struct Look<'a> {
    program: &'a Checked,
    flows: HashSet<*const TypedFlow>,
    /// Results for the shared parts of types, which are visited once: types only become large by
    /// sharing parts.
    typed: HashMap<*const (), bool>,
    /// The terms still to be visited, each with the call in the script that leads to it, if it
    /// is in another file.
    open: Vec<(&'a Term, Option<Span>)>,
}

impl<'a> Look<'a> {
    fn begin(&mut self) {
        let Checked { inputs, flows, main, mocks, tests, .. } = self.program;
        let defaults = inputs.iter().filter_map(|it| it.default.as_ref());
        let mocked = mocks.iter().chain(tests.iter().flat_map(|it| &it.mocks));
        let mocked = mocked.flat_map(|it| it.args.iter().map(|(_, it)| it).chain([&it.value]));
        let lets = tests.iter().flat_map(|it| &it.lets).map(|it| &it.value);
        let expects = tests.iter().flat_map(|it| &it.expects);
        let all = defaults.chain(main).chain(mocked).chain(lets).chain(expects);
        self.open.extend(all.map(|it| (it, None)));
        for flow in flows {
            self.flow(flow, None);
        }
    }

    fn flow(&mut self, flow: &'a Arc<TypedFlow>, call: Option<Span>) {
        if !self.flows.insert(Arc::as_ptr(flow)) {
            return;
        }
        let is_own = flow.source.name() == self.program.source.name();
        let call = call.filter(|_| !is_own);
        let defaults = flow.params.iter().filter_map(|it| it.default.as_ref());
        self.open.extend(defaults.chain([&flow.body]).map(|it| (it, call)));
    }

    /// The smallest part without a type, which is the cause for the others.
    fn untyped(&mut self) -> Option<Span> {
        let mut smallest: Option<(bool, Span)> = None;
        while let Some((term, call)) = self.open.pop() {
            let place = call.unwrap_or(term.span);
            // A name has no type because its value has none.
            let is_name = matches!(term.kind, TermKind::Var(_));
            let rank = |(is_name, it): (bool, Span)| (is_name, it.end - it.start);
            if !self.is_typed(&term.ty)
                && smallest.is_none_or(|it| rank((is_name, place)) < rank(it))
            {
                smallest = Some((is_name, place));
            }
            if let TermKind::Flow { flow, .. } | TermKind::FlowRef(flow) = &term.kind {
                self.flow(flow, Some(place));
            }
            term.each_part(&mut |it| self.open.push((it, call)));
        }
        smallest.map(|(_, place)| place)
    }

    fn is_typed(&mut self, ty: &Type) -> bool {
        let part = match ty {
            Type::Optional(inner) | Type::List(inner, _) | Type::Map(inner) => {
                Arc::as_ptr(inner).cast()
            }
            Type::Record(of) => Arc::as_ptr(of).cast(),
            Type::Flow(of) => Arc::as_ptr(of).cast(),
            other => return !other.is_unknown(),
        };
        if let Some(known) = self.typed.get(&part) {
            return *known;
        }
        let is_typed = match ty {
            Type::Optional(inner) | Type::List(inner, _) | Type::Map(inner) => self.is_typed(inner),
            Type::Record(of) => of.fields.iter().all(|(_, it)| self.is_typed(it)),
            Type::Flow(of) => self.is_typed(&of.takes) && self.is_typed(&of.gives),
            _ => true,
        };
        self.typed.insert(part, is_typed);
        is_typed
    }
}
