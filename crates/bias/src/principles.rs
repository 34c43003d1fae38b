//! The six principles that a change must satisfy, each as something that is measured.
//!
//! None of them can be passed by words: each looks at results of the component under the candidate, and
//! each fails for some candidates.

use std::time::Duration;

use svc_contract::{
    registry::{OpError, Param, Tuning},
    value::{Value, json},
};

use crate::{
    candidate::Record,
    cases::{Asks, Case},
    evaluate::{Evaluator, Outcome, Scores},
    knobs::{Changes, significant},
    perturb::perturbed,
    stats::{self, Paired},
    value::{number, object, rounded},
};

/// The cases that principles look at, besides those that they need whole.
const SAMPLE: usize = 24;

/// How much faster a score may fall under the candidate when inputs are a little wrong.
const FALL: f64 = 0.02;

/// How many times slower than the active version a component may be.
const SLOWEST: f64 = 3.0;

/// How many times as fast a component is at least, if that is to count as a gain.
const QUICKER: f64 = 1.2;

/// The shortest time of a case in seconds that can be compared.
const SHORTEST: f64 = 0.0005;

/// One of the six.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Principle {
    CompressionConjecture,
    PhysicalSymbolSystem,
    CategoryTheory,
    Autopoiesis,
    HumanControllability,
    Antifragility,
}

use Principle::{
    Antifragility, Autopoiesis, CategoryTheory, CompressionConjecture, HumanControllability,
    PhysicalSymbolSystem,
};

/// All principles: their names, and what each of them measures.
pub const PRINCIPLES: [(Principle, &str, &str); 6] = [
    (
        CompressionConjecture,
        "compression_conjecture",
        "A change must say more than it takes to describe: the evidence of its gain on the cases, in bits, \
         is at least what its params take (1.44 bits each, as Akaike counts them).",
    ),
    (
        PhysicalSymbolSystem,
        "physical_symbol_system",
        "A change is what its text says: written as JSON or as words of a command line and read again, it \
         is the same change and gives the same results.",
    ),
    (
        CategoryTheory,
        "category_theory",
        "Calls still compose: params that are set one by one, in any order, give the same results as at \
         once; a call that succeeded still does, and the same call gives the same result.",
    ),
    (
        Autopoiesis,
        "autopoiesis",
        "The component heals: a call that was interrupted half-way and made again gives the same result, \
         and takes no more than three times what it took before.",
    ),
    (
        HumanControllability,
        "human_controllability",
        "A person can follow and undo it: values have at most three significant digits, each changed param \
         has an effect that can be seen, and without the change all results are as before.",
    ),
    (
        Antifragility,
        "antifragility",
        "Inputs that are a little wrong cost no more than before: the score falls by at most .02 more than \
         under the active version.",
    ),
];

/// Whether a principle holds for a candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct PrincipleResult {
    pub name: &'static str,
    pub passed: bool,
    /// From 0 to 1.
    pub confidence: f64,
    pub explanation: String,
}

impl Principle {
    pub fn named(name: &str) -> Result<Self, OpError> {
        let found = PRINCIPLES.iter().find(|it| it.1 == name).map(|it| it.0);
        found.ok_or_else(|| {
            let names: Vec<&str> = PRINCIPLES.iter().map(|it| it.1).collect();
            OpError::invalid_input(format!("unknown principle `{name}`"))
                .help(format!("the principles are {}", names.join(", ")))
        })
    }

    pub fn name(self) -> &'static str {
        PRINCIPLES.iter().find(|it| it.0 == self).map_or("", |it| it.1)
    }
}

impl PrincipleResult {
    pub fn value(&self) -> Value {
        object([
            ("name", self.name.into()),
            ("passed", self.passed.into()),
            ("confidence", rounded(self.confidence)),
            ("explanation", self.explanation.clone().into()),
        ])
    }
}

/// What principles look at.
pub(crate) struct Ground<'a> {
    pub(crate) evaluator: &'a Evaluator,
    /// The cases that are not sealed.
    pub(crate) cases: Vec<&'a Case>,
    pub(crate) active: &'a Changes,
    /// The candidate as it was given.
    pub(crate) given: &'a Value,
    measured: Option<(Scores, Scores)>,
}

/// What a check found: whether it holds, how sure that is, and why.
struct Finding(bool, f64, String);

