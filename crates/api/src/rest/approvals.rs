//! Questions of runs to persons, and their answers.

use svc_contract::{
    registry::{Approval, Field as _, Params as _, Reply as Answer, choices, params, record},
    value::{Text, Value},
};
use svc_service::{Fault, jobs::ApprovalState, tools};

use super::{
    Input, Reply, Rest, blocking,
    route::{Access, Answers, Body, Handle, Method, Route},
    with_ok,
};

choices! {
    /// What has become of a question.
    enum State {
        Open = "open",
        Approved = "approved",
        Rejected = "rejected",
        Expired = "expired",
    }
}

impl State {
    fn kept(self) -> ApprovalState {
        match self {
            Self::Open => ApprovalState::Open,
            Self::Approved => ApprovalState::Approved,
            Self::Rejected => ApprovalState::Rejected,
            Self::Expired => ApprovalState::Expired,
        }
    }
}

params! {
    struct Listed {
        /// Only questions in this state.
        state: Option<State> = None,
        /// The maximum number of questions.
        #[range(1..=500)]
        limit: i64 = 50,
    }
}

params! {
    struct Given {
        /// Whether the answer is yes.
        approve: bool,
        /// What the answering person says.
        comment: Option<Text> = None,
    }
}

record! {
    /// The questions of runs.
    struct ApprovalsView {
        /// The questions, the latest first.
        approvals: Vec<Approval>,
    }
}

pub(super) fn routes() -> Vec<Route> {
    let one: fn() -> Value = || tools::output_schema(Approval::SCHEME);
    let base = |path, summary, reply, handle| Route {
        method: Method::Get,
        path,
        tag: "approvals",
        summary,
        access: Access::Key,
        query: &[],
        body: None,
        reply,
        statuses: &[403, 404],
        tool: None,
        answers: Answers::Object,
        handle,
    };
    vec![
        Route {
            query: Listed::PARAMS,
            statuses: &[403],
            ..base(
                "/approvals",
                "The questions of runs to persons, the latest first.",
                || tools::output_schema(ApprovalsView::SCHEME),
                Handle::Blocking(list),
            )
        },
        base("/approvals/{id}", "A question of a run.", one, Handle::Blocking(get)),
        Route {
            method: Method::Post,
            body: Some(Body::Fields(Given::PARAMS)),
            statuses: &[403, 404, 409],
            ..base(
                "/approvals/{id}",
                "Answers a question of a run, which then goes on. The first answer decides.",
                one,
                Handle::Io(|rest, input| Box::pin(answer(rest, input))),
            )
        },
    ]
}

fn list(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    let asked: Listed = input.query()?;
    let state = asked.state.map(State::kept);
    let limit = u32::try_from(asked.limit).unwrap_or(50);
    rest.service.entitled("approval_list", "")?;
    let approvals = rest.service.jobs()?.approvals(rest.service.owner(), state, limit)?;
    Ok(Reply::ok(with_ok(ApprovalsView { approvals }.encode())))
}

fn get(rest: &Rest, input: &Input) -> Result<Reply, Fault> {
    rest.service.entitled("approval_get", input.part(0))?;
    let found = rest.service.jobs()?.approval(rest.service.owner(), input.part(0))?;
    Ok(Reply::ok(with_ok(found.encode())))
}

async fn answer(rest: &Rest, input: Input) -> Result<Reply, Fault> {
    let given: Given = input.read()?;
    let id = input.part(0).to_owned();
    let tool = if given.approve { "approval_approve" } else { "approval_reject" };
    rest.service.entitled(tool, &id)?;
    let comment = given.comment.map(|it| it.to_string());
    let reply = Answer { id, is_yes: given.approve, comment };
    let _ = svc_service::once::begins();
    let answered =
        blocking(rest, move |rest| rest.service.jobs()?.answer(rest.service.owner(), reply));
    Ok(Reply::ok(with_ok(answered.await??.encode())))
}
