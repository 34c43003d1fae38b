//! Times until an event, of which some are only known to be longer.

use crate::{Stop, Trouble, dist, float, matrix::cholesky};

/// One observation.
#[derive(Clone, Copy, Debug)]
pub struct Observed {
    pub time: f64,
    /// Whether the event happened; otherwise the observation ended before it.
    pub is_event: bool,
}

/// A step of a survival curve.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub time: f64,
    pub at_risk: usize,
    pub events: usize,
    pub censored: usize,
    pub survival: f64,
    /// By the logarithm of the logarithm of the survival.
    pub interval: (f64, f64),
}

/// The curve of Kaplan and Meier.
pub fn kaplan_meier(all: &[Observed]) -> Vec<Step> {
    let mut sorted = all.to_vec();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
    let z = dist::normal_quantile(0.975);
    let (mut survival, mut sum) = (1.0, 0.0);
    let mut steps = Vec::new();
    let mut from = 0;
    while from < sorted.len() {
        let time = sorted[from].time;
        let own = sorted[from..].iter().take_while(|it| it.time == time);
        let (mut events, mut count) = (0, 0);
        for it in own {
            count += 1;
            events += usize::from(it.is_event);
        }
        let at_risk = sorted.len() - from;
        let (d, n) = (float(events), float(at_risk));
        survival *= 1.0 - d / n;
        sum += if events == at_risk { 0.0 } else { d / (n * (n - d)) };
        let interval = if survival >= 1.0 || survival <= 0.0 {
            (survival, survival)
        } else {
            let (log, half) = ((-f64::ln(survival)).ln(), z * f64::sqrt(sum) / -f64::ln(survival));
            ((-(log + half).exp()).exp(), (-(log - half).exp()).exp())
        };
        steps.push(Step { time, at_risk, events, censored: count - events, survival, interval });
        from += count;
    }
    steps
}

/// The time at which half of them had the event; none if fewer had.
pub fn median(steps: &[Step]) -> Option<f64> {
    // A product of fractions may miss a half by rounding; R's survfit has a tolerance, too.
    const HALF: f64 = 0.5 + 1e-9;
    steps.iter().find(|it| it.survival <= HALF).map(|it| it.time)
}

/// The first times at which the ends of the interval reach a half.
pub fn median_interval(steps: &[Step]) -> (Option<f64>, Option<f64>) {
    let first = |of: fn(&Step) -> f64| {
        steps.iter().find(|it| it.survival < 1.0 && of(it) <= 0.5).map(|it| it.time)
    };
    (first(|it| it.interval.0), first(|it| it.interval.1))
}

/// The log-rank test of several groups: the statistic, its degrees of freedom, and its p-value.
///
/// # Errors
/// Fewer than two groups, or no event.
pub fn log_rank(groups: &[Vec<Observed>]) -> Result<(f64, f64, f64), Trouble> {
    let k = groups.len();
    if k < 2 {
        return Err(Trouble::new(format!("expected at least two groups, found {k}")));
    }
    let mut all: Vec<(f64, usize, bool)> = groups
        .iter()
        .enumerate()
        .flat_map(|(at, group)| group.iter().map(move |it| (it.time, at, it.is_event)))
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut at_risk: Vec<f64> = groups.iter().map(|it| float(it.len())).collect();
    let mut off = vec![0.0; k];
    let mut covariance = vec![vec![0.0; k]; k];
    let mut from = 0;
    while from < all.len() {
        let same = all[from..].iter().take_while(|it| it.0 == all[from].0).count();
        let mut events = vec![0.0; k];
        all[from..from + same].iter().filter(|it| it.2).for_each(|it| events[it.1] += 1.0);
        let (d, n): (f64, f64) = (events.iter().sum(), at_risk.iter().sum());
        if d > 0.0 {
            let factor = if n > 1.0 { d * (n - d) / (n - 1.0) } else { 0.0 };
            for i in 0..k {
                off[i] += events[i] - d * at_risk[i] / n;
                for j in 0..k {
                    let same = if i == j { 1.0 } else { 0.0 };
                    covariance[i][j] += factor * at_risk[i] / n * (same - at_risk[j] / n);
                }
            }
        }
        all[from..from + same].iter().for_each(|it| at_risk[it.1] -= 1.0);
        from += same;
    }
    covariance.truncate(k - 1);
    for it in &mut covariance {
        it.truncate(k - 1);
    }
    let solved = cholesky(covariance)
        .map_err(|_| {
            Trouble::new("the groups have no events at common times").help("check the columns")
        })?
        .solve(&off[..k - 1]);
    let statistic: f64 = off.iter().zip(&solved).map(|(a, b)| a * b).sum();
    let df = float(k - 1);
    Ok((statistic, df, dist::chi2_above(statistic, df)))
}

