//! Text in, tree out: the grammar, the syntax tree and nothing else.
//!
//! [`parse`] is a pure function. It reads no files and knows no component; the tree it
//! returns is fully determined by the text:
//!
//! ```
//! let parsed = svc_lang::syntax::parse(r#""hi" >> upper"#);
//! assert!(parsed.problems.is_empty());
//! assert_eq!(parsed.program.main.unwrap().stages.len(), 2);
//! ```
//!
//! Parsing always returns a tree. The text is cut into regions where a statement must end
//! (`regions`), and pest parses each region. A region that cannot be parsed costs one problem;
//! the names it would have bound are still bound, to avoid follow-up problems. Common mistakes
//! are part of the grammar and are parsed as what they were meant to be.
//!
//! **Invariant:** this module depends only on [`crate::diag`] and [`svc_contract::value`].

pub mod ast;
mod build;
mod elsewhere;
mod executor;
mod forms;
mod print;
mod quote;
mod recover;
mod regions;
pub mod token;
mod unexpected;
mod uses;

pub use unexpected::{RESERVED, is_reserved};

use pest::Parser as _;

use crate::diag::{Code, Problem, Span};
use ast::Program;
pub use executor::{Executor, InOrder, Part};
pub use print::{Formatted, format, format_with};
pub use quote::quoted;
pub use uses::{RuleUse, uses};

/// The deepest nesting of brackets.
pub const MAX_DEPTH: usize = 256;

/// The most operators and selections in one expression, including those of the expressions
/// around it.
pub const MAX_OPERATORS: usize = 1_000;

/// Names of blocks and functions in other languages, and their names here.
pub const FOREIGN_BLOCKS: [(&str, &str); 9] = [
    ("map", "each { .. }"),
    ("foreach", "each { .. }"),
    ("filter", "where { .. }"),
    ("select", "where { .. }"),
    ("sort_by", "sort { .. }"),
    ("order_by", "sort { .. }"),
    ("group_by", "group { .. }"),
    ("reduce", "sum, join, min or max"),
    ("fold", "sum, join, min or max"),
];

/// Functions of other languages that no op corresponds to by its name, and what to write here.
pub const FOREIGN_CALLS: [(&[&str], &str); 4] = [
    (
        &["print", "println", "printf", "echo", "puts", "say", "console.log"],
        "end the script with the value: the value of the last pipeline is the result",
    ),
    (&["sleep", "delay"], "write `value >> wait(duration: 5s)`: it waits, and passes the value on"),
    (
        &["read_csv", "load_csv", "read_table", "pd.read_csv", "read_excel", "read_parquet"],
        "write `table.read(path: \"file\")`, or `table.read<Row>(..)` for rows of a type",
    ),
    (
        &["current_date", "current_time", "datetime.now", "Date.now"],
        "write `now()` for the time, or `today(\"Europe/Berlin\")` for the date of a zone",
    ),
];

/// What to write for a function of another language.
pub fn for_foreign_call(name: &str) -> Option<&'static str> {
    FOREIGN_CALLS.iter().find(|(names, _)| names.contains(&name)).map(|(_, help)| *help)
}

/// One or more names of [`FOREIGN_BLOCKS`], each in backticks.
pub fn quoted_ways(names: &str) -> String {
    format!("`{}`", names.replace(", ", "`, `").replace(" or ", "` or `"))
}

/// The longest name, in bytes: names are compared, shown and suggested.
pub const MAX_NAME: usize = 255;

/// The most parts of a construct whose parts are compared: fields, choices, arms, branches,
/// params.
pub const MAX_PARTS: usize = 1000;

/// The largest script, in bytes.
pub const MAX_BYTES: usize = 16 << 20;

#[derive(pest_derive::Parser)]
#[grammar = "../../../grammar/svc.pest"]
struct Grammar;

/// The tree of a text, and its problems.
#[derive(Debug, Default)]
pub struct Parsed {
    pub program: Program,
    pub problems: Vec<Problem>,
}

/// Parses a script on the thread of the caller.
pub fn parse(text: &str) -> Parsed {
    parse_with(text, &InOrder)
}

