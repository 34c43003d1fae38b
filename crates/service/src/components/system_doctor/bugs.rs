//! Reports of what is wrong, by the callers of a service. They are kept in its book, without the
//! secrets of keys, and each owner sees only its own.

use svc_contract::{
    registry::{
        Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError, Scheme, Scope, Tool,
        choices, params, record,
    },
    store::RunId,
    value::{Text, Value},
};
use svc_store::book::{BugChange, BugRow, MOST_BUGS, MOST_COMMENTS};
use svc_text::dates::rfc3339;

use crate::{
    access::redact,
    components::{KeptStore, workbench::Bench},
};

/// The longest title and the longest text, in bytes.
const TITLE: usize = 200;
const TEXT: usize = 64 << 10;

const READS: &[Effect] = &[Effect::Reads(Scope::Named("reports"))];
const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Named("reports"), idempotent: true }];
const ERRORS: &[ErrorKind] = &[
    ErrorKind::NotFound,
    ErrorKind::Unsupported,
    ErrorKind::InvalidInput,
    ErrorKind::Exhausted,
    ErrorKind::Failed,
];

choices! {
    /// Whether a report is still open.
    enum BugState { Open = "open", Closed = "closed" }
}

record! {
    /// What was added to a report.
    struct BugComment {
        /// When it was added.
        at: Text,
        /// What it says.
        text: Text,
    }
}

record! {
    /// A report of what is wrong.
    struct BugReport {
        /// Its name.
        id: Text,
        /// What is wrong, in one line.
        title: Text,
        /// What happened, and what was expected.
        description: Text,
        /// The run that it is about.
        run_id: Option<Text>,
        /// Whether it is still open.
        state: BugState,
        /// When it was made.
        created_at: Text,
        /// What was added later, the first one first.
        comments: Vec<BugComment>,
    }
}

macro_rules! outside {
    ($script:literal) => {
        &[Example::err(
            "Outside of a server no reports are kept",
            $script,
            "no `svc_service::components::workbench::Bench` is available",
        )]
    };
}

params! {
    /// Reports that something is wrong, with the run that shows it. Secrets of keys are not kept, and an
    /// open report that says the same is not made twice.
    pub(super) struct BugSubmit {
        /// What is wrong, in one line.
        #[filled]
        title: Text,
        /// What happened, and what was expected.
        #[filled]
        description: Text,
        /// The run that shows it.
        run_id: Option<Text> = None,
    }
}

impl Op for BugSubmit {
    const NAME: &'static str = "bug_submit";
    const YIELDS: Scheme = BugReport::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["report a bug", "something is wrong with this service", "file an issue about a run"];
    const TOOL: Option<Tool> = Some(Tool::researcher("bug_report_submit"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] =
        outside!(r#"system_doctor.bug_submit("It is slow", description: "A minute for a page")"#);
}

impl Compute for BugSubmit {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let jobs = bench.jobs()?;
        if let Some(run) = &self.run_id {
            let store = cx.lent::<KeptStore>()?;
            store.0.run(run).map_err(|_| OpError::not_found(format!("unknown run `{run}`")))?;
        }
        let now = jobs.now();
        let row = BugRow {
            id: format!("bug_{}", RunId::new(now)),
            owner: bench.owner().to_owned(),
            title: kept(&self.title, "title", TITLE)?,
            description: kept(&self.description, "description", TEXT)?,
            run: self.run_id.map(|it| it.to_string()),
            at: now,
            is_open: true,
        };
        let added = jobs.book().add_bug(row).wait().map_err(failed)?;
        let row = added.ok_or_else(|| full(&format!("too many reports (limit {MOST_BUGS})")))?;
        let comments = jobs.book().bug_comments(&row.id).map_err(failed)?;
        Ok(view(row, comments).encode())
    }
}

params! {
    /// Lists the reports of the caller, the latest first, without their comments.
    pub(super) struct BugList {
        /// Only reports in this state.
        state: Option<BugState> = None,
    }
}

impl Op for BugList {
    const NAME: &'static str = "bug_list";
    const YIELDS: Scheme = Scheme::List(&BugReport::SCHEME, svc_contract::registry::Max::Unknown);
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["list my bug reports", "which reports are open", "reports about this service"];
    const TOOL: Option<Tool> = Some(Tool::researcher("bug_report_list"));
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Unsupported, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = outside!("system_doctor.bug_list()");
}

impl Compute for BugList {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let is_open = self.state.map(|it| matches!(it, BugState::Open));
        let rows = bench.jobs()?.book().bugs(bench.owner(), is_open).map_err(failed)?;
        Ok(rows.into_iter().map(|it| view(it, Vec::new()).encode()).collect::<Vec<_>>().into())
    }
}

