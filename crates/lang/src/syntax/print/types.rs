//! Type expressions, and the heads of flows.

use std::iter::Peekable;

use super::{
    Printer, Read,
    doc::{Doc, Fold},
    items::{Brackets, STEP},
};
use crate::syntax::Rule;

impl<'a> Printer<'a> {
    pub(super) fn ty(&mut self, pair: Read<'_>) -> Doc<'a> {
        let parts = pair.into_inner().map(|it| match it.as_rule() {
            Rule::range => Doc::seq(vec![Doc::space(), self.range(it)]),
            Rule::list_type => self.list_type(it),
            Rule::record_type => self.items(Brackets::CURLY, it.into_inner(), Self::typed),
            Rule::enum_type => self.enum_type(it),
            Rule::flow_type => self.flow_type(it),
            Rule::secret_type => self.secret_type(it),
            Rule::model_type => self.model_type(it),
            Rule::map_type => self.map_type(it),
            _ => self.joined(&it),
        });
        Doc::seq(parts.collect())
    }

    fn range(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut ends = pair.into_inner();
        let mut parts: Vec<_> = ends.next().map(|it| self.joined(&it)).into_iter().collect();
        parts.push(self.sign(".."));
        parts.extend(ends.next().map(|it| self.joined(&it)));
        Doc::seq(parts)
    }

    /// `[T; max 20]`
    fn list_type(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner();
        let mut parts = vec![self.tokens.open("[")];
        parts.extend(inner.next().map(|it| self.ty(it)));
        if let Some(max) = inner.next() {
            parts.extend([self.sign(";"), Doc::space(), self.sign("max"), Doc::space()]);
            parts.push(self.joined(&max));
        }
        parts.push(self.tokens.closing_comments());
        parts.push(self.sign("]"));
        Doc::seq(parts)
    }

    /// `"low" | "high"`
    fn enum_type(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut choices = pair.into_inner();
        let Some(first) = choices.next() else { return Doc::empty() };
        let first = self.verbatim(&first);
        let mut rest = Vec::new();
        for it in choices {
            rest.extend([Doc::line(), self.sign("|"), Doc::space(), self.verbatim(&it)]);
        }
        Doc::seq(vec![first, Doc::seq(rest).nest(STEP)]).chain(Fold::Strict)
    }

    /// `flow<A -> B>`
    fn flow_type(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner().skip(1);
        let mut parts = vec![self.sign("flow"), self.sign("<")];
        parts.extend(inner.next().map(|it| self.ty(it)));
        parts.extend([Doc::space(), self.sign("->"), Doc::space()]);
        parts.extend(inner.next().map(|it| self.ty(it)));
        parts.push(self.sign(">"));
        Doc::seq(parts)
    }

    fn secret_type(&mut self, pair: Read<'_>) -> Doc<'a> {
        let word = self.sign("secret");
        Doc::seq(vec![word, self.angled(pair.into_inner().nth(1))])
    }

    fn model_type(&mut self, pair: Read<'_>) -> Doc<'a> {
        let word = self.sign("Model");
        Doc::seq(vec![word, self.angled(pair.into_inner().nth(1))])
    }

    fn map_type(&mut self, pair: Read<'_>) -> Doc<'a> {
        let word = self.sign("map");
        Doc::seq(vec![word, self.angled(pair.into_inner().nth(1))])
    }

    /// The `<T>` of `ask<T>(..)`
    pub(super) fn type_arg(&mut self, pair: Read<'_>) -> Doc<'a> {
        self.angled(pair.into_inner().next())
    }

    /// `<T, U>`
    pub(super) fn generics(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut docs = vec![self.sign("<")];
        for (idx, name) in pair.into_inner().enumerate() {
            if idx > 0 {
                docs.extend([self.sign(","), Doc::space()]);
            }
            docs.push(self.joined(&name));
        }
        docs.push(self.sign(">"));
        Doc::seq(docs)
    }

    fn angled(&mut self, ty: Option<Read<'_>>) -> Doc<'a> {
        let open = self.sign("<");
        let ty = ty.map(|it| match it.as_rule() {
            Rule::type_ => self.ty(it),
            _ => self.joined(&it),
        });
        let close = self.sign(">");
        Doc::seq([open].into_iter().chain(ty).chain([close]).collect())
    }

    /// `(name: T = default, ..) -> T within { .. }` of a flow or of inline code. If it does not
    /// fit on one line, each parameter is on its own line.
    pub(super) fn signature<'p>(
        &mut self,
        parts: &mut Peekable<impl Iterator<Item = Read<'p>>>,
    ) -> Doc<'a> {
        let fields = parts.next_if(|it| it.as_rule() == Rule::fields);
        let fields = fields.into_iter().flat_map(Read::into_inner);
        let (params, fold) = self.ungrouped_items(Brackets::ROUND, fields, Self::typed);
        let mut docs = vec![params, Doc::space(), self.sign("->"), Doc::space()];
        docs.extend(parts.next().map(|it| self.ty(it)));
        if let Some(within) = parts.next_if(|it| it.as_rule() == Rule::within) {
            docs.extend([Doc::space(), self.within(within)]);
        }
        let fold = if fold == Fold::Open { fold } else { Fold::Loose };
        Doc::seq(docs).group(fold)
    }

    /// A name with its type, perhaps with `= value`.
    pub(super) fn typed(&mut self, pair: Read<'_>) -> Doc<'a> {
        let parts = pair.into_inner().map(|it| match it.as_rule() {
            Rule::type_ => Doc::seq(vec![self.sign(":"), Doc::space(), self.ty(it)]),
            Rule::expr => Doc::seq(vec![Doc::space(), self.sign("="), Doc::space(), self.expr(it)]),
            _ => self.joined(&it),
        });
        Doc::seq(parts.collect())
    }
}
