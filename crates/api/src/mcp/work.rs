//! Calls by name, and the jobs that they become.

use svc_contract::{
    registry::{ErrorKind, Field as _, nearest},
    value::{Value, json},
};
use svc_service::{
    Args, Bounds, Call, Fault, Why, Work,
    jobs::{JobRow, JobState},
};

use super::{Output, Question, questions};
use crate::rest::Rest;

/// The call of a tool or a served script by its name; `None` if the caller has none of this name.
pub fn call(rest: &Rest, name: &str, args: Args) -> Option<Call> {
    let registry = rest.service.engine().registry();
    let work = if registry.find_tool(name).is_some() {
        Work::Tool { name: name.to_owned(), args }
    } else {
        // One that is not served any more says why.
        let has_folder = rest.service.folder().is_some_and(|it| it.find(name).is_ok());
        if !has_folder || !rest.service.caller().may_run(name) {
            return None;
        }
        Work::Served { name: name.to_owned(), args }
    };
    Some(Call { work, bounds: Bounds::default() })
}

/// Why the caller has no tool or script of this name, and what was meant.
pub fn unknown(rest: &Rest, name: &str) -> String {
    let (caller, registry) = (rest.service.caller(), rest.service.engine().registry());
    // A file that is not served says why to who may run it.
    if let Some(why) = rest.service.folder().and_then(|it| it.why_unserved(name))
        && caller.may_run(name)
    {
        return format!("the script `{name}` is not served: {why}");
    }
    let scripts = rest.service.scripts();
    let tools = registry.tools().map(|(tool, _)| tool.name);
    let tools = tools.filter(|it| caller.may_use(it, registry));
    let names = tools.chain(scripts.iter().map(|it| it.name.as_str()));
    match nearest(name, names) {
        Some(meant) => format!("unknown tool `{name}`; did you mean `{meant}`?"),
        None => format!("unknown tool `{name}`; guide_find_tool finds the tool for a task"),
    }
}

/// A job as its caller sees it now.
#[derive(Clone, Debug)]
pub struct JobNow {
    pub id: String,
    pub run: String,
    /// The tool or the script.
    pub name: String,
    pub state: JobState,
    /// When it was made, and when it last changed, as in RFC 3339.
    pub created: String,
    pub changed: String,
    /// The questions that it waits for.
    pub questions: Vec<Question>,
    /// The result, or why there is none, if it has ended.
    pub output: Option<Output>,
}

/// A job of the caller.
pub fn job_now(rest: &Rest, id: &str) -> Result<JobNow, Fault> {
    let jobs = rest.service.jobs()?;
    let row = jobs.job(rest.service.owner(), id, None)?;
    let questions =
        if row.state == JobState::Waiting { questions(rest, &row)? } else { Vec::new() };
    let output = match row.state {
        JobState::Queued | JobState::Running | JobState::Waiting => None,
        _ => Some(ended(jobs.result(&row)?, &row)),
    };
    let changed = row.ended.or(row.started).unwrap_or(row.created);
    Ok(JobNow {
        id: row.id,
        run: row.run.to_string(),
        name: row.name,
        state: row.state,
        created: shown(row.created),
        changed: shown(changed),
        questions,
        output,
    })
}

fn ended(result: Option<Value>, row: &JobRow) -> Output {
    if let Some(value) = result {
        return Output::of(value);
    }
    let error = row.error.as_deref().and_then(|it| json::read(it).ok());
    let text = |name: &str| {
        let of = error.as_ref()?.as_record()?;
        of.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    let message = text("message").unwrap_or_else(|| format!("the job is {}", row.state.name()));
    let fault = Fault::new(Why::Op(ErrorKind::Failed), message).help_opt(text("help"));
    Output::of_fault(&fault)
}

/// A time in milliseconds since 1970 as in RFC 3339.
fn shown(millis: i64) -> String {
    let since = std::time::Duration::from_millis(millis.unsigned_abs());
    let time = (std::time::UNIX_EPOCH + since).encode();
    json::write(&time).trim_matches('"').to_owned()
}
