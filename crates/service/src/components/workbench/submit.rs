//! Submitting, refining and forking jobs. Their work is resolved before it is queued.

use svc_contract::{
    registry::{ErrorKind, Example, Field as _, Inline, Op, OpError, Scheme, Tool, params},
    value::{Text, Value},
};

use super::super::core::{ResourceBounds, with};
use crate::{
    Args, Bounds, Fault,
    decode::{AnyFields, decode},
    jobs::{IdView, SubmittedView, VersionView},
    resolve::in_a_script,
};

/// What is asked of the queue.
pub(crate) enum Asked {
    Submit(Submitted),
    Refine { id: String, changes: Args },
    Fork { id: String, changes: Args },
}

/// A new job.
pub(crate) struct Submitted {
    pub(crate) job: String,
    pub(crate) input: Args,
    pub(crate) bounds: Bounds,
    pub(crate) session: Option<String>,
    pub(crate) notify: Option<String>,
}

/// What a call of one of these tools asks for; `None` for any other tool.
pub(crate) fn asked(name: &str, args: Args, bounds: Bounds) -> Result<Option<Asked>, Fault> {
    Ok(Some(match name {
        "job_submit" => {
            let asked: Submit = decode(args)?;
            Asked::Submit(Submitted {
                job: asked.job.to_string(),
                input: asked.input.args(),
                bounds: with(asked.bounds, bounds)?,
                session: asked.session_id.map(|it| it.to_string()),
                notify: asked.notify_url.map(|it| it.to_string()),
            })
        }
        "job_refine" => {
            let asked: Refine = decode(args)?;
            Asked::Refine { id: asked.job_id.to_string(), changes: asked.changes.args() }
        }
        "job_workbench_fork" => {
            let asked: Fork = decode(args)?;
            Asked::Fork { id: asked.job_id.to_string(), changes: asked.changes.args() }
        }
        _ => return Ok(None),
    }))
}

const ERRORS: &[ErrorKind] = &[ErrorKind::Unsupported];

params! {
    /// Queues a tool or a served script as a job, which goes on without its caller.
    ///
    /// The input is checked and planned at once; nothing is queued that cannot run. The job survives
    /// a restart of the server. `job_get_result` waits for it.
    pub(super) struct Submit {
        /// A tool or a served script.
        job: Text,
        /// Its arguments.
        input: AnyFields = AnyFields::none(),
        /// Tighter bounds than the default ones.
        bounds: Option<ResourceBounds> = None,
        /// A label for usage reports.
        session_id: Option<Text> = None,
        /// An address that is sent the job when it has ended or waits for an answer.
        notify_url: Option<Text> = None,
    }
}

impl Op for Submit {
    const NAME: &'static str = "submit";
    const YIELDS: Scheme = SubmittedView::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "start a job in the background",
        "queue a script and get its id",
        "submit long work and come back later",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_submit"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script runs the work itself",
        r#"workbench.submit("guide_ask")"#,
        "a script cannot call it",
    )];
}

impl Inline for Submit {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("workbench.submit"))
    }
}

params! {
    /// Runs a job again with some inputs changed, as its next version.
    ///
    /// The changes are a JSON merge patch: a field replaces the one of that name, null removes it.
    /// Calls that are the same as in the version before are not made again.
    pub(super) struct Refine {
        /// The job, whose latest version has ended.
        job_id: Text,
        /// The changed inputs.
        changes: AnyFields,
    }
}

impl Op for Refine {
    const NAME: &'static str = "refine";
    const YIELDS: Scheme = VersionView::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "change an input and run the job again",
        "make a new version of a job",
        "rerun only what changed",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_refine"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script runs the work itself",
        r#"workbench.refine("job_1", changes: "{\"most\": 3}" >> parse_json)"#,
        "a script cannot call it",
    )];
}

impl Inline for Refine {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("workbench.refine"))
    }
}

params! {
    /// Makes a new job of a job, with some inputs changed.
    ///
    /// Calls that are the same as in the first job are not made again. The first job stays as it is.
    pub(super) struct Fork {
        /// The job.
        job_id: Text,
        /// The changed inputs, as a JSON merge patch.
        changes: AnyFields = AnyFields::none(),
    }
}

impl Op for Fork {
    const NAME: &'static str = "fork";
    const YIELDS: Scheme = IdView::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "copy a job with another input",
        "branch off from a job",
        "try a variant and keep the first job",
    ];
    const TOOL: Option<Tool> = Some(Tool::researcher("job_workbench_fork"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = &[Example::err(
        "A script runs the work itself",
        r#"workbench.fork("job_1")"#,
        "a script cannot call it",
    )];
}

impl Inline for Fork {
    fn run(self) -> Result<Value, OpError> {
        Err(in_a_script("workbench.fork"))
    }
}
