//! `svc jobs schedule`: jobs that are queued again and again.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use svc_api::jobs::schedule_row;
use svc_contract::value::json;
use svc_service::{Args as CallArgs, Service, decode, jobs::Jobs};

use super::{
    Session,
    call::failure,
    data_folder::JobsArgs,
    exit::{Failure, OK, Result, USAGE},
    jobs::service,
    run::{print_list, print_rows, reader},
    show,
};

/// List what is queued at which times, or add or remove some.
///
/// A server queues the job when the time has come. Times that were missed while no server ran count
/// once, and a time is skipped while the job before it has not ended.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
pub(super) struct Schedule {
    #[command(flatten)]
    keeping: JobsArgs,
    #[command(subcommand)]
    task: Option<Task>,
}

const EXAMPLES: &str = r#"Examples:
  svc jobs schedule
  svc jobs schedule add "0 6 * * 1-5" report --folder scripts --input '{"most": 3}'
  svc jobs schedule remove sch_01k3x5v7m2q9r8s6t4w1y0z2a3"#;

#[derive(Subcommand)]
enum Task {
    Add(Add),
    Remove(Remove),
}

/// Queue a tool or a script at the times of a cron pattern.
#[derive(Args)]
struct Add {
    /// Minute, hour, day, month and weekday in UTC: `0 6 * * 1-5`; with seconds before them if there
    /// are six.
    #[arg(value_name = "TIMES")]
    times: String,
    /// The tool, or the script of the folder.
    #[arg(value_name = "JOB")]
    job: String,
    /// The input as a JSON object.
    #[arg(long, value_name = "JSON", default_value = "{}")]
    input: String,
    /// The folder that the server serves.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    keeping: JobsArgs,
}

/// Remove a schedule. Jobs that it has queued stay.
#[derive(Args)]
struct Remove {
    /// The schedule.
    #[arg(value_name = "SCHEDULE")]
    schedule: String,
    #[command(flatten)]
    keeping: JobsArgs,
}

impl Schedule {
    pub(super) async fn execute(self, session: &Session) -> Result<u8> {
        match self.task {
            None => {
                let service = service(session, &self.keeping, None)?;
                let schedules = jobs(&service)?.schedules(service.owner());
                let schedules = schedules.map_err(|it| failure(&it))?;
                print_rows(schedules.iter().map(schedule_row), session)?;
            }
            Some(Task::Add(it)) => it.execute(session).await?,
            Some(Task::Remove(it)) => {
                let service = service(session, &it.keeping, None)?;
                let removed = jobs(&service)?.unschedule(service.owner(), &it.schedule).await;
                removed.map_err(|it| failure(&it))?;
                session.terminal.note(&format!("removed {}", it.schedule));
            }
        }
        Ok(OK)
    }
}

impl Add {
    async fn execute(self, session: &Session) -> Result<()> {
        let input = json::read(&self.input)
            .map_err(|err| Failure::new(USAGE, format!("`--input` is not valid JSON: {err}")))?;
        let input: CallArgs = decode::object(input, "--input").map_err(|it| failure(&it))?;
        let service = service(session, &self.keeping, self.folder)?;
        let work = Jobs::work_of(&service, &self.job, input).map_err(|it| failure(&it))?;
        let jobs = jobs(&service)?;
        let added = jobs.schedule(&service, service.owner(), &self.times, work).await;
        let added = added.map_err(|it| failure(&it))?;
        print_list(
            &show::show(&vec![schedule_row(&added)].into(), reader(session)),
            reader(session),
        )
    }
}

fn jobs(service: &Service) -> Result<&Jobs> {
    service.jobs().map_err(|it| failure(&it))
}
