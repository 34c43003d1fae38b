//! The formatter: one layout, without options.
//!
//! The printer walks the concrete tree of pest, token by token, and takes the comments from
//! the gaps between the tokens. It does not use the syntax tree, so no comment can be lost,
//! and no token but a comma can appear or disappear:
//!
//! ```
//! let done = svc_lang::syntax::format("let  x=[1,2]# two\nx>>sum");
//! assert_eq!(done.text, "let x = [1, 2]  # two\nx >> sum\n");
//! ```
//!
//! Where a line break is optional, the author's choice is kept: a break after an opening
//! bracket, or before a `>>`, stays. Everything else follows from the width of a line.
//!
//! **Invariant:** formatting is idempotent; the tree stays the same, except that
//! `timeout_sec` and `max_budget_usd` become `timeout` and `max_cost`.

mod align;
mod blocks;
mod bounds;
mod declarations;
mod doc;
mod expr;
mod items;
mod page;
mod stages;
mod tokens;
mod types;

use pest::{Parser as _, iterators::Pair};

use super::{
    Executor, Grammar, InOrder, MAX_BYTES, Rule, parse_with,
    regions::{self, Region},
    token, with_stack,
};
use crate::diag::{Problem, Span};
use doc::Doc;
use page::Page;
use tokens::Tokens;

/// A formatted script.
#[derive(Debug)]
pub struct Formatted {
    pub text: String,
    /// The reasons why some statements were left unchanged. Places refer to the original text.
    pub problems: Vec<Problem>,
}

/// The most rounds of layout of a text.
const MOST_ROUNDS: usize = 8;

/// Formats a script on the thread of the caller. Statements that cannot be parsed are left
/// unchanged.
pub fn format(text: &str) -> Formatted {
    format_with(text, &InOrder)
}

/// The same; an executor parses the parts of a long script.
pub fn format_with(text: &str, executor: &dyn Executor) -> Formatted {
    let problems = parse_with(text, executor).problems;
    let mut formatted = text.to_owned();
    if text.len() > MAX_BYTES {
        return Formatted { text: formatted, problems };
    }
    // In the next round, the breaks of this one count as the author's. Line breaks are only
    // added, never removed, so this terminates.
    for _ in 0..MOST_ROUNDS {
        let next = laid_out(&formatted);
        if next == formatted {
            break;
        }
        formatted = next;
    }
    Formatted { text: formatted, problems }
}

fn laid_out(text: &str) -> String {
    let lexed = token::lex(text);
    let regions = regions::split(text, &lexed).0;
    let mut printer = Printer { tokens: Tokens::new(text, &lexed), base: 0 };
    let mut page = Page::default();
    let mut is_torn = false;
    for region in &regions {
        let is_read = printer.region(region, &mut page);
        // An unterminated string includes the rest of the file.
        is_torn = !is_read && region.span.end == text.len();
    }
    page.add(&printer.tokens.closing_comments());
    let mut formatted = page.finish();
    if !formatted.is_empty() && !is_torn {
        formatted.push('\n');
    }
    formatted
}

type Read<'p> = Pair<'p, Rule>;

/// Turns the pairs of pest into documents, in the order of the text.
struct Printer<'a> {
    tokens: Tokens<'a>,
    /// The start of the current region in the text.
    base: usize,
}

impl<'a> Printer<'a> {
    /// Prints a region; returns false if it is left unchanged.
    fn region(&mut self, region: &Region, page: &mut Page<'a>) -> bool {
        if !region.broken && self.read(region, page) {
            return true;
        }
        page.add(&self.tokens.next_statement());
        page.add(&self.tokens.as_it_stands(region.span));
        false
    }

    /// Prints a region; prints nothing and returns false if it cannot be parsed.
    fn read(&mut self, region: &Region, page: &mut Page<'a>) -> bool {
        let before = self.tokens.clone();
        self.base = region.span.start;
        with_stack(region.depth, || {
            let piece = self.tokens.spaced(region.tokens.clone());
            let Ok(mut pairs) = Grammar::parse(Rule::region, &piece) else { return false };
            let statements: Vec<_> =
                pairs.next().map(Pair::into_inner).into_iter().flatten().collect();
            let mains = statements.iter().filter(|it| it.as_rule() == Rule::pipeline).count();
            // The author must choose which of two pipelines is the main one.
            if mains > 1 || self.tokens.are_misread(region.tokens.clone()) {
                return false;
            }
            let docs = statements.into_iter().filter(|it| it.as_rule() != Rule::EOI);
            let docs: Vec<_> = docs.map(|it| self.statement(it)).collect();
            if self.tokens.are_lost() {
                self.tokens = before;
                return false;
            }
            for doc in &docs {
                page.add(doc);
            }
            true
        })
    }

    /// A statement and the gap before it.
    fn statement(&mut self, pair: Read<'_>) -> Doc<'a> {
        let gap = self.tokens.next_statement();
        Doc::seq(vec![gap, self.declaration(pair)])
    }

    /// The place of a pair, without the gap that pest may have consumed after it.
    fn span(&self, pair: &Read<'_>) -> Span {
        let read = pair.as_span();
        self.tokens.trimmed(Span::new(self.base + read.start(), self.base + read.end()))
    }

    /// A pair whose tokens are printed without gaps.
    fn joined(&mut self, pair: &Read<'_>) -> Doc<'a> {
        let span = self.span(pair);
        self.tokens.joined(span)
    }

    /// A pair that is printed as written, as one token.
    fn verbatim(&mut self, pair: &Read<'_>) -> Doc<'a> {
        let span = self.span(pair);
        self.tokens.verbatim(span)
    }

    fn sign(&mut self, sign: &str) -> Doc<'a> {
        self.tokens.sign(sign)
    }
}
