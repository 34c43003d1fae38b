//! Failing deliberately, and waiting.

use std::time::Duration;

use svc_contract::{
    registry::Cx,
    registry::{
        Bias, Component, ErrorKind, Example, Inline, Io, Limits, Op, OpError, Scheme, Takes, Var,
        choices, inline, io, params,
    },
    value::{Text, Value},
};

pub(super) const COMPONENT: Component = Component {
    name: "control",
    cluster: "core-infrastructure",
    summary: "Fails deliberately, and waits.",
    version: 1,
    bias: Bias::new(
        "fails and waits as the script says",
        &["the script names the right kind of error", "the host's clock measures delays"],
    ),
    aliases: &[("fail", "fail"), ("wait", "wait")],
    ops: &[inline::<Fail>(), io::<Wait>()],
};

choices! {
    /// The kinds of error that a script can raise.
    enum Kind {
        InvalidInput = "invalid_input",
        NotFound = "not_found",
        Unsupported = "unsupported",
        Denied = "denied",
        Timeout = "timeout",
        RateLimit = "rate_limit",
        Unavailable = "unavailable",
        InvalidOutput = "invalid_output",
        Budget = "budget",
        Exhausted = "exhausted",
        Failed = "failed",
    }
}

impl From<Kind> for ErrorKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::InvalidInput => Self::InvalidInput,
            Kind::NotFound => Self::NotFound,
            Kind::Unsupported => Self::Unsupported,
            Kind::Denied => Self::Denied,
            Kind::Timeout => Self::Timeout,
            Kind::RateLimit => Self::RateLimit,
            Kind::Unavailable => Self::Unavailable,
            Kind::InvalidOutput => Self::InvalidOutput,
            Kind::Budget => Self::Budget,
            Kind::Exhausted => Self::Exhausted,
            Kind::Failed => Self::Failed,
        }
    }
}

params! {
    /// Fails with the given message.
    ///
    /// It returns no value, so it can be in an arm of any type. `?` branches, `each?` and
    /// `fallback` catch it like any failure of that kind.
    struct Fail {
        /// The reason, for the person who runs the script.
        message: Text,
        /// The kind of error to raise.
        kind: Kind = Kind::Failed,
    }
}

impl Op for Fail {
    const NAME: &'static str = "fail";
    const YIELDS: Scheme = Scheme::Never;
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::InvalidInput,
        ErrorKind::NotFound,
        ErrorKind::Unsupported,
        ErrorKind::Denied,
        ErrorKind::Timeout,
        ErrorKind::RateLimit,
        ErrorKind::Unavailable,
        ErrorKind::InvalidOutput,
        // Of the engine otherwise: a mock fails like a call that a cap cannot fund.
        ErrorKind::Budget,
        ErrorKind::Exhausted,
        ErrorKind::Failed,
    ];
    const SAYS: &'static [&'static str] = &[
        "stop with an error",
        "raise an exception",
        "abort when something is wrong",
        "refuse bad input",
        "throw an error",
        "end the script if a condition does not hold",
        "error out on purpose",
        "bail out with a custom message",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "An arm that must not be taken",
            r#"if 1 < 2 { "fine" } else { fail("the numbers are broken") }"#,
            r#""fine""#,
        ),
        Example::ok(
            "Caught",
            r#""gone" >> fail(kind: "not_found") fallback "later""#,
            r#""later""#,
        ),
        Example::err("Without a fallback", r#"fail("no luck today")"#, "no luck today"),
    ];
}

impl Inline for Fail {
    fn run(self) -> Result<Value, OpError> {
        Err(OpError::new(self.kind.into(), &*self.message))
    }
}

params! {
    /// Returns its input after a delay.
    ///
    /// The wait ends early if the run is cancelled or a `timeout` around it expires; it has no
    /// timeout itself.
    struct Wait {
        /// The value to pass on.
        value: Var<'T'>,
        /// How long to wait.
        duration: Duration,
    }
}

impl Op for Wait {
    const NAME: &'static str = "wait";
    const YIELDS: Scheme = Scheme::Var('T');
    const LIMITS: Limits = Limits::UNTIMED;
    const TAKES: Takes = Takes::Arg("duration");
    const SAYS: &'static [&'static str] = &[
        "wait for a while",
        "pause for ten seconds",
        "sleep between requests",
        "delay the next step",
        "slow down the calls",
        "idle for some seconds",
        "do nothing for some minutes",
        "take a break of some secs",
    ];
    const EXAMPLES: &'static [Example] =
        &[Example::ok("A moment", r#""x" >> wait(duration: 1ms)"#, r#""x""#)];
}

impl Io for Wait {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let waited = cx.cancel.run_until_cancelled(cx.host().sleep(self.duration)).await;
        waited.map(|()| self.value.0).ok_or_else(OpError::cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{World, fails},
        *,
    };

    #[test]
    fn every_kind_can_be_raised() {
        assert_eq!(fails::<Fail>(r#"["why"]"#).kind, ErrorKind::Failed);
        for kind in Fail::ERRORS {
            let err = fails::<Fail>(&format!(r#"["why", "{kind}"]"#));
            assert_eq!((err.kind, err.message.as_str()), (*kind, "why"));
        }
        // These kinds belong to the engine.
        for kind in ["bug", "cancelled", "other"] {
            let err = fails::<Fail>(&format!(r#"["why", "{kind}"]"#));
            assert!(err.message.contains("for `kind`, found"), "{err}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn waiting_takes_its_time() {
        let started = tokio::time::Instant::now();
        let wait = Wait { value: Var("x".into()), duration: Duration::from_mins(5) };
        let value = wait.run(&World::default().cx()).await.unwrap();
        assert_eq!((value, started.elapsed()), ("x".into(), Duration::from_mins(5)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_wait_ends() {
        let world = World::default();
        world.cancel.cancel();
        let wait = Wait { value: Var(Value::Null), duration: Duration::MAX };
        assert_eq!(wait.run(&world.cx()).await.unwrap_err().kind, ErrorKind::Cancelled);
    }
}
