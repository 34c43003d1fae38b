//! Maps with their entries written out: `{ [key]: value }`.

use svc_contract::value::Type;

use super::{
    Checker, Term, TermKind, TypedCall, TypedEntry, literals::null_help, pipeline::convert,
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast::Expr,
};

impl Checker<'_> {
    /// Checks a map: it is a call of `to_map`, which finds keys that occur twice.
    pub(super) fn map(
        &mut self,
        entries: &[(Expr, Expr)],
        expected: Option<&Type>,
        span: Span,
    ) -> Term {
        let expected = match expected.map(Type::required) {
            Some(Type::Map(item)) => Some(item.as_ref()),
            _ => None,
        };
        let keys: Vec<Term> = entries.iter().map(|(key, _)| self.key(key)).collect();
        let values: Vec<Term> = entries.iter().map(|(_, it)| self.expr(it, expected)).collect();
        let Some(op) = self.registry.find_op("map", "to_map") else {
            let message = "a map with keys in brackets needs `to_map`, which this host lacks";
            self.report(Problem::error(Code::E201, span, message).label("a map"));
            return Term::unknown(span);
        };
        let Some(item) = self.joined(&values, "the values of a map") else {
            return Term::unknown(span);
        };
        let written: Vec<&Expr> = entries.iter().map(|it| &it.1).collect();
        self.warn_of_lost_fields(&written, &item, "values of the map");
        let pair = Type::record(vec![("key".into(), Type::Text), ("value".into(), item.clone())]);
        let pairs = keys.into_iter().zip(values).map(|(key, value)| {
            let span = key.span.to(value.span);
            let fields = [("key", key), ("value", convert(value, &item))];
            let fields = fields.map(|(name, it)| TypedEntry::Field(name.into(), it)).into();
            Term::new(TermKind::Record(fields), pair.clone(), span)
        });
        let pairs: Vec<Term> = pairs.collect();
        let max = Some(pairs.len() as u64);
        let pairs = Term::new(TermKind::List(pairs), Type::List(pair.into(), max), span);
        let call = TypedCall {
            op,
            name: "to_map".into(),
            segment: self.segment("to_map"),
            args: vec![pairs],
            source: self.source.clone(),
            wanted: None,
            tested: None,
        };
        Term::new(TermKind::Call(Box::new(call)), Type::Map(item.into()), span)
    }

    fn key(&mut self, key: &Expr) -> Term {
        let term = self.expr(key, Some(&Type::Text));
        if term.ty.fits(&Type::Text) {
            return convert(term, &Type::Text);
        }
        let message = format!("expected string for the key of a map, found {}", term.ty);
        let problem =
            Problem::error(Code::E208, term.span, message).label(format!("this is {}", term.ty));
        let problem = match null_help(&term.ty, &Type::Text) {
            Some(help) => problem.help(help),
            None => {
                let written = &self.source.text()[term.span.range()];
                let text = format!("\"${{{written}}}\"");
                problem
                    .help("write `\"${value}\"` to make a string of a value")
                    .suggest(term.span, text)
            }
        };
        self.report(problem);
        Term::unknown(term.span)
    }
}
