//! The nearest neighbours of vectors, by an exact scan.

use std::collections::BinaryHeap;

use svc_contract::{
    registry::{
        Compute, Cx, Example, Field as _, Limits, Max, Op, OpError, Scheme, params, record,
    },
    value::Value,
};

record! {
    /// A point near a vector.
    pub(super) struct Near {
        /// The place of the point in `points`, from 0.
        at: i64,
        /// The cosine of the angle between both, from -1 to 1; 0 for a vector of zeros.
        score: f64,
    }
}

params! {
    /// Finds the points nearest to each vector, nearest first.
    ///
    /// Compares directions by the cosine of the angle between them, with every point: the result is
    /// exact. Equal ones keep the order of the points. All vectors and points have the same length.
    pub(super) struct Nearest {
        /// The vectors to search for, as returned by `vectors` or `llm_router.embed`.
        vectors: Vec<Vec<f64>>,
        /// The points to search in.
        points: Vec<Vec<f64>>,
        /// The number of points for each vector.
        #[range(1..=1_000)]
        top_k: i64 = 10,
    }
}

impl Op for Nearest {
    const NAME: &'static str = "nearest";
    const YIELDS: Scheme =
        Scheme::List(&Scheme::List(&Near::SCHEME, Max::Arg("top_k")), Max::Input);
    const LIMITS: Limits = Limits::UNTIMED;
    const SAYS: &'static [&'static str] = &[
        "nearest neighbours of a vector",
        "cosine similarity search",
        "which vectors are closest",
        "compare embeddings with each other",
        "k nearest points by direction",
    ];
    const EXAMPLES: &'static [Example] = &[
        Example::ok(
            "The closest of three",
            "[[1.0, 0.1]] >> vectors.nearest(points: [[0.0, 1.0], [2.0, 0.0], [-1.0, 0.0]], top_k: 2) >> each { each { .at } }",
            "[[1,0]]",
        ),
        Example::err(
            "Vectors of two models",
            "[[1.0, 0.0]] >> vectors.nearest(points: [[1.0, 0.0, 0.0]])",
            "point 1 has 3 numbers, but vector 1 has 2",
        ),
        Example::ok("No vectors", "[] >> vectors.nearest(points: [[1.0, 0.0]])", "[]"),
    ];
}

impl Compute for Nearest {
    fn run(self, cx: &Cx) -> Result<Value, OpError> {
        let Some(first) = self.vectors.first() else {
            return Ok(Value::List(Vec::new().into()));
        };
        same_lengths(&self.vectors, first.len(), "vector")?;
        same_lengths(&self.points, first.len(), "point")?;
        let points: Vec<Vec<f64>> = self.points.into_iter().map(direction).collect();
        let most = usize::try_from(self.top_k).unwrap_or_default();
        let mut all = Vec::with_capacity(self.vectors.len());
        for vector in self.vectors {
            let near = nearest(&direction(vector), &points, most, cx)?;
            all.push(near.into_iter().map(Near::encode).collect::<Vec<_>>().into());
        }
        Ok(Value::List(all.into()))
    }
}

fn same_lengths(vectors: &[Vec<f64>], len: usize, what: &str) -> Result<(), OpError> {
    match vectors.iter().position(|it| it.len() != len) {
        None => Ok(()),
        Some(place) => Err(OpError::invalid_input(format!(
            "{what} {} has {} numbers, but vector 1 has {len}",
            place + 1,
            vectors[place].len()
        ))
        .help("compare vectors of one model only")),
    }
}

/// A vector of length 1 in the same direction; one of zeros stays as it is.
fn direction(mut vector: Vec<f64>) -> Vec<f64> {
    // Without it, the squares of large numbers are infinite.
    let most = vector.iter().fold(0.0_f64, |most, it| most.max(it.abs()));
    if most > 0.0 {
        let length = vector.iter().map(|it| (it / most).powi(2)).sum::<f64>().sqrt();
        for it in &mut vector {
            *it = *it / most / length;
        }
    }
    vector
}

/// Points between two looks at the clock.
const BETWEEN_CHECKS: usize = 8_192;

fn nearest(
    vector: &[f64],
    points: &[Vec<f64>],
    most: usize,
    cx: &Cx,
) -> Result<Vec<Near>, OpError> {
    // The worst is on top.
    let mut best: BinaryHeap<Ranked> = BinaryHeap::with_capacity(most + 1);
    for (at, point) in points.iter().enumerate() {
        if at % BETWEEN_CHECKS == 0 {
            cx.check()?;
        }
        let score: f64 = vector.iter().zip(point).map(|(a, b)| a * b).sum();
        best.push(Ranked { score: score.clamp(-1.0, 1.0), at });
        if best.len() > most {
            best.pop();
        }
    }
    let near = |it: Ranked| Near { at: it.at.try_into().unwrap_or(i64::MAX), score: it.score };
    Ok(best.into_sorted_vec().into_iter().map(near).collect())
}

/// A point; the greater one is worse.
struct Ranked {
    score: f64,
    at: usize,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.score.total_cmp(&self.score).then(self.at.cmp(&other.at))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{cancelled, cx};
    use svc_contract::registry::ErrorKind;

    #[test]
    fn neighbours_are_those_of_a_full_sort() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut vector = || -> Vec<f64> { (0..8).map(|_| rng.i32(-2..3).into()).collect() };
        let points: Vec<Vec<f64>> = (0..500).map(|_| direction(vector())).collect();
        for _ in 0..50 {
            let wanted = direction(vector());
            let score = |it: &Vec<f64>| wanted.iter().zip(it).map(|(a, b)| a * b).sum::<f64>();
            let mut order: Vec<usize> = (0..points.len()).collect();
            let clamped = |it: usize| score(&points[it]).clamp(-1.0, 1.0);
            order.sort_by(|a, b| clamped(*b).total_cmp(&clamped(*a)));
            let found = nearest(&wanted, &points, 20, &cx()).unwrap();
            let found: Vec<usize> = found.iter().map(|it| it.at.try_into().unwrap()).collect();
            assert_eq!(found, order[..20]);
        }
    }

    #[test]
    fn extreme_vectors_and_cancelling_are_survived() {
        assert_eq!(direction(vec![0.0, 0.0]), [0.0, 0.0]);
        assert_eq!(direction(vec![f64::MAX, 0.0]), [1.0, 0.0]);
        assert_eq!(direction(vec![]), [0.0; 0]);
        let err = nearest(&[1.0], &[vec![1.0]], 1, &cancelled()).unwrap_err();
        assert_eq!(err.kind, ErrorKind::Cancelled);
    }
}
