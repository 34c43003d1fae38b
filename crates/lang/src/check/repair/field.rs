//! Fixes for fields of values that are not records, and for calls.

use crate::{
    check::{Checker, Term},
    diag::{Problem, Span},
    syntax::ast::Word,
};

impl Checker<'_> {
    /// `xs.title` as `(xs >> each { .title })`, `.title` as `each { .title }`.
    pub(in crate::check) fn of_every_item(
        &self,
        problem: Problem,
        base: &Term,
        name: &Word,
    ) -> Problem {
        let Some(written) = self.base(base, name) else { return problem };
        let each = format!("each {{ .{} }}", name.text);
        let fix = match written {
            "" => each,
            of => format!("({of} >> {each})"),
        };
        problem.fix(Span::new(base.span.start, name.span.end), fix)
    }

    /// `x.name` of json as `(x as { name: json }).name`.
    pub(in crate::check) fn of_tested(
        &self,
        problem: Problem,
        base: &Term,
        name: &Word,
    ) -> Problem {
        let Some(written) = self.base(base, name) else { return problem };
        let (of, field) = (if written.is_empty() { "it" } else { written }, &name.text);
        problem.fix(
            Span::new(base.span.start, name.span.end),
            format!("({of} as {{ {field}: json }}).{field}"),
        )
    }

    /// The text of the value before `.name`: empty for `.name` alone, `None` if `?.` is between
    /// them.
    fn base(&self, base: &Term, name: &Word) -> Option<&str> {
        let between = self.source.text().get(base.span.end..name.span.start)?;
        let written = self.source.text().get(base.span.range())?;
        match written {
            "" | "." => Some(""),
            _ => (between.trim() == ".").then_some(written),
        }
    }
}
