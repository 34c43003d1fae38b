//! Fixes for fields of values that are not records, and for calls.

use svc_contract::value::{Text, Type};

use super::{Gap, Stage};
use crate::{
    check::{Checker, Term},
    diag::{Problem, Span},
    syntax::ast::Word,
};

/// The first field of a record that fits where the record does not, and the help to select it.
pub(super) fn field_that_fits(gap: &Gap<'_>, stage: &Stage<'_>) -> Option<(Text, String)> {
    let Type::Record(of) = gap.from else { return None };
    let fits = of.fields.iter().filter(|(_, ty)| !ty.is_optional() && gap.wanted.accepts(ty));
    let mut names = fits.map(|(name, _)| name);
    let first = names.next()?;
    let others: Vec<String> = names.map(|it| format!("`.{it}`")).collect();
    let mut help = format!("take its field `{first}`: `>> .{first} >> {}`", stage.name);
    if !others.is_empty() {
        help += &format!("; or {}", others.join(", "));
    }
    Some((first.clone(), help))
}

impl Checker<'_> {
    /// Help for `"abc" >> .upper`, which names an op.
    pub(in crate::check) fn of_an_op(&self, problem: Problem, field: &str, span: Span) -> Problem {
        let dot = Span::new(span.start.saturating_sub(1), span.start);
        let text = self.source.text();
        let is_stage = text[..dot.start].trim_end().ends_with(">>") && &text[dot.range()] == ".";
        if is_stage && self.registry.find(field).is_some() {
            return problem
                .help(format!("write `>> {field}`: it is an op, not a field"))
                .fix(dot, "");
        }
        problem.help("use a record: other values have no fields")
    }

    /// `xs.title` as `(xs >> each { .title })`, `.title` as `each { .title }`.
    pub(in crate::check) fn of_every_item(
        &self,
        problem: Problem,
        base: &Term,
        name: &Word,
    ) -> Problem {
        let Some(written) = self.base(base, name) else { return problem };
        let each = format!("each {{ .{} }}", name.text);
        let before = self.source.text().get(..base.span.start).unwrap_or_default().trim_end();
        let fix = match written {
            // An argument cannot be a stage, and what takes it is not known to want a list.
            "" if before.ends_with(['(', ',', ':']) => return problem,
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
