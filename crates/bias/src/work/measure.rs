//! How well a workflow or a component does: speed, cost and quality, each with an interval, and its place
//! among what is known.

use svc_contract::{
    registry::OpError,
    value::{Record, Value, json},
};
use svc_optimize::pareto;

use crate::{
    biases::failed,
    cases::Case,
    evolve::Weights,
    knobs::Changes,
    layers::Subject,
    stats::{self, Paired, median},
    value::{number, object, rounded},
    work::Work,
};

/// How often a component is measured.
const ROUNDS: usize = 3;

/// The most cases of a component that are measured.
const MOST: usize = 60;

/// The measurements that are from 0 to 1, and those that are at least 0.
const SCORES: [&str; 2] = ["quality_score", "quality"];
const AMOUNTS: [&str; 5] = ["latency", "seconds", "latency_ms", "cost", "cost_usd"];

/// The largest amount, so that sums of many have one, too.
const LARGEST: f64 = 1e15;

/// Measurements of one thing: of each, how long it took in seconds, what it cost and how good it was.
#[derive(Clone, Debug, Default)]
struct Measurements {
    seconds: Vec<f64>,
    costs: Vec<f64>,
    qualities: Vec<f64>,
}

impl Work {
    /// Evaluates a trace, or the component that it names.
    pub async fn evaluate(&self, trace: &Value, weights: Option<&Value>) -> Result<Value, OpError> {
        let weights = Weights::EQUAL.with(weights)?;
        let record = read(trace)?;
        let known = self.biases.book().bias_traces().map_err(failed)?;
        let known: Vec<Value> = known.iter().filter_map(|it| json::read(it).ok()).collect();
        let mut own = Measurements::of(trace);
        let alike: Vec<Measurements> = known
            .iter()
            // An earlier version kept impossible ones, too.
            .filter(|it| is_alike(record, it) && read(it).is_ok())
            .map(Measurements::of)
            .filter(|it| !it.is_empty())
            .collect();
        if own.is_empty() {
            own = match component_of(record) {
                Some(component) => self.measured(&component).await?,
                None => return Err(nothing()),
            };
        }
        let usual: Vec<f64> = alike.iter().flat_map(|it| it.seconds.clone()).collect();
        let reference = if usual.is_empty() { 1.0 } else { median(&usual) };
        let point = own.point();
        let others = alike.iter().map(Measurements::point);
        let all: Vec<Vec<f64>> = std::iter::once(point).chain(others).collect();
        let rank = pareto::fronts(&all).first().copied().unwrap_or(0);
        let dominated_by = pareto::dominated_by(&all, 0);
        let speed = part(&own.seconds, &|it| reference / (reference + it.max(0.0)), "s");
        let cost = part(&own.costs, &|it| 1.0 / (1.0 + it.max(0.0)), "$");
        let quality = part(&own.qualities, &|it| it.clamp(0.0, 1.0), "");
        let score_of =
            |it: &Value| it.as_record().and_then(|it| number(it.get("score")?)).unwrap_or(0.0);
        let score = weights.score(score_of(&quality), score_of(&speed), score_of(&cost));
        Ok(object([
            ("speed", speed),
            ("cost", cost),
            ("quality", quality),
            (
                "pareto",
                object([
                    ("rank", (rank + 1).into()),
                    ("dominated_by", dominated_by.into()),
                    ("compared", (all.len() - 1).into()),
                    ("score", rounded(score)),
                ]),
            ),
        ]))
    }

    /// Runs the cases of a component several times.
    async fn measured(&self, component: &str) -> Result<Measurements, OpError> {
        let subject = Subject::of(&self.biases, &self.engine, component)?;
        let open = subject.open();
        let cases: Vec<&Case> = open.into_iter().take(MOST).collect();
        if cases.is_empty() {
            let name = subject.name();
            return Err(OpError::invalid_input(format!("`{name}` has no cases to measure"))
                .help(format!("write some into `cases/{name}.jsonl`")));
        }
        let changes: &Changes = &subject.active;
        let mut all = Measurements::default();
        for _ in 0..ROUNDS {
            let scores = subject.evaluator.scores(changes, &cases).await?;
            all.seconds.extend(&scores.seconds);
            all.qualities.extend(&scores.quality);
            #[expect(clippy::cast_precision_loss, reason = "a count of cases")]
            all.costs.push(scores.cost / cases.len() as f64);
        }
        Ok(all)
    }
}

