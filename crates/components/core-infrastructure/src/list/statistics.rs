//! Describes the distribution of a list.

use std::collections::HashMap;

use svc_contract::{
    registry::{ErrorKind, Example, Inline, Items, Op, OpError, Scheme, Var, params},
    value::{List, Value, memory},
};

use super::{ends::empty, totals::Total, unique::Same};

/// The numbers of a list as floats.
#[expect(clippy::cast_precision_loss, reason = "an int is a float in the language")]
fn floats(items: &List) -> Result<Vec<f64>, OpError> {
    memory::make(items.len() * size_of::<f64>())?;
    let number = |it: &Value| match it {
        Value::Int(it) => Ok(*it as f64),
        Value::Float(it) => Ok(*it),
        other => {
            let message = format!("expected a list of numbers, found {}", other.kind());
            Err(OpError::invalid_input(message))
        }
    };
    items.iter().map(number).collect()
}

/// The value below which the part `q` of the numbers lies: between two numbers, it is
/// interpolated (type 7 of Hyndman and Fan, 1996).
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "no list has 2^53 items, and the position lies in the list"
)]
fn at_part(mut numbers: Vec<f64>, q: f64) -> Option<f64> {
    let last = numbers.len().checked_sub(1)?;
    numbers.sort_by(f64::total_cmp);
    let position = q * last as f64;
    let below = numbers[(position.floor() as usize).min(last)];
    let above = numbers[(position.ceil() as usize).min(last)];
    let part = position.fract();
    Some(below * (1.0 - part) + above * part)
}

params! {
    /// Returns the number in the middle of a list of numbers, as a float.
    ///
    /// Of an even number of items, it is the mean of both in the middle. Fails if the list is empty.
    pub(super) struct Median {
        /// The numbers, in any order.
        items: Items<f64>,
    }
}

impl Op for Median {
    const NAME: &'static str = "median";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the middle value of a list",
        "median income",
        "typical value without outliers",
        "half of the numbers are below it",
        "fiftieth percentile",
        "the value in the centre when sorted",
        "average that ignores extreme measurements",
        "the one in the middle, half above and half below",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("An odd number of items", "[9, 1, 2] >> median", "2.0"),
        Example::ok("An even number of items", "median([1, 2, 3, 10])", "2.5"),
        Example::err("An empty list", "[5] >> where { it > 9 } >> median", "the list is empty"),
    ];
}

impl Inline for Median {
    fn run(self) -> Result<Value, OpError> {
        let median = at_part(floats(&self.items.0)?, 0.5);
        median.map(Value::Float).ok_or_else(|| empty("median"))
    }
}

params! {
    /// Returns the number below which a part of the numbers lies, as a float.
    ///
    /// `q: 0.25` is the first quartile, `q: 0.99` the 99th percentile, `q: 0` the smallest number.
    /// Between two numbers, the result is interpolated linearly, as spreadsheets and NumPy do.
    /// Fails if the list is empty.
    pub(super) struct Quantile {
        /// The numbers, in any order.
        items: Items<f64>,
        /// The part of the numbers.
        #[range(0.0..=1.0)]
        q: f64,
    }
}

impl Op for Quantile {
    const NAME: &'static str = "quantile";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the 95th percentile of the latencies",
        "upper quartile of the numbers",
        "threshold for the top ten percent",
        "quantile of a column",
        "p99 of response times",
        "nth percentile of an array",
        "cut-off below which most values lie",
        "decile or quartile",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("The first quartile", "[1, 2, 3, 4, 5] >> quantile(q: 0.25)", "2.0"),
        Example::ok("Between two numbers", "quantile([0, 10], 0.9)", "9.0"),
        Example::err(
            "An empty list",
            "[5] >> where { it > 9 } >> quantile(q: 0.5)",
            "the list is empty",
        ),
    ];
}

impl Inline for Quantile {
    fn run(self) -> Result<Value, OpError> {
        let found = at_part(floats(&self.items.0)?, self.q);
        found.map(Value::Float).ok_or_else(|| empty("quantile"))
    }
}

params! {
    /// Returns the standard deviation of numbers, as a float.
    ///
    /// It is that of a sample, with the divisor n - 1; `population: true` divides by n. Fails with
    /// fewer than two numbers (one of a population), and if the result is out of range.
    pub(super) struct Stdev {
        /// The numbers.
        items: Items<f64>,
        /// Whether the numbers are all there are, not a sample of more.
        population: bool = false,
    }
}

impl Op for Stdev {
    const NAME: &'static str = "stdev";
    const YIELDS: Scheme = Scheme::Float;
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "standard deviation of the measurements",
        "how much the values vary",
        "is the series stable",
        "variance of the numbers",
        "how scattered the figures are",
        "sigma",
        "volatility of prices",
        "how much do they differ from one another",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A sample", "[2, 4, 4, 4, 5, 5, 7, 9] >> stdev >> round(digits: 4)", "2.1381"),
        Example::ok("A population", "stdev([2, 4, 4, 4, 5, 5, 7, 9], true)", "2.0"),
        Example::err("One number", "stdev([5])", "too few numbers: 1 (at least 2)"),
    ];
}

