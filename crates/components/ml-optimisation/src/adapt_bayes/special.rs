//! Distributions: their means, probabilities and quantiles, also for very large counts.
//!
//! `statrs` gives the logarithm of the gamma function. Its distribution functions stop after 140
//! terms of a continued fraction, which is too early for large counts, so they are computed here:
//! densities by deviances (Loader 2000), which lose no digits where two large terms cancel, and
//! probabilities by continued fractions or, for large parameters, by quadrature.

use statrs::function::gamma::ln_gamma;

use super::quadrature::gauss;

/// Above this, probabilities are computed by quadrature.
const LARGE: f64 = 3_000.0;
const MOST_TERMS: usize = 100_000;
const EPSILON: f64 = 1e-16;

/// A distribution of one number.
pub(super) trait Continuous {
    /// The probability of at most `x`.
    fn below(&self, x: f64) -> f64;
    /// The probability of more than `x`.
    fn above(&self, x: f64) -> f64;
    /// `None` if it is infinite.
    fn mean(&self) -> Option<f64>;
    fn sd(&self) -> Option<f64>;
    /// Two numbers between which all quantiles of interest lie.
    fn bracket(&self) -> (f64, f64);

    /// The number that is exceeded with the probability `1 - p`.
    fn quantile(&self, p: f64) -> f64 {
        let (low, high) = self.bracket();
        root(low, high, |x| if p < 0.5 { p - self.below(x) } else { self.above(x) - (1.0 - p) })
    }

    fn interval(&self) -> [f64; 2] {
        [self.quantile(0.025), self.quantile(0.975)]
    }
}

/// Where a falling function is 0, to the last digits.
pub(super) fn root(mut low: f64, mut high: f64, falling: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..300 {
        let middle = low.midpoint(high);
        if middle <= low || middle >= high {
            break;
        }
        if falling(middle) > 0.0 { low = middle } else { high = middle }
    }
    low.midpoint(high)
}

/// The error of Stirling's formula for the logarithm of the gamma function.
fn stirling_error(z: f64) -> f64 {
    if z < 15.0 {
        return ln_gamma(z) - (z - 0.5) * z.ln() + z - 0.5 * std::f64::consts::TAU.ln();
    }
    let square = 1.0 / (z * z);
    let series = 1.0 / 1680.0 - square / 1188.0;
    (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square * series))) / z
}

/// `x ln(x / m) + m - x`, without cancellation where both are close.
fn deviance(x: f64, m: f64) -> f64 {
    if x == 0.0 {
        return m;
    }
    if (x - m).abs() >= 0.1 * (x + m) {
        return x * (x / m).ln() + m - x;
    }
    let v = (x - m) / (x + m);
    let mut sum = (x - m) * v;
    let mut term = 2.0 * x * v;
    for idx in 1..1_000 {
        term *= v * v;
        let next = sum + term / f64::from(2 * idx + 1);
        if next.to_bits() == sum.to_bits() {
            break;
        }
        sum = next;
    }
    sum
}

/// The logarithm of the beta function.
pub(super) fn ln_beta(a: f64, b: f64) -> f64 {
    let (a, b) = (a.min(b), a.max(b));
    if a < 15.0 {
        return ln_gamma(a) + ln_gamma_ratio(b, a);
    }
    let n = a + b;
    let errors = stirling_error(a) + stirling_error(b) - stirling_error(n);
    a * (a / n).ln() + b * (b / n).ln() + 0.5 * (std::f64::consts::TAU * n / (a * b)).ln() + errors
}

/// The logarithm of the gamma function at `b`, minus that at `b + a`.
fn ln_gamma_ratio(b: f64, a: f64) -> f64 {
    if b < 15.0 {
        return ln_gamma(b) - ln_gamma(a + b);
    }
    let n = a + b;
    let errors = stirling_error(b) - stirling_error(n);
    -(b - 0.5) * (a / b).ln_1p() - a * n.ln() + a + errors
}

/// A beta distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beta {
    pub a: f64,
    pub b: f64,
}

impl Beta {
    /// `x (1 - x)` times the density, which is the density of `ln(x / (1 - x))`; `y` is `1 - x`.
    pub(super) fn density_of_logit(&self, x: f64, y: f64) -> f64 {
        let Self { a, b } = *self;
        if x <= 0.0 || y <= 0.0 {
            return 0.0;
        }
        let n = a + b;
        let errors = stirling_error(n) - stirling_error(a) - stirling_error(b);
        let spread = (a * b / (n * std::f64::consts::TAU)).sqrt();
        spread * (errors - deviance(a, n * x) - deviance(b, n * y)).exp()
    }

