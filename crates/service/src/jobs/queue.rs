//! Work that a caller queues: it is resolved, authorised and planned before anything is written.

use svc_contract::{
    registry::{ErrorKind, Field as _, Usage, record},
    value::Value,
};
use svc_store::book::{JobKind, JobRow, MOST_QUEUED, Submitted};

use super::{
    Jobs, NewWork,
    given::{patched, record as object_of},
};
use crate::{
    Answer, Args, Call, Fault, Resolved, Service, Why, Work,
    components::workbench::{Asked, asked},
    once,
    resolve::mask,
};

/// A job that a call queues instead of running its work at once.
#[derive(Clone)]
pub(crate) struct Queued {
    work: NewWork,
    /// The job that gets a new version; `None` for a new job.
    id: Option<String>,
    /// The job whose calls are taken over.
    parent: Option<i64>,
    reply: Reply,
}

/// What the caller gets.
#[derive(Clone, Copy)]
enum Reply {
    State,
    Version,
    Id,
}

record! {
    /// A job that was queued.
    pub(crate) struct SubmittedView {
        /// The job.
        job_id: String,
        /// `queued`.
        state: String,
    }
}

record! {
    /// A new version of a job.
    pub(crate) struct VersionView {
        /// The job.
        job_id: String,
        /// The new version.
        version: i64,
    }
}

record! {
    /// A new job.
    pub(crate) struct IdView {
        /// The job.
        job_id: String,
    }
}

/// The work of a tool that queues it, in the place of the tool; `None` for any other call.
pub(crate) fn submission(service: &Service, call: &Call) -> Result<Option<Resolved>, Fault> {
    let Work::Tool { name, args } = &call.work else { return Ok(None) };
    let Some(asked) = asked(name, args.clone(), call.bounds)? else { return Ok(None) };
    let jobs = service.jobs()?;
    let owner = service.owner();
    let queued = match asked {
        Asked::Submit(submit) => {
            let kind = kind(service, &submit.job)?;
            let work = NewWork {
                kind,
                name: submit.job,
                args: submit.input,
                bounds: submit.bounds,
                session: submit.session,
                notify: notified(service, submit.notify)?,
            };
            Queued { work, id: None, parent: None, reply: Reply::State }
        }
        Asked::Refine { id, changes } => {
            let row = jobs.job(owner, &id, None)?;
            ended(&row)?;
            let work = changed(&row, changes)?;
            Queued { work, id: Some(id), parent: Some(row.no), reply: Reply::Version }
        }
        Asked::Fork { id, changes } => {
            let row = jobs.job(owner, &id, None)?;
            let work = changed(&row, changes)?;
            Queued { work, id: None, parent: Some(row.no), reply: Reply::Id }
        }
    };
    Ok(Some(tested(service, &queued.work)?.queueing(queued)))
}

/// Work that its caller may queue, and that can run later.
pub(crate) fn tested(service: &Service, work: &NewWork) -> Result<Resolved, Fault> {
    let target = service.resolve(work.call()).map_err(within)?;
    if target.queued.is_some() {
        let message = format!("`{}` queues a job itself, so it cannot be one", work.name);
        return Err(Fault::field("job", message));
    }
    target.test(service.kept().unwrap_or_else(|| service.engine())).map_err(within)?;
    Ok(target)
}

/// The address that a job is to report its end to, if its caller may name it.
pub(crate) fn notified(
    service: &Service,
    address: Option<String>,
) -> Result<Option<String>, Fault> {
    address.map(|it| service.notifiable(&it)).transpose()
}

/// What a job of this name does.
fn kind(service: &Service, name: &str) -> Result<JobKind, Fault> {
    if service.engine().registry().find_tool(name).is_some() {
        return Ok(JobKind::Tool);
    }
    match service.served(name) {
        Ok(_) => Ok(JobKind::Script),
        Err(fault) => Err(Fault {
            message: format!("unknown job `{name}`: it is neither a tool nor a served script"),
            ..fault
        }),
    }
}

fn changed(row: &JobRow, changes: Args) -> Result<NewWork, Fault> {
    let work = NewWork::of(row)?;
    Ok(NewWork { args: patched(work.args, changes), ..work })
}

/// Only a version that has ended can be refined.
fn ended(row: &JobRow) -> Result<(), Fault> {
    let state = row.state;
    if state.is_over() && state != svc_store::book::JobState::Archived {
        return Ok(());
    }
    let message = format!("the job `{}` cannot be refined: its state is {}", row.id, state.name());
    Err(Fault::new(Why::Conflict, message).help("wait for its end, or fork it"))
}

