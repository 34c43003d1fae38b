//! Values that scripts must not look into. Secrets may only be passed to parameters that are
//! declared to take one, and values of the program to ops that take them or pass them on.

use svc_contract::registry::{OpDef, Param, Scheme};

use super::{Checker, Term};
use crate::diag::{Code, Problem};

impl Checker<'_> {
    /// Reports a value that contains a secret and is used where it could be seen; `what` names
    /// the use. Returns whether the value is free of secrets.
    pub(super) fn hidden(&mut self, term: &Term, what: &str) -> bool {
        if !term.ty.holds_secret() {
            return true;
        }
        self.report(
            Problem::error(Code::E308, term.span, format!("a secret cannot be {what}"))
                .label(format!("this is {}", term.ty))
                .help("pass it only to arguments of type `secret<string>`"),
        );
        false
    }

    /// Reports a secret passed to a parameter that is not declared to take one.
    pub(super) fn may_be_given(&mut self, term: &Term, param: &Param, name: &str) {
        if !matches!(param.scheme, Scheme::Secret | Scheme::Optional(Scheme::Secret)) {
            self.hidden(
                term,
                &format!("passed to `{}` of `{name}`, which may show it", param.name),
            );
        }
    }

    /// Reports a use of a value of the embedding program that looks into it.
    pub(super) fn report_opaque(&mut self, code: Code, term: &Term, what: &str) {
        let problem = format!("a value of the program cannot be {what}");
        self.report(
            Problem::error(code, term.span, problem)
                .label(format!("this is {}", term.ty))
                .help("pass it to an op of the program"),
        );
    }

    /// Reports a value of the embedding program that is passed to an op which may look into it:
    /// one that accepts any value, and does not pass it on.
    pub(super) fn may_be_passed(&mut self, term: &Term, param: &Param, op: &OpDef, name: &str) {
        let is_open = param.scheme.any_variable(&|_| true) || matches!(param.scheme, Scheme::Json);
        if !is_open || !term.ty.holds_opaque() {
            return;
        }
        let passes_on = param.scheme.any_variable(&|it| op.yields.has_variable(it));
        let only_counts = matches!(*op.yields, Scheme::Int | Scheme::Bool);
        if !passes_on && !only_counts {
            let what = format!("passed to `{}` of `{name}`, which may look into it", param.name);
            self.report_opaque(Code::E204, term, &what);
        }
    }
}