    /// The probabilities of at most `x` and of more; `y` is `1 - x`.
    pub(super) fn split(&self, x: f64, y: f64) -> (f64, f64) {
        let Self { a, b } = *self;
        if x <= 0.0 {
            return (0.0, 1.0);
        }
        if y <= 0.0 {
            return (1.0, 0.0);
        }
        if x > a / (a + b) {
            let above = if a.min(b) > LARGE {
                self.tail(x)
            } else {
                fraction(b, a, y, self.density_of_logit(x, y))
            };
            return (1.0 - above, above);
        }
        let below = if a.min(b) > LARGE {
            Self { a: b, b: a }.tail(y)
        } else {
            fraction(a, b, x, self.density_of_logit(x, y))
        };
        (below, 1.0 - below)
    }

    /// The probability of more than `x`, which is above the mean.
    fn tail(&self, x: f64) -> f64 {
        let (mean, sd) = (self.a / (self.a + self.b), self.sd().unwrap_or(0.0));
        let end = (x + 12.0 * sd.min((sd * sd) / (x - mean).max(f64::MIN_POSITIVE) * 4.0)).min(1.0);
        let density = |t: f64| self.density_of_logit(t, 1.0 - t) / (t * (1.0 - t));
        let step = (end - x) / 6.0;
        (0..6)
            .map(|it| gauss(x + step * f64::from(it), x + step * f64::from(it + 1), density))
            .sum()
    }
}

impl Continuous for Beta {
    fn below(&self, x: f64) -> f64 {
        self.split(x, 1.0 - x).0
    }

    fn above(&self, x: f64) -> f64 {
        self.split(x, 1.0 - x).1
    }

    fn mean(&self) -> Option<f64> {
        Some(self.a / (self.a + self.b))
    }

    fn sd(&self) -> Option<f64> {
        let n = self.a + self.b;
        Some((self.a / n * (self.b / n) / (n + 1.0)).sqrt())
    }

    fn bracket(&self) -> (f64, f64) {
        (0.0, 1.0)
    }
}

/// The incomplete beta function by its continued fraction (Lentz), for `x` up to the mean; `power`
/// is `x^a (1 - x)^b / B(a, b)`.
fn fraction(a: f64, b: f64, x: f64, power: f64) -> f64 {
    let small = f64::MIN_POSITIVE / EPSILON;
    let guarded = |it: f64| if it.abs() < small { small } else { it };
    let mut c = 1.0;
    let mut d = 1.0 / guarded(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    let mut m = 1.0;
    for _ in 0..MOST_TERMS {
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / guarded(1.0 + even * d);
        c = guarded(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / guarded(1.0 + odd * d);
        c = guarded(1.0 + odd / c);
        h *= d * c;
        if (d * c - 1.0).abs() <= EPSILON {
            break;
        }
        m += 1.0;
    }
    (power * h / a).clamp(0.0, 1.0)
}

/// A gamma distribution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gamma {
    pub shape: f64,
    pub rate: f64,
}

impl Gamma {
    /// `x` times the density, for a rate of 1.
    fn density_of_log(&self, x: f64) -> f64 {
        let spread = (self.shape / std::f64::consts::TAU).sqrt();
        spread * (-stirling_error(self.shape) - deviance(self.shape, x)).exp()
    }

    fn split(&self, x: f64) -> (f64, f64) {
        let (a, x) = (self.shape, x * self.rate);
        if x <= 0.0 {
            return (0.0, 1.0);
        }
        if x.is_infinite() {
            return (1.0, 0.0);
        }
        if a > LARGE {
            let sd = a.sqrt();
            let far = (x - a).abs().max(f64::MIN_POSITIVE);
            let reach = 12.0 * sd.min(4.0 * a / far);
            let end = if x > a { x + reach } else { (x - reach).max(0.0) };
            let density = |t: f64| if t > 0.0 { self.density_of_log(t) / t } else { 0.0 };
            let step = (end - x) / 6.0;
            let part =
                |it: i32| gauss(x + step * f64::from(it), x + step * f64::from(it + 1), density);
            let tail: f64 = (0..6).map(part).sum::<f64>().abs();
            return if x > a { (1.0 - tail, tail) } else { (tail, 1.0 - tail) };
        }
        if x < a + 1.0 {
            let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
            for _ in 0..MOST_TERMS {
                n += 1.0;
                term *= x / n;
                sum += term;
                if term < sum * EPSILON {
                    break;
                }
            }
            let below = (self.density_of_log(x) * sum).clamp(0.0, 1.0);
            return (below, 1.0 - below);
        }
        let above = (self.density_of_log(x) * upper_fraction(a, x)).clamp(0.0, 1.0);
        (1.0 - above, above)
    }
}

/// The continued fraction of the upper incomplete gamma function (Lentz).
fn upper_fraction(a: f64, x: f64) -> f64 {
    let small = f64::MIN_POSITIVE / EPSILON;
    let guarded = |it: f64| if it.abs() < small { small } else { it };
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / small, 1.0 / guarded(b));
    let (mut h, mut n) = (d, 1.0);
    for _ in 0..MOST_TERMS {
        let term = -n * (n - a);
        b += 2.0;
        d = 1.0 / guarded(term * d + b);
        c = guarded(b + term / c);
        h *= d * c;
        if (d * c - 1.0).abs() <= EPSILON {
            break;
        }
        n += 1.0;
    }
    h
}

