//! The past usage of operations, for estimates of the next run.

use super::{Store, error::Result, read::count};

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

impl Store {
    /// The usage of an operation, over its latest thousand finished nodes.
    pub fn history(&self, component: &str, op: &str) -> Result<History> {
        let reader = self.pool.reader()?;
        let mut found = reader.prepare_cached(
            "SELECT nodes.tokens, nodes.cost, nodes.took
                FROM nodes JOIN ops ON ops.no = nodes.op
                WHERE ops.component = ?1 AND ops.op = ?2 AND nodes.state = 'done'
                    AND nodes.origin IS NULL
                ORDER BY nodes.no DESC LIMIT 1000",
        )?;
        let mut rows = found.query([component, op])?;
        let [mut tokens, mut cost, mut took] = [const { Vec::new() }; 3];
        while let Some(row) = rows.next()? {
            tokens.push(count(row, 0)?);
            cost.push(count(row, 1)?);
            took.push(count(row, 2)?);
        }
        let count = tokens.len();
        let [tokens, cost, took] = [tokens, cost, took].map(Spread::of);
        Ok(History { count, tokens, cost, took })
    }
}

impl Spread {
    /// For an even count, the median is the upper one of the two middle numbers.
    fn of(mut numbers: Vec<u64>) -> Self {
        numbers.sort_unstable();
        let Some(median) = numbers.get(numbers.len() / 2).copied() else { return Self::default() };
        #[expect(clippy::cast_precision_loss, reason = "a mean is a rounded number")]
        let mean = numbers.iter().map(|it| *it as f64).sum::<f64>() / numbers.len() as f64;
        Self { median, mean }
    }
}
