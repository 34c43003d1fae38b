//! The targets of names where they are used, for editors.

use std::sync::Arc;

use svc_contract::value::{RecordType, Text, Type};

use super::{
    Checker, Input, TypedFlow,
    facts::{NameKind, Target},
    scope::Callable,
};
use crate::{
    diag::Span,
    syntax::ast::{Args, TypeExpr, TypeKind, Word},
};

impl Checker<'_> {
    /// Records the target of the name of a callable.
    pub(super) fn mention_callable(&mut self, callable: &Callable, span: Span) {
        match callable {
            Callable::Op(op) => self.mention(span, || Target::Op(*op)),
            Callable::Flow(idx) => {
                let (defined, ty) =
                    (self.flows[*idx].syntax.name.span, self.flows[*idx].yields.clone());
                self.mention(span, || Target::Here { defined, kind: NameKind::Flow, ty });
            }
            Callable::Ready(flow) | Callable::Template(_, flow) => {
                let span = self.mention_import(span);
                let (source, defined) = (flow.source.clone(), flow.span);
                self.mention(span, || Target::There { source, defined });
            }
            Callable::Param(..) | Callable::Unknown => {}
        }
    }

    /// Records the `rag` of `rag.answer`, and returns the place of the rest.
    fn mention_import(&mut self, span: Span) -> Span {
        let name = &self.source.text()[span.range()];
        let Some((module, _)) = name.split_once('.') else { return span };
        let Some((defined, _)) = self.imports.get(module) else { return span };
        let (defined, ends) = (*defined, span.start + module.len());
        let target = || Target::Here { defined, kind: NameKind::Import, ty: Type::Unknown };
        self.mention(Span::new(span.start, ends), target);
        Span::new(ends + 1, span.end)
    }

    /// Records the targets of the names of arguments.
    pub(super) fn mention_arguments(&mut self, callable: &Callable, args: Option<&Args>) {
        if self.facts.is_none() {
            return;
        }
        let names = args.into_iter().flat_map(|it| &it.list).filter_map(|it| it.name.as_ref());
        for name in names {
            if let Some(target) = self.parameter(callable, name) {
                self.mention(name.span, || target);
            }
        }
    }

    fn parameter(&self, callable: &Callable, name: &Word) -> Option<Target> {
        let named = |it: &&Input| it.name == name.text;
        match callable {
            Callable::Op(op) => {
                let idx = op.op.params.iter().position(|it| it.name == name.text.as_ref())?;
                Some(Target::OpParam(*op, idx))
            }
            Callable::Flow(idx) => {
                let param = self.flows[*idx].params.iter().find(named)?;
                let (defined, ty) = (param.span, param.ty.clone());
                Some(Target::Here { defined, kind: NameKind::FlowParam, ty })
            }
            Callable::Ready(flow) | Callable::Template(_, flow) => {
                let param = flow.params.iter().find(named)?;
                let (source, defined) = (flow.source.clone(), param.span);
                let is_main = self.main_flow.as_ref().is_some_and(|it| Arc::ptr_eq(it, flow));
                let own = is_main.then(|| self.bound_in(param)).flatten();
                Some(own.unwrap_or(Target::There { source, defined }))
            }
            Callable::Param(..) | Callable::Unknown => None,
        }
    }

    /// The name bound by the declaration of an input.
    fn bound_in(&self, input: &Input) -> Option<Target> {
        let text = self.source.text();
        let of_input = |span: Span| {
            input.span.start <= span.start
                && span.end <= input.span.end
                && &text[span.range()] == input.name.as_ref()
        };
        let mentions = &self.facts.as_ref()?.mentions;
        let is_bound =
            |it: &&Target| matches!(it, Target::Here { defined, .. } if of_input(*defined));
        mentions.iter().map(|it| &it.target).find(is_bound).cloned()
    }

    /// Records where a type and its fields are declared.
    pub(super) fn note_declared(&mut self, name: &Word, ty: &TypeExpr) {
        self.declared.entry(name.text.clone()).or_insert(name.span);
        let TypeKind::Record(fields) = &ty.kind else { return };
        for (field, _) in fields {
            self.declared.entry(field_key(&name.text, &field.text)).or_insert(field.span);
        }
    }

    /// Records the name of a declared type and those of its fields, at their declarations.
    pub(super) fn binds_type(&mut self, name: &Word) {
        let Some(ty) = self.types.get(&name.text).cloned() else { return };
        self.binds(name.span, NameKind::Type, &ty);
        let Type::Record(of) = ty else { return };
        for (field, ty) in &of.fields {
            if let Some(span) = self.declared.get(&field_key(&name.text, field)).copied() {
                self.binds(span, NameKind::Field, ty);
            }
        }
    }

    pub(super) fn mention_type(&mut self, word: &Word, ty: &Type) {
        let Some(defined) = self.declared.get(&word.text).copied() else { return };
        self.mention(word.span, || Target::Here { defined, kind: NameKind::Type, ty: ty.clone() });
    }

    pub(super) fn note_type_param(&mut self, used: Span, defined: Span, ty: &Type) {
        self.mention(used, || Target::Here { defined, kind: NameKind::Type, ty: ty.clone() });
    }

    /// `rag.Note`
    pub(super) fn mention_imported_type(&mut self, word: &Word, module: &str, name: &str) {
        let span = self.mention_import(word.span);
        let Some((_, module)) = self.imports.get(module) else { return };
        let Some(defined) = module.declared.get(name).copied() else { return };
        let source = module.source.clone();
        self.mention(span, || Target::There { source, defined });
    }

    /// Records a field selected from a record.
    pub(super) fn mention_field(&mut self, of: &RecordType, name: &Word, ty: &Type) {
        let owner = of.name.as_ref().filter(|it| self.is_declared(it, of));
        let key = owner.map(|it| field_key(it, &name.text));
        let defined = key.and_then(|it| self.declared.get(&it)).copied();
        self.mention(name.span, || Target::Field { ty: ty.clone(), defined });
    }

    /// Whether a record type is the one that this script declares by that name.
    fn is_declared(&self, name: &Text, of: &RecordType) -> bool {
        self.facts.is_some()
            && matches!(self.types.get(name), Some(Type::Record(own)) if own.as_ref() == of)
    }

    /// Records the flows and types that the script can name.
    pub(super) fn note_names(&mut self, flows: &[Arc<TypedFlow>]) {
        let Some(facts) = &mut self.facts else { return };
        facts.flows.extend(flows.iter().map(|it| (it.name.clone(), it.clone())));
        facts.types.extend(self.types.iter().map(|(name, ty)| (name.clone(), ty.clone())));
        for (import, (_, module)) in &self.imports {
            let own = |name: &Text| Text::from(format!("{import}.{name}"));
            facts.flows.extend(module.flows.iter().map(|it| (own(&it.name), it.clone())));
            facts.types.extend(module.types.iter().map(|(name, ty)| (own(name), ty.clone())));
        }
        facts.flows.sort_by(|(a, _), (b, _)| a.cmp(b));
        facts.types.sort_by(|(a, _), (b, _)| a.cmp(b));
    }
}

fn field_key(ty: &str, field: &str) -> Text {
    format!("{ty}.{field}").into()
}
