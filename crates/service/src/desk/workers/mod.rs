//! Workers: each does one kind of work of a session, with a row that shows what it does now.
//!
//! A `queue` answers the messages of its session, a `script` runs one, perhaps at the times of a
//! pattern, and a `goal` makes its script first. A worker whose process has died begins again, at most
//! three times; its run is resumed as that of any job.

mod shape;

use std::time::Duration;

use svc_contract::{
    registry::ErrorKind,
    value::{Record, Text, Value},
};
use svc_lang::diag::Source;
use svc_store::book::{DeskAdded, DeskFilter, DeskKind, DeskRow, JobKind, JobState};

use super::{
    Desk, SessionState, WorkerState, after, at, body,
    chat::{Planned, is_harmless, sent, unfinished},
    conflict, job_of,
    projects::test_bounds,
    short, state,
    states::WorkerEvent,
    text, word, written,
};
use crate::{
    Args, Bounds, Fault, Service, Why,
    components::core,
    decode::object,
    jobs::{NewWork, next},
};

pub(super) use shape::StopMode;
pub use shape::{NewWorker, StopWorker, WorkerView, Workers};
use shape::{WorkerBody, WorkerKind, WorkerStats};

/// The most workers of a session that are not over.
const MOST: i64 = 8;

/// How often a worker shows that it lives, and how long it counts as alive after that.
const BEAT: Duration = Duration::from_secs(5);
const LEASE: Duration = Duration::from_secs(20);

/// How often a worker begins again.
const MOST_RESTARTS: i64 = 3;

/// How often a worker without work looks for some.
const LOOK: Duration = Duration::from_millis(250);

/// What a worker does next.
enum Step {
    /// It runs something.
    Run(i64),
    /// It waits for its time.
    Wait,
    /// It is over.
    End,
}

impl Desk {
    /// Starts a worker.
    pub async fn start_worker(&self, new: NewWorker) -> Result<WorkerView, Fault> {
        let (session, left) = self.usable(&new.session_id)?;
        test_bounds(new.bounds.as_ref(), "bounds")?;
        let only = |field: &str, kind: WorkerKind| {
            let kind = word(kind);
            Fault::field(field, format!("only a worker of the kind `{kind}` has one"))
        };
        let goal = new.goal.as_deref().map(|it| short("goal", it, 2000)).transpose()?;
        match new.kind {
            WorkerKind::Script if new.script.is_none() => {
                return Err(Fault::field("script", "missing field `script`"));
            }
            WorkerKind::Goal if goal.is_none() => {
                return Err(Fault::field("goal", "missing field `goal`"));
            }
            WorkerKind::Queue if new.script.is_some() => {
                return Err(only("script", WorkerKind::Script));
            }
            WorkerKind::Goal if new.script.is_some() => {
                return Err(only("script", WorkerKind::Script));
            }
            WorkerKind::Queue | WorkerKind::Script if goal.is_some() => {
                return Err(only("goal", WorkerKind::Goal));
            }
            _ => {}
        }
        if let Some(times) = &new.schedule {
            let count = times.split_whitespace().count();
            if count != 5 {
                let message = format!("expected five fields, found {count}");
                return Err(Fault::field("schedule", message).help(
                    "write minute, hour, day, month and weekday in UTC, such as `0 6 * * 1-5`",
                ));
            }
            next(times, self.now()).map_err(|fault| renamed(fault, "times", "schedule"))?;
        }
        if new.max_runs.is_some_and(|it| it < 1) {
            return Err(Fault::field("max_runs", "expected at least 1"));
        }
        let max_runs = new
            .max_runs
            .or_else(|| (new.schedule.is_none() && new.kind != WorkerKind::Queue).then_some(1));
        let kept = WorkerBody {
            kind: new.kind,
            script: new.script,
            goal: goal.map(Text::from),
            params: new.params.unwrap_or_default(),
            bounds: new.bounds,
            schedule: new.schedule,
            max_runs,
            current_job: None,
            stats: WorkerStats { runs: 0, ok: 0, failed: 0, restarts: 0 },
            deaths: None,
            last_error: None,
            next_run: None,
            lease: Some(after(self.now(), LEASE)),
            drained: false,
        };
        if kept.kind == WorkerKind::Script {
            // A mistake is found now, not when its time has come.
            let service = self.service().of_project(&session.parent);
            let work = work_of(&kept, &service, &session.id, left)?;
            let tested = move || crate::jobs::tested(&service, &work).map(drop);
            let tested = tokio::task::spawn_blocking(tested).await;
            tested.map_err(|it| unfinished(&it))??;
        }
        let name = queue_name(&kept);
        let mut row = self.new_row(DeskKind::Worker, self.new_id("wrk_"), &session.id, kept);
        row.state = word(WorkerState::Starting);
        row.name = name;
        match self.add(row, (MOST, &["stopped", "failed", "lost"])).await? {
            DeskAdded::Done(row) => {
                self.employ_worker(&row.id);
                view(&row)
            }
            DeskAdded::Taken(_) => {
                let message = "the session has a worker of the kind `queue` already";
                Err(Fault::new(Why::Conflict, message).help("stop it first"))
            }
            DeskAdded::Full => {
                let message = format!("the session has {MOST} workers already");
                Err(Fault::new(Why::Conflict, message).help("stop one of them first"))
            }
        }
    }

