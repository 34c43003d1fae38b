//! The type argument of a call.

use svc_contract::{
    registry::{ErrorKind, Generic},
    value::{Type, schema},
};

use super::{CastReason, Checker, Term, TermKind, TypedCall, call::Site};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::TypeExpr,
};

impl Checker<'_> {
    /// Checks `parse_json<T>(..)`, whose result is tested to be a `T`, and `ask<T>(..)`, which
    /// receives the type.
    pub(super) fn type_argument(
        &mut self,
        call: TypedCall,
        yields: Type,
        expr: &TypeExpr,
        site: &Site<'_>,
    ) -> Term {
        let (ty, span, generic) = (self.ty(expr), site.span, call.op.op.generic);
        let receives = !matches!(generic, Generic::No | Generic::Tested);
        let wanted = receives.then(|| ty.clone());
        let tested = (generic == Generic::Tested).then(|| ty.clone());
        let is_answer = call.op.op.errors.contains(&ErrorKind::InvalidOutput);
        let call = TypedCall { wanted, tested, ..call };
        let term = |yields| Term::new(TermKind::Call(Box::new(call)), yields, span);
        match generic {
            Generic::No => {
                let term = term(yields);
                self.takes_no_type(expr.span, site, &term);
                term
            }
            Generic::Tested => {
                self.report_beyond_json(&ty, expr.span);
                let why = if is_answer { CastReason::Answered } else { CastReason::Asked };
                let value = Box::new(term(yields));
                Term::new(TermKind::Cast { value, why }, ty, span)
            }
            Generic::Asked => {
                self.report_inexpressible(&ty, expr.span, site);
                term(ty)
            }
            Generic::Read => {
                self.report_beyond_json(&ty, expr.span);
                term(ty)
            }
            Generic::Rows => {
                self.report_beyond_json(&ty, expr.span);
                let row = self.row(ty, expr.span, site);
                term(Type::list(row))
            }
            Generic::Field(name) => {
                self.report_beyond_json(&ty, expr.span);
                term(yields.with_field(name, &ty))
            }
        }
    }

    /// Reports a type that has no values in JSON, where JSON is tested to be of it.
    pub(super) fn report_beyond_json(&mut self, ty: &Type, span: Span) {
        if !ty.is_beyond_json() {
            return;
        }
        self.report(
            Problem::error(Code::E219, span, format!("cannot read {ty} from JSON"))
                .label("JSON has no such values")
                .help(
                    "use `secret name` for a secret, the name of a flow, or a `param` for a model",
                ),
        );
    }

    /// Reports a type without a JSON Schema, where an op must pass one on.
    fn report_inexpressible(&mut self, ty: &Type, span: Span, site: &Site<'_>) {
        let Err(part) = schema::of(ty, schema::Ranges::Asserted) else { return };
        self.report(
            Problem::error(Code::E219, span, format!("`{}` cannot return {part}", site.name))
                .label(format!("JSON cannot contain {part}"))
                .help("request a string, and convert the answer"),
        );
    }

    /// The type of a row, where an op returns a list of rows; another type is reported.
    fn row(&mut self, ty: Type, span: Span, site: &Site<'_>) -> Type {
        if matches!(ty, Type::Record(_) | Type::Json | Type::Unknown) {
            return ty;
        }
        let problem =
            Problem::error(Code::E219, span, format!("expected the type of a row, found {ty}"))
                .label(format!("`{}` returns a list of rows", site.name));
        let (problem, row) = match &ty {
            Type::List(row, _) if matches!(**row, Type::Record(_)) => {
                let help = format!("write `{}<{row}>`: the result is a list of it", site.name);
                (problem.help(help).fix(span, row.to_string()), Type::clone(row))
            }
            _ => {
                let help = "use a record type, or `json` for records of all columns";
                (problem.help(help), Type::Unknown)
            }
        };
        self.report(problem);
        row
    }

    pub(super) fn takes_no_type(&mut self, span: Span, site: &Site<'_>, term: &Term) {
        self.report(
            Problem::error(Code::E219, span, format!("`{}` takes no type argument", site.name))
                .label("the type of its result is fixed")
                .help(format!("remove the type: the result is {}", term.ty))
                .suggest(self.in_angles(span), ""),
        );
    }

    /// The place of `<T>`, from the place of `T`.
    pub(super) fn in_angles(&self, ty: Span) -> Span {
        let text = self.source.text();
        let start = text[..ty.start].rfind('<').unwrap_or(ty.start);
        let end = text[ty.end..].find('>').map_or(ty.end, |it| ty.end + it + 1);
        Span::new(start, end)
    }
}
