//! Properties of all optimizers.

mod converge;
mod objectives;
mod points;
mod race;

use crate::{Cma, Dimension, Local, Optimizer, Point, Random, Space, Tpe};

/// Makes an optimizer of a space, a start and a seed.
type Make = fn(&Space, Option<&Point>, u64) -> Box<dyn Optimizer>;

/// Every optimizer of one objective.
const ALL: [(&str, Make); 5] = [
    ("cma", |space, start, seed| Box::new(Cma::new(space, start, seed))),
    ("plain cma", |space, start, seed| Box::new(Cma::new(space, start, seed).model(false))),
    ("tpe", |space, start, seed| Box::new(Tpe::new(space, start, seed))),
    ("local", |space, start, seed| Box::new(Local::new(space, start, seed))),
    ("random", |space, start, seed| Box::new(Random::new(space, start, seed))),
];

fn float(min: f64, max: f64) -> Dimension {
    Dimension::Float { min, max, log: false }
}

fn mixed() -> Space {
    Space::new(vec![
        float(-2.0, 3.0),
        Dimension::Int { min: -4, max: 9 },
        Dimension::Float { min: 1e-3, max: 10.0, log: true },
        Dimension::Choice { count: 3 },
        Dimension::Int { min: 7, max: 7 },
        float(1.5, 1.5),
    ])
    .unwrap()
}

/// The lowest value after some evaluations.
fn lowest(
    optimizer: &mut dyn Optimizer,
    evaluations: usize,
    at_a_time: usize,
    mut objective: impl FnMut(&[f64]) -> f64,
) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..evaluations.div_ceil(at_a_time) {
        let told: Vec<(Point, f64)> = optimizer
            .ask(at_a_time)
            .into_iter()
            .map(|it| {
                let value = objective(&it);
                (it, value)
            })
            .collect();
        best = told.iter().map(|it| it.1).fold(best, f64::min);
        optimizer.tell(&told);
    }
    best
}

fn sphere(point: &[f64]) -> f64 {
    point.iter().map(|it| (it - 0.7).powi(2)).sum()
}

fn rosenbrock(point: &[f64]) -> f64 {
    let pairs = point.windows(2);
    pairs.map(|it| 100.0 * (it[1] - it[0].powi(2)).powi(2) + (1.0 - it[0]).powi(2)).sum()
}
