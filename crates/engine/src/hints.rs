//! Who words the help texts of problems and failures.

use std::{fmt, sync::Arc};

use svc_contract::registry::{Hint, OpError};
use svc_lang::diag::Report;

use super::Error;
#[cfg(feature = "script-tests")]
use crate::run::RunError;

/// The words of a program for hints.
type Wording = Arc<dyn Fn(&Hint) -> Option<String> + Send + Sync>;

/// Who words the help texts that name a way out: how to allow an effect, or to raise a cap.
///
/// Other help texts are about the script, and the same for everyone.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum Hints {
    /// No words of the command line: for programs that embed the engine.
    #[default]
    None,
    /// Commands and options of `svc`.
    CommandLine,
    /// The program itself. Hints for which it returns `None` are worded as with [`Hints::None`].
    Own(Wording),
}

impl Hints {
    /// Lets a function word each hint.
    pub fn own(word: impl Fn(&Hint) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::Own(Arc::new(word))
    }

    /// The text of a hint.
    pub fn text(&self, hint: &Hint) -> String {
        match self {
            Self::None => hint.plain(),
            Self::CommandLine => hint.command_line(),
            Self::Own(word) => word(hint).unwrap_or_else(|| hint.plain()),
        }
    }

    /// Words the help texts of a report.
    pub fn of_report(&self, mut report: Report) -> Report {
        self.word(&mut report);
        report
    }

    pub(crate) fn word(&self, report: &mut Report) {
        for problem in &mut report.problems {
            self.replace(&mut problem.help, problem.hint.take());
        }
        report.used.iter_mut().for_each(|it| self.word(it));
    }

    /// Words the help text of a failed op.
    pub(crate) fn of_op(&self, mut error: OpError) -> OpError {
        self.replace(&mut error.help, error.hint.take());
        error
    }

    /// Words the help text of a failed run.
    pub(crate) fn of_error(&self, mut error: Error) -> Error {
        match &mut error {
            Error::Check(report) => self.word(report),
            Error::Input { error, .. } | Error::Run { error, .. } => {
                error.error = self.of_op(error.error.clone());
            }
        }
        error
    }

    /// The same for a failure alone.
    #[cfg(feature = "script-tests")]
    pub(crate) fn of_failure(&self, mut failure: Box<RunError>) -> Box<RunError> {
        failure.error = self.of_op(failure.error);
        failure
    }

    /// Replaces the plain text of a hint, which may have been extended since.
    fn replace(&self, help: &mut Option<String>, hint: Option<Box<Hint>>) {
        let Some(hint) = hint else { return };
        let text = self.text(&hint);
        *help = Some(match help.take() {
            Some(said) => said.replacen(&hint.plain(), &text, 1),
            None => text,
        });
    }
}

impl fmt::Debug for Hints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "None",
            Self::CommandLine => "CommandLine",
            Self::Own(_) => "Own",
        })
    }
}
