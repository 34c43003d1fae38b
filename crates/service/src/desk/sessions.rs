//! Sessions: a chat in a project, with bounds for all that it uses together.

use std::time::Duration;

use svc_contract::{
    registry::{params, record},
    value::Text,
};
use svc_store::book::{DeskAdded, DeskFilter, DeskKind, DeskRow};

use super::{
    Desk, Page, ResourceBounds, SessionState, Thresholds, after, at, body, conflict,
    projects::test_bounds, short, state, states::SessionEvent, text, word,
};
use crate::{Bounds, Fault, Why};

/// The most sessions of a project that go on.
const MOST: i64 = 1000;

/// The longest time of a session in seconds: a year.
const LONGEST: i64 = 366 * 86_400;

record! {
    /// A session.
    pub struct Session {
        /// `ses_` and 26 signs.
        id: Text,
        /// Its project.
        project_id: Text,
        /// What it is about.
        title: Text,
        /// The language model of its answers; none without one.
        model: Option<Text>,
        /// The most that it may use, all in all.
        bounds: ResourceBounds,
        /// How long it goes on after it was created, in seconds.
        ttl_sec: i64,
        /// Whether messages are answered.
        state: SessionState,
        /// When it was created.
        created_at: Text,
        /// When it ends.
        expires_at: Text,
    }
}

record! {
    /// Some sessions.
    pub struct Sessions {
        /// The sessions, the latest first.
        sessions: Vec<Session>,
        /// Where the next page begins.
        next_cursor: Option<Text>,
    }
}

params! {
    /// A session to be started.
    pub struct NewSession {
        /// The project.
        pub project_id: Text,
        /// What it is about.
        pub title: Option<Text> = None,
        /// The language model of its answers, as `ask(model: ..)` names it.
        pub model: Option<Text> = None,
        /// The most that it may use, all in all.
        pub bounds: Option<ResourceBounds> = None,
        /// How long it goes on, in seconds.
        pub ttl_sec: Option<i64> = None,
    }
}

params! {
    /// Which sessions.
    pub struct SessionFilter {
        /// Those of this project.
        pub project_id: Option<Text> = None,
        /// Only those in this state.
        pub state: Option<SessionState> = None,
        /// The most sessions of a page.
        #[range(1..=200)]
        pub limit: i64 = 50,
        /// Where the page begins.
        pub cursor: Option<Text> = None,
    }
}

record! {
    /// What is kept of a session.
    pub(super) struct SessionBody {
        /// What it is about.
        title: Text,
        /// The language model of its answers.
        model: Option<Text>,
        /// The most that it may use.
        bounds: ResourceBounds,
        /// How long it goes on, in seconds.
        ttl_sec: i64,
        /// The least values of quality, if it has its own.
        thresholds: Option<Thresholds>,
    }
}

/// No bounds.
pub(super) fn unbounded() -> ResourceBounds {
    ResourceBounds { max_tokens: None, max_budget_usd: None, timeout_sec: None, max_retries: None }
}

impl Desk {
    /// Starts a session.
    pub async fn start_session(&self, new: NewSession) -> Result<Session, Fault> {
        let project = self.active_project(&new.project_id)?;
        let own = self.project_settings(&project.id)?;
        let all = self.settings()?;
        let title = new.title.as_deref().map(|it| short("title", it, 200)).transpose()?;
        let bounds = new.bounds.or(own.bounds).or(all.bounds).unwrap_or_else(unbounded);
        test_bounds(Some(&bounds), "bounds")?;
        let ttl_sec = new.ttl_sec.or(all.session_ttl_sec).unwrap_or(86_400);
        if !(1..=LONGEST).contains(&ttl_sec) {
            let message = format!("expected 1 to {LONGEST} seconds, found {ttl_sec}");
            return Err(Fault::field("ttl_sec", message));
        }
        let model = new.model.or(own.model).or(all.model);
        model.as_deref().map(|it| short("model", it, 200)).transpose()?;
        let title = title.unwrap_or_else(|| "New chat".to_owned()).into();
        let kept = SessionBody { title, model, bounds, ttl_sec, thresholds: None };
        let mut row = self.new_row(DeskKind::Session, self.new_id("ses_"), &project.id, kept);
        row.state = word(SessionState::Active);
        match self.add(row, (MOST, &["closed"])).await? {
            DeskAdded::Done(row) | DeskAdded::Taken(row) => view(&row),
            DeskAdded::Full => {
                let message = format!("the project has {MOST} sessions already");
                Err(Fault::new(Why::Conflict, message).help("close some of them"))
            }
        }
    }

