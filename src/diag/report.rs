//! All problems of one source, and how they are drawn.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource};

use super::{Lines, Problem, Severity, Source};

/// What is wrong with one source, in the order of the text.
#[derive(Clone, Debug)]
pub struct Report {
    pub source: Source,
    pub problems: Vec<Problem>,
    /// The same of the files that it uses, where there is something to be said of them.
    pub used: Vec<Report>,
}

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
        Self { source, problems, used: Vec::new() }
    }

    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error) || self.used.iter().any(Self::has_errors)
    }

    /// Every problem with the text that it is about, those of used files last.
    pub fn all(&self) -> impl Iterator<Item = (&Source, &Problem)> {
        let own = self.problems.iter().map(|it| (&self.source, it));
        // A used file's report is flat: all files that a check reads stand side by side.
        let used = self.used.iter().flat_map(|it| it.problems.iter().map(|on| (&it.source, on)));
        own.chain(used)
    }

    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|it| it.is_error())
    }

    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|it| !it.is_error())
    }

    /// Draws the problems with the lines they are about: the first hundred, which is more
    /// than anyone reads.
    pub fn render(&self, style: Style) -> String {
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
        for problem in self.problems.iter().take(MOST_DRAWN) {
            if self.on_a_long_line(problem) {
                drawn.push_str(&self.excerpt(problem));
                continue;
            }
            let shown = Drawn { problem, source: &source };
            handler.render_report(&mut drawn, &shown).expect("writing to a string cannot fail");
        }
        if let Some(more @ 1..) = self.problems.len().checked_sub(MOST_DRAWN) {
            drawn.push_str(&format!("and {more} more\n"));
        }
        self.used.iter().for_each(|it| drawn.push_str(&it.render(style)));
        drawn
    }
}

/// The most problems that are drawn.
const MOST_DRAWN: usize = 100;

/// A line longer than this is not drawn as a whole.
const LONGEST_LINE: usize = 400;

impl Report {
    fn on_a_long_line(&self, problem: &Problem) -> bool {
        let text = self.source.text();
        problem.labels.iter().any(|label| {
            let start = text.floor_char_boundary(label.span.start);
            let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
            let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it);
            line_end - line_start > LONGEST_LINE
        })
    }

    /// A problem with a few words around it instead of its whole line.
    fn excerpt(&self, problem: &Problem) -> String {
        const AROUND: usize = 30;
        let text = self.source.text();
        let at = text.floor_char_boundary(problem.span().start);
        let from = text.floor_char_boundary(at.saturating_sub(AROUND));
        let to = text.ceil_char_boundary((at + AROUND).min(text.len()));
        let (line, column) = self.source.position(at);
        let word = problem.severity.word();
        let shown = text[from..to].replace('\n', " ");
        let mut drawn = format!("  × {word}[{}]: {problem}\n", problem.code);
        drawn.push_str(&format!(
            "   ╭─[{}:{line}:{column}]\n   │ …{shown}…\n   ╰────\n",
            self.source.name()
        ));
        if let Some(help) = &problem.help {
            drawn.push_str(&format!("  help: {help}\n"));
        }
        drawn
    }
}

impl fmt::Display for Report {
    /// One line a problem: place, severity, code, message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Lines::new(self.source.text());
        let mut last = &self.source;
        for (idx, (source, problem)) in self.all().enumerate() {
            if !std::ptr::eq(last, source) {
                (lines, last) = (Lines::new(source.text()), source);
            }
            let (line, column) = lines.position(problem.span().start);
            let gap = if idx == 0 { "" } else { "\n" };
            let (name, word) = (source.name(), problem.severity.word());
            write!(f, "{gap}{name}:{line}:{column}: {word}[{}]: {problem}", problem.code)?;
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
