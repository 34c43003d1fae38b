//! Which of several variants is the best: rates or means, by quadrature over their posteriors.

use svc_contract::{
    registry::{Cx, OpError},
    value::{Text, Value},
};

use super::{
    conjugate::{IMPROPER, Normal, beta_prior, length},
    input::{Object, Trials, invalid},
    made::Evidence,
    quadrature,
    result::{Decision, Estimate, Inference, Named},
    special::{Beta, Continuous, StudentT, root},
};

const MOST_VARIANTS: usize = 20;

/// The posterior of the rate or the mean of a variant.
#[derive(Clone, Copy, Debug)]
enum Law {
    Rate(Beta),
    Mean(StudentT),
}

/// A place of a quadrature: a number, 1 minus it if it is a rate, and the weight of `f dx`.
#[derive(Clone, Copy, Debug)]
struct Node {
    x: f64,
    y: f64,
    dx: f64,
}

impl Law {
    fn below(&self, x: f64) -> f64 {
        match self {
            Self::Rate(it) => it.below(x.clamp(0.0, 1.0)),
            Self::Mean(it) => it.below(x),
        }
    }

    /// The probabilities of at most the number at a node, and of more.
    fn split(&self, at: Node) -> (f64, f64) {
        match self {
            Self::Rate(it) => it.split(at.x, at.y),
            Self::Mean(it) => (it.below(at.x), it.above(at.x)),
        }
    }

    /// The probability of being near a node.
    fn mass(&self, at: Node) -> f64 {
        match self {
            Self::Rate(it) => it.density_of_logit(at.x, at.y) * (at.dx / (at.x * at.y)),
            Self::Mean(it) => it.density(at.x) * at.dx,
        }
    }

    fn mean(&self) -> Option<f64> {
        match self {
            Self::Rate(it) => it.mean(),
            Self::Mean(it) => it.mean(),
        }
    }

    fn sd(&self) -> Option<f64> {
        match self {
            Self::Rate(it) => it.sd(),
            Self::Mean(it) => it.sd(),
        }
    }

    fn width(&self) -> f64 {
        match self {
            Self::Rate(it) => it.sd().unwrap_or(1.0),
            Self::Mean(it) => it.scale,
        }
    }

    fn estimate(&self) -> Estimate {
        match self {
            Self::Rate(it) => Estimate::of(it),
            Self::Mean(it) => Estimate::of(it),
        }
    }

    /// The borders of pieces in which the density is smooth; those of a rate are of its logit.
    fn borders(&self, borders: &mut Vec<f64>) {
        let (middle, width, most) = match self {
            Self::Rate(Beta { a, b }) => {
                ((a / b).ln(), ((a + b) / (a * b)).sqrt(), 60.0 / a.min(*b))
            }
            Self::Mean(it) => (it.place, it.scale, it.scale * 1e17_f64.powf(1.0 / it.df).max(40.0)),
        };
        borders.push(middle);
        let mut reach = width * 0.25;
        while reach < most.max(width * 40.0) {
            borders.extend([middle - reach, middle + reach]);
            reach *= 1.5;
        }
        if matches!(self, Self::Rate(_)) && width > 0.5 {
            borders.extend((-40..=40).map(|it| middle + f64::from(it)));
        }
    }
}

/// The nodes of a quadrature over all that some of these laws allow.
fn nodes(laws: &[Law]) -> Vec<Node> {
    let mut borders = Vec::new();
    for it in laws {
        it.borders(&mut borders);
    }
    borders.sort_by(f64::total_cmp);
    let is_rate = laws.iter().any(|it| matches!(it, Law::Rate(_)));
    let pieces = borders.windows(2).filter(|it| it[1] > it[0]);
    let points = pieces.flat_map(|it| quadrature::points(it[0], it[1]));
    let node = |(t, weight): (f64, f64)| {
        if !is_rate {
            return Node { x: t, y: 0.0, dx: weight };
        }
        let (x, y) = (1.0 / (1.0 + (-t).exp()), 1.0 / (1.0 + t.exp()));
        Node { x, y, dx: weight * x * y }
    };
    points.map(node).filter(|it| it.dx > 0.0 && (!is_rate || it.y > 0.0)).collect()
}

