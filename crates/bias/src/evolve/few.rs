//! Candidates change few params: of many changes that seem to be better together, some owe it to chance,
//! and what they gain is lost on other cases.

use svc_optimize::Point;

use super::Run;

/// The maximum number of params in which a candidate of a proposer differs from the active version.
const MOST_CHANGED: usize = 3;

impl Run<'_> {
    /// A point where only those params differ from the active version that differ most from it.
    pub(super) fn with_few_changes(&self, point: Point) -> Point {
        let knobs = &self.given.evaluator.knobs;
        let active = knobs.point(self.given.active);
        let (far, from) = (knobs.space.to_unit(&point), knobs.space.to_unit(&active));
        let distances: Vec<f64> = far.iter().zip(from).map(|(a, b)| (a - b).abs()).collect();
        farthest(point, &active, &distances, MOST_CHANGED)
    }
}

/// A point with all but the `most` farthest values replaced by those of another point.
fn farthest(mut point: Point, other: &[f64], distances: &[f64], most: usize) -> Point {
    let mut order: Vec<usize> = (0..point.len()).collect();
    order.sort_by(|a, b| distances[*b].total_cmp(&distances[*a]));
    for it in order.into_iter().skip(most) {
        point[it] = other[it];
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_that_differ_most_are_kept() {
        let point = farthest(vec![1.0, 2.0, 3.0, 4.0], &[0.0; 4], &[0.1, 0.4, 0.0, 0.3], 2);
        assert_eq!(point, [0.0, 2.0, 0.0, 4.0]);
        assert_eq!(farthest(vec![1.0, 2.0], &[0.0; 2], &[0.1, 0.4], 5), [1.0, 2.0]);
    }
}
