//! Inline code: its types, its input, and the problems reported by rhai.

use std::{collections::HashSet, sync::Arc};

use svc_contract::value::{Text, Type};

use super::{
    Checker, Term, TermKind,
    call::{Port, Site},
    pipeline::{Position, convert},
};
use crate::{
    diag::{Code, Problem, Span},
    script::{InlineScript, Mistake},
    syntax::ast::{Rhai, TypeExpr},
};

impl Checker<'_> {
    /// `rhai(x: T, ..) -> U { .. }`
    pub(super) fn rhai(&mut self, rhai: &Rhai, span: Span, position: Position) -> Term {
        let ports = self.ports_of(rhai);
        let args = self.args_of(rhai, &ports, span, position);
        let yields = self.crossing(&rhai.yields);
        let segment = self.segment("rhai");
        let names: Vec<Text> = ports.iter().map(|it| it.name.clone()).collect();
        let code = &self.source.text()[rhai.code.range()];
        let inline_script = match InlineScript::new(code, rhai.code.start, &names, &yields) {
            Ok(inline_script) => Arc::new(inline_script),
            Err(mistake) => {
                self.misread(mistake);
                return Term::unknown(span).of_type(yields);
            }
        };
        Term::new(TermKind::Rhai { inline_script, segment, args }, yields, span)
    }

    fn ports_of(&mut self, rhai: &Rhai) -> Vec<Port> {
        let mut seen = HashSet::new();
        let mut ports = Vec::with_capacity(rhai.params.len());
        for param in &rhai.params {
            let ty = self.crossing(&param.ty);
            let name = param.name.text.clone();
            if !seen.insert(name.clone()) {
                let message = format!("duplicate parameter `{name}`");
                self.report(
                    Problem::error(Code::E210, param.name.span, message)
                        .label("again")
                        .help("give it another name"),
                );
                continue;
            }
            ports.push(Port::of(name, ty, param.default.is_some()));
        }
        ports
    }

    /// The arguments: the incoming value for the first parameter, and the defaults of the others.
    fn args_of(
        &mut self,
        rhai: &Rhai,
        ports: &[Port],
        span: Span,
        position: Position,
    ) -> Vec<Term> {
        let site = Site::bare("rhai", rhai.word, span, position);
        let given = self.arguments(ports, &site);
        let mut args = Vec::with_capacity(ports.len());
        for (port, given) in ports.iter().zip(given) {
            args.push(match given {
                Some(given) => {
                    if !given.term.ty.fits(&port.ty) {
                        self.misfit(port, &given, &site, &port.ty.to_string());
                    }
                    convert(given.term, &port.ty)
                }
                None => self.default_of(rhai, port, span),
            });
        }
        args
    }

    fn default_of(&mut self, rhai: &Rhai, port: &Port, span: Span) -> Term {
        let param = rhai.params.iter().find(|it| it.name.text == port.name);
        let Some(default) = param.and_then(|it| it.default.as_ref()) else {
            return Term::unknown(span);
        };
        let term = self.expr(default, Some(&port.ty));
        self.expected(term, &port.ty, "the default")
    }

    /// Resolves a type, and reports one whose values code cannot hold.
    fn crossing(&mut self, expr: &TypeExpr) -> Type {
        let ty = self.ty(expr);
        if !ty.is_beyond_json() {
            return ty;
        }
        let message = format!("inline code cannot hold {ty}");
        self.report(
            Problem::error(Code::E502, expr.span, message)
                .label("a secret, a flow, a model or a value of the program")
                .help("pass it to a component: code only takes plain values"),
        );
        Type::Unknown
    }

    pub(super) fn misread(&mut self, mistake: Mistake) {
        let (start, end) = mistake.place;
        let span = Span::new(start, end);
        let problem = Problem::error(Code::E501, span, mistake.message)
            .label(mistake.label)
            .help_opt(mistake.help);
        self.report(match mistake.meant {
            Some(meant) => problem.fix(span, meant).suggested_if(!mistake.is_sure),
            None => problem,
        });
    }
}
