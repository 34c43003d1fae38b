//! Questions that a server keeps: they are listed and answered by someone else than the caller of
//! the run.

use svc_contract::{
    registry::{
        Approval, Approvals, Compute, Cx, Effect, ErrorKind, Example, Field as _, Op, OpError,
        Reply, Scheme, Scope, Tool, params, record,
    },
    value::{Text, Value},
};

const READS: &[Effect] = &[Effect::Reads(Scope::Named("approvals"))];
const WRITES: &[Effect] = &[Effect::Writes { scope: Scope::Named("approvals"), idempotent: true }];

const ERRORS: &[ErrorKind] =
    &[ErrorKind::NotFound, ErrorKind::Unsupported, ErrorKind::Failed, ErrorKind::InvalidInput];

/// Outside of a server.
const NONE: &str = "no `svc_contract::registry::approvals::Approvals` is available";

record! {
    /// Some questions.
    struct ApprovalsView {
        /// The questions, the latest first.
        approvals: Vec<Approval>,
    }
}

params! {
    /// Lists the questions that runs ask of persons, the latest first.
    pub(super) struct List {
        /// Only questions in this state: `open`, `approved`, `rejected` or `expired`.
        state: Option<Text> = Some("open".into()),
        /// The maximum number of questions.
        #[range(1..=500)]
        limit: i64 = 50,
    }
}

impl Op for List {
    const NAME: &'static str = "list";
    const YIELDS: Scheme = ApprovalsView::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["which runs wait for me", "list open questions", "what has to be approved"];
    const TOOL: Option<Tool> = Some(Tool::researcher("approval_list"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] =
        &[Example::err("Outside of a server", "approval.list()", NONE)];
}

impl Compute for List {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let limit = u32::try_from(self.limit).unwrap_or(50);
        let approvals = cx.lent::<Approvals>()?.list(self.state.as_deref(), limit)?;
        Ok(ApprovalsView { approvals }.encode())
    }
}

params! {
    /// Returns a question of a run, with its answer if there is one.
    pub(super) struct Get {
        /// The question.
        id: Text,
    }
}

impl Op for Get {
    const NAME: &'static str = "get";
    const YIELDS: Scheme = Approval::SCHEME;
    const EFFECTS: &'static [Effect] = READS;
    const SAYS: &'static [&'static str] =
        &["look at an approval", "was it approved", "details of a question of a run"];
    const TOOL: Option<Tool> = Some(Tool::researcher("approval_get"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] =
        &[Example::err("Outside of a server", r#"approval.get("apr_1")"#, NONE)];
}

impl Compute for Get {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        Ok(cx.lent::<Approvals>()?.get(&self.id)?.encode())
    }
}

params! {
    /// Answers a question of a run with yes: the run goes on.
    ///
    /// The first answer decides. A question that is not open any more is an error.
    pub(super) struct Accept {
        /// The question.
        id: Text,
        /// What the run and others may read.
        comment: Option<Text> = None,
    }
}

impl Op for Accept {
    const NAME: &'static str = "accept";
    const YIELDS: Scheme = Approval::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["approve a waiting run", "say yes to a question of a run", "release a draft that waits"];
    const TOOL: Option<Tool> = Some(Tool::researcher("approval_approve"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] =
        &[Example::err("Outside of a server", r#"approval.accept("apr_1")"#, NONE)];
}

impl Compute for Accept {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let comment = self.comment.map(|it| it.to_string());
        answered(cx, Reply { id: self.id.to_string(), is_yes: true, comment })
    }
}

params! {
    /// Answers a question of a run with no: the call that asks fails with `denied`.
    ///
    /// The first answer decides. A question that is not open any more is an error.
    pub(super) struct Reject {
        /// The question.
        id: Text,
        /// Why.
        reason: Text,
    }
}

impl Op for Reject {
    const NAME: &'static str = "reject";
    const YIELDS: Scheme = Approval::SCHEME;
    const EFFECTS: &'static [Effect] = WRITES;
    const SAYS: &'static [&'static str] =
        &["reject a waiting run", "say no to a question of a run", "refuse an approval"];
    const TOOL: Option<Tool> = Some(Tool::researcher("approval_reject"));
    const ERRORS: &'static [ErrorKind] = ERRORS;
    const EXAMPLES: &'static [Example] = &[Example::err(
        "Outside of a server",
        r#"approval.reject("apr_1", reason: "too long")"#,
        NONE,
    )];
}

impl Compute for Reject {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let comment = Some(self.reason.to_string());
        answered(cx, Reply { id: self.id.to_string(), is_yes: false, comment })
    }
}

fn answered(cx: &Cx, reply: Reply) -> Result<Value, OpError> {
    Ok(cx.lent::<Approvals>()?.answer(reply)?.encode())
}