/// The probabilities of being the best of all, and the expected losses.
fn best(laws: &[Law], cx: &Cx) -> Result<(Vec<f64>, Vec<f64>), OpError> {
    let (mut best, mut loss) = (vec![0.0; laws.len()], vec![0.0; laws.len()]);
    for at in nodes(laws) {
        cx.check()?;
        let below: Vec<(f64, f64)> = laws.iter().map(|it| it.split(at)).collect();
        for (idx, law) in laws.iter().enumerate() {
            let others = below.iter().enumerate().filter(|it| it.0 != idx).map(|it| it.1);
            // `1 - all` without cancellation where all are nearly 1.
            let (mut all, mut not_all) = (1.0, 0.0);
            for (under, over) in others {
                not_all += all * over;
                all *= under;
            }
            best[idx] += law.mass(at) * all;
            loss[idx] += below[idx].0 * not_all * at.dx;
        }
    }
    let sum: f64 = best.iter().sum();
    Ok((best.into_iter().map(|it| it / sum).collect(), loss))
}

/// The probability that the second is more than the first.
fn better(one: &Law, other: &Law) -> f64 {
    let both = [*one, *other];
    let sum = |of: &dyn Fn(Node) -> f64| nodes(&both).into_iter().map(of).sum::<f64>();
    sum(&|at| other.mass(at) * one.split(at).0).clamp(0.0, 1.0)
}

/// The narrower one of two laws as points with their probabilities, so that the other one is smooth
/// between them.
fn points(law: &Law) -> Vec<(f64, f64)> {
    let points = nodes(&[*law]).into_iter().map(|at| (at.x, law.mass(at)));
    points.filter(|it| it.1 > 1e-18).collect()
}

/// The interval of a number that depends on both: `move_first` is where the second must be for it,
/// given the first, and `move_second` the other way round.
fn interval(
    (one, other): (&Law, &Law),
    (low, high): (f64, f64),
    to_second: impl Fn(f64, f64) -> f64,
    to_first: impl Fn(f64, f64) -> f64,
) -> Vec<f64> {
    let is_first = one.width() < other.width();
    let points = points(if is_first { one } else { other });
    let below = |it: f64| -> f64 {
        let share = |(x, mass): &(f64, f64)| {
            let probability = if is_first {
                other.below(to_second(*x, it))
            } else {
                1.0 - one.below(to_first(*x, it))
            };
            mass * probability
        };
        points.iter().map(share).sum()
    };
    [0.025, 0.975].map(|p| root(low, high, |it| p - below(it))).to_vec()
}

fn difference(one: &Law, other: &Law) -> Estimate {
    let minus = |(a, b): (f64, f64)| b - a;
    let mean = one.mean().zip(other.mean()).map(minus);
    let sd = one.sd().zip(other.sd()).map(|(a, b)| a.hypot(b));
    let (low, high) = match (one.estimate().ci95.as_slice(), other.estimate().ci95.as_slice()) {
        ([a, b], [c, d]) => (c - b - 4.0 * (b - a), d - a + 4.0 * (d - c)),
        _ => (-1.0, 1.0),
    };
    // Differences of numbers with heavy tails may lie far outside.
    let reach = 1e3 * (high - low);
    let ends = (low - reach, high + reach);
    Estimate { mean, sd, ci95: interval((one, other), ends, |x, it| x + it, |y, it| y - it) }
}

