//! Secrets: they may be handed to whoever declares to take one, and to nobody else.

use svc_contract::registry::{Param, Scheme};

use super::{Checker, Term};
use crate::diag::{Code, Problem};

impl Checker<'_> {
    /// Reports a value with a secret inside where it could be seen; `what` is done to it.
    pub(super) fn hidden(&mut self, term: &Term, what: &str) -> bool {
        if !term.ty.holds_secret() {
            return true;
        }
        self.report(
            Problem::error(Code::E308, term.span, format!("a secret cannot be {what}"))
                .label(format!("is {}", term.ty))
                .help("hand it to an argument of type `secret<string>`, and to nothing else"),
        );
        false
    }

    /// Tests that an op that is given a secret declares to take one.
    pub(super) fn may_be_given(&mut self, term: &Term, param: &Param, name: &str) {
        if !matches!(param.scheme, Scheme::Secret) {
            self.hidden(term, &format!("given to `{}` of `{name}`, which may show it", param.name));
        }
    }
}