impl Inline for Stdev {
    #[expect(clippy::cast_precision_loss, reason = "no list has 2^53 items")]
    fn run(self) -> Result<Value, OpError> {
        let numbers = floats(&self.items.0)?;
        let (len, least) = (numbers.len(), if self.population { 1 } else { 2 });
        if len < least {
            let message = format!("too few numbers: {len} (at least {least})");
            let help = "write `if len(xs) > 1 { stdev(xs) } else { null }`";
            return Err(OpError::failed(message).help(help));
        }
        let mean = sum(numbers.iter().copied())? / len as f64;
        // The mean is rounded; the second sum corrects that (Chan, Golub and LeVeque, 1983).
        let squares = sum(numbers.iter().map(|it| (it - mean).powi(2)))?;
        let rest = sum(numbers.iter().map(|it| it - mean))?;
        let squares = (squares - rest * rest / len as f64).max(0.0);
        Ok((squares / (len + 1 - least) as f64).sqrt().into())
    }
}

fn sum(numbers: impl Iterator<Item = f64>) -> Result<f64, OpError> {
    let mut total = Total::default();
    for number in numbers {
        total.add(&Value::Float(number))?;
    }
    total.float()
}

params! {
    /// Returns the most frequent item of a list; of several, the one that comes first.
    ///
    /// Items are compared with `==`. Fails if the list is empty.
    pub(super) struct Mode {
        /// The list to search.
        items: Items<Var<'T'>>,
    }
}

impl Op for Mode {
    const NAME: &'static str = "mode";
    const YIELDS: Scheme = Scheme::Var('T');
    const ERRORS: &'static [ErrorKind] = &[ErrorKind::Failed];
    const SAYS: &'static [&'static str] = &[
        "the most frequent value",
        "most common answer",
        "majority vote of the results",
        "which one occurs most often",
        "the usual choice",
        "whatever value shows up most",
        "commonest element of an array",
        "which one is most popular",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok("A vote", r#"["yes", "no", "yes"] >> mode"#, r#""yes""#),
        Example::ok("A tie", "mode([2, 1, 1, 2])", "2"),
        Example::err("An empty list", "[5] >> where { it > 9 } >> mode", "the list is empty"),
    ];
}

impl Inline for Mode {
    fn run(self) -> Result<Value, OpError> {
        let counted = counts(&self.items.0)?;
        let most = counted.iter().map(|(_, count)| *count).max();
        let found = counted.into_iter().find(|(_, count)| Some(*count) == most);
        found.map(|(item, _)| item).ok_or_else(|| empty("most frequent item"))
    }
}

/// The different items with their number, in the order of their first occurrence.
#[expect(clippy::mutable_key_type, reason = "a deferred field is made once, and equals itself")]
pub(super) fn counts(items: &List) -> Result<Vec<(Value, i64)>, OpError> {
    let _held = memory::Charge::ahead(items.len() * 2 * size_of::<Value>())?;
    let mut places: HashMap<Same<'_>, usize> = HashMap::new();
    let mut counted: Vec<(Value, i64)> = Vec::new();
    for item in items {
        let place = *places.entry(Same(item)).or_insert(counted.len());
        match counted.get_mut(place) {
            Some((_, count)) => *count += 1,
            None => counted.push((item.clone(), 1)),
        }
    }
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use crate::testing::{fails, gives};

    use super::*;

    #[test]
    fn order_does_not_matter() {
        gives::<Median>("[[3, 1, 2]]", "2.0");
        gives::<Median>("[[-0.5]]", "-0.5");
        gives::<Median>("[[9223372036854775807, 9223372036854775807]]", "9.223372036854776e+18");
        gives::<Quantile>("[[5, 1, 4, 2, 3], 0]", "1.0");
        gives::<Quantile>("[[5, 1, 4, 2, 3], 1]", "5.0");
        gives::<Quantile>("[[1, 2, 3, 4], 0.25]", "1.75");
        gives::<Mode>(r#"[[1, "1", 1.0, "1", null]]"#, "1");
    }

    /// Answers of Python's `statistics`.
    #[test]
    fn deviations_are_those_of_python() {
        gives::<Stdev>("[[1.5, 2.5, 2.5, 2.75, 3.25, 4.75]]", "1.0810874155219827");
        gives::<Stdev>(
            "[[0.0, 0.25, 0.25, 1.25, 1.5, 1.75, 2.75, 3.25], true]",
            "1.118033988749895",
        );
        gives::<Stdev>("[[1000000000.1, 1000000000.2, 1000000000.3]]", "0.09999996423721906");
        gives::<Stdev>("[[7, 7]]", "0.0");
    }

    #[test]
    fn too_few_numbers_say_so() {
        assert_eq!(fails::<Median>("[[]]").message, "the list is empty, so it has no median");
        assert_eq!(fails::<Quantile>("[[], 0.5]").kind, ErrorKind::Failed);
        assert!(fails::<Quantile>("[[1], 2]").message.contains("0..1"));
        assert_eq!(fails::<Stdev>("[[], true]").message, "too few numbers: 0 (at least 1)");
        assert_eq!(fails::<Stdev>("[[1e308, 1e308, -1e308]]").kind, ErrorKind::Failed);
        assert!(fails::<Median>(r#"[["a"]]"#).message.contains("found string"));
        assert_eq!(fails::<Mode>("[[]]").kind, ErrorKind::Failed);
    }
}
