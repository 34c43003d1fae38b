//! Fixes a script: applies the fixes of the check until no further one helps.
//!
//! Whether a set of fixes helps depends only on the text before and after it, so fixing a fixed
//! script changes nothing. A set that helps makes the [`Wrong`] of a script smaller, so the
//! process terminates.

use std::collections::HashSet;

use svc_lang::{
    diag::{Applicability, Code, Fix, Problem, Report, Source, Span},
    syntax::{self, token},
};

use super::Engine;

/// A script after its problems were fixed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fixed {
    pub source: Source,
    /// The fixed problems, with their places in the text at that time.
    pub applied: Vec<Problem>,
    /// The remaining problems.
    pub left: Report,
}

/// The fixes to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixes {
    /// The fixes that leave no doubt about the author's intent.
    Safe,
    /// Also the fixes that make a choice for the author.
    Suggested,
}

/// Each round checks the whole script. No real script needs more rounds than this.
const MOST_ROUNDS: usize = 1_000;

/// The maximum number of failed tries in a round.
const MOST_TRIES: usize = 64;

impl Fixed {
    /// The number of remaining problems with a fix that was not to be applied.
    pub fn suggestions(&self) -> usize {
        let is_one =
            |it: &&Problem| is_applied(it, Fixes::Suggested) && !is_applied(it, Fixes::Safe);
        self.left.problems.iter().filter(is_one).count()
    }
}

impl Engine {
    /// Applies the safe fixes.
    pub fn fix(&self, script: impl Into<Source>) -> Fixed {
        self.fix_with(script, Fixes::Safe)
    }

    /// Applies fixes as long as they help. A fix without improvement is not applied.
    pub fn fix_with(&self, script: impl Into<Source>, fixes: Fixes) -> Fixed {
        let mut state = State::of(self, script.into());
        let mut applied = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let open = |it: &&Problem| is_applied(it, fixes);
            let chosen = without_overlaps(state.report.problems.iter().filter(open));
            let mut tries = MOST_TRIES;
            let Some((next, by)) = state.improved(self, &chosen, &mut tries) else { break };
            applied.extend(by);
            state = next;
        }
        Fixed { source: state.source, applied, left: state.report }
    }
}

/// Whether the fixes of a problem are among those to apply.
fn is_applied(problem: &Problem, fixes: Fixes) -> bool {
    let is_wanted = fixes == Fixes::Suggested || problem.applicability == Applicability::Safe;
    is_wanted && !problem.fixes.is_empty()
}

/// The problems whose fixes do not overlap, in source order. The others are fixed in a later
/// round.
fn without_overlaps<'p>(problems: impl Iterator<Item = &'p Problem>) -> Vec<&'p Problem> {
    let mut problems: Vec<(Span, &Problem)> = problems.map(|it| (around(it), it)).collect();
    problems.sort_by_key(|(span, _)| *span);
    let mut end = None;
    problems.retain(|(span, _)| {
        let is_free = end.is_none_or(|end| span.start > end);
        if is_free {
            end = Some(span.end);
        }
        is_free
    });
    problems.into_iter().map(|(_, it)| it).collect()
}

/// The whole range that the fixes of a problem change.
fn around(problem: &Problem) -> Span {
    let mut spans = problem.fixes.iter().map(|it| it.span);
    let first = spans.next().unwrap_or_default();
    spans.fold(first, Span::to)
}

/// A script and its problems.
struct State {
    source: Source,
    report: Report,
    wrong: Wrong,
}

/// A measure of how wrong a script is, most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wrong {
    /// Unclosed brackets and strings, which hide other problems before them.
    torn: usize,
    /// Statements that cannot be parsed, so that nothing else is known about them.
    syntax: usize,
    /// Unknown names, so that nothing is known about their values.
    names: usize,
    errors: usize,
    warnings: usize,
    /// The number of statements after the errors, and of bytes after them in their own
    /// statements: an error may hide problems further down.
    below: usize,
    behind: usize,
}

impl State {
    fn of(engine: &Engine, source: Source) -> Self {
        let report = match engine.check(source.clone()) {
            Ok(program) => program.warnings,
            Err(report) => report,
        };
        let wrong = Wrong::of(&source, &report);
        Self { source, report, wrong }
    }

