//! One evolution: a strategy has candidates proposed and judged until a budget is used up; then what is
//! best on the training cases is compared on the validation cases, made simpler, and proposed.

mod advised;
mod choosing;
mod few;
mod weights;

use std::collections::HashSet;

use svc_contract::{
    registry::OpError,
    value::{Money, Value, json},
};
use svc_optimize::pareto;
use tokio::time::Instant;

use crate::{
    advice::{Adviser, Spent},
    cases::{Case, Cases, Part, balance},
    config::Config,
    evaluate::{Evaluator, Scores},
    knobs::{Changes, record, shown},
    layers::Subject,
    proposers::{self, Also, Proposer, Tried, Weighed},
    stats::Paired,
    strategy::{Ask, Strategy, Wanted},
    value::{number, object, rounded},
};

pub use weights::Weights;
use weights::score_of;

/// The fewest training cases that show anything.
pub(crate) const FEWEST: usize = 10;

/// The most results that a strategy sees.
const SEEN: usize = 100;

/// The part of the budget that is kept for making the best candidate simpler.
const SIMPLIFYING: f64 = 0.25;

/// The candidates that are compared on the validation cases.
const FINALISTS: usize = 8;

/// The rounds without a new candidate after which nothing more is expected.
const IDLE: u64 = 5;

/// What an evolution works on.
pub(crate) struct Given<'a> {
    pub evaluator: &'a Evaluator,
    pub cases: &'a Cases,
    /// The draw of the parts.
    pub draw: u64,
    /// The active version.
    pub active: &'a Changes,
    pub strategy: &'a Strategy,
    pub config: &'a Config,
    pub weights: Option<Weights>,
    /// A workflow that used the component, as it was observed.
    pub trace: Option<&'a Value>,
    /// A language model as one more proposer.
    pub adviser: Option<Adviser>,
}

/// What came out of one candidate.
#[derive(Clone, Debug)]
pub struct Measured {
    pub changes: Changes,
    /// The mean score of the training cases.
    pub quality: f64,
    /// The time of the active version divided by its time.
    pub speed: f64,
    pub cost: f64,
    /// The mean gain over the active version.
    pub gain: f64,
    pub by: String,
    pub round: u64,
}

/// What is reported while an evolution runs.
#[derive(Clone, Debug)]
pub struct Step {
    pub round: u64,
    /// The evaluations so far.
    pub evaluations: f64,
    pub most: u64,
    pub by: String,
    pub candidate: String,
    pub quality: f64,
    pub gain: f64,
    pub speed: f64,
    /// Whether it was tried on all training cases.
    pub is_whole: bool,
    /// The best gain so far on all training cases.
    pub best: f64,
}

/// Hears the steps of an evolution.
pub type Progress<'a> = &'a mut (dyn FnMut(&Step) + Send);

/// The result of an evolution.
#[derive(Clone, Debug)]
pub struct Evolved {
    pub proposal: Changes,
    /// Whether it is better than the active version, as far as training and validation cases show.
    pub is_better: bool,
    pub best_score: f64,
    /// The candidates that no other one beats in quality, speed and cost, the best first.
    pub frontier: Vec<(Measured, f64)>,
    /// The mean scores of the active version and of the proposal, on training and validation cases.
    pub before: f64,
    pub after: f64,
    pub rounds: u64,
    pub evaluations: f64,
    /// What a language model was paid.
    pub cost: Money,
    pub warnings: Vec<String>,
}

impl Evolved {
    /// The proposal in words: `b = 0.5, k1 = 1.5`.
    pub fn shown(&self) -> String {
        shown(&self.proposal)
    }

    /// `, and $0.02 for a language model`; empty if none was paid.
    pub(crate) fn paid(&self) -> String {
        if self.cost == Money::ZERO {
            return String::new();
        }
        format!(", and {} for a language model", self.cost)
    }
}