params! {
    /// Shows a report with its comments.
    pub(super) struct BugGet {
        /// The report.
        id: Text,
    }
}

impl Op for BugGet {
    const NAME: &'static str = "bug_get";
    const YIELDS: Scheme = BugReport::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["show a bug report", "read the answer to my report", "what became of a bug"];
    const TOOL: Option<Tool> = Some(Tool::researcher("bug_report_get"));
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed];
    const EXAMPLES: &'static [Example] = outside!(r#"system_doctor.bug_get("bug_1")"#);
}

impl Compute for BugGet {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        found(&bench, &self.id)
    }
}

params! {
    /// Adds a comment to a report. A comment on a closed report opens it again, unless it closes it. The
    /// same comment counts once if nothing was said since.
    pub(super) struct BugComments {
        /// The report.
        id: Text,
        /// What to add.
        #[filled]
        text: Text,
        /// Whether the report is closed by it.
        close: bool = false,
    }
}

impl Op for BugComments {
    const NAME: &'static str = "bug_comment";
    const YIELDS: Scheme = BugReport::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["comment on a bug report", "close a bug report", "add details to my report"];
    const TOOL: Option<Tool> = Some(Tool::researcher("bug_report_comment"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] =
        outside!(r#"system_doctor.bug_comment("bug_1", text: "It happened again")"#);
}

impl Compute for BugComments {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let bench = cx.lent::<Bench>()?;
        let jobs = bench.jobs()?;
        let comment = (jobs.now(), kept(&self.text, "text", TEXT)?);
        let (owner, id) = (bench.owner().to_owned(), self.id.to_string());
        let written = jobs.book().comment_bug(owner, id, comment, !self.close);
        match written.wait().map_err(failed)? {
            BugChange::Full => Err(full(&format!("too many comments (limit {MOST_COMMENTS})"))),
            BugChange::Done | BugChange::Unknown => found(&bench, &self.id),
        }
    }
}

/// A report of the caller.
fn found(bench: &Bench, id: &str) -> Result<Value, OpError> {
    let book = bench.jobs()?.book();
    let row = book.bug(bench.owner(), id).map_err(failed)?.ok_or_else(|| {
        OpError::not_found(format!("unknown report `{id}`"))
            .help("`bug_report_list` lists the reports")
    })?;
    let comments = book.bug_comments(id).map_err(failed)?;
    Ok(view(row, comments).encode())
}

fn view(row: BugRow, comments: Vec<(i64, String)>) -> BugReport {
    let comment =
        |(at, text): (i64, String)| BugComment { at: rfc3339(at).into(), text: text.into() };
    BugReport {
        id: row.id.into(),
        title: row.title.into(),
        description: row.description.into(),
        run_id: row.run.map(Text::from),
        state: if row.is_open { BugState::Open } else { BugState::Closed },
        created_at: rfc3339(row.at).into(),
        comments: comments.into_iter().map(comment).collect(),
    }
}

/// A text as it is kept.
fn kept(text: &str, field: &str, most: usize) -> Result<String, OpError> {
    if text.len() <= most {
        return Ok(redact(text).into_owned());
    }
    let message = format!("`{field}` is too long: {} bytes (limit {most})", text.len());
    Err(OpError::invalid_input(message))
}

fn full(message: &str) -> OpError {
    OpError::new(ErrorKind::Exhausted, message)
}

fn failed(error: svc_contract::store::StoreError) -> OpError {
    OpError::failed(error.message)
}