    /// Stops a worker: at once, or when its run has ended.
    pub async fn stop_worker(&self, asked: &StopWorker) -> Result<WorkerView, Fault> {
        let event = match asked.mode {
            StopMode::Drain => WorkerEvent::Drained,
            StopMode::Cancel => WorkerEvent::Stopped,
        };
        let before = self.row(DeskKind::Worker, &asked.worker_id)?;
        let drained = |it: &mut WorkerBody| it.drained = true;
        self.happens(&asked.worker_id, event, "stopped", drained).await?;
        if asked.mode == StopMode::Cancel
            && let Some(job) = body::<WorkerBody>(&before)?.current_job
        {
            // It may have ended meanwhile.
            let _ = self.jobs().cancel(self.owner(), &job).await;
        }
        view(&self.row(DeskKind::Worker, &asked.worker_id)?)
    }

    /// Stops all workers of a session that is closed.
    pub(super) async fn stop_workers(&self, session: &str) -> Result<(), Fault> {
        for row in self.workers_of(session)?.iter().filter(|it| is_alive(it)) {
            let asked = StopWorker { worker_id: text(&row.id), mode: StopMode::Cancel };
            match self.stop_worker(&asked).await {
                Err(fault) if fault.why != Why::Conflict => return Err(fault),
                _ => {}
            }
        }
        Ok(())
    }

    /// The workers of a session, or one worker.
    pub fn workers(&self, id: &str) -> Result<Workers, Fault> {
        let rows = if id.starts_with("wrk_") {
            vec![self.row(DeskKind::Worker, id)?]
        } else {
            self.row(DeskKind::Session, id)?;
            self.workers_of(id)?
        };
        Ok(Workers { workers: rows.iter().map(view).collect::<Result<_, _>>()? })
    }

    /// Whether a worker answers the messages of a session.
    pub(super) fn has_queue_worker(&self, session: &str) -> bool {
        let is_queue = |it: &DeskRow| {
            is_alive(it) && body::<WorkerBody>(it).is_ok_and(|it| it.kind == WorkerKind::Queue)
        };
        self.workers_of(session).is_ok_and(|all| all.iter().any(is_queue))
    }

    fn workers_of(&self, session: &str) -> Result<Vec<DeskRow>, Fault> {
        let of = DeskFilter { parent: Some(session.to_owned()), ..DeskFilter::default() };
        self.rows(DeskKind::Worker, &of)
    }

