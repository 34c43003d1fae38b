//! Sums of floats that do not depend on how large the sum was in between.

/// Neumaier's summation: rounding errors are collected separately and added at the end. Lists of the language are
/// added with it, too, so that a list and a column have the same sum to the last digit.
#[derive(Clone, Copy, Debug, Default)]
pub struct FloatSum {
    sum: f64,
    lost: f64,
}

impl FloatSum {
    pub fn add(&mut self, it: f64) {
        let sum = self.sum + it;
        let (large, small) =
            if self.sum.abs() >= it.abs() { (self.sum, it) } else { (it, self.sum) };
        self.lost += (large - sum) + small;
        self.sum = sum;
    }

    /// The sum; of what is not finite, the plain one.
    pub fn value(self) -> f64 {
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}
