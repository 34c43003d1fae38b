//! Mending a script: every fix that the check knows, applied until none is left.

use super::Engine;
use crate::diag::{Problem, Report, Source};

/// A script after its mistakes were mended.
#[derive(Clone, Debug)]
pub struct Fixed {
    pub source: Source,
    /// What was mended, with its place in the text as it stood then.
    pub mended: Vec<Problem>,
    /// What is still wrong.
    pub left: Report,
}

/// One fix can show the next mistake; more rounds than this are a circle.
const MOST_ROUNDS: usize = 16;

impl Engine {
    /// Applies all fixes of all problems. A round that makes nothing better is undone.
    pub fn fix(&self, script: impl Into<Source>) -> Fixed {
        let mut source = script.into();
        let mut left = self.problems(&source);
        let mut mended = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let Some((next, applied)) = apply(&source, &left.problems) else { break };
            let after = self.problems(&next);
            if after.errors().count() > left.errors().count() {
                break;
            }
            mended.extend(applied);
            (source, left) = (next, after);
        }
        Fixed { source, mended, left }
    }

    fn problems(&self, source: &Source) -> Report {
        match self.check(source.clone()) {
            Ok(program) => program.warnings,
            Err(report) => report,
        }
    }
}

/// The text with the fixes of one round, and the problems that they mend. Where two fixes
/// touch, the first one goes first; the other has its turn in the next round.
fn apply(source: &Source, problems: &[Problem]) -> Option<(Source, Vec<Problem>)> {
    let mut edits: Vec<_> = problems
        .iter()
        .flat_map(|problem| problem.fixes.iter().map(move |fix| (fix, problem)))
        .collect();
    edits.sort_by_key(|(fix, _)| fix.span);
    let mut text = String::with_capacity(source.text().len());
    let (mut applied, mut at) = (Vec::new(), 0);
    for (fix, problem) in edits {
        let touches = fix.span.start < at || (fix.span.start == at && !applied.is_empty());
        if touches {
            continue;
        }
        text.push_str(&source.text()[at..fix.span.start]);
        text.push_str(&fix.text);
        at = fix.span.end;
        applied.push(problem.clone());
    }
    text.push_str(&source.text()[at..]);
    (!applied.is_empty()).then(|| (source.with_text(text), applied))
}