/// A fitted model of proportional hazards.
#[derive(Clone, Debug)]
pub struct Cox {
    pub estimates: Vec<f64>,
    pub errors: Vec<f64>,
    pub log_likelihood: f64,
    pub null_log_likelihood: f64,
    pub concordance: Option<f64>,
    pub iterations: usize,
}

/// The most rows of which all pairs are compared.
const MOST_COMPARED: usize = 20_000;

/// Cox's regression, with Efron's treatment of ties.
///
/// # Errors
/// No event, covariates that depend on each other, or one that separates the events.
pub fn cox(
    all: &[Observed],
    columns: &[Vec<f64>],
    names: &[String],
    stop: &Stop<'_>,
) -> Result<Cox, Trouble> {
    let events = all.iter().filter(|it| it.is_event).count();
    if events <= columns.len() {
        return Err(Trouble::new(format!(
            "expected more events than covariates: {events} events, {} covariates",
            columns.len()
        )));
    }
    let (centred, scales) = standardized(columns, names)?;
    let risk = Risk::new(all, centred);
    let k = columns.len();
    let mut at = vec![0.0; k];
    let mut found = risk.at(&at);
    let null = found.log;
    for iterations in 1..=100 {
        stop.check()?;
        let depends = |_| {
            Trouble::new(format!("the covariates {} depend on each other", names.join(", ")))
                .help("leave one of them out")
        };
        let triangle = cholesky(found.information.clone()).map_err(depends)?;
        let step = triangle.solve(&found.slope);
        let size = step.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
        let mut factor = 1.0;
        let next = loop {
            let tried: Vec<f64> = at.iter().zip(&step).map(|(a, b)| a + factor * b).collect();
            let next = risk.at(&tried);
            if next.log >= found.log - 1e-9 * found.log.abs() || factor < 1e-6 {
                at = tried;
                break next;
            }
            factor /= 2.0;
        };
        let gain = next.log - found.log;
        found = next;
        if let Some(far) = at.iter().position(|it| it.abs() > 25.0) {
            return Err(endless(&names[far]));
        }
        if size < 1e-10 {
            let inverse = cholesky(found.information.clone()).map_err(depends)?.inverse();
            let errors: Vec<f64> = (0..k).map(|it| inverse[it][it].sqrt() / scales[it]).collect();
            let estimates: Vec<f64> = at.iter().zip(&scales).map(|(it, by)| it / by).collect();
            let concordance = concordance(all, &risk.scores(&at), stop)?;
            return Ok(Cox {
                estimates,
                errors,
                log_likelihood: found.log,
                null_log_likelihood: null,
                concordance,
                iterations,
            });
        }
        // The likelihood hardly grows, but the coefficients do: a maximum does not exist.
        if iterations > 15 && gain < 1e-6 && size > 0.1 {
            let far = (0..k).max_by(|a, b| at[*a].abs().total_cmp(&at[*b].abs())).unwrap_or(0);
            return Err(endless(&names[far]));
        }
    }
    Err(Trouble::new("Cox's regression does not converge").help("leave a covariate out"))
}

fn endless(name: &str) -> Trouble {
    Trouble::new(format!(
        "`{name}` separates those with an event, so that its coefficient has no finite estimate"
    ))
    .help(format!("leave `{name}` out, or join rare categories"))
}

type Scaled = (Vec<Vec<f64>>, Vec<f64>);

fn standardized(columns: &[Vec<f64>], names: &[String]) -> Result<Scaled, Trouble> {
    let mut all = Vec::with_capacity(columns.len());
    let mut scales = Vec::with_capacity(columns.len());
    for (column, name) in columns.iter().zip(names) {
        let middle = crate::describe::mean(column);
        let sd = crate::describe::variance(column).sqrt();
        if sd <= 1e-14 * middle.abs() || sd == 0.0 {
            return Err(Trouble::new(format!("`{name}` is the same in all rows"))
                .help(format!("leave `{name}` out")));
        }
        all.push(column.iter().map(|it| (it - middle) / sd).collect());
        scales.push(sd);
    }
    Ok((all, scales))
}

/// The rows, latest first, with their covariates.
struct Risk {
    order: Vec<usize>,
    times: Vec<f64>,
    is_event: Vec<bool>,
    columns: Vec<Vec<f64>>,
}

