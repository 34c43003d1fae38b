//! Flows: each is checked once, at its first call or at the end.

use std::sync::Arc;

use svc_contract::value::{Text, Type};

use super::{
    Checker,
    facts::NameKind,
    overlap::acts,
    scope::{Frame, Named},
    term::{Input, Term, TypedFlow},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast,
};

/// A flow, and the progress of its check.
pub(super) struct FlowState<'a> {
    pub(super) syntax: &'a ast::Flow,
    pub(super) doc: &'a str,
    span: Span,
    pub(super) params: Vec<Input>,
    pub(super) yields: Type,
    body: Body,
}

impl FlowState<'_> {
    /// The names of its type parameters.
    pub(super) fn generics(&self) -> Box<[Text]> {
        self.syntax.generics.iter().map(|it| it.text.clone()).collect()
    }
}

enum Body {
    Unchecked,
    /// Being checked now: a call from inside is recursion.
    Open,
    Checked(Arc<TypedFlow>),
}

impl<'a> Checker<'a> {
    /// Checks the signatures of flows; their bodies are checked when they are called.
    pub(super) fn declare_flows(&mut self, items: &'a [ast::Item]) {
        for item in items {
            let ast::ItemKind::Flow(flow) = &item.kind else { continue };
            self.declare_generics(flow);
            let (params, yields) = self.with_generics(flow, |this| {
                let params = flow.params.iter().map(|it| this.flow_param(it)).collect();
                (params, this.ty(&flow.yields))
            });
            self.binds(flow.name.span, NameKind::Flow, &yields);
            // Of a duplicate name, which is reported, the first definition counts.
            let place = self.flows.len();
            self.flow_places.entry(flow.name.text.clone()).or_insert(place);
            self.flows.push(FlowState {
                syntax: flow,
                doc: &item.doc,
                span: item.span,
                params,
                yields,
                body: Body::Unchecked,
            });
        }
        // A default may call any flow, including one declared further down.
        for flow in 0..self.flows.len() {
            let syntax = self.flows[flow].syntax;
            for (idx, param) in syntax.params.iter().enumerate() {
                let Some(default) = &param.default else { continue };
                let ty = self.flows[flow].params[idx].ty.clone();
                let term = self.with_generics(syntax, |this| {
                    let term = this.expr(default, Some(&ty));
                    this.expected(term, &ty, "the default")
                });
                self.flows[flow].params[idx].default = Some(term);
            }
        }
    }

    /// Reports type parameters with the name of another one or of a type.
    fn declare_generics(&mut self, flow: &ast::Flow) {
        for (idx, name) in flow.generics.iter().enumerate() {
            let other = flow.generics[..idx].iter().find(|it| it.text == name.text);
            let declared = self.declared.get(&name.text).copied();
            if let Some(first) = other.map(|it| it.span).or(declared) {
                self.taken(name, first);
            }
            self.binds(name.span, NameKind::Type, &Type::Var(name.text.clone()));
        }
    }

    /// Checks a part of a flow, which may use the type parameters of that flow.
    fn with_generics<T>(&mut self, flow: &ast::Flow, check: impl FnOnce(&mut Self) -> T) -> T {
        let outside = std::mem::replace(&mut self.type_params, flow.generics.clone());
        let checked = check(self);
        self.type_params = outside;
        checked
    }

    fn flow_param(&mut self, param: &ast::FlowParam) -> Input {
        // The value of a default is filled in when all flows are known.
        let default = param.default.as_ref().map(|it| Term::unknown(it.span));
        let (name, ty) = (param.name.text.clone(), self.ty(&param.ty));
        self.binds(param.name.span, NameKind::FlowParam, &ty);
        Input { name, doc: String::new(), ty, default, span: param.name.span }
    }

    pub(super) fn flow_named(&self, name: &str) -> Option<usize> {
        self.flow_places.get(name).copied()
    }

