//! All problems of one source, and their rendering.

use std::fmt;

use svc_text::visible::{visible, visible_line};

use super::{Lines, Problem, Severity, Source};

/// The problems of one source, in the order of the text.
#[derive(Clone, Debug)]
pub struct Report {
    pub source: Source,
    pub problems: Vec<Problem>,
    /// The reports of used files that have problems.
    pub used: Vec<Report>,
}

/// Whether a report is drawn with colours.
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

    /// Every problem with its source; those of used files come last.
    pub fn all(&self) -> impl Iterator<Item = (&Source, &Problem)> {
        let own = self.problems.iter().map(|it| (&self.source, it));
        // The reports of used files are not nested: all files of a check are on one level.
        let used = self.used.iter().flat_map(|it| it.problems.iter().map(|on| (&it.source, on)));
        own.chain(used)
    }

    /// Whether the script is a sketch: its only errors, and those of the files that it uses, are
    /// holes.
    pub fn is_sketch(&self) -> bool {
        let mut errors = self.all().filter(|(_, it)| it.is_error()).peekable();
        errors.peek().is_some() && errors.all(|(_, it)| it.hole.is_some())
    }

    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|it| it.is_error())
    }

    pub fn warnings(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|it| !it.is_error())
    }

    /// Draws the first hundred problems with their lines; hardly anyone reads more.
    /// Characters that control a terminal or are invisible are escaped, whatever their origin.
    /// Without the feature `frames`, only the words around each problem are drawn.
    pub fn render(&self, style: Style) -> String {
        let mut drawn = String::new();
        self.draw(&mut drawn, self.problems.iter().take(MOST_DRAWN), style);
        if let Some(more @ 1..) = self.problems.len().checked_sub(MOST_DRAWN) {
            drawn.push_str(&format!("and {more} more\n"));
        }
        self.used.iter().for_each(|it| drawn.push_str(&it.render(style)));
        drawn
    }
}

/// The most problems that are drawn.
const MOST_DRAWN: usize = 100;

/// A longer line is drawn as an excerpt.
#[cfg(feature = "frames")]
const LONGEST_LINE: usize = 400;

impl Report {
    #[cfg(feature = "frames")]
    fn draw<'a>(
        &self,
        drawn: &mut String,
        problems: impl Iterator<Item = &'a Problem>,
        style: Style,
    ) {
        let frames = super::frames::Frames::of(&self.source, style);
        for problem in problems {
            if self.on_a_long_line(problem) {
                drawn.push_str(&self.excerpt(problem));
            } else {
                frames.draw(drawn, problem);
            }
        }
    }

    #[cfg(not(feature = "frames"))]
    fn draw<'a>(&self, drawn: &mut String, problems: impl Iterator<Item = &'a Problem>, _: Style) {
        problems.for_each(|it| drawn.push_str(&self.excerpt(it)));
    }

    #[cfg(feature = "frames")]
    fn on_a_long_line(&self, problem: &Problem) -> bool {
        let text = self.source.text();
        problem.labels.iter().any(|label| {
            let start = text.floor_char_boundary(label.span.start);
            let line_start = text[..start].rfind('\n').map_or(0, |it| it + 1);
            let line_end = text[start..].find('\n').map_or(text.len(), |it| start + it);
            line_end - line_start > LONGEST_LINE
        })
    }

    /// Draws a problem with a few words around it instead of its whole line.
    fn excerpt(&self, problem: &Problem) -> String {
        const AROUND: usize = 30;
        let text = self.source.text();
        let at = text.floor_char_boundary(problem.span().start);
        let from = text.floor_char_boundary(at.saturating_sub(AROUND));
        let to = text.ceil_char_boundary((at + AROUND).min(text.len()));
        let (line, column) = self.source.position(at);
        let word = problem.severity.word();
        let shown = visible(&text[from..to]).replace('\n', " ");
        let message = visible(&problem.message);
        let mut drawn = format!("  × {word}[{}]: {message}\n", problem.code);
        drawn.push_str(&format!(
            "   ╭─[{}:{line}:{column}]\n   │ …{shown}…\n   ╰────\n",
            visible_line(self.source.name())
        ));
        if let Some(help) = &problem.help {
            drawn.push_str(&format!("  help: {}\n", visible(help)));
        }
        drawn
    }
}

impl fmt::Display for Report {
    /// Writes one line per problem: place, severity, code, message.
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

#[cfg(all(test, feature = "frames"))]
mod tests {
    use super::*;
    use crate::diag::{Code, Span};

    #[test]
    fn labels_point_at_their_words_behind_what_was_written_out() {
        let text = "\r\n\"\u{1b}]0;x\u{7}\u{202e}ä\" >> uper\r\n";
        let at = text.find("uper").unwrap();
        let problem =
            Problem::error(Code::E201, Span::new(at, at + 4), "no `\u{1b}`").label("\u{9b}");
        let report = Report::new(Source::new("a\n\u{1b}.svc", text), vec![problem]);
        let drawn = report.render(Style::Plain);
        assert!(!drawn.contains(|it: char| it.is_control() && it != '\n'), "{drawn:?}");
        let lines: Vec<&str> = drawn.lines().collect();
        let line = lines.iter().position(|it| it.contains("uper")).unwrap();
        assert!(lines[line].contains(r#""\u{1b}]0;x\u{7}\u{202e}ä" >> uper"#), "{drawn}");
        let column = |line: &str, of: &str| line[..line.find(of).unwrap()].chars().count();
        let under = lines[line + 1].trim_start_matches([' ', '·']);
        assert_eq!(column(lines[line], "uper"), column(lines[line + 1], under), "{drawn}");
        // The place refers to the original file.
        assert!(drawn.contains(r"[a\u{a}\u{1b}.svc:2:15]"), "{drawn}");
    }
}
