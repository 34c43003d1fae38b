//! Approval by a person.

mod kept;

use std::io;

use svc_contract::{
    registry::{
        Bias, Component, Cx, Effect, ErrorKind, Example, Io, Limits, Op, OpError, Scheme, Var,
        compute, io, params,
    },
    value::{Text, Value, json},
};

pub(super) const COMPONENT: Component = Component {
    name: "approval",
    cluster: "core-infrastructure",
    summary: "Asks a person for approval.",
    version: 1,
    bias: Bias::new(
        "one question to one person",
        &["only `y` and `yes` mean yes", "an answer may take any time"],
    ),
    aliases: &[("approve", "approve")],
    ops: &[
        io::<Approve>(),
        compute::<kept::List>(),
        compute::<kept::Get>(),
        compute::<kept::Accept>(),
        compute::<kept::Reject>(),
    ],
};

params! {
    /// Shows a value to a person and asks whether it may pass.
    ///
    /// If the answer is yes, the value passes unchanged. If not, the result is an error of
    /// kind `denied`, which `fallback` can catch. The question appears on the terminal, with a
    /// string as it is and any other value as JSON; only `y` and `yes` mean yes. Several questions
    /// are asked one after another. The op waits without a limit, unless it is inside a `timeout`.
    /// Without a terminal, or a host program that answers, it is an error of kind `unsupported`.
    /// On a server, the run waits without a process, for up to 72 hours: `approval_list` shows the
    /// question, and after that time without an answer the call fails.
    struct Approve {
        /// The value that needs approval.
        value: Var<'T'>,
        /// The question, for example `"Post this?"`.
        question: Text,
    }
}

impl Op for Approve {
    const NAME: &'static str = "approve";
    const YIELDS: Scheme = Scheme::Var('T');
    const EFFECTS: &'static [Effect] = &[Effect::Asks];
    // No question is asked twice.
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::UNTIMED };
    const ERRORS: &'static [ErrorKind] =
        &[ErrorKind::Unsupported, ErrorKind::Denied, ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "ask me before sending",
        "let a person confirm",
        "a yes or no from a human",
        "get permission first",
        "manual review of a draft before posting",
        "let a supervisor decide",
        "human in the loop before continuing",
        "someone has to say yes first",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A fallback without approval",
            r#""a draft" >> (approve(question: "Post this?") >> "posted: ${it}") fallback "kept: ${it}""#,
            r#""kept: a draft""#,
        ),
        Example::err(
            "No terminal",
            r#""a draft" >> approve(question: "Post this?")"#,
            "cannot ask for approval",
        ),
    ];
}

impl Io for Approve {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let details = match &self.value.0 {
            Value::Text(text) => text.to_string(),
            other => json::write_pretty(other),
        };
        let asked = cx.ask(&self.question, &details);
        match cx.cancel.run_until_cancelled(asked).await {
            None => Err(OpError::cancelled()),
            Some(Ok(true)) => Ok(self.value.0),
            Some(Ok(false)) => Err(denied(&self.question)),
            Some(Err(err)) => Err(unasked(err)),
        }
    }
}

fn denied(question: &str) -> OpError {
    OpError::new(ErrorKind::Denied, format!("the answer to {question:?} was no"))
}

fn unasked(err: io::Error) -> OpError {
    let message = format!("cannot ask for approval: {err}");
    match err.kind() {
        io::ErrorKind::Unsupported => OpError::new(ErrorKind::Unsupported, message)
            .help("run it on a terminal, or add a `fallback` for runs without an answer"),
        _ => OpError::failed(message).because(err),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::World, *};
    use svc_host_os::test::TestHost;

    async fn approve(world: &World, value: Value) -> Result<Value, OpError> {
        Approve { value: Var(value), question: "Send?".into() }.run(&world.cx()).await
    }

    #[tokio::test]
    async fn a_yes_lets_the_value_through_and_a_no_does_not() {
        let world = World::new(TestHost::new().approving([true, false]));
        assert_eq!(approve(&world, "a draft".into()).await.unwrap(), "a draft".into());
        let no = approve(&world, vec![1].into()).await.unwrap_err();
        assert_eq!(no.kind, ErrorKind::Denied);
        assert_eq!(no.message, r#"the answer to "Send?" was no"#);
        assert_eq!(world.host.asked(), ["a draft\nSend?", "[\n  1\n]\nSend?"]);
        let error = approve(&world, Value::Null).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.help.unwrap().contains("terminal"));
    }

    #[tokio::test]
    async fn a_cancelled_question_ends() {
        let world = World::default();
        world.cancel.cancel();
        assert_eq!(approve(&world, "x".into()).await.unwrap_err().kind, ErrorKind::Cancelled);
    }
}
