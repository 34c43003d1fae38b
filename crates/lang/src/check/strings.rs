//! Strings with values in them.

use svc_contract::value::Type;

use super::{Checker, Term, TermKind, TypedPiece};
use crate::{
    diag::{Code, Problem, Span},
    syntax::ast,
};

impl Checker<'_> {
    /// Warns of `"{{ it.x }}"` and `"$x"`, which are plain text, if they name a value.
    pub(super) fn foreign_interpolation(&mut self, text: &str, span: Span) {
        let Some((found, name)) = foreign_name(text) else { return };
        let head = name.split('.').next().unwrap_or_default();
        let known = (head == "it" && self.it().is_some()) || self.is_variable(head);
        let written = &self.source.text()[span.range()];
        // A raw string cannot show values, and `\$` is a literal dollar sign.
        let is_meant = written.starts_with('\'') || written.contains("\\$");
        let Some(at) = written.find(found).filter(|_| known && !is_meant) else { return };
        let start = span.start + at;
        let place = Span::new(start, start + found.len());
        let fix = format!("${{{name}}}");
        self.report(
            Problem::warning(Code::E111, place, format!("`{found}` is plain text in a string"))
                .label("not replaced")
                .help(format!("write `{fix}` to show the value"))
                .suggest(place, fix),
        );
    }

    pub(super) fn text(
        &mut self,
        pieces: &[ast::Piece],
        expected: Option<&Type>,
        span: Span,
    ) -> Term {
        let pieces = pieces
            .iter()
            .map(|it| match it {
                ast::Piece::Text(text) => TypedPiece::Text(text.clone()),
                ast::Piece::Value { expr, decimals } => {
                    let term = self.expr(expr, None);
                    self.showable(&term, *decimals);
                    TypedPiece::Value(term, *decimals)
                }
            })
            .collect();
        let text = Term::new(TermKind::Text(pieces), Type::Text, span);
        if expected.map(Type::required) != Some(&Type::Path) {
            return text;
        }
        // A path that begins with a path has the same base.
        let begins_with_path = matches!(&text.kind, TermKind::Text(all) if matches!(all.first(), Some(TypedPiece::Value(it, _)) if it.ty == Type::Path));
        let folder = self.source.folder().filter(|_| !begins_with_path).cloned();
        Term::new(TermKind::Path { value: Box::new(text), folder }, Type::Path, span)
    }

    fn showable(&mut self, term: &Term, decimals: Option<usize>) {
        let (code, message, help) = match &term.ty {
            Type::Optional(inner) => (
                Code::E215,
                "a value that may be null cannot be shown in a string".to_owned(),
                if inner.is_text() {
                    "add what to show instead: `${x ?? \"none\"}`"
                } else {
                    "add what to show instead: `${if x == null { \"none\" } else { \"${x}\" }}`"
                },
            ),
            ty if ty.holds_secret() => {
                self.hidden(term, "shown in a string");
                return;
            }
            Type::Var(_) => (
                Code::E216,
                format!("{} can be any type, so it may have no text form", term.ty),
                "show any value with `show`: `${show(x)}`",
            ),
            Type::Bytes => {
                (Code::E216, "bytes have no text form".to_owned(), "decode them to a string first")
            }
            ty if ty.holds_opaque() => {
                self.report_opaque(Code::E216, term, "shown in a string");
                return;
            }
            ty if decimals.is_some()
                && !ty.is_number()
                && !matches!(ty, Type::Money | Type::Unknown | Type::Never) =>
            {
                (Code::E216, format!("{ty} has no decimals"), "write `${x}` without `:.`")
            }
            _ => return,
        };
        let problem = Problem::error(code, term.span, message)
            .label(format!("this is {}", term.ty))
            .help(help);
        let problem = match code {
            Code::E215 => self.required(problem, term),
            _ if matches!(term.ty, Type::Var(_)) => {
                let written = &self.source.text()[term.span.range()];
                problem.suggest(term.span, format!("show({written})"))
            }
            _ => self.without_decimals(problem, term.span),
        };
        self.report(problem);
    }

    /// `${name:.2}` without `:.2`
    fn without_decimals(&self, problem: Problem, value: Span) -> Problem {
        let rest = &self.source.text()[value.end..];
        let format = rest.split('}').next().filter(|it| it.trim_start().starts_with(":."));
        match format {
            Some(format) => problem.suggest(Span::new(value.end, value.end + format.len()), ""),
            None => problem,
        }
    }
}

/// The first `{{ name }}` or `$name` in a text, and the name.
fn foreign_name(text: &str) -> Option<(&str, &str)> {
    if let Some((_, rest)) = text.split_once("{{")
        && let Some((inside, _)) = rest.split_once("}}")
    {
        let start = text.len() - rest.len() - 2;
        let found = &text[start..start + inside.len() + 4];
        return is_name(inside.trim()).then(|| (found, inside.trim()));
    }
    let (_, rest) = text.split_once('$')?;
    let end = rest.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(rest.len());
    let start = text.len() - rest.len() - 1;
    is_name(&rest[..end]).then(|| (&text[start..=start + end], &rest[..end]))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|it: char| it.is_ascii_lowercase() || it == '_')
        && text.chars().all(|it| it.is_ascii_alphanumeric() || matches!(it, '_' | '.'))
}
