//! The space of params: its dimensions, and its points as vectors of the unit cube.

use std::fmt;

use crate::{count, float};

/// A value for each dimension, in native units: an int is a whole float, a choice its index.
pub type Point = Vec<f64>;

/// The widest range of ints and choices: floats are exact up to it.
const WIDEST: f64 = 9_007_199_254_740_992.0;

/// One param of a space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Dimension {
    /// A real number from `min` to `max`, both included.
    Float {
        /// The lowest value.
        min: f64,
        /// The highest value.
        max: f64,
        /// Whether ratios count, and not differences: `min` is above 0 then.
        log: bool,
    },
    /// A whole number from `min` to `max`, both included.
    Int {
        /// The lowest value.
        min: i64,
        /// The highest value.
        max: i64,
    },
    /// One of `count` alternatives without an order.
    Choice {
        /// The number of alternatives.
        count: usize,
    },
}

impl Dimension {
    /// The number of values of an int or a choice; `None` for a float.
    pub fn cells(&self) -> Option<f64> {
        match *self {
            Self::Float { .. } => None,
            Self::Int { min, max } => Some(whole(max) - whole(min) + 1.0),
            Self::Choice { count } => Some(float(count)),
        }
    }

    /// Whether there is only one value.
    pub fn is_fixed(&self) -> bool {
        match *self {
            Self::Float { min, max, .. } => min == max,
            _ => self.cells() == Some(1.0),
        }
    }

    /// The lowest and the highest value.
    pub fn bounds(&self) -> (f64, f64) {
        match *self {
            Self::Float { min, max, .. } => (min, max),
            Self::Int { min, max } => (whole(min), whole(max)),
            Self::Choice { count } => (0.0, float(count) - 1.0),
        }
    }

    /// The nearest value of the dimension; its middle for a value that is not a number.
    fn nearest(&self, value: f64) -> f64 {
        if value.is_nan() {
            return self.native(0.5);
        }
        let (min, max) = self.bounds();
        let value = value.clamp(min, max);
        if self.cells().is_some() { value.round() } else { value }
    }

    /// The place of a value on the unit interval. The values of an int or a choice are the middles of equal parts.
    fn unit(&self, value: f64) -> f64 {
        let value = self.nearest(value);
        if self.is_fixed() {
            return 0.5;
        }
        match *self {
            Self::Float { min, max, log: true } => (value / min).ln() / (max / min).ln(),
            // Halves first: the difference of the bounds may be too large.
            Self::Float { min, max, .. } => (value / 2.0 - min / 2.0) / (max / 2.0 - min / 2.0),
            _ => (value - self.bounds().0 + 0.5) / self.cells().unwrap_or(1.0),
        }
    }

    /// The value at a place of the unit interval.
    fn native(&self, unit: f64) -> f64 {
        let unit = if unit.is_nan() { 0.5 } else { unit.clamp(0.0, 1.0) };
        let (min, max) = self.bounds();
        let value = match *self {
            Self::Float { log: true, .. } => min * (unit * (max / min).ln()).exp(),
            Self::Float { .. } => min * (1.0 - unit) + max * unit,
            _ => min + (unit * self.cells().unwrap_or(1.0)).floor(),
        };
        value.clamp(min, max)
    }

    fn check(&self) -> Result<(), &'static str> {
        match *self {
            Self::Float { min, max, .. } if !min.is_finite() || !max.is_finite() => {
                Err("the bounds are not finite")
            }
            Self::Float { min, max, .. } if min > max => Err("min is above max"),
            Self::Int { min, max } if min > max => Err("min is above max"),
            Self::Float { min, log: true, .. } if min <= 0.0 => {
                Err("a log scale needs a min above 0")
            }
            Self::Int { min, max } if whole(min).abs().max(whole(max).abs()) > WIDEST / 2.0 => {
                Err("the ints are too large to be exact")
            }
            Self::Choice { count: 0 } => Err("there is nothing to choose from"),
            _ => Ok(()),
        }
    }
}

/// Why a space cannot be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceError {
    /// The list of params is empty.
    Empty,
    /// A param has no values, or none that can be searched.
    Dimension {
        /// The position of the param, from 0.
        index: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl fmt::Display for SpaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the list of params is empty"),
            Self::Dimension { index, reason } => write!(f, "param {}: {reason}", index + 1),
        }
    }
}

impl std::error::Error for SpaceError {}

/// The params to search, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    dimensions: Vec<Dimension>,
}

impl Space {
    /// A space with these params.
    pub fn new(dimensions: Vec<Dimension>) -> Result<Self, SpaceError> {
        if dimensions.is_empty() {
            return Err(SpaceError::Empty);
        }
        for (index, dimension) in dimensions.iter().enumerate() {
            dimension.check().map_err(|reason| SpaceError::Dimension { index, reason })?;
        }
        Ok(Self { dimensions })
    }

    /// The params, in order.
    pub fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    /// The number of params.
    #[expect(clippy::len_without_is_empty, reason = "a space is never empty")]
    pub fn len(&self) -> usize {
        self.dimensions.len()
    }

    /// A point drawn uniformly; on a log scale, the logarithm is uniform.
    pub fn random(&self, rng: &mut fastrand::Rng) -> Point {
        self.dimensions.iter().map(|it| it.native(rng.f64())).collect()
    }

    /// Points that are spread over each range: a Latin hypercube.
    pub(crate) fn spread(&self, points: usize, rng: &mut fastrand::Rng) -> Vec<Point> {
        // McKay, Beckman and Conover, 1979.
        let mut units = vec![vec![0.0; self.len()]; points];
        for index in 0..self.len() {
            let mut order: Vec<usize> = (0..points).collect();
            rng.shuffle(&mut order);
            for (unit, part) in units.iter_mut().zip(order) {
                unit[index] = (float(part) + rng.f64()) / float(points);
            }
        }
        units.iter().map(|it| self.from_unit(it)).collect()
    }

    /// The middle of each range.
    pub fn center(&self) -> Point {
        self.dimensions.iter().map(|it| it.native(0.5)).collect()
    }

    /// Moves a point to the nearest one of the space: within the bounds, and whole where it must be.
    pub fn clamp(&self, point: &mut Point) {
        for (value, dimension) in point.iter_mut().zip(&self.dimensions) {
            *value = dimension.nearest(*value);
        }
    }

    /// Whether a point is in the space: all values within the bounds, and whole where they must be.
    pub fn contains(&self, point: &[f64]) -> bool {
        point.len() == self.len()
            && point.iter().zip(&self.dimensions).all(|(value, it)| it.nearest(*value) == *value)
    }

    /// A point as a vector of the unit cube.
    pub fn to_unit(&self, point: &[f64]) -> Vec<f64> {
        point.iter().zip(&self.dimensions).map(|(value, it)| it.unit(*value)).collect()
    }

    /// The point of a vector of the unit cube. Values outside of the cube are moved to its surface.
    pub fn from_unit(&self, unit: &[f64]) -> Point {
        unit.iter().zip(&self.dimensions).map(|(value, it)| it.native(*value)).collect()
    }

    /// The number of points, if it is finite and fits a `u32`.
    pub fn cardinality(&self) -> Option<usize> {
        let all = self.dimensions.iter().try_fold(1.0, |all, it| {
            if it.is_fixed() { Some(all) } else { it.cells().map(|cells| all * cells) }
        })?;
        (all <= f64::from(u32::MAX)).then(|| count(all))
    }
}

/// An int as a float.
#[expect(clippy::cast_precision_loss, reason = "`Space::new` refuses ints that are not exact")]
fn whole(value: i64) -> f64 {
    value as f64
}
