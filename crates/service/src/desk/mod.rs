//! The desktop: projects with their files, sessions, a chat whose answers are runs, workers, devices
//! and settings, for the one person at this machine.
//!
//! Everything is a row of the book, and every state in it can be left by a crash: what was accepted
//! goes on at the next start. A turn of the chat, and each run of a worker, is a job of its session.
//! The jobs of a session see the files of its project as `/`, and nothing else of the machine.
//!
//! **Invariants:** no protocol is known here. A state changes only by its `next`, in the transaction
//! that reads it.

mod chat;
mod devices;
mod editor;
mod files;
mod keys;
mod media;
mod project_runs;
mod projects;
mod quality;
mod sessions;
mod settings;
mod states;
#[cfg(test)]
mod tests;
mod usage;
mod workers;

use std::{
    collections::HashSet,
    path::PathBuf,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use svc_contract::{
    registry::{ErrorKind, Field},
    store::RunId,
    value::{Text, Value, json},
};
use svc_engine::Engine;
pub use svc_store::Held;
use svc_store::book::{Book, DeskAdded, DeskFilter, DeskKind, DeskRow, NewDeskRow};
use svc_text::dates::rfc3339;
use tokio::sync::watch;

use crate::{Fault, Service, Why, jobs::Jobs, once};

pub use crate::components::core::ResourceBounds;
pub use chat::{
    Author, Between, CallView, Decision, Exchange, History, MessageView, Proposal, Received,
    SentMessage, SourceView, ToolUse, decided,
};
pub use devices::{Device, Devices, NewDevice};
pub use editor::{EditorRun, EditorStarted};
pub use files::{LARGEST_FILE, NewResource, Resource, Resources};
pub use keys::KeyView;
pub(crate) use project_runs::ProjectRuns;
pub use projects::{NewProject, Project, ProjectFilter, ProjectSettings, Projects};
pub use quality::{Output, Outputs, QualityFilter, ReportFormat, Thresholds, Trend};
pub use sessions::{NewSession, Session, SessionFilter, Sessions};
pub use settings::{Settings, SettingsReply};
pub use states::{
    MessageState, ProjectState, ProposalState, ResourceState, SessionState, WorkerState,
};
pub use usage::{Recorded, UsageFilter, UsageReport, UsageView};
pub use workers::{NewWorker, StopWorker, WorkerView, Workers};

/// The token of the desktop in a file that only its owner can read; made at the first start.
pub fn token(
    file: &std::path::Path,
    host: &dyn svc_contract::host::Host,
) -> Result<String, svc_contract::store::StoreError> {
    svc_store::token_in(file, host)
}

/// Makes this process the only desktop of a folder; none if another one is.
pub fn hold(file: &std::path::Path) -> Result<Option<Held>, svc_contract::store::StoreError> {
    svc_store::hold(file)
}

/// Finds a script for a goal on an engine: what `guide_plan_workflow` returns for it.
pub type Planner = fn(Engine, String) -> Planning;

/// The result of a [`Planner`].
pub type Planning = Pin<Box<dyn Future<Output = Result<Value, Fault>> + Send>>;

/// The most rows of a page.
const MOST_LISTED: i64 = 200;

/// The desktop of the person at this machine. Cheap to clone.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    service: Service,
    jobs: Jobs,
    folder: PathBuf,
    planner: Planner,
    /// Counts changes of rows in this process.
    changed: watch::Sender<u64>,
    /// The sessions whose messages are answered, and the workers that run.
    busy: Mutex<HashSet<String>>,
    /// Held while files and the rows that describe them change together.
    filing: Mutex<()>,
}

impl Desk {
    /// The desktop of a service that keeps jobs, and was made with a folder for projects.
    pub fn new(service: Service, planner: Planner) -> Result<Self, Fault> {
        let jobs = service.jobs()?.clone();
        let folder = service.shared.projects.as_ref().map(|it| it.folder().to_owned());
        let folder = folder.ok_or_else(|| Fault::not_found("this service keeps no projects"))?;
        let (changed, _) = watch::channel(0);
        let (busy, filing) = (Mutex::default(), Mutex::default());
        Ok(Self(Arc::new(Inner { service, jobs, folder, planner, changed, busy, filing })))
    }

    /// Goes on with everything that an earlier process left: messages without an answer, and workers.
    pub async fn go_on(&self) -> Result<(), Fault> {
        // First, since a worker that is gone answers nothing.
        self.restart_workers().await?;
        self.answer_pending()
    }

    pub fn service(&self) -> &Service {
        &self.0.service
    }

    fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    fn book(&self) -> &Book {
        self.0.jobs.book()
    }

    fn owner(&self) -> &str {
        self.0.service.owner()
    }

    fn now(&self) -> i64 {
        self.0.jobs.now()
    }

    fn is_stopping(&self) -> bool {
        self.0.jobs.is_stopping()
    }