impl Continuous for Gamma {
    fn below(&self, x: f64) -> f64 {
        self.split(x).0
    }

    fn above(&self, x: f64) -> f64 {
        self.split(x).1
    }

    fn mean(&self) -> Option<f64> {
        Some(self.shape / self.rate)
    }

    fn sd(&self) -> Option<f64> {
        Some(self.shape.sqrt() / self.rate)
    }

    fn bracket(&self) -> (f64, f64) {
        (0.0, (self.shape + 12.0 * self.shape.sqrt() + 50.0) / self.rate)
    }
}

/// The distribution of `1 / x` where `x` has a gamma distribution; `rate` is its scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct InverseGamma(pub Gamma);

impl Continuous for InverseGamma {
    fn below(&self, x: f64) -> f64 {
        self.0.above(1.0 / x)
    }

    fn above(&self, x: f64) -> f64 {
        self.0.below(1.0 / x)
    }

    fn mean(&self) -> Option<f64> {
        (self.0.shape > 1.0).then(|| self.0.rate / (self.0.shape - 1.0))
    }

    fn sd(&self) -> Option<f64> {
        let a = self.0.shape;
        (a > 2.0).then(|| self.0.rate / ((a - 1.0) * (a - 2.0).sqrt()))
    }

    fn bracket(&self) -> (f64, f64) {
        let end = self.0.bracket().1;
        (1.0 / end, f64::MAX)
    }

    fn quantile(&self, p: f64) -> f64 {
        1.0 / self.0.quantile(1.0 - p)
    }
}

/// A Student t distribution with a place and a scale.
#[derive(Clone, Copy, Debug)]
pub(super) struct StudentT {
    pub df: f64,
    pub place: f64,
    pub scale: f64,
}

impl StudentT {
    pub(super) fn density(&self, x: f64) -> f64 {
        let Self { df, place, scale } = *self;
        let t = (x - place) / scale;
        let norm = ln_beta(0.5 * df, 0.5) + 0.5 * df.ln();
        (-norm - 0.5 * (df + 1.0) * (t * t / df).ln_1p()).exp() / scale
    }

    /// The probability of being further than this from the place, on one side.
    fn beyond(&self, x: f64) -> f64 {
        let t = (x - self.place) / self.scale;
        let (square, df) = (t * t, self.df);
        if square.is_infinite() {
            return 0.0;
        }
        let of = Beta { a: 0.5 * df, b: 0.5 };
        0.5 * of.split(df / (df + square), square / (df + square)).0
    }
}

impl Continuous for StudentT {
    fn below(&self, x: f64) -> f64 {
        let beyond = self.beyond(x);
        if x < self.place { beyond } else { 1.0 - beyond }
    }

    fn above(&self, x: f64) -> f64 {
        let beyond = self.beyond(x);
        if x < self.place { 1.0 - beyond } else { beyond }
    }

    fn mean(&self) -> Option<f64> {
        (self.df > 1.0).then_some(self.place)
    }

    fn sd(&self) -> Option<f64> {
        (self.df > 2.0).then(|| self.scale * (self.df / (self.df - 2.0)).sqrt())
    }

    fn bracket(&self) -> (f64, f64) {
        let reach = self.scale * 20.0_f64.powf((2.0 / self.df).max(1.0)) * 4.0;
        (self.place - reach, self.place + reach)
    }

    /// By symmetry, so that both ends of an interval are equally far from the place.
    fn quantile(&self, p: f64) -> f64 {
        let standard = Self { place: 0.0, scale: 1.0, ..*self };
        let tail = p.min(1.0 - p);
        let t = root(0.0, standard.bracket().1, |t| standard.beyond(t) - tail);
        if p < 0.5 { self.place - self.scale * t } else { self.place + self.scale * t }
    }
}