impl Measurements {
    /// The measurements in a trace: one, or those of `runs`.
    fn of(trace: &Value) -> Self {
        let mut own = Self::default();
        let Some(record) = trace.as_record() else { return own };
        own.add(record);
        if let Some(runs) = record.get("runs").and_then(Value::as_list) {
            runs.iter().filter_map(Value::as_record).for_each(|it| own.add(it));
        }
        own
    }

    fn add(&mut self, record: &Record) {
        let of = |name: &str| record.get(name).and_then(number).filter(|it| it.is_finite());
        self.qualities.extend(of("quality_score").or_else(|| of("quality")));
        let seconds = of("latency").or_else(|| of("seconds"));
        self.seconds.extend(seconds.or_else(|| of("latency_ms").map(|it| it / 1000.0)));
        self.costs.extend(of("cost").or_else(|| of("cost_usd")));
    }

    fn is_empty(&self) -> bool {
        self.qualities.is_empty() && self.seconds.is_empty() && self.costs.is_empty()
    }

    /// What is minimised; a number that is not known counts as the middle.
    fn point(&self) -> Vec<f64> {
        let of =
            |all: &[f64], unknown: f64| if all.is_empty() { unknown } else { stats::mean(all) };
        vec![of(&self.seconds, 1.0), of(&self.costs, 0.0), -of(&self.qualities, 0.5)]
    }
}

/// The fields of a trace, if its measurements are possible.
pub(crate) fn read(trace: &Value) -> Result<&Record, OpError> {
    let misfit = |what: &str, found: &Value| {
        let message = format!("expected an object as {what}, found {}", found.kind());
        OpError::invalid_input(message)
    };
    let record = trace.as_record().ok_or_else(|| misfit("the trace", trace))?;
    test(record)?;
    let runs = match record.get("runs") {
        None | Some(Value::Null) => return Ok(record),
        Some(Value::List(runs)) => runs,
        Some(other) => {
            let message = format!("expected a list as `runs`, found {}", other.kind());
            return Err(OpError::invalid_input(message));
        }
    };
    for run in runs {
        test(run.as_record().ok_or_else(|| misfit("each of `runs`", run))?)?;
    }
    Ok(record)
}

/// Refuses measurements that nothing can have.
fn test(record: &Record) -> Result<(), OpError> {
    for (names, most) in [(SCORES.as_slice(), 1.0), (AMOUNTS.as_slice(), LARGEST)] {
        for name in names {
            let Some(given) = record.get(name).filter(|it| !it.is_null()) else { continue };
            if number(given).is_some_and(|it| (0.0..=most).contains(&it)) {
                continue;
            }
            let expected = if most > 1.0 { "a number from 0 on" } else { "a number from 0 to 1" };
            let found =
                json::write_within(given, false, 40).unwrap_or_else(|| given.kind().to_string());
            let message = format!("expected {expected} as `{name}`, found {found}");
            return Err(OpError::invalid_input(message));
        }
    }
    Ok(())
}

/// A score with its interval at 95 %.
fn part(all: &[f64], score: &dyn Fn(f64) -> f64, unit: &str) -> Value {
    if all.is_empty() {
        return object([
            ("score", 0.5.into()),
            ("low", 0.0.into()),
            ("high", 1.0.into()),
            ("details", "not measured".into()),
        ]);
    }
    let scores: Vec<f64> = all.iter().map(|it| score(*it)).collect();
    let paired = Paired::of_all(&scores);
    let (low, high) = match scores.len() {
        // One measurement says nothing about others.
        1 => (0.0, 1.0),
        _ => (paired.lower(0.025).max(0.0), paired.upper(0.025).min(1.0)),
    };
    let details = format!(
        "{:.4}{unit} on average of {} measurement{}, from {:.4}{unit} to {:.4}{unit}",
        stats::mean(all),
        all.len(),
        if all.len() == 1 { "" } else { "s" },
        all.iter().copied().fold(f64::INFINITY, f64::min),
        all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    object([
        ("score", rounded(paired.mean)),
        ("low", rounded(low)),
        ("high", rounded(high)),
        ("details", details.into()),
    ])
}

/// Whether a known trace is of the same workflow.
fn is_alike(own: &Record, other: &Value) -> bool {
    let Some(other) = other.as_record() else { return false };
    ["workflow", "component", "components"].iter().all(|it| own.get(it) == other.get(it))
}

fn component_of(record: &Record) -> Option<String> {
    record.get("component").and_then(Value::as_str).map(str::to_owned)
}

fn nothing() -> OpError {
    OpError::invalid_input("the trace has nothing to evaluate").help(
        "it has `quality_score`, `latency` in seconds or `cost`, several of them in `runs`, or the name of \
         a `component` whose cases are run",
    )
}