    /// What changes from now on, in this process.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    fn tell(&self) {
        self.0.changed.send_modify(|it| *it = it.wrapping_add(1));
    }

    fn busy(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new id with a prefix, such as `prj_`.
    fn new_id(&self, prefix: &str) -> String {
        format!("{prefix}{}", self.0.jobs.runs().new_id(self.now()))
    }

    /// A row, or the fault that it is unknown.
    fn row(&self, kind: DeskKind, id: &str) -> Result<DeskRow, Fault> {
        let found = self.book().desk_row(self.owner(), kind, id)?;
        found.ok_or_else(|| unknown(kind, id))
    }

    fn rows(&self, kind: DeskKind, filter: &DeskFilter) -> Result<Vec<DeskRow>, Fault> {
        Ok(self.book().desk_rows(self.owner(), kind, filter)?)
    }

    fn new_row(&self, kind: DeskKind, id: String, parent: &str, body: impl Field) -> NewDeskRow {
        NewDeskRow {
            id,
            owner: self.owner().to_owned(),
            kind,
            parent: parent.to_owned(),
            name: None,
            state: String::new(),
            at: self.now(),
            body: json::write(&body.encode()),
        }
    }

    async fn add(
        &self,
        new: NewDeskRow,
        most: (i64, &'static [&'static str]),
    ) -> Result<DeskAdded, Fault> {
        let _ = once::begins();
        let added = self.book().add_to_desk(new, most).await?;
        self.tell();
        Ok(added)
    }

    /// Changes a row in one transaction, or fails without a change.
    async fn change(
        &self,
        kind: DeskKind,
        id: &str,
        change: impl FnMut(&mut DeskRow) -> Result<(), Fault> + Send + 'static,
    ) -> Result<DeskRow, Fault> {
        self.row(kind, id)?;
        let _ = once::begins();
        let changed = self.book().change_desk(self.owner().to_owned(), id.to_owned(), change);
        let row = changed.await?.ok_or_else(|| unknown(kind, id))??;
        self.tell();
        Ok(row)
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").field("folder", &self.0.folder).finish_non_exhaustive()
    }
}

fn unknown(kind: DeskKind, id: &str) -> Fault {
    Fault::not_found(format!("unknown {} `{id}`", kind.name()))
}

/// The body of a row.
fn body<T: Field>(row: &DeskRow) -> Result<T, Fault> {
    T::decode(crate::jobs::read(&row.body)?).ok_or_else(|| {
        let message = format!("the {} `{}` cannot be read", row.kind.name(), row.id);
        Fault::new(Why::Op(ErrorKind::Bug), message)
    })
}

/// A body as it is kept.
fn written(it: impl Field) -> String {
    json::write(&it.encode())
}

/// A state as its word.
fn word(it: impl Field) -> String {
    it.encode().as_str().unwrap_or_default().to_owned()
}

/// The state of a row.
fn state<T: Field>(row: &DeskRow) -> Result<T, Fault> {
    T::decode(Value::from(row.state.as_str())).ok_or_else(|| {
        let message = format!("the {} `{}` has the state `{}`", row.kind.name(), row.id, row.state);
        Fault::new(Why::Op(ErrorKind::Bug), message)
    })
}

/// Something cannot happen in a state.
fn conflict(row: &DeskRow, what: &str) -> Fault {
    let message = format!(
        "the {} `{}` cannot be {what}: its state is {}",
        row.kind.name(),
        row.id,
        row.state
    );
    Fault::new(Why::Conflict, message)
}

fn at(millis: i64) -> Text {
    rfc3339(millis).into()
}

fn after(now: i64, time: Duration) -> i64 {
    now.saturating_add(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

fn text(it: &str) -> Text {
    it.into()
}

/// A text of a request, without space around it and with a largest number of letters.
fn short(field: &str, given: &str, most: usize) -> Result<String, Fault> {
    let trimmed = given.trim();
    if trimmed.is_empty() {
        return Err(Fault::field(field, "expected a text, found an empty one"));
    }
    let count = trimmed.chars().count();
    if count > most {
        return Err(Fault::field(field, format!("expected at most {most} letters, found {count}")));
    }
    if let Some(it) = trimmed.chars().find(|it| it.is_control()) {
        let message =
            format!("expected a text of one line, found the character {}", it.escape_debug());
        return Err(Fault::field(field, message));
    }
    Ok(trimmed.to_owned())
}

/// A page of rows: the place after which it begins, and how many.
struct Page {
    after: Option<i64>,
    limit: u32,
}

impl Page {
    fn of(limit: i64, cursor: Option<&Text>) -> Result<Self, Fault> {
        let after = cursor
            .map(|it| it.parse())
            .transpose()
            .map_err(|_| Fault::field("cursor", "expected the `next_cursor` of the page before"))?;
        let limit = limit.clamp(1, MOST_LISTED);
        Ok(Self { after, limit: u32::try_from(limit).unwrap_or(1) })
    }

    /// The rows of this page, of one more than it has, and where the next one begins.
    fn cut(&self, mut rows: Vec<DeskRow>) -> (Vec<DeskRow>, Option<Text>) {
        let most = self.limit as usize;
        let has_more = rows.len() > most;
        rows.truncate(most);
        let next = rows.last().filter(|_| has_more).map(|it| it.no.to_string().into());
        (rows, next)
    }

    /// One row more than it has, which shows whether a next page follows.
    fn most(&self) -> u32 {
        self.limit + 1
    }
}

/// The job that does the work of a message or a run of a worker: found again after a crash.
fn job_of(id: &str, part: &str) -> String {
    let own = id.split_once('_').map_or(id, |it| it.1);
    format!("job_{own}{part}")
}

/// A run id as it is shown.
fn shown(run: &RunId) -> Text {
    run.as_str().into()
}
