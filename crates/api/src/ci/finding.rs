//! One finding, in the form that reports are made of.

use svc_engine::output::verdict::{Label, Place, Problem, place_in, problems};
use svc_lang::diag::{Report, Source, Span};

/// Something that was found in a script.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The code of the problem, or the name of the demand that is not met.
    pub rule: String,
    pub level: Level,
    /// The file of the place.
    pub file: String,
    pub place: Option<Place>,
    pub message: String,
    pub help: Option<String>,
    /// Further places, each with a remark.
    pub related: Vec<PlacedText>,
    /// The changes that together fix it.
    pub fixes: Vec<PlacedText>,
}

/// A place, and a remark about it or its replacement.
#[derive(Clone, Debug)]
pub struct PlacedText {
    pub span: Place,
    pub text: String,
}

impl From<Label> for PlacedText {
    fn from(label: Label) -> Self {
        Self { span: label.span, text: label.text }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Error,
    Warning,
    Note,
}

impl Level {
    /// As SARIF names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

impl Finding {
    pub(super) fn error(rule: &str, file: &str, message: String) -> Self {
        Self {
            rule: rule.to_owned(),
            level: Level::Error,
            file: file.to_owned(),
            place: None,
            message,
            help: None,
            related: Vec::new(),
            fixes: Vec::new(),
        }
    }

    pub(super) fn warning(rule: &str, file: &str, message: String) -> Self {
        Self { level: Level::Warning, ..Self::error(rule, file, message) }
    }

    pub(super) fn note(rule: &str, file: &str, message: String) -> Self {
        Self { level: Level::Note, ..Self::error(rule, file, message) }
    }

    pub(super) fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// Every problem of a report.
    pub(super) fn all(report: &Report) -> Vec<Self> {
        problems(report).into_iter().map(Self::of).collect()
    }

    fn of(problem: Problem) -> Self {
        let level = if problem.severity == "error" { Level::Error } else { Level::Warning };
        let own = problem.span.as_ref().map(|it| (it.start, it.end));
        let related =
            problem.labels.into_iter().filter(|it| own != Some((it.span.start, it.span.end)));
        Self {
            rule: problem.code.to_owned(),
            level,
            file: problem.file,
            place: problem.span,
            message: problem.message,
            help: problem.help,
            related: related.map(PlacedText::from).collect(),
            fixes: problem.fixes.into_iter().map(PlacedText::from).collect(),
        }
    }

    /// The lines of a script that its formatted text replaces.
    pub(super) fn unformatted(script: &Source, formatted: &str) -> Self {
        let (start, end, text) = difference(script.text(), formatted);
        let file = script.name();
        let finding = Self::error("unformatted", file, "not formatted".to_owned())
            .help(format!("run `svc fmt {file}`"));
        let place = place_in(script, Span::new(start, end));
        let fix = PlacedText { span: place.clone(), text: text.to_owned() };
        Self { place: Some(place), fixes: vec![fix], ..finding }
    }
}

/// The lines of `before` that differ, as bytes from and to, and the text that replaces them.
fn difference<'t>(before: &str, after: &'t str) -> (usize, usize, &'t str) {
    let shared = |one: &mut dyn Iterator<Item = &str>, two: &mut dyn Iterator<Item = &str>| {
        one.zip(two).take_while(|(a, b)| a == b).map(|(it, _)| it.len()).sum::<usize>()
    };
    let lines = |text: &str| text.split_inclusive('\n').map(str::len).collect::<Vec<_>>();
    let start = shared(&mut before.split_inclusive('\n'), &mut after.split_inclusive('\n'));
    let (one, two) = (&before[start..], &after[start..]);
    let mut end =
        shared(&mut one.split_inclusive('\n').rev(), &mut two.split_inclusive('\n').rev());
    // The shared end of the one must not reach into the shared beginning of the other.
    let shortest = one.len().min(two.len());
    let mut sizes = lines(&one[one.len() - end.min(one.len())..]).into_iter();
    while end > shortest {
        end -= sizes.next().unwrap_or(end);
    }
    (start, before.len() - end, &after[start..after.len() - end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_the_lines_between_shared_ones() {
        for (before, after) in [
            ("a\nb  \nc\n", "a\nb\nc\n"),
            ("a\n", "a"),
            ("a", "a\n"),
            ("", "x\n"),
            ("x\n", ""),
            ("a\na\n", "a\n"),
            ("a\n", "a\na\n"),
            ("a\na\na\n", "a\na\n"),
            ("é\n\n\n1", "é\n\n1\n"),
        ] {
            let (start, end, text) = difference(before, after);
            let fixed = format!("{}{text}{}", &before[..start], &before[end..]);
            assert_eq!(fixed, after, "{before:?}");
        }
        assert_eq!(difference("a\nb  \nc\n", "a\nb\nc\n"), (2, 6, "b\n"));
    }
}