    /// The script with as many of these fixes as improve it, and the problems that they fix.
    fn improved(
        &self,
        engine: &Engine,
        chosen: &[&Problem],
        tries: &mut usize,
    ) -> Option<(Self, Vec<Problem>)> {
        if chosen.is_empty() || *tries == 0 {
            return None;
        }
        *tries -= 1;
        let edits = Edits::of(&self.source, chosen);
        let next = Self::of(engine, self.source.with_text(edits.text.as_str()));
        let left = next.places();
        let (stays, goes): (Vec<&Problem>, Vec<&Problem>) = chosen
            .iter()
            .partition(|it| left.contains(&(edits.moved(it.span().start), it.code, &it.message)));
        if !stays.is_empty() {
            // A fix whose problem is still at the same place did not work.
            return self.improved(engine, &goes, tries);
        }
        if next.is_better_than(self) {
            return Some((next, chosen.iter().map(|it| (*it).clone()).collect()));
        }
        if chosen.len() == 1 {
            return None;
        }
        let (first, second) = chosen.split_at(chosen.len() / 2);
        self.improved(engine, first, tries).or_else(|| self.improved(engine, second, tries))
    }

    /// The places of the problems.
    fn places(&self) -> HashSet<(usize, Code, &str)> {
        let all = self.report.problems.iter();
        all.map(|it| (it.span().start, it.code, it.message.as_ref())).collect()
    }

    fn is_better_than(&self, before: &Self) -> bool {
        self.wrong < before.wrong
            && self.wrong.errors <= before.wrong.errors
            && self.wrong.syntax <= before.wrong.syntax
            && comments(self.source.text()) == comments(before.source.text())
    }
}

impl Wrong {
    fn of(source: &Source, report: &Report) -> Self {
        let errors = || report.errors();
        let (below, behind) = rest(source.text(), report);
        let count = |is: fn(Code) -> bool| errors().filter(|it| is(it.code)).count();
        Self {
            torn: count(is_torn),
            syntax: count(is_of_syntax),
            names: count(is_of_names),
            errors: errors().count(),
            warnings: report.warnings().count(),
            below,
            behind,
        }
    }
}

/// The number of statements after all errors, and of bytes after them in their own statement.
fn rest(text: &str, report: &Report) -> (usize, usize) {
    if !report.has_errors() {
        return (0, 0);
    }
    let ends: Vec<usize> = syntax::regions(text).into_iter().map(|it| it.end).collect();
    let of = |problem: &Problem| {
        let start = problem.span().start;
        let own = ends.partition_point(|it| *it <= start);
        let end = ends.get(own).copied().unwrap_or(text.len());
        (ends.len() - own, end.saturating_sub(start))
    };
    let sum = |all: (usize, usize), one: (usize, usize)| (all.0 + one.0, all.1 + one.1);
    report.errors().map(of).fold((0, 0), sum)
}

fn is_torn(code: Code) -> bool {
    matches!(code, Code::E102 | Code::E103)
}

fn is_of_syntax(code: Code) -> bool {
    code < Code::E201
}

fn is_of_names(code: Code) -> bool {
    matches!(code, Code::E201 | Code::E202 | Code::E206 | Code::E207 | Code::E225)
}

/// The texts of the comments of a script, with any comment sign.
fn comments(text: &str) -> Vec<&str> {
    let comment = |it: &Span| text[it.range()].trim_start_matches(['#', '/']).trim();
    let comments = token::lex(text).comments;
    comments.iter().filter(|it| !syntax::may_divide(text, **it)).map(comment).collect()
}

/// A text with fixes applied, and a map of its places.
struct Edits {
    text: String,
    /// For each fix its end in the old text, and its end in the new text.
    ends: Vec<(usize, usize)>,
}

impl Edits {
    fn of(source: &Source, problems: &[&Problem]) -> Self {
        let mut fixes: Vec<&Fix> = problems.iter().flat_map(|it| &it.fixes).collect();
        fixes.sort_by_key(|it| it.span);
        let before = source.text();
        let mut edits = Self { text: String::with_capacity(before.len()), ends: Vec::new() };
        let mut at = 0;
        for fix in fixes {
            // A byte order mark stays at the start.
            let start = if fix.span.start == 0 { mark(before) } else { fix.span.start };
            let end = fix.span.end.max(start);
            if start < at {
                continue;
            }
            edits.text.push_str(&before[at..start]);
            edits.text.push_str(&with_line_ends_of(before, &fix.text));
            edits.ends.push((end, edits.text.len()));
            at = end;
        }
        edits.text.push_str(&before[at..]);
        edits
    }

    /// The new offset of an old place.
    fn moved(&self, place: usize) -> usize {
        let done = self.ends.partition_point(|(end, _)| *end <= place);
        match done.checked_sub(1).map(|it| self.ends[it]) {
            Some((end, now)) => now + (place - end),
            None => place,
        }
    }
}

/// The length of the byte order mark of a text.
fn mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

/// A fix with the line ends of the text around it.
fn with_line_ends_of(text: &str, fix: &str) -> String {
    if text.contains("\r\n") {
        fix.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        fix.to_owned()
    }
}
