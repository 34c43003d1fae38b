//! Runs cases under changed defaults, and measures what comes out.
//!
//! Each case is a run of the engine, under caps and under a policy that allows only to compute and to
//! read: whatever a candidate is, trying it changes nothing and costs nothing.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt as _, future::BoxFuture, stream};
use svc_contract::{
    host::MemoryFiles,
    registry::OpError,
    value::{Money, Record, Value, json},
};
use svc_engine::{
    CancellationToken, Engine,
    blocks::{ComponentRegistry, PipelineStep},
};
use svc_lang::plan::Policy;
use svc_store::book::{BiasResult, Book};
use tokio::time::Instant;

use crate::{
    cases::{Asks, Case, Cases},
    knobs::{Changes, Knobs, record},
    stats,
    value::{number, object},
};

/// How many times slower than the active version a component may be.
pub(crate) const SLOWEST: f64 = 3.0;

/// The time of a case in seconds that is quick, however much quicker it was before.
pub(crate) const QUICK: f64 = 0.005;

/// The longest time of one case.
const TIME: Duration = Duration::from_secs(30);

/// What cases may do besides computing.
const REFUSED: [&str; 4] = ["writes", "runs", "spends", "asks"];

/// Evaluates candidates of one component.
#[derive(Clone)]
pub(crate) struct Evaluator {
    engine: Engine,
    /// The same with the files of the cases that the component brings.
    with_files: Engine,
    pub knobs: Arc<Knobs>,
    /// Keeps finished evaluations, under the name of an evolution.
    kept: Option<(Arc<Book>, [u8; 32])>,
    cancel: CancellationToken,
}

/// How well cases went.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scores {
    /// Of each case, from 0 to 1.
    pub quality: Vec<f64>,
    /// The time of each case in seconds.
    pub seconds: Vec<f64>,
    /// What they cost together.
    pub cost: f64,
}

/// How many cases are looked at when none has a score.
const FIRST: usize = 10;

/// The result of one case.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub result: Result<Value, String>,
    pub seconds: f64,
    pub cost: f64,
}

impl Scores {
    /// The scores of what came out of cases.
    pub(crate) fn of(outcomes: &[Outcome], cases: &[&Case]) -> Self {
        let mut scores = Self::default();
        for (case, outcome) in cases.iter().zip(outcomes) {
            scores.quality.push(case.score.of(outcome.result.as_ref().ok(), &case.expected));
            scores.seconds.push(outcome.seconds);
            scores.cost += outcome.cost;
        }
        scores
    }

    pub(crate) fn mean(&self) -> f64 {
        stats::mean(&self.quality)
    }

    /// The sum of the times.
    pub(crate) fn time(&self) -> f64 {
        self.seconds.iter().sum()
    }

    /// Whether the time is too long for a version that follows one with these times.
    pub(crate) fn is_too_slow_after(&self, active: &Self) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a count of cases")]
        let each = self.time() / self.seconds.len().max(1) as f64;
        each > QUICK && self.time() > SLOWEST * active.first(self.seconds.len()).time()
    }

    /// These scores, followed by others.
    #[must_use]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.quality.extend(other.quality);
        self.seconds.extend(other.seconds);
        self.cost += other.cost;
        self
    }

    /// The scores of the first cases.
    pub(crate) fn first(&self, count: usize) -> Self {
        Self {
            quality: self.quality.iter().take(count).copied().collect(),
            seconds: self.seconds.iter().take(count).copied().collect(),
            cost: self.cost,
        }
    }

    fn written(&self) -> String {
        let list = |it: &[f64]| Value::List(it.iter().map(|it| Value::Float(*it)).collect());
        json::write(&object([
            ("quality", list(&self.quality)),
            ("seconds", list(&self.seconds)),
            ("cost", self.cost.into()),
        ]))
    }

    fn read(text: &str) -> Option<Self> {
        let value = json::read(text).ok()?;
        let record: &Record = value.as_record()?;
        let list = |name: &str| -> Option<Vec<f64>> {
            record.get(name)?.as_list()?.iter().map(number).collect()
        };
        Some(Self {
            quality: list("quality")?,
            seconds: list("seconds")?,
            cost: number(record.get("cost")?)?,
        })
    }
}

impl Evaluator {
    /// An evaluator on an engine, whose own changed defaults of other components stay.
    pub(crate) fn new(engine: &Engine, knobs: Arc<Knobs>) -> Result<Self, OpError> {
        let refused = |policy: Policy, rule: &&str| policy.deny(rule).map_err(OpError::bug);
        let policy = REFUSED.iter().try_fold(Policy::default(), refused)?;
        let mut tuning = engine.tuning().clone();
        for knob in &knobs.all {
            tuning.reset(engine.registry(), &format!("{}.{}", knobs.component.name, knob.name))?;
        }
        let engine = engine
            .clone()
            .without_store()
            .with_policy(engine.policy().clone().and(policy))
            .with_tuning(tuning);
        let with_files = match knobs.component.bias.cases {
            Some(cases) => {
                engine.clone().with_files(cases.files.iter().copied().collect::<MemoryFiles>())
            }
            None => engine.clone(),
        };
        Ok(Self { engine, with_files, knobs, kept: None, cancel: CancellationToken::new() })
    }

    /// Keeps finished evaluations in a book under a name, so that they are not made again.
    #[must_use]
    pub(crate) fn keeping(self, book: Arc<Book>, name: [u8; 32]) -> Self {
        Self { kept: Some((book, name)), ..self }
    }

