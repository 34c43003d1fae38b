//! Ridge regression with several outputs, row by row: only the normal equations are kept.

/// The weight of the penalty, for features with a deviation of one.
const PENALTY: f64 = 1.0;

pub(super) struct Ridge {
    /// The lower triangle of the products of the features.
    square: Vec<Vec<f64>>,
    /// The products of the features with each output, and later the weights.
    outputs: Vec<Vec<f64>>,
}

impl Ridge {
    pub(super) fn new(outputs: usize) -> Self {
        Self { square: Vec::new(), outputs: vec![Vec::new(); outputs] }
    }

    /// Adds a row; the first feature is 1.
    pub(super) fn add(&mut self, features: &[f64], outputs: &[f64]) {
        let width = features.len();
        if self.square.is_empty() {
            self.square = (0..width).map(|it| vec![0.0; it + 1]).collect();
            self.outputs.iter_mut().for_each(|it| it.resize(width, 0.0));
        }
        for (at, row) in self.square.iter_mut().enumerate() {
            // Most features of words are zero.
            if features[at] != 0.0 {
                row.iter_mut().zip(features).for_each(|(sum, it)| *sum += features[at] * it);
            }
        }
        for (sums, output) in self.outputs.iter_mut().zip(outputs) {
            if *output != 0.0 {
                sums.iter_mut().zip(features).for_each(|(sum, it)| *sum += output * it);
            }
        }
    }

    /// Finds the weights by Cholesky's decomposition. Without rows, all are zero.
    pub(super) fn solve(&mut self) {
        let n = self.square.len();
        for at in 0..n {
            // The constant is not punished, but must not vanish either.
            self.square[at][at] += if at == 0 { 1e-9 } else { PENALTY };
        }
        for at in 0..n {
            let known: f64 = self.square[at][..at].iter().map(|it| it * it).sum();
            let root = (self.square[at][at] - known).max(1e-12).sqrt();
            self.square[at][at] = root;
            for row in at + 1..n {
                let known: f64 = (0..at).map(|it| self.square[row][it] * self.square[at][it]).sum();
                self.square[row][at] = (self.square[row][at] - known) / root;
            }
        }
        let l = &self.square;
        for x in &mut self.outputs {
            for at in 0..n {
                let known: f64 = (0..at).map(|it| l[at][it] * x[it]).sum();
                x[at] = (x[at] - known) / l[at][at];
            }
            for at in (0..n).rev() {
                let known: f64 = (at + 1..n).map(|it| l[it][at] * x[it]).sum();
                x[at] = (x[at] - known) / l[at][at];
            }
        }
    }

    /// The outputs for a row.
    pub(super) fn predicted(&self, features: &[f64]) -> Vec<f64> {
        let of = |weights: &Vec<f64>| weights.iter().zip(features).map(|(a, b)| a * b).sum();
        self.outputs.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found() {
        let mut ridge = Ridge::new(2);
        for step in -500_i32..500 {
            let x = f64::from(step) / 250.0;
            ridge.add(&[1.0, x], &[3.0 + 2.0 * x, -x]);
        }
        ridge.solve();
        let found = ridge.predicted(&[1.0, 1.5]);
        assert!((found[0] - 6.0).abs() < 0.01 && (found[1] + 1.5).abs() < 0.01, "{found:?}");
        let mut none = Ridge::new(1);
        none.solve();
        assert_eq!(none.predicted(&[1.0, 2.0]), [0.0]);
    }
}
