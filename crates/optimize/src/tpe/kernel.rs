//! Densities over a space, as mixtures of kernels around points.

use std::f64::consts::{SQRT_2, TAU};

use crate::{Dimension, Space, float, rng::normal};

/// How many points the prior of the widths is worth.
const STRENGTH: f64 = 5.0;

/// One kernel for each point, and one as wide as the space.
pub(super) struct Mixture<'a> {
    space: &'a Space,
    centers: &'a [&'a [f64]],
    /// The width of the kernels in each dimension.
    widths: Vec<f64>,
}

impl<'a> Mixture<'a> {
    pub(super) fn new(space: &'a Space, centers: &'a [&'a [f64]], seen: usize) -> Self {
        let free = space.dimensions().iter().filter(|it| !it.is_fixed()).count().max(1);
        let shrink = float(centers.len().max(1)).powf(-1.0 / (float(free) + 4.0));
        let narrowest = 1.0 / (1.0 + float(seen));
        // A few good points that are close to each other by chance must not end the search.
        let prior = 0.3 * (10.0 / float(seen.max(10))).powf(0.35);
        let widths = (0..space.len())
            .map(|index| {
                let values = || centers.iter().map(|it| it[index]);
                let len = float(centers.len());
                let middle = values().sum::<f64>() / len.max(1.0);
                let squares = values().map(|it| (it - middle).powi(2)).sum::<f64>();
                let variance = (squares + STRENGTH * prior * prior) / (len + STRENGTH - 1.0);
                (shrink * variance.sqrt()).clamp(narrowest, 1.0)
            })
            .collect();
        Self { space, centers, widths }
    }

    /// A vector of the unit cube from the mixture.
    pub(super) fn sample(&self, rng: &mut fastrand::Rng) -> Vec<f64> {
        let kernel = rng.usize(..=self.centers.len());
        let Some(center) = self.centers.get(kernel) else {
            let point = self.space.random(rng);
            return self.space.to_unit(&point);
        };
        let unit: Vec<f64> = (0..self.space.len())
            .map(|index| match self.space.dimensions()[index] {
                Dimension::Choice { count } => {
                    // The center has the weight of all observations, the others share one.
                    if rng.f64() < self.stay(count) { center[index] } else { rng.f64() }
                }
                _ => {
                    let mut value = center[index] + self.widths[index] * normal(rng);
                    for _ in 0..20 {
                        if (0.0..=1.0).contains(&value) {
                            break;
                        }
                        value = center[index] + self.widths[index] * normal(rng);
                    }
                    value.clamp(0.0, 1.0)
                }
            })
            .collect();
        let point = self.space.from_unit(&unit);
        self.space.to_unit(&point)
    }

    /// How likely a kernel of a choice keeps the value of its center.
    fn stay(&self, choices: usize) -> f64 {
        let seen = float(self.centers.len());
        seen / (seen + float(choices).sqrt())
    }

    pub(super) fn log_density(&self, unit: &[f64]) -> f64 {
        let mut logs: Vec<f64> = Vec::with_capacity(self.centers.len() + 1);
        logs.push(0.0);
        let factors: Vec<Factor> = (0..self.space.len()).map(|it| self.factor(it)).collect();
        for center in self.centers {
            let log = factors
                .iter()
                .enumerate()
                .map(|(index, factor)| factor.log(unit[index], center[index]))
                .sum();
            logs.push(log);
        }
        let highest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs.iter().map(|it| (it - highest).exp()).sum();
        highest + sum.ln() - float(logs.len()).ln()
    }

    fn factor(&self, index: usize) -> Factor {
        let dimension = &self.space.dimensions()[index];
        match *dimension {
            _ if dimension.is_fixed() => Factor::None,
            Dimension::Choice { count } => {
                let stay = self.stay(count);
                let other = (1.0 - stay) / float(count);
                // Relative to the density of the prior, which is 1 over the number of choices.
                Factor::Choice {
                    same: ((stay + other) * float(count)).ln(),
                    other: (other * float(count)).ln(),
                }
            }
            _ => Factor::Normal {
                width: self.widths[index],
                half: dimension.cells().map(|cells| 0.5 / cells),
            },
        }
    }
}

/// The density of a kernel in one dimension, relative to a uniform one.
enum Factor {
    None,
    Choice { same: f64, other: f64 },
    Normal { width: f64, half: Option<f64> },
}

impl Factor {
    fn log(&self, at: f64, center: f64) -> f64 {
        match *self {
            Self::None => 0.0,
            Self::Choice { same, other } => {
                if at == center {
                    same
                } else {
                    other
                }
            }
            Self::Normal { width, half } => {
                let below = |value: f64| cumulative((value - center) / width);
                let inside = (below(1.0) - below(0.0)).max(1e-12);
                let density = match half {
                    // Cells that are narrow next to the kernel have nearly one density.
                    Some(half) if half > 0.05 * width => {
                        (below(at + half) - below(at - half)) / (2.0 * half)
                    }
                    _ => (-0.5 * ((at - center) / width).powi(2)).exp() / (width * TAU.sqrt()),
                };
                (density / inside).max(1e-300).ln()
            }
        }
    }
}

/// The distribution function of the standard normal distribution.
///
/// Abramowitz and Stegun, 7.1.26: the error is below 1.5e-7.
fn cumulative(value: f64) -> f64 {
    let scaled = value.abs() / SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * scaled);
    let sum = ((((1.061_405_429 * t - 1.453_152_027) * t) + 1.421_413_741) * t - 0.284_496_736) * t
        + 0.254_829_592;
    let tail = 0.5 * sum * t * (-scaled * scaled).exp();
    if value > 0.0 { 1.0 - tail } else { tail }
}
