//! The questions of a job to a person, and their answers.

use svc_contract::{registry::Reply, value::Value};
use svc_service::{Fault, jobs::JobRow};

use crate::rest::{Rest, blocking, object};

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub id: String,
    pub text: String,
    pub details: String,
}

/// The open questions of a job.
pub fn questions(rest: &Rest, job: &JobRow) -> Result<Vec<Question>, Fault> {
    let rows = rest.service.jobs()?.questions(job)?.into_iter();
    Ok(rows.map(|it| Question { id: it.id, text: it.question, details: it.details }).collect())
}

/// Answers a question, if the caller may: the same rights as those of the tools that do it.
pub async fn answer(
    rest: &Rest,
    id: &str,
    is_yes: bool,
    comment: Option<String>,
) -> Result<(), Fault> {
    rest.service.entitled(if is_yes { "approval_approve" } else { "approval_reject" }, id)?;
    let reply = Reply { id: id.to_owned(), is_yes, comment };
    let answered =
        blocking(rest, move |rest| rest.service.jobs()?.answer(rest.service.owner(), reply));
    answered.await?.map(drop)
}

/// The JSON Schema of the form for an answer.
pub fn answer_schema() -> Value {
    let approve = object([
        ("type", "boolean".into()),
        ("title", "Approve".into()),
        ("description", "Whether the answer is yes.".into()),
    ]);
    let comment = object([
        ("type", "string".into()),
        ("title", "Comment".into()),
        ("description", "What you want to add.".into()),
    ]);
    object([
        ("type", "object".into()),
        ("properties", object([("approve", approve), ("comment", comment)])),
        ("required", vec![Value::from("approve")].into()),
    ])
}
