//! Flows: each is checked once, when it is first called or at the end.

use super::{
    Checker,
    scope::{Frame, Named},
    term::{Flow, Input, Term},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast,
    value::{Text, Type},
};

/// A flow, and how far its check is.
pub(super) struct FlowState<'a> {
    pub(super) syntax: &'a ast::Flow,
    pub(super) doc: &'a str,
    pub(super) span: Span,
    pub(super) params: Vec<Input>,
    pub(super) yields: Type,
    pub(super) body: Body,
    /// Whether running it changes the world; believed until its body is checked.
    pub(super) acts: bool,
}

pub(super) enum Body {
    Unchecked,
    /// Being checked right now: a call of it from inside is recursion.
    Open,
    Checked(Term),
}

impl<'a> Checker<'a> {
    /// Checks the flows' signatures; their bodies come when they are called.
    pub(super) fn declare_flows(&mut self, items: &'a [ast::Item]) {
        for item in items {
            let ast::ItemKind::Flow(flow) = &item.kind else { continue };
            let params = flow.params.iter().map(|it| self.flow_param(it)).collect();
            let yields = self.ty(&flow.yields);
            self.flows.push(FlowState {
                syntax: flow,
                doc: &item.doc,
                span: item.span,
                params,
                yields,
                body: Body::Unchecked,
                acts: true,
            });
        }
        // A default may call any flow, also one that is declared further down.
        for flow in 0..self.flows.len() {
            let syntax = self.flows[flow].syntax;
            for (idx, param) in syntax.params.iter().enumerate() {
                let Some(default) = &param.default else { continue };
                let ty = self.flows[flow].params[idx].ty.clone();
                let term = self.expr(default, Some(&ty));
                let term = self.expected(term, &ty, "the default");
                self.flows[flow].params[idx].default = Some(term);
            }
        }
    }

    fn flow_param(&mut self, param: &ast::FlowParam) -> Input {
        // The value of a default takes its place when all flows are known.
        let default = param.default.as_ref().map(|it| Term::unknown(it.span));
        let (name, ty) = (param.name.text.clone(), self.ty(&param.ty));
        Input { name, doc: String::new(), ty, default, span: param.name.span }
    }

    pub(super) fn flow_named(&self, name: &str) -> Option<usize> {
        self.flows.iter().position(|it| it.syntax.name.text.as_ref() == name)
    }

    pub(super) fn flow_params(&self, idx: usize) -> &[Input] {
        &self.flows[idx].params
    }

    pub(super) fn flow_names(&self) -> impl Iterator<Item = &str> {
        self.flows.iter().map(|it| it.syntax.name.text.as_ref())
    }

    /// Makes sure that a flow's body is checked; says whether it waits.
    pub(super) fn check_flow(&mut self, idx: usize, called_at: Span) -> bool {
        match &self.flows[idx].body {
            Body::Checked(term) => return term.waits,
            Body::Open => {
                self.recursion(idx, called_at);
                return false;
            }
            Body::Unchecked => {}
        }
        self.flows[idx].body = Body::Open;
        let syntax = self.flows[idx].syntax;
        let params = self.flows[idx].params.iter();
        let names = params.map(|it| Named { name: it.name.clone(), ty: it.ty.clone() }).collect();
        let outside = std::mem::replace(&mut self.frames, vec![Frame::Params(names)]);
        let was_in_flow = std::mem::replace(&mut self.in_flow, true);
        let yields = self.flows[idx].yields.clone();
        let body = self.named_path(|this| this.block(&syntax.body, Some(&yields)));
        let what = format!("the flow `{}`", syntax.name.text);
        let body = self.expected(body, &yields, &what);
        let body = match &syntax.bounds {
            Some(bounds) => self.within(body, bounds),
            None => body,
        };
        self.in_flow = was_in_flow;
        self.frames = outside;
        let waits = body.waits;
        self.flows[idx].acts = super::overlap::acts(&body, &self.flows);
        self.flows[idx].body = Body::Checked(body);
        waits
    }

    fn recursion(&mut self, idx: usize, called_at: Span) {
        let name = &self.flows[idx].syntax.name;
        let problem =
            Problem::error(Code::E213, called_at, format!("`{}` calls itself", name.text))
                .label("called inside itself")
                .also(name.span, "the flow")
                .help("flows cannot recurse: their cost must be known before they run");
        self.report(problem);
    }

    /// The flows as they are run.
    pub(super) fn checked_flows(&mut self) -> Vec<Flow> {
        for idx in 0..self.flows.len() {
            let span = self.flows[idx].span;
            self.check_flow(idx, span);
        }
        self.flows
            .drain(..)
            .map(|it| {
                let name: Text = it.syntax.name.text.clone();
                let body = match it.body {
                    Body::Checked(term) => term,
                    _ => Term::unknown(it.span),
                };
                Flow { name, doc: it.doc.to_owned(), params: it.params, yields: it.yields, body }
            })
            .collect()
    }
}
