//! Those who propose candidates: they differ in what they believe of the scores.

use fastrand::Rng;
use svc_contract::value::Value;
use svc_optimize::{Cma, Local, Nsga2, Optimizer, Point, Random, Space, Tpe};

use crate::{advice, knobs::Knobs, value::object};

/// A proposer, and what became of its candidates.
pub(crate) struct Proposer {
    pub(crate) name: &'static str,
    /// None for the language model, which takes its time: the evolution asks it.
    mind: Option<Box<dyn Mind>>,
    pub(crate) asked: u64,
    /// Those that were worth all cases.
    pub(crate) kept: u64,
}

/// A candidate that was tried: where it is, and its gain over the active version on each case.
pub(crate) struct Tried {
    pub(crate) point: Point,
    pub(crate) gains: Vec<f64>,
    /// What else counts, if quality is not all.
    pub(crate) weighed: Option<Weighed>,
}

/// A candidate by all that counts.
pub(crate) struct Weighed {
    /// The gain of the weighted score.
    pub(crate) gain: f64,
    /// What is minimised for the front.
    pub(crate) objectives: Vec<f64>,
}

impl Tried {
    pub(crate) fn gain(&self) -> f64 {
        crate::stats::mean(&self.gains)
    }
}

trait Mind: Send {
    fn ask(&mut self, count: usize) -> Vec<Point>;
    fn tell(&mut self, tried: &[Tried]);
}

/// Who is asked besides those that are always there.
#[derive(Clone, Copy)]
pub(crate) struct Also {
    /// A language model.
    pub(crate) model: bool,
    /// One that searches the front, since quality is not all that counts.
    pub(crate) front: bool,
}

/// All proposers, beginning at the active version.
pub(crate) fn all(
    knobs: &Knobs,
    start: &Point,
    seed: u64,
    is_slow: bool,
    also: Also,
) -> Vec<Proposer> {
    let space = &knobs.space;
    let quality = |it: Box<dyn Optimizer>| searching(it, false);
    let weighed = |it: Box<dyn Optimizer>| searching(it, true);
    let minds: [(&'static str, Box<dyn Mind>); 5] = [
        ("local", quality(Box::new(Local::new(space, Some(start), seed)))),
        ("tpe", weighed(Box::new(Tpe::new(space, Some(start), seed + 1)))),
        ("cma", weighed(Box::new(Cma::new(space, Some(start), seed + 2)))),
        ("traces", Box::new(Traces::new(space, start, seed + 3, is_slow))),
        ("random", quality(Box::new(Random::new(space, Some(start), seed + 4)))),
    ];
    let front = also.front.then(|| -> (&'static str, Box<dyn Mind>) {
        let search = Nsga2::new(space, Some(start), seed + 5).popsize(POPULATION);
        ("nsga2", Box::new(Front(search)))
    });
    let minds = minds.into_iter().chain(front).map(|(name, mind)| (name, Some(mind)));
    let model = also.model.then_some((advice::NAME, None));
    minds.chain(model).map(|(name, mind)| Proposer { name, mind, asked: 0, kept: 0 }).collect()
}

impl Proposer {
    pub(crate) fn ask(&mut self, count: usize) -> Vec<Point> {
        let asked = self.mind.as_mut().map(|it| it.ask(count)).unwrap_or_default();
        self.asked += asked.len() as u64;
        asked
    }

    /// Whether it is the language model.
    pub(crate) fn is_model(&self) -> bool {
        self.mind.is_none()
    }

    pub(crate) fn tell(&mut self, tried: &[Tried]) {
        self.mind.iter_mut().for_each(|it| it.tell(tried));
    }

    /// What a strategy sees of it.
    pub(crate) fn seen(&self) -> Value {
        object([
            ("name", self.name.into()),
            ("asked", self.asked.into()),
            ("kept", self.kept.into()),
        ])
    }
}

/// One that searches for the best mean, or for the best weighted score: so several parts of the front are
/// looked at.
struct Searching {
    optimizer: Box<dyn Optimizer>,
    is_weighed: bool,
}

fn searching(optimizer: Box<dyn Optimizer>, is_weighed: bool) -> Box<dyn Mind> {
    Box::new(Searching { optimizer, is_weighed })
}

impl Mind for Searching {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        self.optimizer.ask(count)
    }

    fn tell(&mut self, tried: &[Tried]) {
        let weighed =
            |it: &Tried| it.weighed.as_ref().filter(|_| self.is_weighed).map(|it| it.gain);
        let worth = |it: &Tried| weighed(it).unwrap_or(it.gain());
        let told: Vec<(Point, f64)> =
            tried.iter().map(|it| (it.point.clone(), -worth(it))).collect();
        self.optimizer.tell(&told);
    }
}

