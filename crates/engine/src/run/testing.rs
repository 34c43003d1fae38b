//! Tests: normal runs, with mocks in place of components.

use std::{panic::AssertUnwindSafe, sync::OnceLock, time::Duration};

use futures_util::FutureExt as _;
use svc_contract::{
    registry::{OpDef, OpError, Price, Usage},
    value::{Money, Type, Value},
};
use svc_lang::{
    check::{Checked, Term, TermKind, TypedBlock, TypedTest, Var},
    diag::Span,
    syntax::ast::BinaryOp,
};
use svc_text::tokens;
use tokio::time::Instant;

use super::{
    Run, RunContext, engine_panicked,
    env::Env,
    error::{Result, RunError},
    eval_async::Place,
    mocks::{Mocks, Unmocked, UnusedMock},
    path::Path,
    scope::Scope,
};

/// The result of a test.
#[derive(Debug, Default)]
pub struct Tested {
    pub failures: Vec<TestFailure>,
    /// The mocks that no call used.
    pub unused: Vec<UnusedMock>,
    pub usage: Usage,
    /// Simulated time: waits take time, work does not.
    pub took: Duration,
}

/// The reason why a test failed.
#[derive(Debug)]
pub enum TestFailure {
    /// Running the pipeline failed.
    Run(Box<RunError>),
    /// An expectation does not hold, with the values that it compares.
    Expect { span: Span, sides: Vec<(Span, Value)> },
    /// `fails(..)` does not hold: what happened instead.
    Fails { span: Span, instead: std::result::Result<Value, OpError> },
    /// A component that is not pure was reached, and no mock matches it.
    Unmocked(Box<Unmocked>),
}

/// The price of a model in every test, so that a test gives the same result everywhere: $1 per
/// million input tokens, $5 per million output tokens.
const SIMULATED: (Money, Money) = (Money::cents(100), Money::cents(500));

/// The simulated usage of a mocked call: an estimate of its tokens, at the price of the op.
pub(super) fn estimated(op: &OpDef, args: &[Value], given: &Value) -> Usage {
    let written = tokens::tokens(&given.to_string()) as u64;
    match op.price {
        Price::Free | Price::Unknown => Usage::default(),
        Price::Fixed(cost) => Usage { tokens: 0, cost },
        Price::Quoted(_) => at_price(read(args.iter()), written, SIMULATED),
        Price::Tokens(price) => {
            let is_prompt = |name: &str| price.prompt.contains(&name);
            let prompt = op.params.iter().zip(args).filter(|(it, _)| is_prompt(it.name));
            at_price(read(prompt.map(|(_, it)| it)), written, (price.input, price.output))
        }
    }
}

/// The maximum usage of a call whose real price depends on the configuration of the host.
pub(super) fn quoted(op: &OpDef, args: &[Value]) -> Usage {
    const USUAL: u64 = 1024;
    let cap = op.params.iter().position(|it| it.name == "max_tokens").and_then(|it| args.get(it));
    let written = match cap {
        Some(Value::Int(cap)) => cap.unsigned_abs(),
        _ => USUAL,
    };
    let bytes: usize = args.iter().map(|it| it.to_string().len()).sum();
    at_price(bytes as u64, written, SIMULATED)
}

fn read<'a>(prompt: impl Iterator<Item = &'a Value>) -> u64 {
    prompt.map(|it| tokens::tokens(&it.to_string()) as u64).sum()
}

fn at_price(read: u64, written: u64, (input, output): (Money, Money)) -> Usage {
    let cost = input.per_million(read).zip(output.per_million(written));
    let cost = cost.and_then(|(a, b)| Money::checked_add(a, b)).unwrap_or_default();
    Usage { tokens: read.saturating_add(written), cost }
}

