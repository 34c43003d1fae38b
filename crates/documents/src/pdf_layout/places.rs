//! Words, lines and matrices: where things are on a page.

/// Letters are of one word if the distance between them is smaller, for a font of size 1.
const GAP: f64 = 0.17;

/// Lines that are less long or wide, in points, do not part cells.
pub(super) const THIN: f64 = 3.0;

/// A word; the origin is the lower left corner of the page.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) text: String,
    pub(super) left: f64,
    pub(super) right: f64,
    /// The line on which it stands.
    pub(super) base: f64,
    /// The size of its font, and the width of a space in it.
    pub(super) size: f64,
    pub(super) space: f64,
    /// Where its last letter starts.
    pub(super) last: f64,
}

impl Word {
    pub(super) fn middle(&self) -> (f64, f64) {
        (f64::midpoint(self.left, self.right), self.base + self.size * 0.3)
    }
}

/// A horizontal or vertical line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Where it is: its `x` if it is vertical.
    pub(super) at: f64,
    pub(super) start: f64,
    pub(super) end: f64,
}

/// `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy)]
pub(super) struct Matrix(pub(super) [f64; 6]);

impl Matrix {
    pub(super) const ONE: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// First this one, then the other.
    pub(super) fn then(self, Self([a, b, c, d, e, f]): Self) -> Self {
        let of = |x: f64, y: f64| (x * a + y * c, x * b + y * d);
        let [m, n, o, p, q, r] = self.0;
        let ((m, n), (o, p), (q, r)) = (of(m, n), of(o, p), of(q, r));
        Self([m, n, o, p, q + e, r + f])
    }

    pub(super) fn of(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (x * a + y * c + e, x * b + y * d + f)
    }
}

impl Word {
    pub(super) fn ends_in(&self, letter: &Self) -> bool {
        let is_there = |it: f64, other: f64| (it - other).abs() < self.size * 0.1;
        let is_same = self.text.ends_with(&letter.text);
        is_same && is_there(self.last, letter.left) && is_there(self.base, letter.base)
    }

    pub(super) fn continues(&self, next: &Self) -> bool {
        let gap = next.left - self.right;
        (next.base - self.base).abs() < self.size * 0.2 && gap.abs() < self.size * GAP
    }
}
