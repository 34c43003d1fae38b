//! Blocks: `parallel`, `race`, `each`, `where`, `if`, `match`, `repeat`, inline code, and braces.

use super::{
    Printer, Read,
    doc::{Doc, Fold},
    items::{Brackets, STEP},
};
use crate::syntax::Rule;

impl<'a> Printer<'a> {
    pub(super) fn form(&mut self, pair: Read<'_>) -> Doc<'a> {
        match pair.as_rule() {
            Rule::parallel => self.branches("parallel", pair),
            Rule::race => self.branches("race", pair),
            Rule::each => self.each(pair),
            Rule::shape => self.shape(pair),
            Rule::if_ => self.if_(pair),
            Rule::match_ => self.match_(pair),
            Rule::repeat_ => self.repeat(pair),
            Rule::rhai => self.rhai(pair),
            _ => self.verbatim(&pair),
        }
    }

    fn branches(&mut self, word: &'static str, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner().skip(1).peekable();
        let word = self.sign(word);
        let body = match inner.next_if(|it| it.as_rule() == Rule::list) {
            Some(list) => self.list(list),
            None => self.items(Brackets::CURLY, inner, Self::branch),
        };
        Doc::seq(vec![word, Doc::space(), body])
    }

    fn branch(&mut self, pair: Read<'_>) -> Doc<'a> {
        let parts = pair.into_inner().map(|it| match it.as_rule() {
            Rule::pipeline => {
                let colon = self.sign(":");
                Doc::seq(vec![colon, Doc::space(), self.pipeline(it)])
            }
            _ => self.joined(&it),
        });
        Doc::seq(parts.collect())
    }

    fn each(&mut self, pair: Read<'_>) -> Doc<'a> {
        let parts = pair.into_inner().map(|it| match it.as_rule() {
            Rule::block => Doc::seq(vec![Doc::space(), self.block(it)]),
            _ => self.joined(&it),
        });
        Doc::seq(parts.collect())
    }

    /// `where { condition }`, `sort { key }`, `group { key }`
    fn shape(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner();
        let word = inner.next().map(|it| self.joined(&it));
        let body = self.braces(inner, Self::pipeline);
        Doc::seq(word.into_iter().chain([Doc::space(), body.grouped()]).collect())
    }

    /// Either all arms of an `if` are broken over lines, or none.
    fn if_(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut author = false;
        let doc = self.arms(pair, &mut author);
        doc.group(if author { Fold::Open } else { Fold::Strict })
    }

    fn arms(&mut self, pair: Read<'_>, author: &mut bool) -> Doc<'a> {
        let mut parts = Vec::new();
        for it in pair.into_inner() {
            if !parts.is_empty() {
                parts.push(Doc::space());
            }
            parts.push(match it.as_rule() {
                Rule::expr => self.expr(it),
                Rule::if_ => self.arms(it, author),
                Rule::block => {
                    let body = self.statements(it);
                    *author |= body.author;
                    body.doc
                }
                _ => self.joined(&it),
            });
        }
        Doc::seq(parts)
    }

    fn match_(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner().skip(1);
        let mut parts = vec![self.sign("match"), Doc::space()];
        parts.extend(inner.next().map(|it| self.expr(it)));
        parts.push(Doc::space());
        parts.push(self.items(Brackets::CURLY, inner, Self::arm));
        Doc::seq(parts)
    }

    /// `pattern | pattern => pipeline`
    fn arm(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut parts: Vec<Doc<'a>> = Vec::new();
        for it in pair.into_inner() {
            if it.as_rule() == Rule::pipeline {
                parts.extend([Doc::space(), self.sign("=>"), Doc::space(), self.pipeline(it)]);
                continue;
            }
            if !parts.is_empty() {
                parts.extend([Doc::space(), self.sign("|"), Doc::space()]);
            }
            parts.push(self.pattern(&it));
        }
        Doc::seq(parts)
    }

    fn pattern(&mut self, pair: &Read<'_>) -> Doc<'a> {
        match pair.clone().into_inner().next() {
            Some(literal) if literal.as_rule() == Rule::string => {
                // A minus before a string is an error, and stays one.
                let minus = self.tokens.next_is("-").then(|| self.sign("-"));
                let string = self.verbatim(&literal);
                Doc::seq(minus.into_iter().chain([string]).collect())
            }
            _ => self.joined(pair),
        }
    }

    /// `repeat 3 { body } until condition else { otherwise }`
    ///
    /// If it does not fit on one line, the body is broken over lines; the rest may still fit
    /// after its closing bracket.
    fn repeat(&mut self, pair: Read<'_>) -> Doc<'a> {
        let (mut parts, mut author) = (Vec::new(), None);
        for it in pair.into_inner() {
            if !parts.is_empty() {
                parts.push(Doc::space());
            }
            parts.push(match it.as_rule() {
                Rule::expr => self.expr(it),
                Rule::block if author.is_none() => {
                    let turns = self.statements(it);
                    author = Some(turns.author);
                    turns.doc
                }
                Rule::block => self.block(it),
                _ => self.joined(&it),
            });
        }
        let fold = if author == Some(true) { Fold::Open } else { Fold::Strict };
        Doc::seq(parts).group(fold)
    }

    /// `rhai(x: int) -> int { .. }`; the code inside is left as written.
    fn rhai(&mut self, pair: Read<'_>) -> Doc<'a> {
        let mut inner = pair.into_inner().skip(1).peekable();
        let mut parts = vec![self.sign("rhai"), self.signature(&mut inner)];
        parts.push(Doc::space());
        parts.extend(inner.next().map(|it| self.verbatim(&it)));
        Doc::seq(parts)
    }

    /// `{ let .. pipeline }`
    pub(super) fn block(&mut self, pair: Read<'_>) -> Doc<'a> {
        self.statements(pair).grouped()
    }

    /// The `let`s and the pipeline of a block.
    pub(super) fn statements(&mut self, pair: Read<'_>) -> Braces<'a> {
        self.braces(pair.into_inner(), |printer, it| match it.as_rule() {
            Rule::pipeline => printer.pipeline(it),
            Rule::wrong_record => printer.verbatim(&it),
            _ => printer.declaration(it),
        })
    }

    /// Statements in braces; two or more are on separate lines.
    pub(super) fn braces<'p>(
        &mut self,
        statements: impl Iterator<Item = Read<'p>>,
        print: fn(&mut Self, Read<'p>) -> Doc<'a>,
    ) -> Braces<'a> {
        let open = self.tokens.open("{");
        let author = self.tokens.breaks_here();
        let mut inner = vec![Doc::line()];
        for (idx, statement) in statements.enumerate() {
            if idx > 0 {
                inner.push(self.tokens.next_statement());
            }
            inner.push(print(self, statement));
        }
        inner.push(self.tokens.closing_comments());
        let body = Doc::seq(inner).nest(STEP);
        let close = self.sign("}");
        Braces { doc: Doc::seq(vec![open, body, Doc::line(), close]), author }
    }
}

/// A block that is not yet a group.
pub(super) struct Braces<'a> {
    pub(super) doc: Doc<'a>,
    /// Whether the author broke the line after the `{`.
    pub(super) author: bool,
}

impl<'a> Braces<'a> {
    pub(super) fn grouped(self) -> Doc<'a> {
        self.doc.group(if self.author { Fold::Open } else { Fold::Strict })
    }
}
