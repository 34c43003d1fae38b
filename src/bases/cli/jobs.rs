//! `svc jobs`: the jobs of a server on this machine.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use svc_contract::value::Value;
use svc_service::{Args as CallArgs, Bounds, Call, Options, Service, Work};

use super::{
    Session,
    call::failure,
    data_folder::{self, JobsArgs},
    exit::{OK, Result},
    run::{print_list, print_value, reader},
    schedule::Schedule,
    show,
};

/// List, show, cancel or schedule the jobs of `svc serve`.
///
/// The same calls as those of the tools `job_workbench_list`, `job_workbench_open` and
/// `job_workbench_cancel`.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(super) struct Jobs {
    /// Only jobs in this state: queued, running, waiting, ok, failed, cancelled, stuck or archived.
    #[arg(long, value_name = "STATE")]
    state: Option<String>,
    /// The maximum number of jobs.
    #[arg(long, default_value_t = 20, value_name = "N")]
    #[arg(value_parser = clap::value_parser!(i64).range(1..=500))]
    limit: i64,
    #[command(flatten)]
    keeping: JobsArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

const EXAMPLES: &str = r#"Examples:
  svc jobs
  svc jobs --state failed
  svc jobs show job_01k3x5v7m2q9r8s6t4w1y0z2a3
  svc jobs cancel job_01k3x5v7m2q9r8s6t4w1y0z2a3
  svc jobs schedule add "0 6 * * 1-5" report --folder scripts

A server and this command may use the same store at the same time: the server notices within a second
that a job was cancelled."#;

#[derive(Subcommand)]
enum Task {
    Show(Named),
    Cancel(Cancelled),
    Schedule(Schedule),
}

/// Show a job with its inputs, its result and its questions.
#[derive(Args)]
struct Named {
    /// The job.
    #[arg(value_name = "JOB")]
    job: String,
    /// A version; the latest one if it is left out.
    #[arg(long, value_name = "N")]
    version: Option<u32>,
    #[command(flatten)]
    keeping: JobsArgs,
}

/// End a job that has not ended.
#[derive(Args)]
struct Cancelled {
    /// The job.
    #[arg(value_name = "JOB")]
    job: String,
    #[command(flatten)]
    keeping: JobsArgs,
}

impl Jobs {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        let (tool, args, keeping): (_, Vec<(&str, Value)>, _) = match self.task {
            None => {
                let state = self.state.map(|it| ("state", it.into()));
                let args = [("limit", self.limit.into())].into_iter().chain(state);
                ("job_workbench_list", args.collect(), self.keeping)
            }
            Some(Task::Show(it)) => {
                let version = it.version.map(|it| ("version", i64::from(it).into()));
                let args = [("job_id", it.job.into())].into_iter().chain(version);
                ("job_workbench_open", args.collect(), it.keeping)
            }
            Some(Task::Schedule(it)) => return it.execute(session).await,
            Some(Task::Cancel(it)) => {
                ("job_workbench_cancel", vec![("job_id", it.job.into())], it.keeping)
            }
        };
        let value = called(session, &keeping, tool, args).await?;
        let (reader, listed) = (reader(session), value.as_record().and_then(|it| it.get("jobs")));
        match listed {
            Some(jobs) => print_list(&show::show(jobs, reader), reader)?,
            None => print_value(&show::show(&value, reader), reader)?,
        }
        Ok(OK)
    }
}

/// A service over the jobs next to a store, which works on none of them.
pub(super) fn service(
    session: &Session,
    keeping: &JobsArgs,
    folder: Option<PathBuf>,
) -> Result<Service> {
    let (store, jobs) = keeping.opened(session)?;
    let mut options = Options::new(env!("CARGO_PKG_VERSION"));
    (options.jobs, options.folder) = (Some(jobs), folder);
    Service::new(session.engine.clone(), Some(store.shared()), options)
        .map_err(|it| data_folder::wrong(&it))
}

/// The result of a tool over the jobs next to a store.
async fn called(
    session: &Session,
    keeping: &JobsArgs,
    tool: &str,
    args: Vec<(&str, Value)>,
) -> Result<Value> {
    let service = service(session, keeping, None)?;
    let args: CallArgs = args.into_iter().map(|(name, it)| (name.to_owned(), it)).collect();
    let work = Work::Tool { name: tool.to_owned(), args };
    let call = Call { work, bounds: Bounds::default() };
    Ok(service.call(call).await.map_err(|it| failure(&it))?.value)
}
