//! Minimises what a flow returns, over params in ranges.
//!
//! The methods are in `svc-optimize`; here are the params that are searched ([`space`]), the calls of the flow
//! ([`search`]), and studies whose values come from elsewhere ([`study`]).

#[cfg(feature = "learn")]
mod search;
mod space;
#[cfg(feature = "learn")]
mod study;
#[cfg(all(test, feature = "learn"))]
mod tests;

use std::time::Duration;

#[cfg(feature = "learn")]
use svc_contract::registry::{Compute, Cx, Io, OpError};
use svc_contract::{
    registry::{
        Bias, Cases, Component, ErrorKind, Example, Field, Flow, Limits, Max, Op, Scheme, Takes,
        Tool, choices, needs, params, record,
    },
    value::Value,
};

use space::Ranges;

pub(super) const COMPONENT: Component = Component {
    name: "adapt_optimize",
    cluster: "ml-optimisation",
    summary: "Finds the params for which a flow returns the lowest value, within a number of evaluations.",
    version: 1,
    bias: Bias::new(
        "restarting CMA-ES, TPE for mixed spaces",
        &["nearby points have near values", "equal params have equal values"],
    )
    .judged_by(CASES),
    aliases: &[("minimize", "infer")],
    ops: &[
        needs!("learn", io::<Infer>()),
        needs!("learn", io::<Pareto>()),
        needs!("learn", compute::<Suggest>()),
        needs!("learn", compute::<Tell>()),
    ],
};

/// Functions with a known lowest value of 0, and few evaluations. The score falls with the fourth root of
/// what was found.
const CASES: Cases = Cases::new(include_str!("../../cases/adapt_optimize.jsonl"), &[]);

choices! {
    /// How the params are searched.
    enum Method {
        Auto = "auto",
        Cma = "cma",
        Tpe = "tpe",
        Local = "local",
        Random = "random",
    }
}

record! {
    /// The best params that were found.
    struct Optimum {
        /// The params, each with its value.
        at: Value,
        /// What the objective returned for them.
        value: f64,
        /// The number of evaluations.
        evaluations: i64,
    }
}

/// What is minimised.
struct Objective(Flow<Value, f64>);

impl Field for Objective {
    const SCHEME: Scheme = Scheme::Flow(&Scheme::Json, &Scheme::Float, Max::Arg("evaluations"));

    fn decode(value: Value) -> Option<Self> {
        Flow::decode(value).map(Self)
    }

    fn encode(self) -> Value {
        self.0.encode()
    }
}

/// What is minimised: several values at a time.
struct Objectives(Flow<Value, Vec<f64>>);

impl Field for Objectives {
    const SCHEME: Scheme = Scheme::Flow(
        &Scheme::Json,
        &Scheme::List(&Scheme::Float, Max::Unknown),
        Max::Arg("evaluations"),
    );

    fn decode(value: Value) -> Option<Self> {
        Flow::decode(value).map(Self)
    }

    fn encode(self) -> Value {
        self.0.encode()
    }
}

params! {
    /// Finds the params for which a flow returns the lowest value.
    ///
    /// The space names the params: `{ x: { min: -5.0, max: 5.0 }, steps: { min: 1.0, max: 64.0, int: true }, rate: { min: 0.001, max: 1.0, log: true }, kind:
    /// { choices: ["a", "b"] } }`. The flow receives a value for each, as `json`, and returns a number. To maximise, return its
    /// negative.
    ///
    /// The flow is called at most `evaluations` times, up to eight at a time, and never twice for equal params; a space with fewer points ends
    /// earlier. The first call is for the middle of the space. A call that fails, or returns a number that is not finite, ends the search with
    /// its error; a flow with `fallback` returns a large number instead. Equal seeds and equal values give equal results.
    ///
    /// `auto` is `tpe` for a space with choices, and `cma` otherwise. `cma` is CMA-ES with restarts and a quadratic model (Hansen 2016, 2009, 2019); `tpe` the
    /// tree-structured Parzen estimator (Bergstra et al. 2011); `local` steps around the best point, for few evaluations of many params; `random`
    /// is for comparison. Around 100 evaluations for each param are typical; smooth functions need fewer.
    struct Infer {
        /// The params with their ranges.
        space: Ranges,
        /// The flow or component to minimise. It is called at most `evaluations` times.
        objective: Objective,
        /// The maximum number of calls.
        #[range(1..=100_000)]
        evaluations: i64,
        /// What is drawn follows from it.
        seed: i64 = 1,
        /// How the params are searched.
        method: Method = Method::Auto,
        /// `cma`: the points of a generation; 0 means that it follows from the number of params.
        #[tune]
        #[range(0..=200)]
        popsize: i64 = 0,
        /// `cma` and `local`: the first steps, as a part of each range.
        #[tune]
        #[range(0.05..=1.0)]
        sigma: f64 = 0.3,
        /// `tpe`: the part of the points that counts as good.
        #[tune]
        #[range(0.05..=0.5)]
        gamma: f64 = 0.15,
    }
}