    #[must_use]
    pub(crate) fn cancelled_by(self, cancel: CancellationToken) -> Self {
        Self { cancel, ..self }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine for a case, under changed defaults.
    fn tuned(&self, changes: &Changes, is_built_in: bool) -> Result<Engine, OpError> {
        let engine = if is_built_in { &self.with_files } else { &self.engine };
        let own = self.knobs.tuning(engine.registry(), changes)?;
        Ok(engine.clone().with_tuning(engine.tuning().clone().with(&own)))
    }

    /// The scores of cases under changed defaults, in their order.
    pub(crate) async fn scores(
        &self,
        changes: &Changes,
        cases: &[&Case],
    ) -> Result<Scores, OpError> {
        let key = self.kept.as_ref().map(|(book, name)| (book, key(name, changes, cases)));
        if let Some((book, key)) = &key
            && let Ok(Some(text)) = book.bias_result(*key)
            && let Some(scores) = Scores::read(&text)
            && scores.quality.len() == cases.len()
        {
            return Ok(scores);
        }
        let scores = Scores::of(&self.outcomes(changes, cases).await?, cases);
        if let Some((book, key)) = key {
            let at = self.engine.host().now();
            let component = self.knobs.component.name.to_owned();
            let result = BiasResult { key, component, at, result: scores.written() };
            let kept = book.keep_bias_result(result);
            kept.map_err(|err| OpError::failed(err.message))?;
        }
        Ok(scores)
    }

    /// An error if the first cases all fail: then they are wrong, and nothing can be learnt from them.
    pub(crate) async fn some_succeed(
        &self,
        changes: &Changes,
        cases: &[&Case],
    ) -> Result<(), OpError> {
        let first = &cases[..cases.len().min(FIRST)];
        let outcomes = self.outcomes(changes, first).await?;
        let failures: Vec<&String> =
            outcomes.iter().filter_map(|it| it.result.as_ref().err()).collect();
        match failures.first() {
            Some(why) if failures.len() == first.len() => {
                let message = format!("the first {} cases all fail: {why}", first.len());
                Err(OpError::invalid_input(message).help("correct the cases, then try again"))
            }
            _ => Ok(()),
        }
    }

    /// The results of cases under changed defaults, in their order.
    pub(crate) async fn outcomes(
        &self,
        changes: &Changes,
        cases: &[&Case],
    ) -> Result<Vec<Outcome>, OpError> {
        let engines = [self.tuned(changes, false)?, self.tuned(changes, true)?];
        let at_once = std::thread::available_parallelism().map_or(2, usize::from);
        let mut runs: Vec<BoxFuture<'_, Outcome>> = Vec::with_capacity(cases.len());
        for case in cases {
            runs.push(Box::pin(self.outcome(&engines[usize::from(case.is_built_in)], case)));
        }
        let all: Vec<Outcome> = stream::iter(runs).buffered(at_once).collect().await;
        if self.cancel.is_cancelled() {
            return Err(OpError::new(svc_contract::registry::ErrorKind::Cancelled, "cancelled"));
        }
        Ok(all)
    }

    async fn outcome(&self, engine: &Engine, case: &Case) -> Outcome {
        let begun = Instant::now();
        let (result, cost) = match self.run(engine, case).await {
            Ok((value, cost)) => (Ok(value), cost),
            Err(why) => (Err(why), 0.0),
        };
        Outcome { result, seconds: begun.elapsed().as_secs_f64(), cost }
    }

    async fn run(&self, engine: &Engine, case: &Case) -> Result<(Value, f64), String> {
        let capped = |request: svc_engine::Request<'_>| {
            request
                .max_cost(Money::from_nanos(0))
                .timeout(TIME)
                .cancelled_by(self.cancel.clone())
                .start()
        };
        let ended = match &case.asks {
            Asks::Op { op, args } => {
                let registry = ComponentRegistry::new(engine.clone());
                let mut step = PipelineStep::new(self.knobs.component.name, op.as_str());
                step.params.clone_from(args);
                let steps = registry.step(step).map_err(|err| err.message)?;
                capped(steps.request(engine)).await
            }
            Asks::Script { text, params } => {
                let mut request = engine.run(text.as_str());
                for (name, value) in params {
                    request = request.param(name, value.clone());
                }
                capped(request).await
            }
        };
        let response = ended.map_err(|err| err.to_string())?;
        #[expect(clippy::cast_precision_loss, reason = "a cost")]
        let cost = response.usage.cost.nanos() as f64 / 1e9;
        Ok((response.value, cost))
    }
}

/// The cases of the component of an evaluator.
pub(crate) fn cases_of(evaluator: &Evaluator) -> Result<Cases, OpError> {
    let engine = &evaluator.engine;
    Cases::of(evaluator.knobs.component, &*engine.policy().guard(engine.shared_host()))
}

fn key(name: &[u8; 32], changes: &Changes, cases: &[&Case]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("svc 2026 key of an evaluation");
    hasher.update(name).update(json::write(&record(changes)).as_bytes());
    for case in cases {
        hasher.update(&case.digest).update(json::write(&case.expected).as_bytes());
        hasher.update(case.score.name().as_bytes());
    }
    *hasher.finalize().as_bytes()
}

impl Evaluator {
    /// Makes the call of a case and interrupts it after a time.
    pub(crate) async fn interrupted(
        &self,
        changes: &Changes,
        case: &Case,
        after: Duration,
    ) -> Result<(), OpError> {
        let engine = self.tuned(changes, case.is_built_in)?;
        let cancel = self.cancel.child_token();
        let own = Self { cancel: cancel.clone(), ..self.clone() };
        let run = own.run(&engine, case);
        let stop = async {
            tokio::time::sleep(after).await;
            cancel.cancel();
        };
        // How it ended does not matter.
        let _ = futures_util::future::join(run, stop).await;
        Ok(())
    }
}
