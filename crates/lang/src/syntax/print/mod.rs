//! A script as it should look: one layout, without options.
//!
//! The printer walks the concrete tree that pest read, token by token, and takes the
//! comments from the gaps between the tokens. So it knows nothing of the syntax tree, no
//! comment can be lost, and no token but a comma can appear or disappear:
//!
//! ```
//! let done = svc_lang::syntax::format("let  x=[1,2]# two\nx>>sum");
//! assert_eq!(done.text, "let x = [1, 2]  # two\nx >> sum\n");
//! ```
//!
//! Where a line may end, and does not have to, the author's choice is kept: what was broken
//! behind an opening bracket, or before a `>>`, stays broken. Everything else follows from
//! the width of a line.
//!
//! **Invariant:** formatting twice is formatting once; the tree stays the same, except that
//! `timeout_sec` and `max_budget_usd` become the bounds that they stand for.

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
    Grammar, MAX_BYTES, Rule, parse,
    regions::{self, Region},
    token, with_stack,
};
use crate::diag::{Problem, Span};
use doc::Doc;
use page::Page;
use tokens::Tokens;

/// A script after formatting.
#[derive(Debug)]
pub struct Formatted {
    pub text: String,
    /// Why some statements were left as they stood. The places are those of the text before.
    pub problems: Vec<Problem>,
}

/// The most times that a text is laid out.
const MOST_ROUNDS: usize = 8;

/// Lays out a script. What cannot be read is left as it stands.
pub fn format(text: &str) -> Formatted {
    let problems = parse(text).problems;
    let mut formatted = text.to_owned();
    if text.len() > MAX_BYTES {
        return Formatted { text: formatted, problems };
    }
    // A line that was too long is a line that somebody broke when it is read again. Lines
    // only end in more places, never in fewer, so this comes to rest.
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
        // A string without its end holds whatever stands at the end of the file.
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

/// Turns what pest read into pages, in the order of the text.
struct Printer<'a> {
    tokens: Tokens<'a>,
    /// Where the region that is being printed starts in the text.
    base: usize,
}

impl<'a> Printer<'a> {
    /// Prints a region; false if it stays as it stands.
    fn region(&mut self, region: &Region, page: &mut Page<'a>) -> bool {
        if !region.broken && self.read(region, page) {
            return true;
        }
        page.add(&self.tokens.next_statement());
        page.add(&self.tokens.as_it_stands(region.span));
        false
    }

    /// Prints a region, or nothing and gives false if it cannot be read.
    fn read(&mut self, region: &Region, page: &mut Page<'a>) -> bool {
        let before = self.tokens.clone();
        self.base = region.span.start;
        with_stack(region.depth, || {
            let piece = &self.tokens.text()[region.span.range()];
            let Ok(mut pairs) = Grammar::parse(Rule::region, piece) else { return false };
            let statements: Vec<_> =
                pairs.next().map(Pair::into_inner).into_iter().flatten().collect();
            let mains = statements.iter().filter(|it| it.as_rule() == Rule::pipeline).count();
            // Which of two pipelines is the main one, the author must say.
            if mains > 1 {
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

    /// A statement and what separates it from the one before.
    fn statement(&mut self, pair: Read<'_>) -> Doc<'a> {
        let gap = self.tokens.next_statement();
        Doc::seq(vec![gap, self.declaration(pair)])
    }

    /// The place of a pair, without the gap that pest may have read after it.
    fn span(&self, pair: &Read<'_>) -> Span {
        let read = pair.as_span();
        self.tokens.trimmed(Span::new(self.base + read.start(), self.base + read.end()))
    }

    /// A pair whose tokens stand one right behind the other.
    fn joined(&mut self, pair: &Read<'_>) -> Doc<'a> {
        let span = self.span(pair);
        self.tokens.joined(span)
    }

    /// A pair that is printed as it was written, as one token.
    fn verbatim(&mut self, pair: &Read<'_>) -> Doc<'a> {
        let span = self.span(pair);
        self.tokens.verbatim(span)
    }

    fn sign(&mut self, sign: &str) -> Doc<'a> {
        self.tokens.sign(sign)
    }
}