/// Parses a script; an executor does the parts of a long one.
pub fn parse_with(text: &str, executor: &dyn Executor) -> Parsed {
    if text.len() > MAX_BYTES {
        let message = format!("the script is too large (limit {} MiB)", MAX_BYTES >> 20);
        let problem = Problem::error(Code::E104, Span::new(0, 0), message);
        return Parsed { problems: vec![problem], ..Parsed::default() };
    }
    let lexed = token::lex(text);
    let (regions, mut problems) = regions::split(text, &lexed);
    let mut statements = Vec::new();
    for (read, found) in in_parts(text, &lexed, &regions, executor) {
        statements.push(read);
        problems.extend(found);
    }
    let statements = statements.into_iter().flatten();
    let (program, problems) = build::assembled(text, statements, problems);
    Parsed { program, problems }
}

/// The statements of some regions, and their problems.
type Read = (Vec<build::Statement>, Vec<Problem>);

/// Parses all regions of a text. Regions are independent, so those of a long text are spread
/// over all cores, if the executor has some: parsing is two thirds of a check, and this halves it.
fn in_parts(
    text: &str,
    lexed: &token::Lexed,
    regions: &[regions::Region],
    executor: &dyn Executor,
) -> Vec<Read> {
    const LONG: usize = 256 << 10;
    let width = if text.len() < LONG { 1 } else { executor.width().max(1) };
    if width == 1 {
        return vec![read_regions(text, lexed, regions)];
    }
    let chunks: Vec<_> = regions.chunks(regions.len().div_ceil(width).max(1)).collect();
    let mut read: Vec<Read> = chunks.iter().map(|_| Read::default()).collect();
    let mut parts: Vec<Part<'_>> = Vec::with_capacity(read.len());
    for (read, chunk) in read.iter_mut().zip(chunks) {
        parts.push(Box::new(move || *read = read_regions(text, lexed, chunk)));
    }
    executor.run(parts);
    read
}

fn read_regions(text: &str, lexed: &token::Lexed, regions: &[regions::Region]) -> Read {
    let mut builder = build::Builder::new(text, lexed);
    let mut problems = Vec::new();
    for region in regions {
        if region.broken {
            builder.broken_region(region);
            continue;
        }
        let piece = lexed.spaced(text, region.tokens.clone());
        let tokens = &lexed.tokens[region.tokens.clone()];
        let read = with_stack(region.depth, || match Grammar::parse(Rule::region, &piece) {
            Ok(pairs) => {
                let wrong = elsewhere::misread(text, tokens);
                if wrong.is_none() {
                    builder.region(pairs, region);
                }
                wrong
            }
            Err(err) => {
                Some(unexpected::explain(text, tokens, region.span.start + error_offset(&err)))
            }
        });
        if let Some(problem) = read {
            problems.push(problem);
            builder.broken_region(region);
        }
    }
    let (statements, found) = builder.finish();
    problems.extend(found);
    (statements, problems)
}

/// The pieces of a text, each of which holds whole statements.
pub fn regions(text: &str) -> Vec<Span> {
    let lexed = token::lex(text);
    regions::split(text, &lexed).0.into_iter().map(|it| it.span).collect()
}

/// Whether a text needs no further line: nothing is open, and nothing must follow its last
/// word. An invalid text needs none.
pub fn is_whole(text: &str) -> bool {
    regions::is_whole(text, &token::lex(text))
}

/// Whether a comment that begins with `//` may be a quotient of another language.
pub fn may_divide(text: &str, comment: Span) -> bool {
    let sign = Span::new(comment.start, comment.start + 2);
    text[comment.range()].starts_with("//") && elsewhere::quotient(text, sign).is_some()
}

/// Runs `work` with enough stack: parsing a bracket takes some kilobytes of it.
fn with_stack<T>(depth: usize, work: impl FnOnce() -> T) -> T {
    const BYTES_PER_LEVEL: usize = 64 << 10;
    const SHALLOW: usize = 8;
    if depth <= SHALLOW {
        return stacker::maybe_grow(SHALLOW * BYTES_PER_LEVEL, 2 << 20, work);
    }
    stacker::grow(depth.min(MAX_DEPTH + 1) * BYTES_PER_LEVEL, work)
}

fn error_offset(err: &pest::error::Error<Rule>) -> usize {
    match err.location {
        pest::error::InputLocation::Pos(at) | pest::error::InputLocation::Span((at, _)) => at,
    }
}
