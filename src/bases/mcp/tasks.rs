//! Jobs as the tasks of the protocol. They are in the book of the service, so they survive it.

use rmcp::{
    ErrorData,
    model::{
        DetailedTask, GetTaskResult, InputResponses, JsonObject, Task, TaskPayload, TaskStatus,
    },
};
use svc_api::{
    mcp::{JobNow, job_now},
    rest::Rest,
};
use svc_service::{Fault, jobs::JobState};

use super::{convert, following, refusal};

/// How often a client should ask.
const POLL_MS: u64 = 1000;

/// A job as it is now.
pub(super) async fn now(rest: &Rest, id: &str) -> Result<JobNow, Fault> {
    let (own, id) = (rest.clone(), id.to_owned());
    let looked = tokio::task::spawn_blocking(move || job_now(&own, &id)).await;
    looked.unwrap_or_else(|err| Err(Fault::not_found(err.to_string())))
}

/// A job as a task.
pub(super) fn task(now: &JobNow) -> Task {
    let status = match now.state {
        JobState::Queued | JobState::Running => TaskStatus::Working,
        JobState::Waiting => TaskStatus::InputRequired,
        JobState::Cancelled => TaskStatus::Cancelled,
        _ => TaskStatus::Completed,
    };
    Task::new(&now.id, status, &now.created, &now.changed)
        .with_status_message(now.state.name())
        .with_poll_interval_ms(POLL_MS)
}

pub(super) async fn get(rest: &Rest, id: &str) -> Result<GetTaskResult, ErrorData> {
    let now = now(rest, id).await.map_err(|_| unknown(id))?;
    let task = task(&now);
    let payload = match (now.state, now.output) {
        (JobState::Cancelled, _) => TaskPayload::Cancelled,
        (_, Some(output)) => {
            let result = serde_json::to_value(convert::result(output)).unwrap_or_default();
            let result = result.as_object().cloned().unwrap_or_else(JsonObject::new);
            TaskPayload::Completed { result }
        }
        (JobState::Waiting, None) => {
            TaskPayload::InputRequired { input_requests: following::inputs(&now.questions) }
        }
        _ => TaskPayload::Working,
    };
    Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
}

/// Answers the questions of a task.
pub(super) async fn update(rest: &Rest, id: &str, given: InputResponses) -> Result<(), ErrorData> {
    let now = now(rest, id).await.map_err(|_| unknown(id))?;
    following::answers(rest, &now, &given).await.map_err(|it| refusal::error(&it))
}

/// Cancels a task. One that has ended stays as it is.
pub(super) async fn cancel(rest: &Rest, id: &str) -> Result<(), ErrorData> {
    let now = now(rest, id).await.map_err(|_| unknown(id))?;
    if now.output.is_some() {
        return Ok(());
    }
    let jobs = rest.service.jobs().map_err(|it| refusal::error(&it))?;
    jobs.cancel(rest.service.owner(), id).await.map(drop).map_err(|it| refusal::error(&it))
}

fn unknown(id: &str) -> ErrorData {
    ErrorData::invalid_params(format!("unknown task `{id}`"), None)
}