impl Op for Infer {
    const NAME: &'static str = "infer";
    const YIELDS: Scheme = Optimum::SCHEME;
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::UNTIMED };
    // Those of the flow.
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const TAKES: Takes = Takes::Usually(Duration::from_secs(1));
    const TOOL: Option<Tool> = Some(Tool::builder("optimize_blackbox"));
    const SAYS: &'static [&'static str] = &[
        "minimise a function without its derivatives",
        "tune hyperparameters within a budget of trials",
        "black-box optimisation",
        "search for the best settings of a flow",
        "find the params with the lowest cost",
        "bayesian optimisation of knobs",
        "cma-es",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The lowest point of a bowl",
            r"flow cost(at: json) -> float { let p = at as { x: float, y: float }
  (p.x - 1.0) * (p.x - 1.0) + (p.y + 2.0) * (p.y + 2.0) }
{ x: { min: -5.0, max: 5.0 }, y: { min: -5.0, max: 5.0 } } >> minimize(objective: cost, evaluations: 60) >> { near: .value < 0.001 }",
            r#"{"near":true}"#,
        ),
        Example::ok(
            "A choice and a whole number",
            r#"flow cost(at: json) -> float { let p = at as { kind: string, size: int }
  if p.kind == "small" { 10.0 - p.size } else { 20.0 } }
{ kind: { choices: ["large", "small"] }, size: { min: 1.0, max: 4.0, int: true } } >> minimize(objective: cost, evaluations: 100) >> .at"#,
            r#"{"kind":"small","size":4}"#,
        ),
        Example::err(
            "A range that is the wrong way around",
            r"flow cost(at: json) -> float { 0.0 }
{ x: { min: 5.0, max: -5.0 } } >> minimize(objective: cost, evaluations: 10)",
            "invalid range of `x`: min is above max",
        ),
        Example::err(
            "A flow that fails",
            r#"flow cost(at: json) -> float { fail("no data") }
{ x: { min: 0.0, max: 1.0 } } >> minimize(objective: cost, evaluations: 10)"#,
            r#"`cost` failed at {"x":0.5}: no data"#,
        ),
    ];
}

record! {
    /// Params for which no objective can be lower without another one being higher.
    struct Tradeoff {
        /// The params, each with its value.
        at: Value,
        /// What the objectives are for them.
        values: Vec<f64>,
    }
}

params! {
    /// Finds the trade-offs between several objectives: the Pareto front of what a flow returns.
    ///
    /// The space is that of `minimize`. The flow returns a list of numbers, always as many, and all of them are to be low. The result has all
    /// evaluated params that no others dominate, sorted by the first objective. Params dominate others if no objective is higher, and one is lower.
    ///
    /// The method is NSGA-II (Deb et al. 2002). The flow is called at most `evaluations` times, up to eight at a time, and never twice for
    /// equal params. A call that fails, or returns a number that is not finite, ends the search with its error. Equal seeds and
    /// equal values give equal results.
    struct Pareto {
        /// The params with their ranges.
        space: Ranges,
        /// The flow or component whose results to minimise. It is called at most `evaluations` times.
        objectives: Objectives,
        /// The maximum number of calls.
        #[range(1..=100_000)]
        evaluations: i64,
        /// What is drawn follows from it.
        seed: i64 = 1,
        /// The size of the population; 0 means that it follows from the number of evaluations.
        #[tune]
        #[range(0..=200)]
        popsize: i64 = 0,
    }
}

impl Op for Pareto {
    const NAME: &'static str = "pareto";
    const YIELDS: Scheme = Scheme::List(&Tradeoff::SCHEME, Max::Arg("evaluations"));
    const LIMITS: Limits = Limits { max_retries: 0, ..Limits::UNTIMED };
    const ERRORS: &'static [ErrorKind] = ErrorKind::ALL;
    const TAKES: Takes = Takes::Usually(Duration::from_secs(1));
    const TOOL: Option<Tool> = Some(Tool::builder("optimize_pareto"));
    const SAYS: &'static [&'static str] = &[
        "trade-off between two goals",
        "pareto front",
        "multi-objective optimisation",
        "balance quality against price",
        "nsga-ii",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "Far from both ends",
            r"flow costs(at: json) -> [float] { let p = at as { x: float }
  [p.x * p.x, (p.x - 2.0) * (p.x - 2.0)] }