/// One that searches the front of quality, speed and cost, among all that was tried.
struct Front(Nsga2);

/// How many of those that were tried have children.
const POPULATION: usize = 12;

impl Mind for Front {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        self.0.ask(count)
    }

    fn tell(&mut self, tried: &[Tried]) {
        let told = tried
            .iter()
            .filter_map(|it| Some((it.point.clone(), it.weighed.as_ref()?.objectives.clone())));
        self.0.tell(&told.collect::<Vec<_>>());
    }
}

/// One that reads what happened to each case: it looks at the cases that the best candidate does worst,
/// blames the params that go along with that, and changes these.
struct Traces {
    space: Space,
    start: Point,
    rng: Rng,
    /// Where each candidate was in the unit cube, and the gain of each case.
    seen: Vec<(Vec<f64>, Vec<f64>)>,
    /// A workflow was slow: small steps towards smaller values are tried first.
    is_slow: bool,
    next: usize,
}

/// The candidates before anything can be blamed.
const FEW: usize = 4;

impl Traces {
    fn new(space: &Space, start: &Point, seed: u64, is_slow: bool) -> Self {
        Self {
            space: space.clone(),
            start: start.clone(),
            rng: Rng::with_seed(seed),
            seen: Vec::new(),
            is_slow,
            next: 0,
        }
    }

    /// One param after the other, up or down.
    fn first(&mut self) -> Vec<f64> {
        let mut unit = self.space.to_unit(&self.start);
        let at = self.next / 2 % unit.len();
        let is_up = self.next.is_multiple_of(2) != self.is_slow;
        self.next += 1;
        let step = 0.15 + 0.25 * self.rng.f64();
        unit[at] = (unit[at] + if is_up { step } else { -step }).clamp(0.0, 1.0);
        unit
    }

    /// How much each param goes along with the gains of the cases that the best candidate does worst.
    fn blamed(&self) -> (Vec<f64>, Vec<f64>) {
        let mean = |it: &[f64]| crate::stats::mean(it);
        let best = self.seen.iter().max_by(|a, b| mean(&a.1).total_cmp(&mean(&b.1)));
        let Some((at, gains)) = best else { return (self.space.to_unit(&self.start), Vec::new()) };
        let mut order: Vec<usize> = (0..gains.len()).collect();
        order.sort_by(|a, b| gains[*a].total_cmp(&gains[*b]));
        let worst = &order[..order.len().div_ceil(3)];
        let on_worst = |gains: &[f64]| {
            let known: Vec<f64> = worst.iter().filter_map(|it| gains.get(*it).copied()).collect();
            mean(&known)
        };
        let slope = |dimension: usize| {
            let pairs: Vec<(f64, f64)> =
                self.seen.iter().map(|(unit, gains)| (unit[dimension], on_worst(gains))).collect();
            let xs: Vec<f64> = pairs.iter().map(|it| it.0).collect();
            let ys: Vec<f64> = pairs.iter().map(|it| it.1).collect();
            let (x, y) = (mean(&xs), mean(&ys));
            let both: f64 = pairs.iter().map(|it| (it.0 - x) * (it.1 - y)).sum();
            let own: f64 = pairs.iter().map(|it| (it.0 - x) * (it.0 - x)).sum();
            if own > 0.0 { both / own } else { 0.0 }
        };
        (at.clone(), (0..at.len()).map(slope).collect())
    }
}

impl Mind for Traces {
    fn ask(&mut self, count: usize) -> Vec<Point> {
        let each = (0..count).map(|_| {
            let unit = if self.seen.len() < FEW {
                self.first()
            } else {
                let (mut unit, slopes) = self.blamed();
                let length = slopes.iter().map(|it| it * it).sum::<f64>().sqrt();
                let step = 0.05 + 0.35 * self.rng.f64();
                for (at, slope) in unit.iter_mut().zip(slopes) {
                    let towards = if length > 0.0 { slope / length } else { 0.0 };
                    let doubt = (self.rng.f64() - 0.5) * 0.1;
                    *at = (*at + towards * step + doubt).clamp(0.0, 1.0);
                }
                unit
            };
            self.space.from_unit(&unit)
        });
        each.collect()
    }

    fn tell(&mut self, tried: &[Tried]) {
        for it in tried {
            self.seen.push((self.space.to_unit(&it.point), it.gains.clone()));
        }
    }
}