    /// The sessions, the latest first.
    pub fn sessions(&self, filter: &SessionFilter) -> Result<Sessions, Fault> {
        self.expire_sessions()?;
        let page = Page::of(filter.limit, filter.cursor.as_ref())?;
        let rows = self.rows(
            DeskKind::Session,
            &DeskFilter {
                parent: filter.project_id.as_ref().map(ToString::to_string),
                state: filter.state.map(word),
                before: page.after,
                is_reversed: true,
                limit: Some(page.most()),
                ..DeskFilter::default()
            },
        )?;
        let (rows, next_cursor) = page.cut(rows);
        let sessions = rows.iter().map(view).collect::<Result<_, _>>()?;
        Ok(Sessions { sessions, next_cursor })
    }

    /// A session.
    pub fn session(&self, id: &str) -> Result<Session, Fault> {
        view(&self.session_row(id)?)
    }

    /// Closes a session: nothing more is answered. What runs is cancelled.
    pub async fn close_session(&self, id: &str) -> Result<Session, Fault> {
        self.session_row(id)?;
        self.cancel_all(id).await?;
        let row = self.happened(id, SessionEvent::Closed, "closed").await?;
        // Those that came meanwhile.
        self.cancel_all(id).await?;
        self.stop_workers(id).await?;
        view(&row)
    }

    /// A session that is asked something now, with the bounds that are left.
    pub(super) fn usable(&self, id: &str) -> Result<(DeskRow, Bounds), Fault> {
        let row = self.open_session(id)?;
        self.active_project(&row.parent)?;
        let left = self.bounds_left(&row)?;
        Ok((row, left))
    }

    /// Whether nothing can happen in a session any more, or it is unknown.
    pub fn is_over(&self, id: &str) -> bool {
        let state = self.session_row(id).and_then(|it| state(&it));
        !matches!(state, Ok(SessionState::Active | SessionState::Exhausted))
    }

    /// The row of a session that has not ended.
    pub(super) fn open_session(&self, id: &str) -> Result<DeskRow, Fault> {
        let row = self.session_row(id)?;
        match state(&row)? {
            SessionState::Closed | SessionState::Expired => {
                Err(conflict(&row, "used").help("start another one with `POST /sessions`"))
            }
            SessionState::Active | SessionState::Exhausted => Ok(row),
        }
    }

    /// The row of a session, which is expired if its time is over.
    pub(super) fn session_row(&self, id: &str) -> Result<DeskRow, Fault> {
        let row = self.row(DeskKind::Session, id)?;
        let is_open = matches!(state(&row)?, SessionState::Active | SessionState::Exhausted);
        if !is_open || ends(&row)? > self.now() {
            return Ok(row);
        }
        let expired = self.book().change_desk(self.owner().to_owned(), id.to_owned(), |row| {
            follow(row, SessionEvent::Expired, "used")
        });
        Ok(expired.wait()?.and_then(Result::ok).unwrap_or(row))
    }

    fn expire_sessions(&self) -> Result<(), Fault> {
        for open in [SessionState::Active, SessionState::Exhausted] {
            let of = DeskFilter { state: Some(word(open)), ..DeskFilter::default() };
            for row in self.rows(DeskKind::Session, &of)? {
                self.session_row(&row.id)?;
            }
        }
        Ok(())
    }

    pub(super) async fn happened(
        &self,
        id: &str,
        event: SessionEvent,
        what: &'static str,
    ) -> Result<DeskRow, Fault> {
        self.change(DeskKind::Session, id, move |row| follow(row, event, what)).await
    }
}

fn follow(row: &mut DeskRow, event: SessionEvent, what: &str) -> Result<(), Fault> {
    let next = state::<SessionState>(row)?.next(event).ok_or_else(|| conflict(row, what))?;
    row.state = word(next);
    Ok(())
}

fn ends(row: &DeskRow) -> Result<i64, Fault> {
    let kept: SessionBody = body(row)?;
    Ok(after(row.at, Duration::from_secs(kept.ttl_sec.unsigned_abs())))
}

fn view(row: &DeskRow) -> Result<Session, Fault> {
    let kept: SessionBody = body(row)?;
    Ok(Session {
        id: text(&row.id),
        project_id: text(&row.parent),
        title: kept.title,
        model: kept.model,
        bounds: kept.bounds,
        ttl_sec: kept.ttl_sec,
        state: state(row)?,
        created_at: at(row.at),
        expires_at: at(ends(row)?),
    })
}
