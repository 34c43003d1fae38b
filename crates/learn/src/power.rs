//! How many observations a test needs.

use crate::{Trouble, dist, float};

/// A test whose power is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Test {
    /// Two samples of n each; the effect is Cohen's d.
    TwoSamples,
    /// One sample or pairs; the effect is Cohen's d.
    OneSample,
    /// Groups of n each; the effect is Cohen's f.
    Anova { groups: f64 },
    /// Two shares, of n each; the effect is Cohen's h.
    Proportions,
    /// The effect is r.
    Correlation,
    /// The effect is Cohen's w.
    Chi2 { df: f64 },
}

/// The largest number of observations that is looked for.
const MOST: usize = 1_000_000_000;

impl Test {
    /// The least number of observations with which the test exists.
    pub fn least(self) -> usize {
        match self {
            Self::Correlation => 4,
            _ => 2,
        }
    }

    /// The probability that the test finds an effect, on both sides.
    pub fn power(self, effect: f64, n: usize, alpha: f64) -> f64 {
        let effect = effect.abs();
        let n = float(n);
        match self {
            Self::TwoSamples => of_t(effect * (n / 2.0).sqrt(), 2.0 * n - 2.0, alpha),
            Self::OneSample => of_t(effect * n.sqrt(), n - 1.0, alpha),
            Self::Anova { groups } => {
                let (df, df2) = (groups - 1.0, groups * (n - 1.0));
                let edge = dist::f_quantile_above(alpha, df, df2);
                dist::noncentral_f_above(edge, df, df2, effect * effect * groups * n)
            }
            Self::Proportions => of_z(effect * (n / 2.0).sqrt(), alpha),
            Self::Correlation => of_z(effect.atanh() * (n - 3.0).sqrt(), alpha),
            Self::Chi2 { df } => {
                let edge = dist::chi2_quantile_above(alpha, df);
                dist::noncentral_chi2_above(edge, df, effect * effect * n)
            }
        }
    }

    /// The least number of observations with this power.
    ///
    /// # Errors
    /// The effect is zero, or so small that more than a thousand million observations are necessary.
    pub fn needed(self, effect: f64, power: f64, alpha: f64) -> Result<usize, Trouble> {
        let mut high = self.least();
        while self.power(effect, high, alpha) < power {
            if effect == 0.0 || high > MOST {
                return Err(Trouble::new(format!(
                    "an effect of {effect} needs more than {MOST} observations"
                ))
                .help("look for a larger effect"));
            }
            high *= 2;
        }
        let mut low = self.least();
        while low < high {
            let middle = low + (high - low) / 2;
            if self.power(effect, middle, alpha) < power {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }
}

fn of_t(shift: f64, df: f64, alpha: f64) -> f64 {
    // From here on the t distribution is the normal one in all digits that are shown.
    if df > 1e6 {
        return of_z(shift, alpha);
    }
    let edge = dist::t_quantile(1.0 - alpha / 2.0, df);
    dist::noncentral_t_above(edge, df, shift) + dist::noncentral_t_above(edge, df, -shift)
}

fn of_z(shift: f64, alpha: f64) -> f64 {
    let edge = dist::normal_quantile(1.0 - alpha / 2.0);
    dist::normal_above(edge - shift) + dist::normal_above(edge + shift)
}