/// How much more the second rate is, in relation to the first.
fn lift(one: &Beta, other: &Beta) -> Estimate {
    let Beta { a, b } = *one;
    let inverse = (a > 1.0).then(|| (a + b - 1.0) / (a - 1.0));
    let square = (a > 2.0).then(|| (a + b - 1.0) * (a + b - 2.0) / ((a - 1.0) * (a - 2.0)));
    let (mean, sd) = (other.mean().unwrap_or(0.0), other.sd().unwrap_or(0.0));
    let spread = inverse.zip(square).map(|(inverse, square)| {
        // The variance of a product of independent numbers.
        let of_inverse = square - inverse * inverse;
        (of_inverse * (mean * mean + sd * sd) + sd * sd * inverse * inverse).max(0.0).sqrt()
    });
    let laws = (&Law::Rate(*one), &Law::Rate(*other));
    let least = one.quantile(1e-12).max(f64::MIN_POSITIVE);
    let ends = (0.0, 1.0 / least);
    let ratio = interval(laws, ends, |x, it| x * it, |y, it| if it > 0.0 { y / it } else { 1.0 });
    let ci95 = ratio.iter().map(|it| it - 1.0).collect();
    Estimate { mean: inverse.map(|it| mean * it - 1.0), sd: spread, ci95 }
}

struct Variants {
    names: Vec<Text>,
    laws: Vec<Law>,
    n: f64,
    evidence: Evidence,
}

impl Variants {
    fn read(data: &Value, prior: Option<&Value>) -> Result<Self, OpError> {
        let object = Object::new(data, "data", &[])?;
        let count = object.iter().count();
        if !(2..=MOST_VARIANTS).contains(&count) {
            let message =
                format!("expected 2 to {MOST_VARIANTS} variants in `data`, found {count}");
            let help =
                "use `{ a: { successes: 10, trials: 100 }, b: { successes: 12, trials: 90 } }`";
            return Err(invalid(message).help(help));
        }
        let has_values = |it: &Value| it.as_record().is_some_and(|it| it.has("values"));
        let are_means = object.iter().any(|it| has_values(it.1));
        let mut read = Self { names: Vec::new(), laws: Vec::new(), n: 0.0, evidence: Ok(0.0) };
        for (name, value) in object.iter() {
            let place = format!("data.{name}");
            let (law, n, evidence) = if are_means {
                let object = Object::new(value, &place, &["values"])?;
                let seen = object.numbers("values")?;
                let prior = Normal::prior(prior)?;
                let after = prior.after(&seen, &place)?;
                let n = length(&seen);
                (Law::Mean(after.of_mean()), n, prior.evidence(&after, n))
            } else {
                let (seen, prior) = (Trials::read(value, &place)?, beta_prior(prior)?);
                (Law::Rate(prior.after(seen)), seen.trials, Ok(prior.evidence(seen)))
            };
            read.names.push(name.clone());
            read.laws.push(law);
            read.n += n;
            read.evidence = read.evidence.and_then(|sum| Ok(sum + evidence.map_err(|_| IMPROPER)?));
        }
        Ok(read)
    }
}

pub(super) fn ab_test(data: &Value, prior: Option<&Value>, cx: &Cx) -> Result<Inference, OpError> {
    let Variants { names, laws, n, evidence } = Variants::read(data, prior)?;
    let named = |all: Vec<f64>| Named(names.iter().cloned().zip(all).collect());
    let (best, loss) = best(&laws, cx)?;
    let least = (0..laws.len()).min_by(|a, b| loss[*a].total_cmp(&loss[*b])).unwrap_or(0);
    let mut others = Decision {
        choose: names[least].clone(),
        control: names[0].clone(),
        best: named(best),
        better: Named(Vec::new()),
        loss: named(loss),
        difference: Named(Vec::new()),
        lift: None,
    };
    for (name, law) in names.iter().zip(&laws).skip(1) {
        cx.check()?;
        others.better.0.push((name.clone(), better(&laws[0], law)));
        others.difference.0.push((name.clone(), difference(&laws[0], law)));
        if let (Law::Rate(one), Law::Rate(other)) = (&laws[0], law) {
            let lifts = others.lift.get_or_insert_with(|| Named(Vec::new()));
            lifts.0.push((name.clone(), lift(one, other)));
        }
    }
    let posterior = names.iter().cloned().zip(laws.iter().map(Law::estimate)).collect();
    let decision = Some(others);
    let found = Inference::new("ab_test", n, posterior, evidence);
    Inference { method: "quadrature".into(), decision, ..found }.checked()
}
