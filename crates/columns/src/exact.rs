//! Sums from which values are taken again, without any loss.

/// The exact sum of floats, as a number in fixed point that has a place for every bit of every float: the small
/// superaccumulator of Radford Neal, "Fast exact summation using small and large superaccumulators" (2015). Whatever
/// was added in between leaves no trace after it is taken, so a window can slide over huge and tiny values.
#[derive(Clone, Debug)]
pub(crate) struct ExactSum {
    /// Parts of 32 bits, the lowest first; the lowest bit of the first part is 2^-1074. A part may be negative or
    /// longer until [`Self::carry`].
    parts: [i64; PARTS],
    /// The parts that are not zero are in this range.
    low: usize,
    high: usize,
    nans: usize,
    infinite: [usize; 2],
    count: usize,
}

/// The highest bit of a float is in part 65; one more part takes what is carried, and the sign.
const PARTS: usize = 67;
const BITS: usize = 32;
const MASK: i64 = (1 << BITS) - 1;

impl Default for ExactSum {
    fn default() -> Self {
        let parts = [0; PARTS];
        Self { parts, low: PARTS, high: 0, nans: 0, infinite: [0; 2], count: 0 }
    }
}

impl ExactSum {
    pub(crate) fn add(&mut self, it: f64) {
        self.count += 1;
        if it.is_nan() {
            self.nans += 1;
        } else if it.is_infinite() {
            self.infinite[usize::from(it < 0.0)] += 1;
        } else {
            self.change(it);
        }
    }

    /// Takes a value that was added.
    pub(crate) fn take(&mut self, it: f64) {
        self.count -= 1;
        if it.is_nan() {
            self.nans -= 1;
        } else if it.is_infinite() {
            self.infinite[usize::from(it < 0.0)] -= 1;
        } else {
            self.change(-it);
        }
    }

    fn change(&mut self, it: f64) {
        const FRACTION: u32 = 52;
        let bits = it.to_bits();
        let (exponent, fraction) = (bits >> FRACTION & 0x7FF, bits & ((1 << FRACTION) - 1));
        // Numbers near zero have the lowest exponent, and no bit in front of the fraction.
        let digits = if exponent == 0 { fraction } else { fraction | 1 << FRACTION };
        if digits == 0 {
            return;
        }
        let place = usize::try_from(exponent.max(1) - 1).unwrap_or(0);
        let shifted = i128::from(digits) << (place % BITS);
        let first = place / BITS;
        let sign = if it < 0.0 { -1 } else { 1 };
        for (idx, part) in self.parts[first..first + 3].iter_mut().enumerate() {
            *part += sign * low_bits(shifted >> (idx * BITS));
        }
        self.low = self.low.min(first);
        // With a part for what is carried.
        self.high = self.high.max(first + 3);
    }

    /// The mean of the values; `None` without one.
    #[expect(clippy::cast_precision_loss, reason = "a count is far below 2^53")]
    pub(crate) fn mean(&mut self) -> Option<f64> {
        let count = self.count as f64;
        Some(match (self.nans, self.infinite) {
            _ if self.count == 0 => return None,
            (0, [0, 0]) => {
                let (digits, exponent) = self.rounded();
                let sum = scaled(digits, exponent);
                // A sum may be out of range where the mean is not.
                if sum.is_finite() { sum / count } else { scaled(digits / count, exponent) }
            }
            (0, [_, 0]) => f64::INFINITY,
            (0, [0, _]) => f64::NEG_INFINITY,
            _ => f64::NAN,
        })
    }

    /// Leaves 32 bits in each part but the last one in use, which has the sign.
    fn carry(&mut self) {
        for idx in self.low..self.high {
            let more = self.parts[idx] >> BITS;
            self.parts[idx] &= MASK;
            self.parts[idx + 1] += more;
        }
    }

    /// The finite sum as the nearest float and the power of two by which it is multiplied.
    fn rounded(&mut self) -> (f64, i32) {
        if self.low > self.high {
            return (0.0, 0);
        }
        self.carry();
        let is_negative = self.parts[self.high] < 0;
        if is_negative {
            self.negate();
        }
        let used = &self.parts[self.low..=self.high];
        let found = used.iter().rposition(|it| *it != 0).map(|it| {
            let highest = self.low + it;
            let part = |below: usize| {
                let part = highest.checked_sub(below).map_or(0, |it| self.parts[it]);
                u128::try_from(part).unwrap_or(0)
            };
            // At least 65 bits, so that one more bit stands for all below them.
            let digits = part(0) << (2 * BITS) | part(1) << BITS | part(2);
            let below = &self.parts[self.low..highest.saturating_sub(2).max(self.low)];
            let has_more = below.iter().any(|it| *it != 0);
            (digits | u128::from(has_more), highest)
        });
        if is_negative {
            self.negate();
        }
        let Some((digits, highest)) = found else { return (0.0, 0) };
        #[expect(clippy::cast_precision_loss, reason = "this is where the sum is rounded")]
        let digits = digits as f64;
        let exponent = i32::try_from(highest * BITS).unwrap_or(0) - 2 * 32 - 1074;
        (if is_negative { -digits } else { digits }, exponent)
    }

    fn negate(&mut self) {
        self.parts[self.low..=self.high].iter_mut().for_each(|it| *it = -*it);
        self.carry();
    }
}

fn low_bits(it: i128) -> i64 {
    i64::try_from(it & i128::from(MASK)).unwrap_or(0)
}

/// A number times a power of two, in two steps, since the power alone may be out of range.
fn scaled(it: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    it * 2_f64.powi(half) * 2_f64.powi(exponent - half)
}
