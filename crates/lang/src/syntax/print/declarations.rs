//! Declarations, and the other statements of a file, a test or a block.

use super::{Printer, Read, doc::Doc};
use crate::syntax::Rule;

impl<'a> Printer<'a> {
    pub(super) fn declaration(&mut self, pair: Read<'_>) -> Doc<'a> {
        match pair.as_rule() {
            Rule::pipeline => self.pipeline(pair),
            Rule::flow => self.flow(pair),
            Rule::test => self.test(pair),
            Rule::mock => self.mock(pair),
            Rule::param | Rule::bind | Rule::typedef => self.binding(pair),
            Rule::edition | Rule::secret | Rule::import | Rule::expect => self.words(pair),
            _ => self.verbatim(&pair),
        }
    }

    /// `svc 1 within { .. }`, `secret key`, `use "file" as name`, `expect condition`
    fn words(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut parts = Vec::new();
        for it in pair.into_inner() {
            if !parts.is_empty() {
                parts.push(Doc::space());
            }
            parts.push(self.part(it));
        }
        Doc::seq(parts)
    }

    /// `param name: T = default`, `let name: T = pipeline`, `type Name = T`
    fn binding(&mut self, pair: Read<'_>) -> Doc<'a> {
        let is_type = pair.as_rule() == Rule::typedef;
        let mut inner = pair.into_inner();
        let mut parts: Vec<_> = inner.next().map(|it| self.joined(&it)).into_iter().collect();
        parts.push(Doc::space());
        parts.extend(inner.next().map(|it| self.joined(&it)));
        for it in inner {
            if it.as_rule() == Rule::type_ && !is_type {
                parts.extend([self.sign(":"), Doc::space()]);
            } else {
                parts.extend([Doc::space(), self.sign("="), Doc::space()]);
            }
            parts.push(self.part(it));
        }
        Doc::seq(parts)
    }

    fn part(&mut self, pair: Read<'_>) -> Doc<'a> {
        match pair.as_rule() {
            Rule::type_ => self.ty(pair),
            Rule::expr => self.expr(pair),
            Rule::pipeline => self.pipeline(pair),
            Rule::within => self.within(pair),
            Rule::string => self.verbatim(&pair),
            _ => self.joined(&pair),
        }
    }

    /// `flow name<T>(input: T) -> T within { .. } { .. }`
    fn flow(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner().skip(1).peekable();
        let mut parts = vec![self.sign("flow"), Doc::space()];
        parts.extend(inner.next().map(|it| self.joined(&it)));
        if let Some(generics) = inner.next_if(|it| it.as_rule() == Rule::generics) {
            parts.push(self.generics(generics));
        }
        parts.extend([self.signature(&mut inner), Doc::space()]);
        parts.extend(inner.next().map(|it| self.block(it)));
        Doc::seq(parts)
    }

    /// `test "name" { .. }`
    fn test(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner().skip(1);
        let mut parts = vec![self.sign("test"), Doc::space()];
        parts.extend(inner.next().map(|it| self.verbatim(&it)));
        parts.push(Doc::space());
        parts.push(self.braces(inner, Self::declaration).grouped());
        Doc::seq(parts)
    }

    /// `mock name(argument: value) = value`
    fn mock(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut parts = vec![self.sign("mock"), Doc::space()];
        for it in pair.into_inner().skip(1) {
            match it.as_rule() {
                Rule::mock_type => parts.push(self.type_arg(it)),
                Rule::args => parts.push(self.args(it)),
                Rule::expr => {
                    parts.extend([Doc::space(), self.sign("="), Doc::space(), self.expr(it)]);
                }
                _ => parts.push(self.joined(&it)),
            }
        }
        Doc::seq(parts)
    }
}
