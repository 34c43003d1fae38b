use super::{ALL, float, lowest, rosenbrock, sphere};
use crate::{Cma, Dimension, Local, Optimizer, Random, Space, Tpe};

fn cube(params: usize) -> Space {
    Space::new(vec![float(-5.0, 5.0); params]).unwrap()
}

/// The middle of the lowest values of some seeds.
fn typical(
    make: impl Fn(u64) -> Box<dyn Optimizer>,
    evaluations: usize,
    objective: fn(&[f64]) -> f64,
) -> f64 {
    let mut found: Vec<f64> =
        (0..9).map(|seed| lowest(&mut *make(seed), evaluations, 1, objective)).collect();
    found.sort_by(f64::total_cmp);
    found[4]
}

#[test]
fn smooth_functions_are_minimised() {
    let space = cube(5);
    let cma = typical(|it| Box::new(Cma::new(&space, None, it)), 300, sphere);
    assert!(cma < 1e-12, "{cma}");
    let cma = typical(|it| Box::new(Cma::new(&space, None, it)), 1500, rosenbrock);
    assert!(cma < 1e-8, "{cma}");
    let plain = typical(|it| Box::new(Cma::new(&space, None, it).model(false)), 1500, sphere);
    assert!(plain < 1e-9, "{plain}");
    let local = typical(|it| Box::new(Local::new(&space, None, it)), 1000, sphere);
    assert!(local < 1e-5, "{local}");
    let tpe = typical(|it| Box::new(Tpe::new(&space, None, it)), 200, sphere);
    let random = typical(|it| Box::new(Random::new(&space, None, it)), 200, sphere);
    assert!(tpe < random / 3.0, "{tpe} {random}");
}

#[test]
fn batches_converge_too() {
    let space = cube(3);
    for batch in [4, 10, 50] {
        let mut cma = Cma::new(&space, None, 1);
        let found = lowest(&mut cma, 2000, batch, sphere);
        assert!(found < 1e-8, "{batch}: {found}");
    }
}

#[test]
fn restarts_find_the_deepest_of_many_holes() {
    // Rastrigin's function: 11 * 11 local minima.
    fn rastrigin(point: &[f64]) -> f64 {
        point.iter().map(|it| it * it - 10.0 * (std::f64::consts::TAU * it).cos() + 10.0).sum()
    }
    let space = Space::new(vec![float(-4.0, 5.0); 2]).unwrap();
    let found = typical(|it| Box::new(Cma::new(&space, None, it)), 3000, rastrigin);
    assert!(found < 1e-8, "{found}");
}

#[test]
fn ints_do_not_freeze() {
    let space = Space::new(vec![
        Dimension::Int { min: 0, max: 100 },
        Dimension::Int { min: -20, max: 5 },
        float(-5.0, 5.0),
    ])
    .unwrap();
    let value = |it: &[f64]| (it[0] - 83.0).powi(2) + (it[1] + 17.0).powi(2) + it[2].powi(2);
    for (name, make) in ALL.into_iter().filter(|it| it.0.contains("cma") || it.0 == "local") {
        for seed in 0..5 {
            let found = lowest(&mut *make(&space, None, seed), 800, 1, value);
            assert!(found < 1e-3, "{name}: {found}");
        }
    }
}

#[test]
fn choices_are_found() {
    let dimensions = vec![
        Dimension::Choice { count: 5 },
        Dimension::Choice { count: 7 },
        Dimension::Choice { count: 4 },
        float(0.0, 1.0),
    ];
    let space = Space::new(dimensions).unwrap();
    let right = [3.0, 1.0, 2.0];
    let value = move |it: &[f64]| {
        let wrong = it.iter().zip(right).filter(|(it, right)| *it != right).count();
        crate::float(wrong) + (it[3] - 0.3).powi(2)
    };
    for seed in 0..5 {
        let found = lowest(&mut Tpe::new(&space, None, seed), 120, 1, value);
        assert!(found < 0.05, "tpe: {found}");
        let found = lowest(&mut Local::new(&space, None, seed), 200, 1, value);
        assert!(found < 0.05, "local: {found}");
    }
}

#[test]
fn a_minimum_at_the_bounds_is_found() {
    let space = cube(4);
    let found = typical(
        |it| Box::new(Cma::new(&space, None, it)),
        400,
        |it| it.iter().zip([1.0, 3.0, 10.0, 0.2]).map(|(it, slope)| it * slope).sum(),
    );
    assert!((found + 5.0 * 14.2).abs() < 1e-6, "{found}");
}
