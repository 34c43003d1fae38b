//! The past usage of operations, for estimates of the next run.

/// The usage of an operation, over its latest finished nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct History {
    /// The number of nodes.
    pub count: usize,
    pub tokens: Spread,
    /// In billionths of a dollar.
    pub cost: Spread,
    /// In microseconds.
    pub took: Spread,
}

/// The mean and the median of many numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    pub median: u64,
    pub mean: f64,
}

impl Spread {
    /// For an even count, the median is the upper one of the two middle numbers.
    pub fn of(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        let Some(median) = numbers.get(numbers.len() / 2).copied() else { return Self::default() };
        #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
        let mean = numbers.iter().map(|it| *it as f64).sum::<f64>() / numbers.len() as f64;
        Self { median, mean }
    }
}
