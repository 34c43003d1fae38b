//! `x as T`: json that is tested, and text that is read.

use svc_contract::value::{Type, Value};

use super::{CastReason, Checker, Term, TermKind, literals::found};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::{self, Expr, ExprKind},
};

impl Checker<'_> {
    pub(super) fn cast(&mut self, value: &Expr, wanted: &ast::TypeExpr, span: Span) -> Term {
        let ty = self.ty(wanted);
        let is_text = matches!(&value.kind, ExprKind::Literal(Value::Text(_)));
        if is_text && matches!(ty, Type::Enum(_) | Type::Time | Type::Date) {
            return Term { span, ..self.expr(value, Some(&ty)) };
        }
        let value = self.expr(value, None);
        self.report_beyond_json(&ty, wanted.span);
        let is_untested = matches!(value.ty.required(), Type::Json | Type::Unknown);
        // Text may be one of the choices of an enum, a time or a date.
        let is_text = value.ty.required().is_text();
        let is_read = is_text && matches!(ty.required(), Type::Enum(_) | Type::Time | Type::Date);
        let is_known = !ty.is_unknown() && value.ty != Type::Never;
        if is_known && !is_untested && !is_read {
            self.tests_nothing(&value, &ty, span);
        }
        let kind = TermKind::Cast { value: Box::new(value), why: CastReason::Asked };
        Term::new(kind, ty, span)
    }

    /// Reports `as` after a value whose type is known.
    fn tests_nothing(&mut self, value: &Term, ty: &Type, span: Span) {
        let message = "`as` expects json, or text that is a time, a date or a choice of an enum";
        let problem = Problem::error(Code::E208, span, message)
            .label(format!("this is {}", found(&value.ty)));
        let rest = Span::new(value.span.end, span.end);
        self.report(if value.ty.fits(ty) {
            problem.help("remove `as`: the value has this type already").fix(rest, "")
        } else if let Some(help) = self.json_help(&value.ty, ty) {
            let written = &self.source.text()[value.span.range()];
            problem.help(help).suggest(span, format!("({written} >> to_json >> parse_json)"))
        } else {
            problem.help(format!(
                "convert the value: `as` tests json, and {} can never be {ty}",
                found(&value.ty)
            ))
        });
    }
}
