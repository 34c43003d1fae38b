//! Expressions: operators by precedence, values, calls, literals.

use super::{
    Printer, Read,
    doc::{Doc, Fold},
    items::{Brackets, STEP},
};
use crate::syntax::Rule;

/// The operators, loosest first.
const LEVELS: [Rule; 6] = [
    Rule::op_or,
    Rule::op_and,
    Rule::op_compare,
    Rule::op_coalesce,
    Rule::op_sum,
    Rule::op_product,
];

/// An operand, and the operator before it.
struct Term<'a> {
    operator: Option<(Rule, Doc<'a>)>,
    operand: Doc<'a>,
}

impl<'a> Printer<'a> {
    pub(super) fn expr(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut terms = Vec::new();
        let mut operator = None;
        let mut operand = Vec::new();
        for it in pair.into_inner() {
            match it.as_rule() {
                Rule::op_not if it.as_str() == "not" => {
                    operand.extend([self.joined(&it), Doc::space()]);
                }
                Rule::op_not | Rule::op_minus => operand.push(self.joined(&it)),
                Rule::operand => {
                    operand.push(self.operand(it));
                    let operand = Doc::seq(std::mem::take(&mut operand));
                    terms.push(Term { operator: operator.take(), operand });
                }
                rule => operator = Some((rule, self.joined(&it))),
            }
        }
        let terms = LEVELS.iter().rev().fold(terms, |terms, level| merge(terms, *level));
        Doc::seq(terms.into_iter().map(|it| it.operand).collect())
    }

    /// A value, perhaps with `as T`.
    fn operand(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut parts = Vec::new();
        for it in pair.into_inner() {
            parts.push(match it.as_rule() {
                Rule::postfix => self.postfix(it),
                Rule::hole => self.hole(it),
                Rule::type_ => Doc::seq(vec![Doc::space(), self.ty(it)]),
                _ => Doc::seq(vec![Doc::space(), self.joined(&it)]),
            });
        }
        Doc::seq(parts)
    }

    /// A value with `.field` and `[index]`.
    pub(super) fn postfix(&mut self, pair: Read<'_>) -> Doc<'a> {
        let parts = pair.into_inner().map(|it| self.primary(it));
        Doc::seq(parts.collect())
    }

    /// `?name: A -> B`
    pub(super) fn hole(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner();
        let mut parts: Vec<_> = inner.next().map(|it| self.joined(&it)).into_iter().collect();
        parts.push(self.sign(":"));
        for (idx, ty) in inner.enumerate() {
            if idx > 0 {
                parts.extend([Doc::space(), self.sign("->")]);
            }
            parts.extend([Doc::space(), self.ty(ty)]);
        }
        Doc::seq(parts)
    }

    fn primary(&mut self, pair: Read<'_>) -> Doc<'a> {
        match pair.as_rule() {
            Rule::list => self.list(pair),
            Rule::record => self.items(Brackets::CURLY, pair.into_inner(), Self::entry),
            Rule::group => self.group(pair),
            Rule::ref_ => self.reference(pair),
            Rule::index => self.index(pair),
            Rule::string => self.verbatim(&pair),
            _ => self.joined(&pair),
        }
    }

    pub(super) fn list(&mut self, pair: Read<'_>) -> Doc<'a> {
        self.items(Brackets::SQUARE, pair.into_inner(), Self::pipeline)
    }

    fn index(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut parts = vec![self.tokens.open("[")];
        parts.extend(pair.into_inner().next().map(|it| self.expr(it)));
        parts.push(self.tokens.closing_comments());
        parts.push(self.sign("]"));
        Doc::seq(parts)
    }

    /// `( pipeline )`
    fn group(&mut self, pair: Read<'_>) -> Doc<'a> {
        let open = self.tokens.open("(");
        let author = self.tokens.breaks_here();
        let Some(pipeline) = pair.into_inner().next() else { return Doc::empty() };
        let pipeline = self.pipeline(pipeline);
        let fold = if author || pipeline.is_torn() { Fold::Open } else { Fold::Loose };
        let body = vec![Doc::soft_line(), pipeline, self.tokens.closing_comments()];
        let body = Doc::seq(body).nest(STEP);
        Doc::seq(vec![open, body, Doc::soft_line(), self.sign(")")]).group(fold)
    }

    /// A name, perhaps with a type and arguments.
    fn reference(&mut self, pair: Read<'_>) -> Doc<'a> {
        let parts = pair.into_inner().map(|it| match it.as_rule() {
            Rule::type_arg => self.type_arg(it),
            Rule::args => self.args(it),
            _ => self.joined(&it),
        });
        Doc::seq(parts.collect())
    }

    pub(super) fn args(&mut self, pair: Read<'_>) -> Doc<'a> {
        let list = pair.into_inner().filter_map(|it| it.into_inner().next());
        self.items(Brackets::ROUND, list, |printer, it| match it.as_rule() {
            Rule::named => printer.named(it),
            _ => printer.pipeline(it),
        })
    }

    /// `name: value`
    pub(super) fn named(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner();
        let mut parts: Vec<_> = inner.next().map(|it| self.joined(&it)).into_iter().collect();
        parts.extend([self.sign(":"), Doc::space()]);
        parts.extend(inner.next().map(|it| self.pipeline(it)));
        Doc::seq(parts)
    }

    /// A field of a record, `[key]: value`, or `...record`.
    fn entry(&mut self, pair: Read<'_>) -> Doc<'a> {
        match pair.into_inner().next() {
            Some(it) if it.as_rule() == Rule::spread => {
                let dots = self.sign("...");
                let value = it.into_inner().next().map(|it| self.expr(it));
                Doc::seq([dots].into_iter().chain(value).collect())
            }
            Some(it) if it.as_rule() == Rule::keyed => {
                let mut inner = it.into_inner();
                let mut parts = vec![self.tokens.open("[")];
                parts.extend(inner.next().map(|it| self.pipeline(it)));
                parts.push(self.tokens.closing_comments());
                parts.extend([self.sign("]"), self.sign(":"), Doc::space()]);
                parts.extend(inner.next().map(|it| self.pipeline(it)));
                Doc::seq(parts)
            }
            Some(it) => self.named(it),
            None => Doc::empty(),
        }
    }
}

/// Joins the terms around the operators of this level, which bind tighter than all that are
/// left.
fn merge<'a>(terms: Vec<Term<'a>>, level: Rule) -> Vec<Term<'a>> {
    let mut merged: Vec<(Term<'a>, Vec<Doc<'a>>)> = Vec::new();
    for term in terms {
        match (term.operator, merged.last_mut()) {
            (Some((rule, sign)), Some((_, rest))) if rule == level => {
                rest.extend([Doc::line(), sign, Doc::space(), term.operand]);
            }
            (operator, _) => merged.push((Term { operator, operand: term.operand }, Vec::new())),
        }
    }
    merged.into_iter().map(|(first, rest)| chain(first, rest)).collect()
}

fn chain<'a>(first: Term<'a>, rest: Vec<Doc<'a>>) -> Term<'a> {
    if rest.is_empty() {
        return first;
    }
    let operand = Doc::seq(vec![first.operand, Doc::seq(rest).nest(STEP)]).chain(Fold::Strict);
    Term { operator: first.operator, operand }
}