    /// Begins the work of workers whose process has died.
    pub(super) async fn restart_workers(&self) -> Result<(), Fault> {
        for row in self.rows(DeskKind::Worker, &DeskFilter::default())? {
            if !is_alive(&row) {
                continue;
            }
            // Only one that died at its work may be the cause.
            let had_work = state::<WorkerState>(&row)? == WorkerState::Busy;
            let lost = self.happens(&row.id, WorkerEvent::Lost, "lost", |_| {}).await?;
            let deaths = body::<WorkerBody>(&lost)?.deaths.unwrap_or(0);
            if had_work && deaths >= MOST_RESTARTS {
                continue;
            }
            let again = move |it: &mut WorkerBody| {
                it.stats.restarts += i64::from(had_work);
                it.deaths = Some(deaths + i64::from(had_work));
            };
            self.happens(&row.id, WorkerEvent::Restarted, "restarted", again).await?;
            self.employ_worker(&row.id);
        }
        Ok(())
    }

    fn employ_worker(&self, id: &str) {
        if !self.busy().insert(id.to_owned()) {
            return;
        }
        let (own, id) = (self.clone(), id.to_owned());
        tokio::spawn(async move {
            let ended = own.worked(&id).await;
            if let Err(fault) = ended {
                let why = Text::from(fault.message.as_str());
                let failed = move |it: &mut WorkerBody| {
                    it.last_error = Some(why.clone());
                    it.current_job = None;
                };
                // One that was stopped meanwhile stays stopped.
                let _ = own.happens(&id, WorkerEvent::Failed, "failed", failed).await;
            }
            own.busy().remove(&id);
            if let Ok(row) = own.row(DeskKind::Worker, &id) {
                own.answer_session(&row.parent);
            }
        });
    }

    /// Does the work of a worker until it is over or the service stops.
    async fn worked(&self, id: &str) -> Result<(), Fault> {
        self.happens(id, WorkerEvent::Started, "started", |_| {}).await?;
        let mut beaten = tokio::time::Instant::now();
        loop {
            if self.is_stopping() {
                return Ok(());
            }
            if beaten.elapsed() >= BEAT {
                self.beat_worker(id).await?;
                beaten = tokio::time::Instant::now();
            }
            let row = self.row(DeskKind::Worker, id)?;
            let kept: WorkerBody = body(&row)?;
            match self.step(&row, &kept).await? {
                Step::End => return Ok(()),
                Step::Wait => tokio::time::sleep(LOOK).await,
                Step::Run(no) => self.one_run(&row, &kept, no).await?,
            }
        }
    }

    /// What a worker does next.
    async fn step(&self, row: &DeskRow, kept: &WorkerBody) -> Result<Step, Fault> {
        match state::<WorkerState>(row)? {
            WorkerState::Idle | WorkerState::Busy => {}
            WorkerState::Draining => {
                self.happens(&row.id, WorkerEvent::Stopped, "stopped", |_| {}).await?;
                return Ok(Step::End);
            }
            _ => return Ok(Step::End),
        }
        let is_over = match state(&self.session_row(&row.parent)?)? {
            SessionState::Closed | SessionState::Expired => true,
            // What costs nothing goes on in the queue of its session only.
            SessionState::Exhausted if kept.kind != WorkerKind::Queue => {
                let message = "the session has used all that its bounds allow";
                return Err(Fault::new(Why::Op(ErrorKind::Budget), message));
            }
            SessionState::Exhausted | SessionState::Active => false,
        };
        if is_over || kept.drained || kept.max_runs.is_some_and(|it| kept.stats.runs >= it) {
            self.happens(&row.id, WorkerEvent::Stopped, "stopped", |_| {}).await?;
            return Ok(Step::End);
        }
        let no = kept.stats.runs + 1;
        if kept.kind == WorkerKind::Queue {
            let has_work = self.has_pending(&row.parent)?;
            return Ok(if has_work { Step::Run(no) } else { Step::Wait });
        }
        let Some(times) = &kept.schedule else { return Ok(Step::Run(no)) };
        let now = self.now();
        match kept.next_run {
            Some(at) if at <= now => Ok(Step::Run(no)),
            Some(_) => Ok(Step::Wait),
            None => {
                let at = next(times, now)?;
                self.note(&row.id, move |it| it.next_run = Some(at)).await?;
                Ok(Step::Wait)
            }
        }
    }

