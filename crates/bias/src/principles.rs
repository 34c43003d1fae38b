//! The six principles that a change must satisfy, each as something that is measured.
//!
//! None of them can be passed by words: each looks at results of the component under the candidate, and
//! each fails for some candidates.

use std::{sync::Arc, time::Duration};

use svc_contract::{
    registry::{OpError, Param, Tuning},
    value::{Value, json},
};

use crate::{
    candidate::Record,
    cases::{Asks, Case},
    evaluate::{Evaluator, Outcome, QUICK, SLOWEST, Scores},
    knobs::{Changes, significant},
    perturb::perturbed,
    stats::{self, Paired},
    value::{number, object, rounded},
};

/// The cases that principles look at, besides those that they need whole.
const SAMPLE: usize = 24;

/// How much faster a score may fall under the candidate when inputs are a little wrong.
const FALL: f64 = 0.02;

/// How many times as fast a component is at least, if that is to count as a gain.
const QUICKER: f64 = 1.2;

/// The shortest time of a case in seconds that can be compared.
const SHORTEST: f64 = 0.0005;

/// The fewest cases that are evidence.
const FEWEST: usize = 8;

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
        "A change must say more than it takes to describe: the evidence of its gain on the cases, in bits of \
         the likelihood ratio, is at least what its params take (1.44 bits each, as Akaike counts them).",
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
         once; a call of a case that succeeded still does, and 24 of them give the same result twice.",
    ),
    (
        Autopoiesis,
        "autopoiesis",
        "The component heals: of 12 calls that are interrupted half-way and made again, those that succeed \
         give the same result, and all cases together take no more than three times what they take under the \
         active version, or 5 milliseconds each.",
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
         under the active version, or is still as high as that of the active version on such inputs.",
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
    measured: Option<Arc<Both>>,
}

/// What came out of all cases, under the active version and under the candidate.
struct Both {
    active: Vec<Outcome>,
    candidate: Vec<Outcome>,
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

    /// What comes out of all cases, measured once.
    async fn both(&mut self, changes: &Changes) -> Result<Arc<Both>, OpError> {
        if let Some(known) = &self.measured {
            return Ok(known.clone());
        }
        let active = self.evaluator.outcomes(self.active, &self.cases).await?;
        let candidate = self.evaluator.outcomes(changes, &self.cases).await?;
        let both = Arc::new(Both { active, candidate });
        self.measured = Some(both.clone());
        Ok(both)
    }

    /// The scores of the active version and of the candidate on all cases.
    async fn both_scores(&mut self, changes: &Changes) -> Result<(Scores, Scores), OpError> {
        let both = self.both(changes).await?;
        Ok((Scores::of(&both.active, &self.cases), Scores::of(&both.candidate, &self.cases)))
    }

    async fn compression(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let changed = differing(self.active, changes);
        if changed.is_empty() {
            return Ok(Finding(true, 1.0, "nothing changes, which takes no bit".to_owned()));
        }
        let (active, candidate) = self.both_scores(changes).await?;
        let paired = Paired::of(&active.quality, &candidate.quality);
        if paired.count < FEWEST {
            let why = format!("{} cases show nothing ({FEWEST} are needed)", paired.count);
            return Ok(Finding(false, 1.0, why));
        }
        let of_quality = paired.evidence();
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
        let why = format!("{} results are the same after it was written and read", sample.len());
        Ok(same_each_time(equal(&before, &after), sample.len(), why))
    }

    async fn composition(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let both = self.both(changes).await?;
        let Both { active, candidate } = &*both;
        let is_lost = |(old, new): &(&Outcome, &Outcome)| old.result.is_ok() && new.result.is_err();
        let lost = active.iter().zip(candidate).filter(is_lost).count();
        if lost > 0 {
            let why = format!("{lost} of {} calls that succeeded before fail", active.len());
            return Ok(Finding(false, 1.0, why));
        }
        let sample = self.sample();
        let again = self.evaluator.outcomes(changes, &sample).await?;
        let same = equal(candidate, &again);
        if same < sample.len() {
            return Ok(same_each_time(same, sample.len(), String::new()));
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
            let succeed = candidate.iter().filter(|it| it.result.is_ok()).count();
            format!(
                "{succeed} of {} calls succeed, among them all that did before; {same} gave the same result \
                 twice, and params commute",
                candidate.len()
            )
        } else {
            "params that are set in another order give another bias".to_owned()
        };
        Ok(Finding(commutes, sure(sample.len()), why))
    }

