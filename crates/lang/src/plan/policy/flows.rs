//! What a policy refuses in flows: those of a file without a main pipeline, which no plan contains,
//! and those that a completion may offer.

use svc_contract::host::Host;

use super::{Policy, refusals::Refusal};
use crate::{
    check::{Checked, Term, TermKind, TypedCall, TypedFlow},
    diag::{Problem, Report, Span},
    plan::effects::of_call,
};

impl Policy {
    /// The calls in the flows of a program that are refused, wherever the flows are called.
    pub fn refused_in_flows(&self, program: &Checked, host: &dyn Host) -> Report {
        let mut found = Vec::new();
        for flow in &program.flows {
            each_call(&flow.body, &mut |call, span| {
                found.extend(self.refused_call(call, span, flow, host));
            });
        }
        Report::new(program.source.clone(), found)
    }

    /// Whether a call of a flow is refused, whatever its arguments are.
    pub fn refuses_flow(&self, flow: &TypedFlow, host: &dyn Host) -> bool {
        let mut is_refused = false;
        if !self.is_empty() {
            each_reached(&flow.body, &mut |call, span| {
                is_refused = is_refused || !self.refused_call(call, span, flow, host).is_empty();
            });
        }
        is_refused
    }

    fn refused_call(
        &self,
        call: &TypedCall,
        span: Span,
        flow: &TypedFlow,
        host: &dyn Host,
    ) -> Vec<Problem> {
        let known = |idx: usize| match call.args.get(idx).map(|it| &it.kind) {
            Some(TermKind::Const(value)) => Some(value),
            _ => None,
        };
        let effects = of_call(call, &known).into_iter();
        let refused = effects.filter_map(|effect| {
            let why: Refusal<'_> = self.refuses(&effect, host)?;
            Some(why.of_flow(&call.name, span, &flow.name, &effect))
        });
        refused.collect()
    }
}

/// Visits every call in a term and in the flows that it calls or passes on. No flow calls itself.
fn each_reached(term: &Term, visit: &mut dyn FnMut(&TypedCall, Span)) {
    match &term.kind {
        TermKind::Call(call) => visit(call, term.span),
        TermKind::Flow { flow, .. } | TermKind::FlowRef(flow) => {
            stacker::maybe_grow(64 << 10, 1 << 20, || each_reached(&flow.body, visit));
        }
        _ => {}
    }
    term.each_part(&mut |it| {
        stacker::maybe_grow(64 << 10, 1 << 20, || each_reached(it, visit));
    });
}

/// Visits every call in a term.
fn each_call(term: &Term, visit: &mut dyn FnMut(&TypedCall, Span)) {
    if let TermKind::Call(call) = &term.kind {
        visit(call, term.span);
    }
    term.each_part(&mut |it| {
        stacker::maybe_grow(64 << 10, 1 << 20, || each_call(it, visit));
    });
}