    pub(super) fn flow_names(&self) -> impl Iterator<Item = &str> {
        self.flows.iter().map(|it| it.syntax.name.text.as_ref())
    }

    /// The flow with its body checked, or `None` if it calls itself.
    pub(super) fn check_flow(&mut self, idx: usize, called_at: Span) -> Option<Arc<TypedFlow>> {
        match &self.flows[idx].body {
            Body::Checked(flow) => return Some(flow.clone()),
            Body::Open => {
                self.recursion(idx, called_at);
                return None;
            }
            Body::Unchecked => {}
        }
        self.flows[idx].body = Body::Open;
        let test = self.in_test.take();
        let body = self.with_generics(self.flows[idx].syntax, |this| this.flow_body(idx));
        self.in_test = test;
        let state = &self.flows[idx];
        let flow = Arc::new(TypedFlow {
            name: state.syntax.name.text.clone(),
            generics: state.generics(),
            origin: None,
            doc: state.doc.to_owned(),
            source: self.source.clone(),
            span: state.syntax.name.span,
            params: state.params.clone(),
            yields: state.yields.clone(),
            acts: acts(&body),
            body,
            tool: None,
        });
        self.flows[idx].body = Body::Checked(flow.clone());
        Some(flow)
    }

    fn flow_body(&mut self, idx: usize) -> Term {
        let syntax = self.flows[idx].syntax;
        let params = self.flows[idx].params.iter();
        let names = params.map(|it| Named::param(it, NameKind::FlowParam)).collect();
        let yields = self.flows[idx].yields.clone();
        self.in_frames(vec![Frame::Params(names)], |this| {
            let body = this.named_path(|this| this.block(&syntax.body, Some(&yields)));
            let what = format!("the result of `{}`", syntax.name.text);
            let body = this.expected(body, &yields, &what);
            match &syntax.bounds {
                Some(bounds) => this.within_head(body, bounds),
                None => body,
            }
        })
    }

    /// Checks something that sees only the given frames.
    pub(super) fn in_frames<T>(
        &mut self,
        frames: Vec<Frame>,
        check: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outside = std::mem::replace(&mut self.frames, frames);
        let was_in_flow = std::mem::replace(&mut self.in_flow, true);
        let not_null = std::mem::take(&mut self.not_null);
        let checked = check(self);
        self.not_null = not_null;
        self.in_flow = was_in_flow;
        self.frames = outside;
        checked
    }

    fn recursion(&mut self, idx: usize, called_at: Span) {
        let name = &self.flows[idx].syntax.name;
        let problem =
            Problem::error(Code::E213, called_at, format!("`{}` calls itself", name.text))
                .label("called inside itself")
                .also(name.span, "the flow")
                .help("repeat a bounded number of times instead, with `repeat 100 { .. } until condition`: the cost of a flow must be known before it runs");
        self.report(problem);
    }

    /// The declared flows, without their bodies.
    pub(super) fn declared_flows(&mut self, program: &'a ast::Program) -> Vec<Arc<TypedFlow>> {
        self.declare_names(&program.items);
        self.declare_types(&program.items);
        self.declare_flows(&program.items);
        let signature = |it: &FlowState<'_>| TypedFlow {
            name: it.syntax.name.text.clone(),
            generics: it.generics(),
            origin: None,
            doc: it.doc.to_owned(),
            source: self.source.clone(),
            span: it.syntax.name.span,
            params: it.params.clone(),
            yields: it.yields.clone(),
            acts: false,
            body: Term::unknown(it.span),
            tool: None,
        };
        self.flows.iter().map(signature).map(Arc::new).collect()
    }

    /// The flows with their checked bodies.
    pub(super) fn checked_flows(&mut self) -> Vec<Arc<TypedFlow>> {
        let all = 0..self.flows.len();
        all.filter_map(|idx| self.check_flow(idx, self.flows[idx].span)).collect()
    }
}