    async fn healing(&mut self, changes: &Changes) -> Result<Finding, OpError> {
        let sample: Vec<&Case> = self.sample().into_iter().take(SAMPLE / 2).collect();
        let both = self.both(changes).await?;
        let whole = &both.candidate;
        for (case, outcome) in sample.iter().zip(whole) {
            let half = Duration::from_secs_f64((outcome.seconds / 2.0).clamp(0.0, 5.0));
            self.evaluator.interrupted(changes, case, half).await?;
        }
        let again = self.evaluator.outcomes(changes, &sample).await?;
        let succeed = whole.iter().zip(&again).filter(|it| it.0.result.is_ok());
        let (count, same) = succeed.fold((0, 0), |(count, same), (before, after)| {
            (count + 1, same + usize::from(before.result == after.result))
        });
        if count == 0 {
            let why = format!("none of {} calls succeeds, so none can heal", sample.len());
            return Ok(Finding(false, 1.0, why));
        }
        if same < count {
            return Ok(same_each_time(same, count, String::new()));
        }
        let healed =
            format!("{count} interrupted calls give the same result when they are made again");
        let (slower, each) = self.slowness(changes).await?;
        if slower > SLOWEST && each > QUICK {
            let why = format!("{healed}, but all cases take {slower:.1} times as long as before");
            return Ok(Finding(false, (1.0 - SLOWEST / slower / 2.0).max(0.5), why));
        }
        let time = if each > QUICK {
            format!("all cases take {slower:.1} times as long as before")
        } else {
            format!("a case takes {:.1} ms", each * 1e3)
        };
        Ok(Finding(true, sure(count), format!("{healed}, and {time}")))
    }

    /// How many times as long all cases take as under the active version, and the seconds of a case. What
    /// seems to be slow is measured a second time, since times vary.
    async fn slowness(&mut self, changes: &Changes) -> Result<(f64, f64), OpError> {
        let all = |of: &[Outcome]| of.iter().map(|it| it.seconds).sum::<f64>();
        let both = self.both(changes).await?;
        let Both { active, candidate } = &*both;
        let slower = |old: &[Outcome], new: &[Outcome]| all(new) / all(old).max(1e-6);
        #[expect(clippy::cast_precision_loss, reason = "a count of cases")]
        let each = all(candidate) / candidate.len() as f64;
        let first = slower(active, candidate);
        if first <= SLOWEST || each <= QUICK {
            return Ok((first, each));
        }
        let active = self.evaluator.outcomes(self.active, &self.cases).await?;
        let candidate = self.evaluator.outcomes(changes, &self.cases).await?;
        Ok((first.min(slower(&active, &candidate)), each))
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
            let all = self.cases.len();
            let why = format!("{} has no effect that can be seen in {all} cases", inert.join(", "));
            return Ok(Finding(false, sure(all), why));
        }
        let after = self.evaluator.outcomes(self.active, &sample).await?;
        let why = format!("{} results are as before when it is undone", sample.len());
        Ok(same_each_time(equal(&before, &after), sample.len(), why))
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
        let (active, candidate) = self.both_scores(changes).await?;
        let cases: Vec<&Case> = wrong.iter().map(|it| &it.1).collect();
        let active_wrong = self.evaluator.scores(self.active, &cases).await?;
        let candidate_wrong = self.evaluator.scores(changes, &cases).await?;
        let falls = wrong.iter().enumerate().map(|(at, (idx, _))| {
            let old = active.quality[*idx] - active_wrong.quality[at];
            let new = candidate.quality[*idx] - candidate_wrong.quality[at];
            old - new
        });
        let falls = Paired::of_all(&falls.collect::<Vec<f64>>());
        let on_wrong = Paired::of(&active_wrong.quality, &candidate_wrong.quality);
        let why = format!(
            "with {} inputs a little wrong, its score falls by {:.4} {} than that of the active version, to \
             {:.4} instead of {:.4}",
            falls.count,
            falls.mean.abs(),
            if falls.mean < 0.0 { "more" } else { "less" },
            candidate_wrong.mean(),
            active_wrong.mean(),
        );
        let (falls_less, is_as_high) = (falls.mean >= -FALL, on_wrong.mean >= 0.0);
        let sure = if falls_less {
            falls.confidence_above(-FALL)
        } else if is_as_high {
            on_wrong.confidence_above(0.0)
        } else {
            1.0 - falls.confidence_above(-FALL)
        };
        Ok(Finding(falls_less || is_as_high, sure.max(0.5), why))
    }
}

/// What it shows that some of the results are the same when they should all be.
fn same_each_time(same: usize, all: usize, why: String) -> Finding {
    if same == all {
        return Finding(true, sure(all), why);
    }
    let why = format!("{} of {all} calls give another result each time", all - same);
    Finding(false, 1.0, why)
}

/// How sure it is that the next one is like so many before, which were all alike (Laplace 1812).
#[expect(clippy::cast_precision_loss, reason = "a count")]
fn sure(count: usize) -> f64 {
    (count as f64 + 1.0) / (count as f64 + 2.0)
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