impl<'a> Ground<'a> {
    pub(crate) fn new(
        evaluator: &'a Evaluator,
        cases: Vec<&'a Case>,
        active: &'a Changes,
        given: &'a Value,
    ) -> Self {
        Self { evaluator, cases, active, given, measured: None }
    }

    /// Whether each of the principles holds.
    pub(crate) async fn all(&mut self) -> Result<Vec<PrincipleResult>, OpError> {
        let mut all = Vec::with_capacity(PRINCIPLES.len());
        for (principle, ..) in PRINCIPLES {
            all.push(self.check(principle).await?);
        }
        Ok(all)
    }

    /// Whether a principle holds.
    pub(crate) async fn check(&mut self, principle: Principle) -> Result<PrincipleResult, OpError> {
        let Finding(passed, confidence, explanation) = self.found(principle).await?;
        Ok(PrincipleResult { name: principle.name(), passed, confidence, explanation })
    }

    async fn found(&mut self, principle: Principle) -> Result<Finding, OpError> {
        let changes = match Record::read(self.given, &self.evaluator.knobs) {
            Ok(read) => read.changes,
            Err(err) => {
                return Ok(Finding(false, 1.0, format!("no such bias can be: {}", err.message)));
            }
        };
        if self.cases.is_empty() {
            let name = self.evaluator.knobs.component.name;
            let why = format!("`{name}` has no cases, so nothing can be measured");
            return Ok(Finding(false, 0.0, why));
        }
        match principle {
            CompressionConjecture => self.compression(&changes).await,
            PhysicalSymbolSystem => self.symbols(&changes).await,
            CategoryTheory => self.composition(&changes).await,
            Autopoiesis => self.healing(&changes).await,
            HumanControllability => self.control(&changes).await,
            Antifragility => self.robustness(&changes).await,
        }
    }

