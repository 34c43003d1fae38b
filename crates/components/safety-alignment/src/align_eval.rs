//! Evaluates a flow: compares its results for known cases with the expected ones.

use futures_util::{StreamExt as _, stream};
use svc_contract::{
    registry::{
        Bias, Component, Cx, ErrorKind, Example, Field, Flow, Io, Op, OpError, Scheme, Var, io,
        params, record,
    },
    value::{Text, Value},
};

pub(crate) const COMPONENT: Component = Component {
    name: "align_eval",
    cluster: "safety-alignment",
    summary: "Evaluates how well a flow does on cases with known answers.",
    version: 1,
    bias: Bias::new(
        "equality with the expected result",
        &[
            "a case has one right result",
            "cases do not depend on each other",
            "a failed call is a wrong result",
        ],
    ),
    aliases: &[("evaluate", "infer")],
    ops: &[io::<Evaluate>()],
};

/// The number of cases that run at the same time.
const AT_ONCE: usize = 8;

record! {
    /// A case: an input and the expected result.
    struct Case {
        /// The input of the flow.
        input: Var<'A'>,
        /// The expected result.
        expected: Var<'B'>,
    }
}

record! {
    /// The outcome of a case.
    struct Verdict {
        /// The input of the flow.
        input: Var<'A'>,
        /// The expected result.
        expected: Var<'B'>,
        /// The actual result; null if the flow failed.
        got: Option<Var<'B'>>,
        /// Whether the actual result equals the expected one.
        passed: bool,
        /// Why the flow failed, if it did.
        error: Option<Text>,
    }
}

record! {
    /// The evaluation of a flow.
    struct Evaluation {
        /// The fraction of cases that passed, from 0 to 1; 1 without cases.
        score: f64,
        /// The number of cases that passed.
        passed: i64,
        /// The number of cases that did not pass.
        failed: i64,
        /// The outcome of each case, in the order of the cases.
        results: Vec<Verdict>,
    }
}

params! {
    /// Runs a flow on cases with known answers, and compares the results.
    ///
    /// The flow is called once per case, up to eight at the same time. A case whose call fails does
    /// not pass; it does not end the evaluation. Results are compared with `==`.
    struct Evaluate {
        /// The cases: `{ input: .., expected: .. }`.
        cases: Vec<Case>,
        /// The flow or component, by name. It is called once per case.
        flow: Flow<Var<'A'>, Var<'B'>>,
    }
}

impl Op for Evaluate {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Evaluation::SCHEME;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Budget, ErrorKind::Timeout];
    const SAYS: &'static [&'static str] = &[
        "test a flow on known cases",
        "measure accuracy against expected answers",
        "how often is the result right",
        "score a prompt on examples",
        "benchmark a pipeline",
        "compare actual with expected output",
        "grade predictions against labelled data",
        "evaluation set with right and wrong answers",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A component on two cases",
            r#"[{ input: "a", expected: "A" }, { input: "b", expected: "b" }] >> evaluate(flow: upper) >> { score: .score, passed: .passed }"#,
            r#"{"score":0.5,"passed":1}"#,
        ),
        Example::ok(
            "A failed call does not pass",
            r#"[{ input: "1", expected: 1 }, { input: "x", expected: 0 }] >> evaluate(flow: to_int) >> .failed"#,
            "1",
        ),
    ];
}

impl Io for Evaluate {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let total = self.cases.len() as u64;
        let flow = &self.flow;
        let tried = stream::iter(self.cases).map(|case| judged(case, flow));
        let mut tried = tried.buffered(AT_ONCE);
        let mut results = Vec::new();
        while let Some(verdict) = tried.next().await {
            results.push(verdict);
            cx.progress("cases", results.len() as u64, Some(total));
        }
        Ok(summed_up(results).encode())
    }
}

async fn judged(case: Case, flow: &Flow<Var<'A'>, Var<'B'>>) -> Verdict {
    let Case { input, expected } = case;
    let (got, error) = match flow.call(input.clone()).await {
        Ok(value) => (Some(value.0), None),
        Err(err) => (None, Some(Text::from(err.message))),
    };
    let passed = got.as_ref() == Some(&expected.0);
    Verdict { input, expected, got: got.map(Var), passed, error }
}

#[expect(clippy::cast_precision_loss, reason = "counts of cases are small")]
fn summed_up(results: Vec<Verdict>) -> Evaluation {
    let passed = results.iter().filter(|it| it.passed).count();
    let failed = results.len() - passed;
    let score = if results.is_empty() { 1.0 } else { passed as f64 / results.len() as f64 };
    let count = |it| i64::try_from(it).unwrap_or(i64::MAX);
    Evaluation { score, passed: count(passed), failed: count(failed), results }
}
