//! How well a flow does: what it gives for known cases, beside what it should give.

use futures_util::{StreamExt as _, stream};
use svc_contract::{
    registry::{
        Callee, Component, Cx, ErrorKind, Example, Field, Io, Op, OpError, Scheme, Var, io, params,
        record,
    },
    value::{Text, Value},
};

pub(crate) const COMPONENT: Component = Component {
    name: "align_eval",
    cluster: "safety-alignment",
    summary: "Tells how well a flow does on cases whose answers are known.",
    version: 1,
    aliases: &[("evaluate", "infer")],
    ops: &[io::<Evaluate>()],
};

/// How many cases are tried at the same time.
const AT_ONCE: usize = 8;

record! {
    /// One case: what goes in, and what should come out.
    struct Case {
        /// What the flow is given.
        input: Var<'A'>,
        /// What it should give.
        expected: Var<'B'>,
    }
}

record! {
    /// What became of one case.
    struct Verdict {
        /// What the flow was given.
        input: Var<'A'>,
        /// What it should have given.
        expected: Var<'B'>,
        /// What it gave; null where it failed.
        got: Option<Var<'B'>>,
        /// Whether that is what was expected.
        passed: bool,
        /// Why it failed, where it did.
        error: Option<Text>,
    }
}

record! {
    /// How well a flow did.
    struct Evaluation {
        /// The share of cases that passed, from 0 to 1; 1 where there are none.
        score: f64,
        /// How many cases passed.
        passed: i64,
        /// How many did not.
        failed: i64,
        /// What became of each case, in their order.
        results: Vec<Verdict>,
    }
}

params! {
    /// Runs a flow on cases whose answers are known, and compares.
    ///
    /// The flow is called once for each case, up to eight at the same time. A call that
    /// fails is a case that does not pass; it does not end the evaluation. Results are
    /// compared as `==` compares them.
    struct Evaluate {
        /// The cases: `{ input: .., expected: .. }`.
        cases: Vec<Case>,
        /// The flow or component, by its name. It is called once a case.
        flow: Callee<'A', 'B'>,
    }
}

impl Op for Evaluate {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Evaluation::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Budget, ErrorKind::Timeout];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A component on two cases",
            r#"[{ input: "a", expected: "A" }, { input: "b", expected: "b" }] >> evaluate(flow: upper) >> { score: .score, passed: .passed }"#,
            r#"{"score":0.5,"passed":1}"#,
        ),
        Example::ok(
            "A call that fails does not pass",
            r#"[{ input: "1", expected: 1 }, { input: "x", expected: 0 }] >> evaluate(flow: to_int) >> .failed"#,
            "1",
        ),
    ];
}

impl Io for Evaluate {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let total = self.cases.len() as u64;
        let flow = &self.flow;
        let tried =
            stream::iter(self.cases).map(|case| async move { judged(case, flow, cx).await });
        let mut tried = tried.buffered(AT_ONCE);
        let mut results = Vec::new();
        while let Some(verdict) = tried.next().await {
            results.push(verdict);
            cx.progress("cases", results.len() as u64, Some(total));
        }
        Ok(summed_up(results).encode())
    }
}

async fn judged(case: Case, flow: &Callee<'A', 'B'>, cx: &Cx) -> Verdict {
    let Case { input, expected } = case;
    let (got, error) = match cx.call(flow, input.0.clone()).await {
        Ok(value) => (Some(value), None),
        Err(err) => (None, Some(Text::from(err.message))),
    };
    let passed = got.as_ref() == Some(&expected.0);
    Verdict { input, expected, got: got.map(Var), passed, error }
}

#[expect(clippy::cast_precision_loss, reason = "nobody has so many cases")]
fn summed_up(results: Vec<Verdict>) -> Evaluation {
    let passed = results.iter().filter(|it| it.passed).count();
    let failed = results.len() - passed;
    let score = if results.is_empty() { 1.0 } else { passed as f64 / results.len() as f64 };
    let count = |it| i64::try_from(it).unwrap_or(i64::MAX);
    Evaluation { score, passed: count(passed), failed: count(failed), results }
}
