//! What differences between paired scores show.

use svc_learn::{describe, dist};

/// The smallest difference of two scores that counts.
const SMALLEST: f64 = 0.001;

/// The mean of paired differences, and how sure it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paired {
    pub mean: f64,
    /// The standard error of the mean.
    pub error: f64,
    pub count: usize,
}

impl Paired {
    /// The differences `b - a`, case by case.
    pub(crate) fn of(a: &[f64], b: &[f64]) -> Self {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| b - a).collect();
        Self::of_all(&differences)
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of cases")]
    pub(crate) fn of_all(differences: &[f64]) -> Self {
        let count = differences.len();
        let mean = if count == 0 { 0.0 } else { describe::mean(differences) };
        let variance = if count < 2 { 0.0 } else { describe::variance(differences) };
        Self { mean, error: (variance / count.max(1) as f64).sqrt(), count }
    }

    /// The lower one-sided bound of the mean at a level such as .05, by Student's t.
    pub(crate) fn lower(&self, alpha: f64) -> f64 {
        if self.count < 2 {
            return f64::NEG_INFINITY;
        }
        if self.error == 0.0 {
            return self.mean;
        }
        self.mean - dist::t_quantile(1.0 - alpha, self.freedom()) * self.error
    }

    /// The upper one-sided bound.
    pub(crate) fn upper(&self, alpha: f64) -> f64 {
        if self.count < 2 {
            return f64::INFINITY;
        }
        if self.error == 0.0 {
            return self.mean;
        }
        self.mean + dist::t_quantile(1.0 - alpha, self.freedom()) * self.error
    }

    /// The probability that the mean is above a value, as the data show it.
    pub(crate) fn confidence_above(&self, value: f64) -> f64 {
        if self.count < 2 || self.error == 0.0 {
            return f64::from(u8::from(self.mean > value));
        }
        1.0 - dist::t_above((self.mean - value) / self.error, self.freedom())
    }

    /// How much more likely the differences are with their own mean than with the mean 0, in bits; below 0 if
    /// the mean is. The variance is at least that of scores which differ by a thousandth, so that differences
    /// which are all the same are not endless evidence.
    #[expect(clippy::cast_precision_loss, reason = "a count of cases")]
    pub(crate) fn evidence(&self) -> f64 {
        let count = self.count as f64;
        let variance = (self.error * self.error * (count - 1.0)).max(SMALLEST * SMALLEST);
        let bits = count / 2.0 * (1.0 + self.mean * self.mean / variance).log2();
        if self.mean < 0.0 { -bits } else { bits }
    }

    #[expect(clippy::cast_precision_loss, reason = "a count of cases")]
    fn freedom(&self) -> f64 {
        self.count as f64 - 1.0
    }
}

/// The level of a test among many: the levels of all attempts together are `alpha`, however many there
/// will be.
#[expect(clippy::cast_precision_loss, reason = "a count of attempts")]
pub(crate) fn level_of(attempt: u64, alpha: f64) -> f64 {
    let no = attempt.max(1) as f64;
    alpha / (no * (no + 1.0))
}

/// The mean of numbers; 0 without any.
pub(crate) fn mean(all: &[f64]) -> f64 {
    if all.is_empty() { 0.0 } else { describe::mean(all) }
}

/// The median of numbers; 0 without any.
pub(crate) fn median(all: &[f64]) -> f64 {
    let mut sorted = all.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() { 0.0 } else { describe::quantile(&sorted, 0.5) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_those_of_student() {
        // scipy.stats.t.ppf(.95, 4) = 2.131847; the differences are 1, 2, 3, 4, 5.
        let paired = Paired::of(&[0.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert!(
            (paired.lower(0.05) - (3.0 - 2.131_847 * std::f64::consts::FRAC_1_SQRT_2)).abs() < 1e-5
        );
        assert!(
            (paired.upper(0.05) - (3.0 + 2.131_847 * std::f64::consts::FRAC_1_SQRT_2)).abs() < 1e-5
        );
        assert!(paired.confidence_above(0.0) > 0.99 && paired.confidence_above(3.0) < 0.51);
    }

    #[test]
    fn equal_scores_show_no_difference() {
        let paired = Paired::of(&[0.5; 40], &[0.5; 40]);
        assert!(paired.lower(0.05).abs() < 1e-12 && paired.evidence().abs() < 1e-12);
        assert!(Paired::of(&[0.5], &[0.9]).lower(0.05).is_infinite());
    }

    #[test]
    fn the_levels_of_all_attempts_are_no_more_than_one() {
        let sum: f64 = (1..10_000).map(|it| level_of(it, 0.05)).sum();
        assert!(sum < 0.05 && sum > 0.049);
    }

    #[test]
    fn evidence_grows_with_the_gain_and_the_cases_and_is_never_endless() {
        let same = |gain: f64, count| Paired::of_all(&vec![gain; count]).evidence();
        // The same gain in each case is much, and no more than the cases can say.
        assert!(same(1.0, 36) > 100.0 && same(1.0, 36) < 400.0, "{}", same(1.0, 36));
        assert!(same(-1.0, 36) < -100.0);
        assert!(same(0.4, 43) > same(0.4, 20) && same(0.4, 43) > same(0.01, 43));
        // One case that differs a little changes little.
        let mut nearly = vec![0.4; 43];
        nearly[0] = 0.39;
        let nearly = Paired::of_all(&nearly).evidence();
        assert!((nearly / same(0.4, 43) - 1.0).abs() < 0.2, "{nearly}");
        // Chance is hardly evidence: a t of 1 is about .7 bits.
        let chance = Paired { mean: 0.01, error: 0.01, count: 50 }.evidence();
        assert!((0.6..0.8).contains(&chance), "{chance}");
    }
}