struct Likelihood {
    log: f64,
    slope: Vec<f64>,
    information: Vec<Vec<f64>>,
}

/// Sums over rows of the risk, of the risk times the covariates, and of it times their products.
#[derive(Clone)]
struct Sums {
    risk: f64,
    first: Vec<f64>,
    second: Vec<Vec<f64>>,
}

impl Sums {
    fn new(k: usize) -> Self {
        Self { risk: 0.0, first: vec![0.0; k], second: vec![vec![0.0; k]; k] }
    }

    fn add(&mut self, risk: f64, x: &[f64]) {
        self.risk += risk;
        for (i, a) in x.iter().enumerate() {
            self.first[i] += risk * a;
            for (j, b) in x.iter().enumerate().take(i + 1) {
                self.second[i][j] += risk * a * b;
            }
        }
    }
}

impl Risk {
    fn new(all: &[Observed], columns: Vec<Vec<f64>>) -> Self {
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by(|a, b| all[*b].time.total_cmp(&all[*a].time));
        let times = all.iter().map(|it| it.time).collect();
        Self { order, times, is_event: all.iter().map(|it| it.is_event).collect(), columns }
    }

    fn scores(&self, at: &[f64]) -> Vec<f64> {
        let score = |row: usize| self.columns.iter().zip(at).map(|(it, by)| it[row] * by).sum();
        (0..self.times.len()).map(score).collect()
    }

    fn at(&self, at: &[f64]) -> Likelihood {
        let k = at.len();
        let scores = self.scores(at);
        let mut sums = Sums::new(k);
        let mut found =
            Likelihood { log: 0.0, slope: vec![0.0; k], information: vec![vec![0.0; k]; k] };
        let mut from = 0;
        while from < self.order.len() {
            let time = self.times[self.order[from]];
            let count = self.order[from..].iter().take_while(|it| self.times[**it] == time).count();
            let mut dead = Sums::new(k);
            let mut events = 0;
            for row in &self.order[from..from + count] {
                let x: Vec<f64> = self.columns.iter().map(|it| it[*row]).collect();
                let risk = scores[*row].exp();
                sums.add(risk, &x);
                if self.is_event[*row] {
                    events += 1;
                    dead.add(risk, &x);
                    found.log += scores[*row];
                    found.slope.iter_mut().zip(&x).for_each(|(it, x)| *it += x);
                }
            }
            for number in 0..events {
                found.take(&sums, &dead, float(number) / float(events));
            }
            from += count;
        }
        for i in 0..k {
            for j in i + 1..k {
                found.information[i][j] = found.information[j][i];
            }
        }
        found
    }
}

impl Likelihood {
    /// One event, for which a share of those that have it at the same time has left the risk set.
    fn take(&mut self, sums: &Sums, dead: &Sums, share: f64) {
        let risk = sums.risk - share * dead.risk;
        self.log -= risk.ln();
        let mean: Vec<f64> =
            sums.first.iter().zip(&dead.first).map(|(a, b)| (a - share * b) / risk).collect();
        for i in 0..mean.len() {
            self.slope[i] -= mean[i];
            for j in 0..=i {
                let second = (sums.second[i][j] - share * dead.second[i][j]) / risk;
                self.information[i][j] += second - mean[i] * mean[j];
            }
        }
    }
}

/// The share of the pairs with a known order in which the one with the higher risk has the earlier event.
fn concordance(all: &[Observed], scores: &[f64], stop: &Stop<'_>) -> Result<Option<f64>, Trouble> {
    if all.len() > MOST_COMPARED {
        return Ok(None);
    }
    let (mut right, mut pairs) = (0.0, 0.0);
    for (a, own) in all.iter().zip(scores) {
        stop.check()?;
        if !a.is_event {
            continue;
        }
        for (b, other) in all.iter().zip(scores) {
            let is_later = b.time > a.time || (b.time == a.time && !b.is_event);
            if is_later {
                pairs += 1.0;
                right += if own > other {
                    1.0
                } else if own == other {
                    0.5
                } else {
                    0.0
                };
            }
        }
    }
    Ok((pairs > 0.0).then_some(right / pairs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_that_meets_a_half_exactly_has_its_median_there() {
        for n in [2_u32, 12, 24, 28, 30, 38, 44, 46, 54] {
            let all: Vec<Observed> =
                (1..=n).map(|it| Observed { time: it.into(), is_event: true }).collect();
            assert_eq!(median(&kaplan_meier(&all)), Some((n / 2).into()), "{n}");
        }
    }
}