/// The name under which finished evaluations of an evolution are kept.
pub(crate) fn name_of(subject: &Subject, config: &Config) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("svc 2026 name of an evolution");
    let component = subject.evaluator.knobs.component;
    hasher.update(component.name.as_bytes()).update(&component.version.to_le_bytes());
    hasher.update(json::write(&config.value()).as_bytes());
    let model = config.model.as_ref().map_or("", |it| it.name.as_str());
    hasher.update(&(model.len() as u64).to_le_bytes()).update(model.as_bytes());
    hasher.update(json::write(&record(&subject.active)).as_bytes());
    hasher.update(&subject.row.seal.to_le_bytes());
    *hasher.finalize().as_bytes()
}

/// Runs an evolution.
pub(crate) async fn evolve(given: &Given<'_>, progress: Progress<'_>) -> Result<Evolved, OpError> {
    let knobs = &given.evaluator.knobs;
    let name = knobs.component.name;
    let train = given.cases.part(Part::Train, name, given.draw);
    if train.len() < FEWEST {
        return Err(too_few(name, train.len(), given.cases.all.len()));
    }
    let validation = given.cases.part(Part::Validation, name, given.draw);
    let mut run = Run::begin(given, train, validation.len()).await?;
    let rounds = run.search(progress).await?;
    run.choose(&validation, rounds, progress).await
}

fn too_few(name: &str, train: usize, all: usize) -> OpError {
    let message = format!(
        "`{name}` has too few cases to learn from: {train} of {all} are for training ({FEWEST} are needed)"
    );
    OpError::invalid_input(message)
        .help(format!("write cases with known answers into `cases/{name}.jsonl`"))
}

/// An evolution that goes on.
struct Run<'a> {
    given: &'a Given<'a>,
    train: Vec<&'a Case>,
    /// How much each of them counts.
    counts: Vec<f64>,
    /// The evaluations that one more candidate on training and validation cases takes.
    price: f64,
    /// The scores of the active version.
    active: Scores,
    proposers: Vec<Proposer>,
    /// The candidates that were tried on all training cases, with their scores.
    whole: Vec<(Measured, Scores)>,
    /// What strategies see of all candidates.
    results: Vec<Value>,
    /// The candidates that were tried, with the number of cases.
    known: HashSet<(String, usize)>,
    evaluations: f64,
    begun: Instant,
    /// What the language model was paid, and how often it failed.
    spent: Spent,
    warnings: Vec<String>,
}

/// A candidate with its scores on some of the cases.
struct Heard {
    by: String,
    changes: Changes,
    share: f64,
    scores: Scores,
}

impl<'a> Run<'a> {
    async fn begin(
        given: &'a Given<'a>,
        train: Vec<&'a Case>,
        validation: usize,
    ) -> Result<Self, OpError> {
        let knobs = &given.evaluator.knobs;
        let active = given.evaluator.scores(given.active, &train).await?;
        if active.mean() <= 0.0 {
            given.evaluator.some_succeed(given.active, &train).await?;
        }
        let counts = balance(&train);
        let start = knobs.point(given.active);
        let is_slow = given.trace.is_some_and(is_slow);
        let also = Also { model: given.adviser.is_some(), front: given.weights.is_some() };
        let proposers = proposers::all(knobs, &start, given.config.seed, is_slow, also);
        let measured = Measured {
            changes: given.active.clone(),
            quality: mean_of(&active.quality, &counts),
            speed: 1.0,
            cost: active.cost,
            gain: 0.0,
            by: "active".to_owned(),
            round: 0,
        };
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        let price = 1.0 + validation as f64 / train.len() as f64;
        let mut run = Self {
            given,
            counts,
            price,
            active: active.clone(),
            proposers,
            whole: vec![(measured, active)],
            results: Vec::new(),
            known: HashSet::new(),
            evaluations: 1.0,
            begun: Instant::now(),
            spent: given.adviser.as_ref().map(Adviser::spent).unwrap_or_default(),
            warnings: Vec::new(),
            train,
        };
        let gains = vec![0.0; run.train.len()];
        let objectives = by_gain(&run.whole[0].0);
        let weighed = given.weights.map(|_| Weighed { gain: 0.0, objectives });
        let tried = Tried { point: start, gains, weighed };
        run.tell(std::slice::from_ref(&tried));
        run.known.insert((json::write(&record(given.active)), run.train.len()));
        Ok(run)
    }

    fn tell(&mut self, tried: &[Tried]) {
        self.proposers.iter_mut().for_each(|it| it.tell(tried));
    }