    /// One run of a worker: found again by its number after a crash.
    async fn one_run(&self, row: &DeskRow, kept: &WorkerBody, no: i64) -> Result<(), Fault> {
        let job = job_of(&row.id, &format!("{no:06}"));
        let shown = (kept.kind != WorkerKind::Queue).then(|| text(&job));
        let takes = move |it: &mut WorkerBody| it.current_job.clone_from(&shown);
        self.happens(&row.id, WorkerEvent::Took, "used", takes).await?;
        let ended = match kept.kind {
            WorkerKind::Queue => {
                self.answer_next(&row.parent).await;
                Ok(())
            }
            WorkerKind::Script | WorkerKind::Goal => self.run_job(row, kept, &job).await,
        };
        let is_cut_off = ended.as_ref().is_err_and(|it| it.why == Why::Stopping);
        if self.is_stopping() || is_cut_off {
            return Ok(());
        }
        let error = ended.err().map(|it| Text::from(it.message.as_str()));
        let done = move |it: &mut WorkerBody| {
            it.stats.runs += 1;
            it.current_job = None;
            it.next_run = None;
            match &error {
                Some(_) => it.stats.failed += 1,
                None => {
                    it.stats.ok += 1;
                    it.deaths = None;
                }
            }
            it.last_error.clone_from(&error);
        };
        match self.happens(&row.id, WorkerEvent::Ended, "used", done).await {
            // It was stopped meanwhile.
            Err(fault) if fault.why == Why::Conflict => Ok(()),
            other => other.map(drop),
        }
    }

    async fn run_job(&self, row: &DeskRow, kept: &WorkerBody, job: &str) -> Result<(), Fault> {
        let known = self.book().job(self.owner(), job, None)?;
        if known.is_none() {
            let (session, left) = self.usable(&row.parent)?;
            let service = self.service().of_project(&session.parent);
            let mut kept = kept.clone();
            if let Some(goal) = kept.goal.clone().filter(|_| kept.kind == WorkerKind::Goal) {
                let planning = (self.0.planner)(service.engine().clone(), goal.to_string());
                let found = Planned::of(&planning.await?).ok_or_else(|| {
                    let message = format!("no script was found for the goal `{goal}`");
                    let help = "name the files and what to do with them";
                    Fault::new(Why::Op(ErrorKind::Unsupported), message).help(help)
                })?;
                let script = found.script.clone();
                self.note(&row.id, move |it| it.script = Some(script.clone())).await?;
                if !found.plan(&service).is_some_and(|it| is_harmless(&it)) {
                    let message = format!("the script for `{goal}` does more than read files");
                    let help = "ask for it in the chat, where you can approve it, or start a \
                        worker with the script";
                    return Err(Fault::new(Why::Op(ErrorKind::Denied), message).help(help));
                }
                kept.script = Some(found.script);
            }
            let work = work_of(&kept, &service, &session.id, left)?;
            self.queue(&service, job, work).await?;
        }
        let beating = async {
            loop {
                tokio::time::sleep(BEAT).await;
                let _ = self.beat_worker(&row.id).await;
            }
        };
        let ended = tokio::select! {
            ended = self.until_over(job) => ended?,
            () = beating => None,
        };
        let Some(ended) = ended else { return Ok(()) };
        self.record_job(&row.parent, &ended, None).await?;
        if ended.state == JobState::Ok { Ok(()) } else { self.result(&ended).map(drop) }
    }

    async fn beat_worker(&self, id: &str) -> Result<(), Fault> {
        let until = after(self.now(), LEASE);
        self.note(id, move |it| it.lease = Some(until)).await
    }