let found = { x: { min: -10.0, max: 10.0 } } >> adapt_optimize.pareto(objectives: costs, evaluations: 200)
let far = found >> where { (.values[0] ?? 9.0) > 5.0 }
{ many: len(found) > 10, far: len(far) }",
            r#"{"many":true,"far":0}"#,
        ),
        Example::err(
            "A bound is missing",
            r"flow costs(at: json) -> [float] { [0.0] }
{ x: { min: 0.0 } } >> adapt_optimize.pareto(objectives: costs, evaluations: 10)",
            "invalid range of `x`: missing `min` or `max`",
        ),
    ];
}

record! {
    /// Params with the value that was measured for them.
    struct Evaluated {
        /// The params, each with its value.
        at: Value,
        /// The value: the lower the better. Null if it could not be measured.
        value: Option<f64>,
    }
}

record! {
    /// A search whose values come from elsewhere. It is plain data.
    struct OptimizeStudy {
        /// The params with their ranges.
        space: Ranges,
        /// What is drawn follows from it; 1 without it.
        seed: Option<i64>,
        /// All values so far, as they came.
        rounds: Option<Vec<Vec<Evaluated>>>,
        /// The best params so far.
        best: Option<Evaluated>,
    }
}

params! {
    /// Proposes params to evaluate next, of a study whose values come from elsewhere.
    ///
    /// A study begins as `{ space: { x: { min: 0.0, max: 1.0 } } }`, with the space of `minimize`, and perhaps a `seed`. Measure the proposed params, and add the
    /// values with `adapt_optimize.tell`, which returns the study to go on with. Equal studies give equal proposals. The method is TPE for
    /// a space with choices, and CMA-ES otherwise, with their defaults. Studies may have at most 10,000 values.
    struct Suggest {
        /// The study.
        study: OptimizeStudy,
        /// How many to propose.
        #[range(1..=100)]
        n: i64 = 1,
    }
}

impl Op for Suggest {
    const NAME: &'static str = "suggest";
    const YIELDS: Scheme = Scheme::List(&Scheme::Json, Max::Arg("n"));
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "which experiment to run next",
        "propose the next trial of a study",
        "ask an optimiser for a point",
        "next settings to measure by hand",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The first one is the middle",
            r"{ space: { x: { min: 0.0, max: 8.0 } } } >> adapt_optimize.suggest",
            r#"[{"x":4.0}]"#,
        ),
        Example::err(
            "A scale that cannot be",
            r"{ space: { x: { min: 0.0, max: 8.0, log: true } } } >> adapt_optimize.suggest",
            "invalid range of `x`: a log scale needs a min above 0",
        ),
    ];
}

params! {
    /// Adds measured values to a study, and returns it.
    ///
    /// The params need not be proposed by `adapt_optimize.suggest`. A value of null is one that could not be measured; it counts as the worst.
    struct Tell {
        /// The study.
        study: OptimizeStudy,
        /// Params with their values; the lower the better.
        observed: Vec<Evaluated>,
    }
}

impl Op for Tell {
    const NAME: &'static str = "tell";
    const YIELDS: Scheme = OptimizeStudy::SCHEME;
    const SAYS: &'static [&'static str] = &[
        "add a measured value to a study",
        "report the result of a trial",
        "record what an experiment gave",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "A value",
            r"{ space: { x: { min: 0.0, max: 8.0 } } } >> adapt_optimize.tell(observed: [{ at: { x: 4.0 }, value: 2.5 }]) >> .best?.value",
            "2.5",
        ),
        Example::err(
            "Params outside of the space",
            r"{ space: { x: { min: 0.0, max: 8.0 } } } >> adapt_optimize.tell(observed: [{ at: { x: 9.0 }, value: 2.5 }])",
            "expected 0 to 8 for `x`, found 9.0",
        ),
    ];
}

#[cfg(feature = "learn")]
impl Io for Infer {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        search::lowest(self, cx).await.map(Optimum::encode)
    }
}

#[cfg(feature = "learn")]
impl Io for Pareto {
    async fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let front = search::front(self, cx).await?;
        Ok(front.into_iter().map(Tradeoff::encode).collect::<Vec<_>>().into())
    }
}

#[cfg(feature = "learn")]
impl Compute for Suggest {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        study::suggest(&self.study, usize::try_from(self.n).unwrap_or(1), cx).map(Value::from)
    }
}

#[cfg(feature = "learn")]
impl Compute for Tell {
    fn run(self, _: &Cx) -> Result<Value, OpError> {
        study::tell(self.study, self.observed).map(OptimizeStudy::encode)
    }
}
