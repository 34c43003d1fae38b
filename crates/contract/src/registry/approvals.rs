//! Questions to persons that are kept, so that they can be answered later and by someone else.

use std::{fmt, sync::Arc, time::SystemTime};

use super::{OpError, record};
use crate::host::Answering;

record! {
    /// A question to a person.
    pub struct Approval {
        /// Its id.
        id: String,
        /// The run that asks.
        run_id: String,
        /// The job of that run.
        job_id: String,
        /// The call that asks.
        path: String,
        /// The question.
        question: String,
        /// What the question is about.
        details: String,
        /// `open`, `approved`, `rejected` or `expired`.
        state: String,
        /// When it was asked.
        asked_at: SystemTime,
        /// When it ends without an answer.
        expires_at: SystemTime,
        /// When it was answered.
        answered_at: Option<SystemTime>,
        /// What the answering person said.
        comment: Option<String>,
    }
}

/// A question that a call asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The call, with the numbers of items and turns: `each[3]/approve`.
    pub path: String,
    pub text: String,
    /// What it is about.
    pub details: String,
}

/// Where the questions of a run go, if not to the person at the terminal: lent to the components by
/// a program that keeps questions.
pub struct Asks(Box<dyn Fn(Question) -> Answering + Send + Sync>);

impl Asks {
    pub fn new(ask: impl Fn(Question) -> Answering + Send + Sync + 'static) -> Self {
        Self(Box::new(ask))
    }

    /// Asks, and waits for the answer.
    pub fn ask(&self, question: Question) -> Answering {
        (self.0)(question)
    }
}

impl fmt::Debug for Asks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asks(..)")
    }
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The question.
    pub id: String,
    pub is_yes: bool,
    pub comment: Option<String>,
}

/// Keeps questions. All its functions may block.
pub trait KeepsApprovals: Send + Sync {
    /// The questions in a state, or all of them, the latest first.
    fn list(&self, state: Option<&str>, limit: u32) -> Result<Vec<Approval>, OpError>;

    fn get(&self, id: &str) -> Result<Approval, OpError>;

    /// Answers an open question.
    fn answer(&self, reply: Reply) -> Result<Approval, OpError>;
}

/// The kept questions of a caller, as a program lends them to its components.
#[derive(Clone)]
pub struct Approvals(Arc<dyn KeepsApprovals>);

impl Approvals {
    pub fn new(kept: Arc<dyn KeepsApprovals>) -> Self {
        Self(kept)
    }
}

impl std::ops::Deref for Approvals {
    type Target = dyn KeepsApprovals;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approvals(..)")
    }
}
