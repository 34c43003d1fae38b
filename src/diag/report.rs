//! All problems of one source, and how they are drawn.

use std::fmt::{self, Write as _};

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};

use super::{Problem, Severity, Source};

/// What is wrong with one source, in the order of the text.
#[derive(Clone, Debug)]
pub struct Report {
    pub source: Source,
    pub problems: Vec<Problem>,
}

/// The most problems that are rendered.
const MOST_RENDERED: usize = 100;

/// The longest line that is drawn, in bytes. What draws counts columns, of which a tab has
/// several, in 16 bits.
const LONGEST_DRAWN: usize = 10_000;

/// How a report is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    Colour,
}

impl Report {
    pub fn new(source: Source, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(Problem::span);
        problems.dedup();
        Self { source, problems }
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }

    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|it| it.is_error())
    }

    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|it| !it.is_error())
    }

    /// Draws the problems with the lines they are about: the first hundred, which is more
    /// than anyone reads. Where a line is longer than any screen, nothing is drawn, and each
    /// problem is one line.
    pub fn render(&self, style: Style) -> String {
        let longest = self.source.text().lines().map(str::len).max().unwrap_or(0);
        let mut rendered = match longest {
            0..=LONGEST_DRAWN => self.drawn(style),
            _ => self.problems.iter().take(MOST_RENDERED).map(|it| self.line(it) + "\n").collect(),
        };
        if let Some(more @ 1..) = self.problems.len().checked_sub(MOST_RENDERED) {
            writeln!(rendered, "and {more} more").expect("writing to a string cannot fail");
        }
        rendered
    }

    /// Place, severity, code, message.
    fn line(&self, problem: &Problem) -> String {
        let (line, column) = self.source.position(problem.span().start);
        let (name, word) = (self.source.name(), problem.severity.word());
        format!("{name}:{line}:{column}: {word}[{}]: {problem}", problem.code)
    }

    fn drawn(&self, style: Style) -> String {
        let theme = match style {
            Style::Plain => GraphicalTheme::unicode_nocolor(),
            Style::Colour => GraphicalTheme::unicode(),
        };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(100)
            .with_context_lines(1)
            .without_syntax_highlighting();
        let source = NamedSource::new(self.source.name(), self.source.text().to_owned());
        let mut drawn = String::new();
        for problem in self.problems.iter().take(MOST_RENDERED) {
            let shown = Drawn { problem, source: &source };
            handler.render_report(&mut drawn, &shown).expect("writing to a string cannot fail");
        }
        drawn
    }
}

impl fmt::Display for Report {
    /// One line a problem: place, severity, code, message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (idx, problem) in self.problems.iter().enumerate() {
            let gap = if idx == 0 { "" } else { "\n" };
            write!(f, "{gap}{}", self.line(problem))?;
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

impl Severity {
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A problem beside its text, as miette wants to see it.
#[derive(Debug)]
struct Drawn<'a> {
    problem: &'a Problem,
    source: &'a NamedSource<String>,
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]: {}", self.problem.severity.word(), self.problem.code, self.problem)
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
        self.problem.help.as_ref().map(|it| Box::new(it) as _)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let len = self.source.inner().len();
        Some(Box::new(self.problem.labels.iter().enumerate().map(move |(idx, label)| {
            let start = label.span.start.min(len);
            let end = label.span.end.min(len);
            let text = (!label.text.is_empty()).then(|| label.text.clone());
            if idx == 0 {
                return LabeledSpan::new_primary_with_span(text, (start, end - start));
            }
            LabeledSpan::new(text, start, end - start)
        })))
    }
}
