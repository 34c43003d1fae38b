//! Pipelines and their stages, with the bounds and alternatives after them.

use std::iter;

use super::{
    Printer, Read,
    doc::{Doc, Fold},
    items::{Brackets, STEP},
};
use crate::syntax::Rule;

/// The width of `>> `, by which the inside of a stage is indented.
const SIGN: usize = 3;

impl<'a> Printer<'a> {
    /// `a >> b >> c`, on one line unless the author broke it at a `>>`.
    pub(super) fn pipeline(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner();
        let Some(head) = inner.next() else { return Doc::empty() };
        let head = self.stage(head);
        let mut author = false;
        let mut rest = Vec::new();
        while let (Some(pipe), Some(stage)) = (inner.next(), inner.next()) {
            author |= self.tokens.breaks_here();
            let pipe = self.joined(&pipe);
            author |= self.tokens.breaks_here();
            let stage = self.stage(stage).nest(SIGN);
            rest.extend([Doc::line(), pipe, Doc::space(), stage]);
        }
        if rest.is_empty() {
            return head;
        }
        chain(head, rest, author)
    }

    /// A head or a stage with its modifiers.
    fn stage(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner();
        let Some(first) = inner.next() else { return Doc::empty() };
        let is_block = !matches!(first.as_rule(), Rule::expr | Rule::postfix | Rule::hole);
        let first = self.source(first);
        let mut author = false;
        let mut mods = Vec::new();
        for part in inner {
            if part.as_rule() == Rule::loose_args {
                mods.push(Doc::space());
                mods.push(self.items(Brackets::ROUND, part.into_inner(), Self::named));
                continue;
            }
            author |= self.tokens.breaks_here();
            // The line may continue after the brace of a block.
            mods.push(if is_block { Doc::space() } else { Doc::line() });
            mods.push(match part.as_rule() {
                Rule::within => self.within(part),
                _ => self.fallback(part),
            });
        }
        if mods.is_empty() || is_block {
            return Doc::seq(iter::once(first).chain(mods).collect());
        }
        chain(first, mods, author)
    }

    fn fallback(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut parts = vec![self.sign("fallback"), Doc::space()];
        parts.extend(pair.into_inner().nth(1).map(|it| self.source(it)));
        Doc::seq(parts)
    }

    /// The content of a stage: a block, a value or a component.
    fn source(&mut self, pair: Read<'_>) -> Doc<'a> {
        match pair.as_rule() {
            Rule::expr => self.expr(pair),
            Rule::postfix => self.postfix(pair),
            Rule::hole => self.hole(pair),
            _ => self.form(pair),
        }
    }
}

/// Parts on one line, unless the author broke it or a line must end outside all brackets.
fn chain<'a>(first: Doc<'a>, rest: Vec<Doc<'a>>, author: bool) -> Doc<'a> {
    let all = Doc::seq(vec![first, Doc::seq(rest).nest(STEP)]);
    let fold = if author {
        Fold::Open
    } else if all.is_torn() {
        Fold::Strict
    } else {
        Fold::Loose
    };
    all.chain(fold)
}
