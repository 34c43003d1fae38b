//! Problems drawn by miette with the lines of the script around them.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError,
    MietteSpanContents, SourceCode, SourceSpan, SpanContents,
};
use svc_text::visible::{Visible, visible, visible_line};

use super::{Label, Problem, Severity, Source, Style};

/// Draws the problems of a source.
pub(super) struct Frames<'a> {
    source: &'a Source,
    text: Visible<'a>,
    handler: GraphicalReportHandler,
}

impl<'a> Frames<'a> {
    pub(super) fn of(source: &'a Source, style: Style) -> Self {
        let theme = match style {
            Style::Plain => GraphicalTheme::unicode_nocolor(),
            Style::Colour => GraphicalTheme::unicode(),
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(100)
            .with_context_lines(1)
            .without_syntax_highlighting();
        Self { source, text: Visible::of(source.text()), handler }
    }

    pub(super) fn draw(&self, drawn: &mut String, problem: &Problem) {
        let shown = Drawn { problem, source: self.source, text: &self.text };
        self.handler.render_report(drawn, &shown).expect("writing to a string cannot fail");
    }
}

/// A problem and its text as miette reads them, with all characters made visible.
#[derive(Debug)]
struct Drawn<'a> {
    problem: &'a Problem,
    source: &'a Source,
    /// The text of the source, made visible.
    text: &'a Visible<'a>,
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { severity, code, message, .. } = self.problem;
        write!(f, "{}[{code}]: {}", severity.word(), visible(message))
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.problem.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.problem.help.as_ref().map(|it| Box::new(visible(it)) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.problem.labels.iter().enumerate().map(|(idx, label)| {
            let (start, end) = (self.text.place(label.span.start), self.text.place(label.span.end));
            let text = (!label.text.is_empty()).then(|| visible(&label.text).into_owned());
            if idx == 0 {
                return LabeledSpan::new_primary_with_span(text, (start, end - start));
            }
            LabeledSpan::new(text, start, end - start)
        })))
    }
}

impl SourceCode for Drawn<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let read = self.text.text.as_ref().read_span(span, lines_before, lines_after)?;
        // The place above a frame is that of a label in the original text. miette asks for it
        // without the lines around it, and would count the bytes of escaped characters.
        let is_it = |it: &&Label| self.text.place(it.span.start) == span.offset();
        let asked = self.problem.labels.iter().find(is_it);
        let (line, column) = match asked.filter(|_| lines_before == 0 && lines_after == 0) {
            Some(label) => self.source.position(label.span.start),
            None => (read.line() + 1, read.column() + 1),
        };
        let name = visible_line(self.source.name()).into_owned();
        let (data, whole, lines) = (read.data(), *read.span(), read.line_count());
        Ok(Box::new(MietteSpanContents::new_named(name, data, whole, line - 1, column - 1, lines)))
    }
}
