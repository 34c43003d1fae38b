//! The questions of an owner, as its components and its endpoints see them.

use svc_contract::registry::{Approval, KeepsApprovals, OpError, Reply};
use svc_store::book::{Answered, ApprovalEvent, ApprovalRow, ApprovalState};

use super::Jobs;
use crate::{Fault, Why, components::time};

/// The most questions of a list.
const MOST: u32 = 500;

/// The questions of one owner.
pub(crate) struct OfOwner {
    pub(crate) jobs: Jobs,
    pub(crate) owner: String,
}

impl Jobs {
    /// The questions of an owner in a state, or all of them, the latest first.
    pub fn approvals(
        &self,
        owner: &str,
        state: Option<ApprovalState>,
        limit: u32,
    ) -> Result<Vec<Approval>, Fault> {
        let rows = self.book().approvals(owner, state, limit.min(MOST))?;
        rows.iter().map(|it| self.view(it)).collect()
    }

    pub fn approval(&self, owner: &str, id: &str) -> Result<Approval, Fault> {
        let found = self.book().approval(owner, id)?;
        self.view(&found.ok_or_else(|| unknown(id))?)
    }

    /// Answers a question. The first answer decides.
    pub fn answer(&self, owner: &str, reply: Reply) -> Result<Approval, Fault> {
        let event = if reply.is_yes { ApprovalEvent::Approved } else { ApprovalEvent::Rejected };
        let Reply { id, comment, .. } = reply;
        let now = self.now();
        let answered = self.book().answer(owner.to_owned(), id.clone(), event, comment, now);
        let answered = answered.wait()?;
        self.tell();
        match answered {
            Answered::Done(row) => self.view(&row),
            Answered::Unknown => Err(unknown(&id)),
            Answered::TooLate(row) => {
                let state = row.state.name();
                let message = format!("the approval `{id}` is not open any more: it is {state}");
                Err(Fault::new(Why::Conflict, message))
            }
        }
    }

    fn view(&self, row: &ApprovalRow) -> Result<Approval, Fault> {
        let job = self.book().job_at(row.job)?;
        Ok(Approval {
            id: row.id.clone(),
            run_id: row.run.to_string(),
            job_id: job.map(|it| it.id).unwrap_or_default(),
            path: row.path.clone(),
            question: row.question.clone(),
            details: row.details.clone(),
            state: row.state.name().to_owned(),
            asked_at: time(row.asked),
            expires_at: time(row.expires),
            answered_at: row.answered.map(time),
            comment: row.comment.clone(),
        })
    }
}

fn unknown(id: &str) -> Fault {
    Fault::not_found(format!("unknown approval `{id}`")).help("`approval_list` lists them")
}

impl KeepsApprovals for OfOwner {
    fn list(&self, state: Option<&str>, limit: u32) -> Result<Vec<Approval>, OpError> {
        let state = state.map(parsed).transpose()?;
        Ok(self.jobs.approvals(&self.owner, state, limit)?)
    }

    fn get(&self, id: &str) -> Result<Approval, OpError> {
        Ok(self.jobs.approval(&self.owner, id)?)
    }

    fn answer(&self, reply: Reply) -> Result<Approval, OpError> {
        Ok(self.jobs.answer(&self.owner, reply)?)
    }
}

/// The state with this name.
fn parsed(name: &str) -> Result<ApprovalState, Fault> {
    ApprovalState::parse(name).ok_or_else(|| {
        let names = ApprovalState::ALL.map(ApprovalState::name).join(", ");
        Fault::field("state", format!("expected one of {names}, found `{name}`"))
    })
}