    /// Whether what comes next is too much for the search: some is kept to make the best candidate simpler.
    fn is_over(&self, next: f64) -> bool {
        #[expect(clippy::cast_precision_loss, reason = "a budget")]
        let (most, params) =
            (self.given.config.max_evaluations as f64, self.given.evaluator.knobs.all.len() as f64);
        let kept = (most * SIMPLIFYING).min(params * self.price);
        self.evaluations + next + kept > most || self.begun.elapsed() >= self.given.config.max_time
    }

    async fn search(&mut self, progress: Progress<'_>) -> Result<u64, OpError> {
        let mut idle = 0;
        for round in 0..self.given.config.max_iterations {
            if self.is_over(f64::MIN_POSITIVE) || idle >= IDLE {
                return Ok(round);
            }
            let asks = self.given.strategy.propose(self.history(round))?;
            if asks.is_empty() {
                return Ok(round + 1);
            }
            let heard = self.hear(asks, round, progress).await?;
            idle = if heard.is_empty() { idle + 1 } else { 0 };
            if self.judge(heard, round, progress).await? {
                return Ok(round + 1);
            }
        }
        Ok(self.given.config.max_iterations)
    }

    /// Tries what a strategy asks for.
    async fn hear(
        &mut self,
        asks: Vec<Ask>,
        round: u64,
        progress: Progress<'_>,
    ) -> Result<Vec<Heard>, OpError> {
        let mut heard = Vec::new();
        for ask in asks {
            let count = self.count_of(ask.share);
            #[expect(clippy::cast_precision_loss, reason = "a share")]
            let share = count as f64 / self.train.len() as f64;
            if self.is_over(share) {
                return Ok(heard);
            }
            for (by, changes) in self.candidates(ask).await? {
                if self.is_over(share) {
                    return Ok(heard);
                }
                if !self.known.insert((json::write(&record(&changes)), count)) {
                    continue;
                }
                let cases = &self.train[..count];
                let scores = self.given.evaluator.scores(&changes, cases).await?;
                self.evaluations += share;
                heard.push(Heard { by, changes, share, scores });
                self.report(&heard[heard.len() - 1], round, progress);
            }
        }
        Ok(heard)
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the cases"
    )]
    fn count_of(&self, share: f64) -> usize {
        let all = self.train.len();
        ((all as f64 * share).ceil() as usize).clamp(FEWEST.min(all), all)
    }

    async fn candidates(&mut self, ask: Ask) -> Result<Vec<(String, Changes)>, OpError> {
        let knobs = self.given.evaluator.knobs.clone();
        match ask.wanted {
            Wanted::Params(params) => {
                let Value::Record(record) = &params else { return Ok(Vec::new()) };
                let changes = knobs.read(record).map_err(|err| {
                    let message = format!("the strategy proposes what cannot be: {}", err.message);
                    OpError::new(svc_contract::registry::ErrorKind::InvalidOutput, message)
                })?;
                Ok(vec![("strategy".to_owned(), changes)])
            }
            Wanted::Of { proposer, count } => {
                let names: Vec<&str> = self.proposers.iter().map(|it| it.name).collect();
                let Some(found) = names.iter().position(|it| *it == proposer) else {
                    let message = format!("the strategy asks for an unknown proposer `{proposer}`");
                    return Err(OpError::new(
                        svc_contract::registry::ErrorKind::InvalidOutput,
                        message,
                    )
                    .help(format!("the proposers are {}", names.join(", "))));
                };
                if self.proposers[found].is_model() {
                    let advised = self.advised(count).await;
                    // An answer without candidates was an answer, too.
                    self.proposers[found].asked += advised.len().max(1) as u64;
                    return Ok(advised.into_iter().map(|it| (proposer.clone(), it)).collect());
                }
                let points = self.proposers[found].ask(count);
                let points = points.into_iter().map(|it| self.with_few_changes(it));
                Ok(points.map(|it| (proposer.clone(), knobs.changes(&it))).collect())
            }
        }
    }

    /// Hears those that the strategy keeps on all cases. Returns whether the strategy ends the evolution.
    async fn judge(
        &mut self,
        heard: Vec<Heard>,
        round: u64,
        progress: Progress<'_>,
    ) -> Result<bool, OpError> {
        let seen: Vec<Value> =
            heard.iter().enumerate().map(|(idx, it)| self.seen(idx, it, round)).collect();
        let judged = self.given.strategy.judge(Value::List(seen.clone().into()), heard.len())?;
        self.results.extend(seen);
        let from = self.results.len().saturating_sub(SEEN);
        self.results.drain(..from);
        let mut tried = Vec::new();
        let promising = self.promising(&heard);
        for (idx, mut it) in heard.into_iter().enumerate() {
            let is_kept = judged.keep.contains(&idx) || promising.contains(&idx) || it.share >= 1.0;
            let rest = self.train.len() - it.scores.quality.len();
            if is_kept && rest > 0 && !self.is_over(1.0 - it.share) {
                let cases = &self.train[it.scores.quality.len()..];
                let more = self.given.evaluator.scores(&it.changes, cases).await?;
                it.scores = it.scores.and(more);
                self.evaluations += 1.0 - it.share;
                it.share = 1.0;
                self.known.insert((json::write(&record(&it.changes)), self.train.len()));
                self.report(&it, round, progress);
            }
            let gains = self.gains(&it.scores);
            if let Some(own) = self.proposers.iter_mut().find(|own| own.name == it.by) {
                own.kept += u64::from(is_kept && crate::stats::mean(&gains) > 0.0);
            }
            let point = self.given.evaluator.knobs.point(&it.changes);
            tried.push(Tried { point, weighed: self.weighed(&it), gains });
            if it.scores.quality.len() == self.train.len() {
                let measured = self.measured(&it, round);
                self.whole.push((measured, it.scores));
            }
        }
        self.tell(&tried);
        Ok(judged.stops)
    }

    /// Those that may be on the front, if quality is not all that counts.
    fn promising(&self, heard: &[Heard]) -> Vec<usize> {
        if self.given.weights.is_none() {
            return Vec::new();
        }
        let known = self.whole.iter().map(|it| by_gain(&it.0));
        let new = heard.iter().map(|it| by_gain(&self.measured(it, 0)));
        let points: Vec<Vec<f64>> = known.chain(new).collect();
        let ranks = pareto::fronts(&points);
        (0..heard.len()).filter(|it| ranks[self.whole.len() + it] == 0).collect()
    }

    /// How much better the weighted score is than that of the active version, if there are weights.
    fn weighed(&self, heard: &Heard) -> Option<Weighed> {
        let weights = self.given.weights?;
        let it = self.measured(heard, 0);
        let active = score_of(weights, it.quality - it.gain, 1.0, self.active.cost);
        let gain = score_of(weights, it.quality, it.speed, it.cost) - active;
        Some(Weighed { gain, objectives: by_gain(&it) })
    }

    /// The gains over the active version, case by case, as much as each of them counts.
    fn gains(&self, scores: &Scores) -> Vec<f64> {
        weighted(&self.active.quality, &scores.quality, &self.counts)
    }

    fn measured(&self, heard: &Heard, round: u64) -> Measured {
        let count = heard.scores.quality.len();
        let time = heard.scores.time();
        Measured {
            changes: heard.changes.clone(),
            quality: mean_of(&heard.scores.quality, &self.counts),
            speed: if time > 0.0 { self.active.first(count).time() / time } else { 1.0 },
            cost: heard.scores.cost,
            gain: crate::stats::mean(&self.gains(&heard.scores)),
            by: heard.by.clone(),
            round,
        }
    }

    /// What a strategy sees of a candidate.
    fn seen(&self, idx: usize, heard: &Heard, round: u64) -> Value {
        let measured = self.measured(heard, round);
        let paired = Paired::of_all(&self.gains(&heard.scores));
        object([
            ("index", idx.into()),
            ("by", measured.by.into()),
            ("params", record(&heard.changes)),
            ("quality", measured.quality.into()),
            ("gain", paired.mean.into()),
            ("error", paired.error.into()),
            ("speed", measured.speed.into()),
            ("share", heard.share.into()),
            ("round", round.into()),
        ])
    }

    /// What a strategy sees of the evolution.
    fn history(&self, round: u64) -> Value {
        let knobs = &self.given.evaluator.knobs;
        let bias = crate::candidate::Record { changes: self.given.active.clone(), version: 0 };
        let bias = bias.value(knobs);
        let params = bias.as_record().and_then(|it| it.get("evolvable_params")).cloned();
        #[expect(clippy::cast_precision_loss, reason = "a budget")]
        let left = self.given.config.max_evaluations as f64 - self.evaluations;
        let best = self.best();
        object([
            ("component", knobs.component.name.into()),
            ("round", round.into()),
            ("params", params.unwrap_or_default()),
            ("proposers", Value::List(self.speakers().map(Proposer::seen).collect())),
            ("results", Value::List(self.results.clone().into())),
            ("best", object([("params", record(&best.changes)), ("gain", best.gain.into())])),
            ("cases", self.train.len().into()),
            ("evaluations_left", left.into()),
            ("seed", self.given.config.seed.into()),
            ("trace", self.given.trace.cloned().unwrap_or_default()),
        ])
    }

    fn best(&self) -> &Measured {
        let best = self.whole.iter().map(|it| &it.0).max_by(|a, b| a.gain.total_cmp(&b.gain));
        // The active version is always among them.
        best.unwrap_or(&self.whole[0].0)
    }

    fn report(&self, heard: &Heard, round: u64, progress: Progress<'_>) {
        let measured = self.measured(heard, round);
        progress(&Step {
            round,
            evaluations: self.evaluations,
            most: self.given.config.max_evaluations,
            by: measured.by,
            candidate: shown(&measured.changes),
            quality: measured.quality,
            gain: measured.gain,
            speed: measured.speed,
            is_whole: heard.scores.quality.len() == self.train.len(),
            best: self.best().gain.max(0.0),
        });
    }

    /// The indexes of the candidates that no other one beats.
    fn front(&self) -> Vec<usize> {
        let points: Vec<Vec<f64>> = self.whole.iter().map(|it| objectives(&it.0)).collect();
        let ranks = pareto::fronts(&points);
        (0..ranks.len()).filter(|it| ranks[*it] == 0).collect()
    }
}