/// Runs one test of a program.
pub async fn test(program: &Checked, test: &TypedTest, around: RunContext) -> Tested {
    let (mut run, scope) = Run::begin(around);
    let started = Instant::now();
    let mocks = match Mocks::of(program, test, &scope) {
        Ok(mocks) => mocks,
        Err(err) => {
            let failures = vec![TestFailure::Run(err)];
            return Tested { failures, ..Tested::default() };
        }
    };
    run.mocks = Some(mocks);
    let work = AssertUnwindSafe(run.expectations(test, &scope, started)).catch_unwind();
    let ended = run.accounted(work).await.unwrap_or_else(|_| Err(engine_panicked(test.span)));
    let mut failures = ended.unwrap_or_else(|err| vec![TestFailure::Run(err)]);
    let mocks = run.mocks.take().expect("it was set above");
    let (unmocked, unused) = mocks.ended();
    if !unmocked.is_empty() {
        // Other failures may result from this one.
        let unmocked = unmocked.into_iter().map(Box::new);
        failures = unmocked.map(TestFailure::Unmocked).collect();
    }
    let (usage, took) = (scope.account.taken(), started.elapsed());
    Tested { failures, unused, usage, took }
}

impl Run {
    async fn expectations(
        &self,
        test: &TypedTest,
        scope: &Scope,
        started: Instant,
    ) -> Result<Vec<TestFailure>> {
        let slots = self.let_values(test, scope).await?;
        let mut failures = Vec::new();
        for expect in &test.expects {
            let mocks = self.mocks.as_ref().expect("a test has mocks");
            let known = [mocks.record(scope.account.taken(), started.elapsed())];
            let run = Env::of_params(&known);
            let env = run.with_lets(&slots);
            let place = Place { env: &env, scope, path: &Path::Root };
            if !matches!(self.eval(expect, place).await?, Value::Bool(true)) {
                failures.push(self.unmet(expect, place).await);
            }
        }
        Ok(failures)
    }

    async fn let_values(&self, test: &TypedTest, scope: &Scope) -> Result<Vec<OnceLock<Value>>> {
        let variable = |idx| Term {
            kind: TermKind::Var(Var { up: 0, idx }),
            ty: test.lets[idx].value.ty.clone(),
            span: test.span,
            waits: false,
        };
        let all = 0..test.lets.len();
        let result = Term::new(
            TermKind::List(all.clone().map(variable).collect()),
            // Each item has its own type.
            Type::list(Type::Json),
            test.span,
        );
        let block = TypedBlock { lets: test.lets.clone(), result, needs: all.collect() };
        let nothing = [Value::Null];
        let env = Env::of_params(&nothing);
        let place = Place { env: &env, scope, path: &Path::Root };
        let values = match self.block(&block, place).await? {
            Value::List(values) => values.into_vec(),
            _ => Vec::new(),
        };
        Ok(values.into_iter().map(OnceLock::from).collect())
    }

    /// The reason why an expectation does not hold: the first part of an `and` that does not
    /// hold, with the two sides of its comparison.
    async fn unmet(&self, expect: &Term, place: Place<'_>) -> TestFailure {
        let mut part = expect;
        while let TermKind::Binary { op: BinaryOp::And, left, right } = &part.kind {
            let holds = matches!(self.eval(left, place).await, Ok(Value::Bool(true)));
            part = if holds { right } else { left };
        }
        if let TermKind::Fallback { tries, .. } = &part.kind
            && let Some(TermKind::Pipeline(terms)) = tries.first().map(|it| &it.kind)
            && let Some(tested) = terms.first()
        {
            let instead = self.eval(tested, place).await.map_err(|it| it.error);
            return TestFailure::Fails { span: tested.span, instead };
        }
        let mut sides = Vec::new();
        if let TermKind::Binary { op, left, right } = &part.kind
            && op.is_comparison()
        {
            for side in [left, right] {
                if let Ok(value) = self.eval(side, place).await {
                    sides.push((side.span, value));
                }
            }
        }
        TestFailure::Expect { span: part.span, sides }
    }
}
