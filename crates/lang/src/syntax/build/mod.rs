//! Builds the tree from the pairs of pest, and reports the problems found on the way.

mod assembly;
mod expr;
mod literal;
mod pipeline;
mod types;

use pest::iterators::{Pair, Pairs};

use super::{
    Rule,
    ast::{Expr, Flow, FlowParam, Item, ItemKind, Let, Mock, Pipeline, Test, Use, Within, Word},
    elsewhere::declares_elsewhere,
    regions::Region,
    token::{Lexed, Token},
};
use crate::{
    diag::{Code, Problem, Span},
    syntax::MAX_PARTS,
};

pub(super) use assembly::assembled;

/// A statement of a script, not yet part of the program.
pub(super) enum Statement {
    Edition {
        /// The text after `svc`, and its place.
        number: (String, Span),
        bounds: Option<Within>,
        span: Span,
    },
    Main(Pipeline),
    Item(Item),
}

/// Collects the statements of regions, which are independent of each other.
pub(super) struct Builder<'a> {
    text: &'a str,
    lexed: &'a Lexed,
    /// The start of the current region in the text.
    base: usize,
    /// The tokens of the current region.
    tokens: &'a [Token],
    statements: Vec<Statement>,
    /// The number of operators and selections around the current node.
    operators_above: usize,
    problems: Vec<Problem>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(text: &'a str, lexed: &'a Lexed) -> Self {
        Self {
            text,
            lexed,
            base: 0,
            tokens: &[],
            statements: Vec::new(),
            operators_above: 0,
            problems: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> (Vec<Statement>, Vec<Problem>) {
        (self.statements, self.problems)
    }

    /// Adds the statements of a parsed region.
    pub(super) fn region(&mut self, pairs: Pairs<'_, Rule>, region: &Region) {
        self.base = region.span.start;
        self.tokens = &self.lexed.tokens[region.tokens.clone()];
        let region = pairs.into_iter().next().expect("the grammar's region is one pair");
        for pair in region.into_inner() {
            match pair.as_rule() {
                Rule::edition => self.edition(pair),
                Rule::pipeline => {
                    let main = self.pipeline(pair);
                    self.statements.push(Statement::Main(main));
                }
                Rule::EOI => {}
                _ => self.item(pair),
            }
        }
    }

    /// Binds the name that an unreadable declaration would have bound.
    pub(super) fn broken_region(&mut self, region: &Region) {
        let tokens: &[Token] = &self.lexed.tokens[region.tokens.clone()];
        let [first, name, rest @ ..] = tokens else { return };
        // `let mut x = 5` binds `x`.
        let is_mut = &self.text[name.span.range()] == "mut";
        let name = rest.first().filter(|_| is_mut).unwrap_or(name);
        let (word, text) = (&self.text[first.span.range()], &self.text[name.span.range()]);
        let declares = matches!(word, "let" | "param" | "flow" | "type");
        // So does `x := 5`.
        let is_walrus =
            text == ":" && rest.first().is_some_and(|it| &self.text[it.span.range()] == "=");
        let (name, text) = if is_walrus { (first, word) } else { (name, text) };
        if (declares || is_walrus || declares_elsewhere(word))
            && text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        {
            let name = Word { text: text.into(), span: name.span };
            let kind = ItemKind::Broken { name };
            let item = Item { doc: String::new(), kind, span: region.span };
            self.statements.push(Statement::Item(item));
        }
    }

    /// Reports a construct with too many parts to compare with each other, and returns whether
    /// it is one. The first `others` pairs inside are not parts.
    fn too_many(&mut self, what: &str, pair: &Pair<'_, Rule>, others: usize) -> bool {
        let first = pair.clone().into_inner().nth(MAX_PARTS + others);
        let Some(first) = first else { return false };
        let span = self.span(&first);
        self.problems.push(too_many(what, span));
        true
    }

    fn edition(&mut self, pair: Pair<'_, Rule>) {
        let span = self.span(&pair);
        let mut inner = pair.into_inner();
        inner.next();
        let number = inner.next().expect("an edition has a number");
        let number = (number.as_str().to_owned(), self.span(&number));
        let bounds = inner.next().map(|it| self.within(it));
        self.statements.push(Statement::Edition { number, bounds, span });
    }

    fn item(&mut self, pair: Pair<'_, Rule>) {
        let span = self.span(&pair);
        let doc = self.doc_above(span.start);
        let kind = match pair.as_rule() {
            Rule::param => self.param(pair),
            Rule::typedef => self.typedef(pair),
            Rule::flow => self.flow(pair),
            Rule::bind => ItemKind::Let(self.bind(pair)),
            Rule::secret => {
                let name = pair.into_inner().last().expect("a secret has a name");
                ItemKind::Secret { name: self.word(&name) }
            }
            Rule::import => ItemKind::Use(self.import(pair)),
            Rule::mock => ItemKind::Mock(self.mock(pair)),
            _ => ItemKind::Test(self.test(pair)),
        };
        self.statements.push(Statement::Item(Item { doc, kind, span }));
    }

    fn param(&mut self, pair: Pair<'_, Rule>) -> ItemKind {
        let mut inner = pair.into_inner().skip(1);
        let name = self.word(&inner.next().expect("a param has a name"));
        let ty = self.ty(inner.next().expect("a param has a type"));
        let default = inner.next().map(|it| self.expr(it));
        ItemKind::Param { name, ty, default }
    }

    fn typedef(&mut self, pair: Pair<'_, Rule>) -> ItemKind {
        let mut inner = pair.into_inner().skip(1);
        let name = self.word(&inner.next().expect("a type has a name"));
        let ty = self.ty(inner.next().expect("a type has a definition"));
        ItemKind::Type { name, ty }
    }

    fn flow(&mut self, pair: Pair<'_, Rule>) -> ItemKind {
        let mut inner = pair.into_inner().skip(1).peekable();
        let name = self.word(&inner.next().expect("a flow has a name"));
        let generics = inner.next_if(|it| it.as_rule() == Rule::generics);
        let generics = generics.map_or_else(Vec::new, |it| self.generics(it));
        let params = match inner.next_if(|it| it.as_rule() == Rule::fields) {
            Some(fields) => self.flow_params(fields),
            None => Vec::new(),
        };
        let yields = self.ty(inner.next().expect("a flow has a type"));
        let bounds = inner.next_if(|it| it.as_rule() == Rule::within).map(|it| self.within(it));
        let body = self.block(inner.next().expect("a flow has a body"));
        ItemKind::Flow(Flow { name, generics, params, yields, bounds, body })
    }

    fn generics(&mut self, names: Pair<'_, Rule>) -> Vec<Word> {
        self.too_many("type parameters of a flow", &names, 0);
        names.into_inner().take(MAX_PARTS).map(|it| self.word(&it)).collect()
    }

    fn flow_params(&mut self, fields: Pair<'_, Rule>) -> Vec<FlowParam> {
        self.too_many("params of a flow", &fields, 0);
        fields.into_inner().take(MAX_PARTS).map(|it| self.flow_param(it)).collect()
    }

    pub(super) fn flow_param(&mut self, pair: Pair<'_, Rule>) -> FlowParam {
        let mut inner = pair.into_inner();
        let name = self.word(&inner.next().expect("a parameter has a name"));
        let ty = self.ty(inner.next().expect("a parameter has a type"));
        let default: Option<Expr> = inner.next().map(|it| self.expr(it));
        FlowParam { name, ty, default }
    }

    fn import(&mut self, pair: Pair<'_, Rule>) -> Use {
        let mut inner = pair.into_inner().skip(1);
        let file = inner.next().expect("an import names a file");
        let name = inner.next_back().expect("an import has a name");
        let span = self.span(&file);
        Use { file: Word { text: self.constant_text(file), span }, name: self.word(&name) }
    }

    fn mock(&mut self, pair: Pair<'_, Rule>) -> Mock {
        let span = self.span(&pair);
        let mut inner = pair.into_inner().skip(1).peekable();
        let target = self.words(&inner.next().expect("a mock names a component"));
        let type_arg = inner
            .next_if(|it| it.as_rule() == Rule::mock_type)
            .map(|it| self.ty(it.into_inner().next().expect("a type argument is a type")));
        let args = inner.next_if(|it| it.as_rule() == Rule::args).map(|it| self.args(it));
        let value = self.expr(inner.next().expect("a mock has a value"));
        Mock { target, type_arg, args, value, span }
    }

    fn test(&mut self, pair: Pair<'_, Rule>) -> Test {
        let span = self.span(&pair);
        let mut inner = pair.into_inner().skip(1);
        let name = inner.next().expect("a test has a name");
        let name = Word { span: self.span(&name), text: self.constant_text(name) };
        let (mut mocks, mut lets, mut expects) = (Vec::new(), Vec::new(), Vec::new());
        for part in inner {
            match part.as_rule() {
                Rule::mock => mocks.push(self.mock(part)),
                Rule::bind => lets.push(self.bind(part)),
                _ => {
                    let condition = part.into_inner().nth(1);
                    expects.push(self.expr(condition.expect("an expectation is a condition")));
                }
            }
        }
        Test { name, mocks, lets, expects, span }
    }

    fn bind(&mut self, pair: Pair<'_, Rule>) -> Let {
        let span = self.span(&pair);
        let mut inner = pair.into_inner().skip(1).peekable();
        let name = self.word(&inner.next().expect("a let has a name"));
        let ty = inner.next_if(|it| it.as_rule() == Rule::type_).map(|it| self.ty(it));
        let value = self.pipeline(inner.next().expect("a let has a value"));
        Let { name, ty, value, span }
    }

    fn word(&self, pair: &Pair<'_, Rule>) -> Word {
        Word { text: pair.as_str().into(), span: self.span(pair) }
    }

    /// The place of a pair, without the gap that pest may have consumed after it.
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let read = pair.as_span();
        let (start, end) = (self.base + read.start(), self.base + read.end());
        if !read.as_str().ends_with(' ') {
            return Span::new(start, end);
        }
        let last = self.tokens.partition_point(|it| it.span.end <= end);
        let trimmed = last.checked_sub(1).map_or(end, |it| self.tokens[it].span.end);
        Span::new(start, if trimmed > start { trimmed.min(end) } else { end })
    }

    /// The `##` lines directly above an offset.
    fn doc_above(&self, start: usize) -> String {
        let comments = &self.lexed.comments;
        let mut lines = Vec::new();
        let mut below = start;
        for comment in comments[..comments.partition_point(|it| it.end <= start)].iter().rev() {
            let gap = &self.text[comment.end..below];
            let adjacent = gap.trim().is_empty() && gap.matches('\n').count() == 1;
            let Some(line) = self.text[comment.range()].strip_prefix("##").filter(|_| adjacent)
            else {
                break;
            };
            lines.push(line.trim());
            below = comment.start;
        }
        lines.reverse();
        lines.join("\n")
    }
}

fn too_many(what: &str, span: Span) -> Problem {
    Problem::error(Code::E121, span, format!("too many {what} (limit {MAX_PARTS})"))
        .label("one too many")
        .help("split it up, or read such data from a file")
}
