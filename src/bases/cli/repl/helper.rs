//! Hints, colours and completions of the line being edited.

use std::{borrow::Cow, cell::RefCell, rc::Rc};

use rustyline::{
    Context, Helper,
    completion::{Completer, Pair},
    highlight::{CmdKind, Highlighter},
    hint::{Hint, Hinter},
    validate::Validator,
};
use svc_assist::{Callable, Mark, Piece, Role, active, call_at, pieces, session::Session};
use svc_lang::{
    check::Analysis,
    diag::{Source, Span, is_hidden, visible_line},
    syntax::token::{Token, TokenKind, lex},
};
use unicode_width::UnicodeWidthChar as _;

use super::{complete, paint};

/// The helper of the line editor, with the state of the session when the line began.
pub(super) struct Assistant {
    pub(super) session: Session,
    /// The lines of the same statement that were entered before.
    open: String,
    pub(super) colour: bool,
    /// The last analysed line.
    seen: RefCell<Option<Rc<Seen>>>,
}

/// A line and its analysis.
struct Seen {
    line: String,
    source: Source,
    analysis: Analysis,
}

/// The dim hint after the cursor.
pub(super) struct Suggestion {
    shown: String,
    /// The text that the right arrow key accepts.
    adds: Option<String>,
}

impl Assistant {
    pub(super) fn new(session: Session, open: String, colour: bool) -> Self {
        Self { session, open, colour, seen: RefCell::default() }
    }

    /// The statement up to the end of a line.
    fn whole(&self, line: &str) -> String {
        format!("{}{line}", self.open)
    }

    fn seen(&self, line: &str) -> Rc<Seen> {
        let mut seen = self.seen.borrow_mut();
        if let Some(it) = seen.as_ref().filter(|it| it.line == line) {
            return it.clone();
        }
        let (source, analysis) = self.session.analyse(line);
        let it = Rc::new(Seen { line: line.to_owned(), source, analysis });
        *seen = Some(it.clone());
        it
    }

    /// The remaining arguments of the call at the cursor, or the input of the next stage.
    fn suggestion(&self, line: &str) -> Option<String> {
        let seen = self.seen(line);
        let facts = &seen.analysis.facts;
        let end = line.len() + self.session.shift(line);
        if let Some(call) = call_at(&seen.source.text()[..end], end) {
            let registry = self.session.engine().registry();
            let callable = Callable::named(call.name, facts, registry)?;
            let ports = callable.ports();
            let written = active(&call, &ports)?;
            // After the name of an argument, only this argument is shown.
            let count = if call.argument.is_some() { 1 } else { ports.len() };
            let left = ports.into_iter().skip(written).take(count);
            let labels: Vec<String> = left.map(|it| it.label).collect();
            return Some(format!("  ({})", labels.join(", "))).filter(|_| !labels.is_empty());
        }
        // A hole takes the place of the next stage.
        let expected = line.trim_end().ends_with(">>").then(|| format!("{line}?"))?;
        let enters = self.session.analyse(&expected).1.facts.holes.pop()?.enters?;
        (!enters.is_unknown()).then(|| format!("  # {enters}"))
    }

    /// The words of a line that call something, even if the line does not check.
    fn called(&self, line: &str) -> Vec<Piece> {
        let tokens = lex(line).tokens;
        let follows_dot = |idx: usize| idx > 0 && line[tokens[idx - 1].span.range()] == *".";
        let registry = self.session.engine().registry();
        let calls = |(idx, it): &(usize, &Token)| {
            let word = &line[it.span.range()];
            it.kind == TokenKind::Word && !follows_dot(*idx) && registry.resolve(word).is_some()
        };
        let words = tokens.iter().enumerate().filter(calls);
        let piece = |span| Piece { span, role: Role::Function, mark: Mark::BuiltIn };
        words.map(|(_, it)| piece(it.span)).collect()
    }
}

/// A line being edited, which may contain pasted control or hidden characters: each is replaced by
/// dots. The editor counts the columns of the original characters, so the width must not change;
/// the escapes are shown when the line is entered.
fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains(is_hidden) {
        return Cow::Borrowed(line);
    }
    let letter = |it: char| {
        if is_hidden(it) { "·".repeat(it.width().unwrap_or(0)) } else { it.to_string() }
    };
    Cow::Owned(line.chars().map(letter).collect())
}

impl Helper for Assistant {}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = self.open.len();
        let (start, pairs) = complete::candidates(&self.session, &self.whole(line), before + pos);
        Ok((start.saturating_sub(before), pairs))
    }
}

impl Hinter for Assistant {
    type Hint = Suggestion;

    fn hint(&self, line: &str, pos: usize, cx: &Context<'_>) -> Option<Suggestion> {
        if pos < line.len() || line.trim().is_empty() {
            return None;
        }
        let whole = self.whole(line);
        let suggestion = if whole.starts_with(':') { None } else { self.suggestion(&whole) };
        let (text, adds) = match suggestion {
            Some(text) => (text, None),
            None if !self.open.is_empty() => return None,
            None => {
                let text = complete::remembered(line, cx)?;
                (text.clone(), Some(text))
            }
        };
        Some(Suggestion { shown: visible_line(&text).into_owned(), adds })
    }
}

impl Hint for Suggestion {
    fn display(&self) -> &str {
        &self.shown
    }

    fn completion(&self) -> Option<&str> {
        self.adds.as_deref()
    }
}

impl Highlighter for Assistant {
    fn highlight<'l>(&self, line: &'l str, _: usize) -> Cow<'l, str> {
        let whole = self.whole(line);
        if !self.colour || whole.starts_with(':') || line.contains(is_hidden) {
            return plain(line);
        }
        let seen = self.seen(&whole);
        let begins = self.open.len();
        let shift = self.session.shift(&whole) + begins;
        let registry = self.session.engine().registry();
        let own = pieces(seen.source.text(), &seen.analysis.facts.mentions, registry);
        let end = line.len() + shift;
        let own = own.into_iter().filter(|it| it.span.start >= shift && it.span.end <= end);
        let pieces = own
            .map(|it| Piece { span: Span::new(it.span.start - shift, it.span.end - shift), ..it });
        let mut pieces: Vec<Piece> = pieces.collect();
        let called = self.called(&whole).into_iter().filter(|it| it.span.start >= begins);
        pieces.extend(called.map(|it| Piece {
            span: Span::new(it.span.start - begins, it.span.end - begins),
            ..it
        }));
        Cow::Owned(paint::painted(line, pieces))
    }

    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        // During a history search, the prompt contains the search text.
        let prompt = plain(prompt);
        if self.colour { Cow::Owned(format!("\x1b[1;36m{prompt}\x1b[0m")) } else { prompt }
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        if self.colour { Cow::Owned(format!("\x1b[2m{hint}\x1b[0m")) } else { hint.into() }
    }

    fn highlight_char(&self, line: &str, _: usize, _: CmdKind) -> bool {
        self.colour || line.contains(is_hidden)
    }
}

/// Every line ends: an incomplete statement continues at the next prompt.
impl Validator for Assistant {}
