//! Secrets: they may only be passed to parameters that are declared to take one.

use svc_contract::registry::{Param, Scheme};

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
        if !matches!(param.scheme, Scheme::Secret) {
            self.hidden(
                term,
                &format!("passed to `{}` of `{name}`, which may show it", param.name),
            );
        }
    }
}