    /// Changes what is kept of a worker that is not over.
    async fn note(
        &self,
        id: &str,
        change: impl Fn(&mut WorkerBody) + Send + 'static,
    ) -> Result<(), Fault> {
        self.change(DeskKind::Worker, id, move |row| {
            let mut kept: WorkerBody = body(row)?;
            change(&mut kept);
            row.body = written(kept);
            Ok(())
        })
        .await?;
        Ok(())
    }

    /// An event of a worker, with a change of what is kept of it.
    async fn happens(
        &self,
        id: &str,
        event: WorkerEvent,
        what: &'static str,
        change: impl Fn(&mut WorkerBody) + Send + 'static,
    ) -> Result<DeskRow, Fault> {
        self.change(DeskKind::Worker, id, move |row| {
            let next = state::<WorkerState>(row)?.next(event).ok_or_else(|| conflict(row, what))?;
            row.state = word(next);
            let mut kept: WorkerBody = body(row)?;
            change(&mut kept);
            let is_gone = next.is_over() || next == WorkerState::Lost;
            row.name = queue_name(&kept).filter(|_| !is_gone);
            if next.is_over() {
                kept.lease = None;
                kept.next_run = None;
                kept.current_job = None;
            }
            row.body = written(kept);
            Ok(())
        })
        .await
    }
}

/// The work of a run: a served script, or one that is sent.
fn work_of(
    kept: &WorkerBody,
    service: &Service,
    session: &str,
    left: Bounds,
) -> Result<NewWork, Fault> {
    let script = kept.script.clone().unwrap_or_default();
    let bounds = core::with(kept.bounds.clone(), left)?;
    let params = match &kept.params {
        Value::Null => Args::new(),
        given => object(given.clone(), "params")?,
    };
    if service.scripts().iter().any(|it| *it.name == *script) {
        return Ok(NewWork {
            kind: JobKind::Script,
            name: script.to_string(),
            args: params,
            bounds,
            session: Some(session.to_owned()),
            notify: None,
        });
    }
    if script.trim().is_empty() {
        return Err(Fault::field("script", "expected the name or the text of a script"));
    }
    // One word is a name that is not served, unless it is a script of one op.
    let source = Source::new("script", script.as_ref());
    if let Err(report) = service.engine().check(source) {
        return Err(Fault::of_check(&report));
    }
    let given: Record = params.into_iter().map(|(name, it)| (name.as_str().into(), it)).collect();
    Ok(sent(script, Value::Record(given), bounds, session.to_owned()))
}

/// The name by which a session has one queue.
fn queue_name(kept: &WorkerBody) -> Option<String> {
    (kept.kind == WorkerKind::Queue).then(|| word(WorkerKind::Queue))
}

fn is_alive(row: &DeskRow) -> bool {
    state::<WorkerState>(row).is_ok_and(|it| !it.is_over() && it != WorkerState::Lost)
}

/// A fault of one field as that of another.
fn renamed(fault: Fault, from: &str, to: &str) -> Fault {
    let fields = fault.fields.into_iter().map(|it| crate::FieldFault {
        field: if it.field == from { to.to_owned() } else { it.field },
        ..it
    });
    Fault { fields: fields.collect(), ..fault }
}

fn view(row: &DeskRow) -> Result<WorkerView, Fault> {
    let kept: WorkerBody = body(row)?;
    Ok(WorkerView {
        id: text(&row.id),
        session_id: text(&row.parent),
        kind: kept.kind,
        state: state(row)?,
        script: kept.script,
        goal: kept.goal,
        schedule: kept.schedule,
        max_runs: kept.max_runs,
        current_job: kept.current_job,
        stats: kept.stats,
        last_error: kept.last_error,
        next_run_at: kept.next_run.map(at),
        lease_until: kept.lease.map(at),
        created_at: at(row.at),
    })
}
