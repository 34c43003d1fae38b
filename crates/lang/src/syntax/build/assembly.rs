//! Builds the program from statements, and reports the problems of their order.

use super::{Statement, pipeline::space_before, too_many};
use crate::{
    diag::{Code, Fix, Problem, Span},
    syntax::{
        MAX_PARTS,
        ast::{Edition, Item, ItemKind, Pipeline, Program, Within},
    },
};

/// Assembles the statements of a text, in their order, into a program.
pub(in crate::syntax) fn assembled(
    text: &str,
    statements: impl IntoIterator<Item = Statement>,
    problems: Vec<Problem>,
) -> (Program, Vec<Problem>) {
    let mut assembly = Assembly {
        text,
        program: Program::default(),
        last_main: None,
        line_reported: false,
        params: 0,
        unused_let: None,
        problems,
    };
    for statement in statements {
        match statement {
            Statement::Edition { number, bounds, span } => assembly.edition(number, bounds, span),
            Statement::Main(main) => assembly.main(main),
            Statement::Item(item) => assembly.item(item),
        }
    }
    (assembly.program, assembly.problems)
}

struct Assembly<'a> {
    text: &'a str,
    program: Program,
    /// The last main pipeline so far.
    last_main: Option<Span>,
    /// Whether the last main pipeline was reported to follow another one on its line.
    line_reported: bool,
    /// The number of params so far.
    params: usize,
    /// The text that turns a second main pipeline into a `let`, cached.
    unused_let: Option<String>,
    problems: Vec<Problem>,
}

impl Assembly<'_> {
    /// Adds a declaration. The number of params is limited, because they are compared with each
    /// other.
    fn item(&mut self, mut item: Item) {
        if let ItemKind::Param { name, .. } = &item.kind {
            self.params += 1;
            if self.params == MAX_PARTS + 1 {
                self.problems.push(too_many("params", name.span));
            }
            if self.params > MAX_PARTS {
                item.kind = ItemKind::Broken { name: name.clone() };
            }
        }
        self.program.items.push(item);
    }

    fn edition(&mut self, (number, at): (String, Span), bounds: Option<Within>, span: Span) {
        let parsed = number.parse().ok().filter(|it| *it == 1);
        if parsed.is_none() {
            self.problems.push(
                Problem::error(Code::E118, at, format!("unknown edition {number}"))
                    .label("this version supports edition 1")
                    .help("write `svc 1`")
                    .suggest(at, "1"),
            );
        }
        if self.program.edition.is_some()
            || !self.program.items.is_empty()
            || self.program.main.is_some()
        {
            self.problems.push(
                Problem::error(Code::E118, span, "the edition line must be the first statement")
                    .label("only allowed at the top of the file")
                    .help("move it to the top of the file")
                    .fixed(self.moved_up(span))
                    .fix(span, ""),
            );
        }
        self.program.edition = Some(Edition { number: parsed.unwrap_or(1), bounds, span });
    }

    /// Moves the edition line to the top of the file, unless there is one.
    fn moved_up(&self, late: Span) -> Option<Fix> {
        let text = format!("{}\n", &self.text[late.range()]);
        self.program.edition.is_none().then(|| Fix { span: Span::new(0, 0), text })
    }

    /// `let earlier = `, with an unused name.
    fn unused_let(&mut self) -> String {
        if let Some(known) = &self.unused_let {
            return known.clone();
        }
        let is_free = |it: &String| !self.text.contains(it.as_str());
        let names = (2..).map(|it| format!("earlier_{it}"));
        let name = std::iter::once("earlier".to_owned()).chain(names).find(is_free);
        let begin = format!("let {} = ", name.unwrap_or_default());
        self.unused_let.insert(begin).clone()
    }

    fn main(&mut self, main: Pipeline) {
        let before = self.last_main.replace(main.span);
        let (Some(first), Some(before)) = (&self.program.main, before) else {
            self.program.main = Some(main);
            return;
        };
        let between = &self.text[before.end..main.span.start];
        if !between.is_empty()
            && between.trim_matches(' ').is_empty()
            && self.text[main.span.start..].starts_with('(')
        {
            let gap = Span::new(before.end, main.span.start);
            self.problems.push(space_before(gap, main.span));
            return;
        }
        // One word that belongs to nothing makes three pipelines of one.
        let is_on_line = !between.contains('\n');
        if std::mem::replace(&mut self.line_reported, is_on_line) && is_on_line {
            return;
        }
        let first = first.span;
        let mut problem = Problem::error(Code::E119, main.span, "more than one main pipeline")
            .label("a second pipeline")
            .also(first, "the first one");
        problem = if is_on_line {
            problem
                .help("join the two with `>>`")
                .fix(Span::new(before.end, main.span.start), " >> ")
                // A name after a pipeline is one more stage; a value may be anything.
                .suggested_if(!self.text[main.span.start..].starts_with(char::is_alphabetic))
        } else {
            problem
                .help("name one of them with `let name = ..`")
                .suggest(Span::new(first.start, first.start), self.unused_let())
        };
        self.problems.push(problem);
    }
}