/// A fault of the work as one of the input.
fn within(fault: Fault) -> Fault {
    let fields = fault.fields.into_iter().map(|it| crate::FieldFault {
        field: if it.field.is_empty() { "input".to_owned() } else { format!("input.{}", it.field) },
        ..it
    });
    Fault { fields: fields.collect(), ..fault }
}

impl Jobs {
    /// Queues a job.
    pub(crate) async fn submit(&self, owner: &str, queued: Queued) -> Result<Answer, Fault> {
        let row = self.queue(owner, &queued).await?;
        let value = match queued.reply {
            Reply::State => {
                SubmittedView { job_id: row.id, state: row.state.name().to_owned() }.encode()
            }
            Reply::Version => VersionView { job_id: row.id, version: row.version.into() }.encode(),
            Reply::Id => IdView { job_id: row.id }.encode(),
        };
        Ok(answer(value))
    }

    /// The work of a job with this name.
    pub fn work_of(service: &Service, name: &str, args: Args) -> Result<NewWork, Fault> {
        let kind = kind(service, name)?;
        let bounds = crate::Bounds::default();
        let name = name.to_owned();
        Ok(NewWork { kind, name, args, bounds, session: None, notify: None })
    }

    /// Queues a call that was resolved.
    pub async fn submit_call(
        &self,
        owner: &str,
        call: Call,
        notify: Option<String>,
    ) -> Result<JobRow, Fault> {
        let (kind, name, args) = match call.work {
            Work::Tool { name, args } => (JobKind::Tool, name, args),
            Work::Served { name, args } => (JobKind::Script, name, args),
            _ => return Err(Fault::not_found("only a tool or a served script can be queued")),
        };
        let work = NewWork { kind, name, args, bounds: call.bounds, session: None, notify };
        self.queue(owner, &Queued { work, id: None, parent: None, reply: Reply::State }).await
    }

    /// Queues work that was tested, under an id that no job has.
    pub(crate) async fn submit_as(
        &self,
        owner: &str,
        id: &str,
        work: NewWork,
    ) -> Result<JobRow, Fault> {
        let id = Some(id.to_owned());
        self.queue(owner, &Queued { work, id, parent: None, reply: Reply::State }).await
    }

    async fn queue(&self, owner: &str, queued: &Queued) -> Result<JobRow, Fault> {
        let now = self.now();
        let id = queued.id.clone().unwrap_or_else(|| self.new_id("job_"));
        let run = self.runs().new_id(now);
        let mut new = queued.work.row(owner, id.clone(), run.clone(), now);
        new.parent = queued.parent;
        let noting = once::begins();
        if let Some(noting) = &noting {
            noting.run(&run).await?;
        }
        let submitted = self.book().submit(new).await?;
        if let (Some(noting), Submitted::Full | Submitted::Busy(_)) = (noting, &submitted) {
            noting.undo();
        }
        match submitted {
            Submitted::Queued(row) => {
                self.tell();
                Ok(*row)
            }
            Submitted::Full => {
                let message = format!("{MOST_QUEUED} jobs are queued already");
                let wait = std::time::Duration::from_secs(10);
                Err(Fault::new(Why::Busy, message).retry_after(wait))
            }
            Submitted::Busy(state) => {
                let message =
                    format!("the job `{id}` cannot be refined: its state is {}", state.name());
                Err(Fault::new(Why::Conflict, message))
            }
        }
    }

    /// The input of a job, as it may be shown.
    pub fn input(&self, row: &JobRow) -> Result<Value, Fault> {
        let NewWork { kind, name, mut args, .. } = NewWork::of(row)?;
        if kind == JobKind::Tool {
            mask(&name, &mut args, self.0.engine.registry());
        }
        Ok(object_of(args))
    }
}

fn answer(value: Value) -> Answer {
    Answer {
        value,
        run: None,
        usage: Usage::default(),
        output_tokens: 0,
        took: std::time::Duration::ZERO,
        steps: Vec::new(),
        quality: None,
    }
}

/// The fault of a service without jobs.
pub(crate) fn none() -> Fault {
    Fault::new(Why::Op(ErrorKind::Unsupported), "no jobs are kept here")
        .help("start `svc serve`, with a store of runs")
}