    fn sample(&self) -> Vec<&'a Case> {
        self.cases.iter().take(SAMPLE).copied().collect()
    }

    /// The scores of the active version and of the candidate on all cases.
    async fn both(&mut self, changes: &Changes) -> Result<(Scores, Scores), OpError> {
        if let Some(known) = &self.measured {
            return Ok(known.clone());
        }
        let active = self.evaluator.scores(self.active, &self.cases).await?;
        let candidate = self.evaluator.scores(changes, &self.cases).await?;
        self.measured = Some((active.clone(), candidate.clone()));
        Ok((active, candidate))
    }

    async fn compression(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let changed = differing(self.active, changes);
        if changed.is_empty() {
            return Ok(Finding(true, 1.0, "nothing changes, which takes no bit".to_owned()));
        }
        let (active, candidate) = self.both(changes).await?;
        let paired = Paired::of(&active.quality, &candidate.quality);
        let t = paired.t();
        let of_quality = t.signum() * t * t / 2.0 * std::f64::consts::LOG2_E;
        // Times vary, so only a clear gain of speed counts, and only without a loss of quality.
        let mut speed = active.time() / candidate.time().max(1e-9);
        let may_be_quicker = speed >= QUICKER && paired.lower(0.05) > -0.01;
        let is_quicker = may_be_quicker && stats::median(&active.seconds) >= SHORTEST && {
            let again = self.evaluator.scores(self.active, &self.cases).await?.time()
                / self.evaluator.scores(changes, &self.cases).await?.time().max(1e-9);
            speed = speed.min(again);
            speed >= QUICKER
        };
        let evidence = if is_quicker { of_quality.max(10.0) } else { of_quality };
        #[expect(clippy::cast_precision_loss, reason = "a count of params")]
        let cost = changed.len() as f64 * std::f64::consts::LOG2_E;
        let confidence = (1.0 - (-(evidence - cost).abs()).exp2()).clamp(0.5, 1.0);
        let why = format!(
            "{} changed params take {cost:.1} bits; a gain of {:.4} on {} cases is worth {of_quality:.1} bits{}",
            changed.len(),
            paired.mean,
            paired.count,
            if is_quicker {
                format!(", and it is {speed:.1} times as fast")
            } else {
                String::new()
            },
        );
        Ok(Finding(evidence >= cost, confidence, why))
    }

    async fn symbols(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let knobs = &self.evaluator.knobs;
        let record = Record { changes: changes.clone(), version: 1 };
        let text = json::write(&record.value(knobs));
        let again = json::read(&text).ok().and_then(|it| Record::read(&it, knobs).ok());
        if again.as_ref().map(|it| &it.changes) != Some(changes) {
            return Ok(Finding(false, 1.0, "its JSON reads as another bias".to_owned()));
        }
        let registry = self.evaluator.engine().registry();
        let mut by_words = Tuning::default();
        for (name, value) in changes {
            let path = format!("{}.{name}", knobs.component.name);
            if let Err(err) = by_words.set_text(registry, &path, &words_of(value)) {
                return Ok(Finding(
                    false,
                    1.0,
                    format!("a person cannot write it: {}", err.message),
                ));
            }
        }
        let by_value = knobs.tuning(registry, changes)?;
        let values = |it: &Tuning| it.iter().map(|(_, it)| it.clone()).collect::<Vec<_>>();
        if values(&by_words) != values(&by_value) {
            return Ok(Finding(false, 1.0, "its words read as another value".to_owned()));
        }
        let sample = self.sample();
        let before = self.evaluator.outcomes(changes, &sample).await?;
        let after = self.evaluator.outcomes(&again.unwrap_or(record).changes, &sample).await?;
        let equal = equal(&before, &after);
        let why = format!(
            "{equal} of {} results are the same after it was written and read",
            sample.len()
        );
        Ok(Finding(equal == sample.len(), share(equal, sample.len()), why))
    }

    async fn composition(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let sample = self.sample();
        let active = self.evaluator.outcomes(self.active, &sample).await?;
        let once = self.evaluator.outcomes(changes, &sample).await?;
        let twice = self.evaluator.outcomes(changes, &sample).await?;
        let fails =
            active.iter().zip(&once).filter(|(old, new)| old.result.is_ok() && new.result.is_err());
        let fails = fails.count();
        if fails > 0 {
            let why = format!("{fails} of {} calls that succeeded before fail", sample.len());
            return Ok(Finding(false, 1.0, why));
        }
        let same = equal(&once, &twice);
        if same < sample.len() {
            let why = format!(
                "{} of {} calls give another result each time",
                sample.len() - same,
                sample.len()
            );
            return Ok(Finding(false, 1.0, why));
        }
        let registry = self.evaluator.engine().registry();
        let mut backwards = Tuning::default();
        for (name, value) in changes.iter().rev() {
            let one = Changes::from([(name.clone(), value.clone())]);
            backwards = backwards.with(&self.evaluator.knobs.tuning(registry, &one)?);
        }
        let forwards = self.evaluator.knobs.tuning(registry, changes)?;
        let values =
            |it: &Tuning| it.iter().map(|(name, it)| (name, it.clone())).collect::<Vec<_>>();
        let commutes = values(&backwards) == values(&forwards);
        let why = if commutes {
            format!(
                "{same} calls succeed as before, each with the same result twice, and params commute"
            )
        } else {
            "params that are set in another order give another bias".to_owned()
        };
        Ok(Finding(commutes, share(same, sample.len()), why))
    }

    async fn healing(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let sample: Vec<&Case> = self.sample().into_iter().take(SAMPLE / 2).collect();
        let active = self.evaluator.outcomes(self.active, &sample).await?;
        let whole = self.evaluator.outcomes(changes, &sample).await?;
        for (case, outcome) in sample.iter().zip(&whole) {
            let half = Duration::from_secs_f64((outcome.seconds / 2.0).clamp(0.0, 5.0));
            self.evaluator.interrupted(changes, case, half).await?;
        }
        let again = self.evaluator.outcomes(changes, &sample).await?;
        let healed = equal(&whole, &again);
        let time =
            |all: &[Outcome]| stats::median(&all.iter().map(|it| it.seconds).collect::<Vec<_>>());
        let (before, after) = (time(&active), time(&again).min(time(&whole)));
        let slower = after / before.max(1e-6);
        // Under a few milliseconds, times say nothing.
        let is_slow = slower > SLOWEST && after > 0.005;
        let why = format!(
            "{healed} of {} interrupted calls give the same result when they are made again, and take \
             {slower:.1} times what they took before",
            sample.len()
        );
        Ok(Finding(healed == sample.len() && !is_slow, share(healed, sample.len()), why))
    }

    async fn control(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let long: Vec<&String> = changes
            .iter()
            .filter(|(_, it)| matches!(it, Value::Float(float) if significant(*float).to_bits() != float.to_bits()))
            .map(|(name, _)| name)
            .collect();
        if let Some(name) = long.first() {
            let why = format!(
                "`{name}` has more than three significant digits, which a person cannot compare"
            );
            return Ok(Finding(false, 1.0, why));
        }
        let sample = self.sample();
        let before = self.evaluator.outcomes(self.active, &sample).await?;
        let with = self.evaluator.outcomes(changes, &sample).await?;
        let inert = self.inert(changes, &with, &sample).await?;
        if !inert.is_empty() {
            let why = format!(
                "{} has no effect that can be seen in {} cases",
                inert.join(", "),
                sample.len()
            );
            return Ok(Finding(false, 0.9, why));
        }
        let after = self.evaluator.outcomes(self.active, &sample).await?;
        let undone = equal(&before, &after);
        let why = format!("{undone} of {} results are as before when it is undone", sample.len());
        Ok(Finding(undone == sample.len(), share(undone, sample.len()), why))
    }

    /// The changed params without which all results of all cases are the same.
    async fn inert(
        &self,
        changes: &Changes,
        with: &[Outcome],
        sample: &[&Case],
    ) -> Result<Vec<String>, OpError> {
        let mut inert = Vec::new();
        for name in differing(self.active, changes) {
            let mut without = changes.clone();
            without.remove(&name);
            if let Some(own) = self.active.get(&name) {
                without.insert(name.clone(), own.clone());
            }
            let results = self.evaluator.outcomes(&without, sample).await?;
            if equal(with, &results) < sample.len() {
                continue;
            }
            // Perhaps the other cases show it.
            let rest: Vec<&Case> = self.cases.iter().skip(sample.len()).copied().collect();
            let own = self.evaluator.outcomes(changes, &rest).await?;
            let others = self.evaluator.outcomes(&without, &rest).await?;
            if equal(&own, &others) == rest.len() {
                inert.push(format!("`{name}`"));
            }
        }
        Ok(inert)
    }

    async fn robustness(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let component = self.evaluator.knobs.component;
        let wrong: Vec<(usize, Case)> = self
            .cases
            .iter()
            .enumerate()
            .filter_map(|(idx, it)| Some((idx, perturbed(it, component, 7)?)))
            .collect();
        if wrong.is_empty() {
            return Ok(Finding(true, 0.5, "no input can be a little wrong".to_owned()));
        }
        let (active, candidate) = self.both(changes).await?;
        let cases: Vec<&Case> = wrong.iter().map(|it| &it.1).collect();
        let active_wrong = self.evaluator.scores(self.active, &cases).await?;
        let candidate_wrong = self.evaluator.scores(changes, &cases).await?;
        let falls = wrong.iter().enumerate().map(|(at, (idx, _))| {
            let old = active.quality[*idx] - active_wrong.quality[at];
            let new = candidate.quality[*idx] - candidate_wrong.quality[at];
            old - new
        });
        let paired = Paired::of_all(&falls.collect::<Vec<f64>>());
        let passed = paired.mean >= -FALL;
        let confidence = if passed {
            paired.confidence_above(-FALL)
        } else {
            1.0 - paired.confidence_above(-FALL)
        };
        let why = format!(
            "with {} inputs a little wrong, its score falls by {:.4} {} than that of the active version",
            paired.count,
            paired.mean.abs(),
            if paired.mean < 0.0 { "more" } else { "less" },
        );
        Ok(Finding(passed, confidence, why))
    }
}

/// The names of the params that differ.
pub(crate) fn differing(a: &Changes, b: &Changes) -> Vec<String> {
    let names = a.keys().chain(b.keys().filter(|it| !a.contains_key(*it)));
    names.filter(|it| a.get(*it) != b.get(*it)).cloned().collect()
}

/// How many results are the same. Two calls that fail are the same if they fail with the same message.
fn equal(a: &[Outcome], b: &[Outcome]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a.result == b.result).count()
}

#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(part: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { part as f64 / all as f64 }
}

/// A value as a person writes it after `--tune name=`.
fn words_of(value: &Value) -> String {
    match value {
        Value::Text(it) => it.to_string(),
        Value::Float(it) if number(value).is_some() => it.to_string(),
        other => Param::written(other),
    }
}

/// Whether a case calls an op of the component itself.
pub(crate) fn calls_op(case: &Case) -> bool {
    matches!(case.asks, Asks::Op { .. })
}