/// The differences `new - old` of the first cases, as much as each counts among them.
fn weighted(old: &[f64], new: &[f64], counts: &[f64]) -> Vec<f64> {
    let counts = &counts[..new.len()];
    let mean = crate::stats::mean(counts).max(f64::MIN_POSITIVE);
    old.iter().zip(new).zip(counts).map(|((old, new), count)| (new - old) * count / mean).collect()
}

/// The mean of scores, as much as each case counts.
fn mean_of(scores: &[f64], counts: &[f64]) -> f64 {
    let counts = &counts[..scores.len()];
    let sum: f64 = scores.iter().zip(counts).map(|(score, count)| score * count).sum();
    sum / counts.iter().sum::<f64>().max(f64::MIN_POSITIVE)
}

/// What is minimised: times that differ by less than a tenth count as equal, since they are never the same.
fn objectives(of: &Measured) -> Vec<f64> {
    let slowness = -(of.speed.max(1e-9).ln() * 10.0).round() / 10.0;
    vec![-of.quality, slowness, of.cost]
}

/// The same by the gain: qualities of different cases cannot be compared.
fn by_gain(of: &Measured) -> Vec<f64> {
    let mut all = objectives(of);
    all[0] = -of.gain;
    all
}

/// Whether a trace says that a workflow was slow.
fn is_slow(trace: &Value) -> bool {
    let Some(record) = trace.as_record() else { return false };
    let own = ["latency", "latency_ms", "seconds"].iter().find_map(|it| number(record.get(it)?));
    let most = ["max_latency", "max_latency_ms", "max_seconds"]
        .iter()
        .find_map(|it| number(record.get(it)?));
    own.zip(most).is_some_and(|(own, most)| own > most)
}

/// A measured candidate as a record of the answer of a tool.
pub(crate) fn measured_value(it: &Measured) -> Value {
    object([
        ("quality", rounded(it.quality)),
        ("speed", rounded(it.speed)),
        ("cost", rounded(it.cost)),
        ("gain", rounded(it.gain)),
        ("by", it.by.clone().into()),
    ])
}
