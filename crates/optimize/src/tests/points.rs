use super::{ALL, float, lowest, mixed, sphere};
use crate::{Dimension, Point, Space, SpaceError};

#[test]
fn equal_seeds_give_equal_points() {
    let space = mixed();
    for (name, make) in ALL {
        let run = |seed| {
            let mut optimizer = make(&space, None, seed);
            let mut points = Vec::new();
            lowest(&mut *optimizer, 120, 3, |it| {
                points.push(it.to_vec());
                sphere(it)
            });
            points
        };
        assert_eq!(run(7), run(7), "{name}");
        assert_ne!(run(7), run(8), "{name}");
    }
}

#[test]
fn points_are_within_the_space() {
    let space = mixed();
    for (name, make) in ALL {
        for seed in 0..4 {
            let mut optimizer = make(&space, None, seed);
            lowest(&mut *optimizer, 300, 5, |it| {
                assert!(space.contains(it), "{name}: {it:?}");
                // The lowest values are outside, so the search is at the bounds.
                it[0] + it[1] - it[2]
            });
        }
    }
}

#[test]
fn the_start_is_the_first_point() {
    let space = mixed();
    let start: Point = vec![1.0, 3.0, 0.1, 2.0, 7.0, 1.5];
    for (name, make) in ALL {
        let first = make(&space, Some(&start), 1).ask(4).remove(0);
        for (left, right) in first.iter().zip(&start) {
            assert!((left - right).abs() < 1e-12, "{name}: {first:?}");
        }
    }
}

#[test]
fn values_that_are_not_finite_are_the_worst() {
    let space = Space::new(vec![float(-5.0, 5.0), float(-5.0, 5.0)]).unwrap();
    for (name, make) in ALL {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut optimizer = make(&space, None, 3);
            let mut best = f64::INFINITY;
            lowest(&mut *optimizer, 400, 4, |it| {
                if it[0] > 2.0 {
                    return bad;
                }
                best = best.min(sphere(it));
                sphere(it)
            });
            assert!(best < 0.5, "{name}: {best}");
        }
        // Nothing but bad values, too.
        let mut optimizer = make(&space, None, 3);
        lowest(&mut *optimizer, 300, 4, |it| {
            assert!(space.contains(it), "{name}");
            f64::NAN
        });
    }
}

#[test]
fn other_and_repeated_points_are_taken() {
    let space = mixed();
    for (name, make) in ALL {
        let mut optimizer = make(&space, None, 5);
        let foreign: Point = vec![0.5, 2.0, 1.0, 1.0, 7.0, 1.5];
        optimizer.tell(&[(foreign.clone(), -3.0), (foreign.clone(), -3.0)]);
        optimizer.tell(&[(vec![1.0], -9.0), (Vec::new(), 0.0)]);
        optimizer.tell(&[(vec![f64::NAN, 1e300, -1.0, 77.0, 0.0, 0.0], 4.0)]);
        lowest(&mut *optimizer, 200, 2, |it| {
            assert!(space.contains(it), "{name}");
            1.0
        });
        for _ in 0..100 {
            optimizer.tell(&[(foreign.clone(), -3.0)]);
            assert!(space.contains(&optimizer.ask(1)[0]), "{name}");
        }
    }
}

#[test]
fn a_better_point_of_another_optimizer_attracts() {
    let space = Space::new(vec![float(-50.0, 50.0), float(-50.0, 50.0)]).unwrap();
    let far = vec![41.0, -37.0];
    let near = |it: &[f64]| (it[0] - 41.0).abs().max((it[1] + 37.0).abs());
    for (name, make) in ALL.into_iter().filter(|it| it.0 != "random") {
        let mut optimizer = make(&space, None, 5);
        // A narrow hole on a plain.
        let value = |it: &[f64]| near(it).min(10.0) + near(it) * 1e-3;
        optimizer.tell(&[(far.clone(), value(&far))]);
        let mut close = 0;
        lowest(&mut *optimizer, 300, 1, |it| {
            close += usize::from(near(it) < 10.0);
            value(it)
        });
        assert!(close > 100, "{name}: {close}");
    }
}

#[test]
fn spaces_of_one_param_and_of_one_value_are_searched() {
    let spaces = [
        vec![float(-1.0, 1.0)],
        vec![Dimension::Int { min: 0, max: 1 }],
        vec![Dimension::Int { min: -1_000_000, max: 1_000_000 }],
        vec![Dimension::Choice { count: 1 }],
        vec![Dimension::Choice { count: 4 }],
        vec![float(2.0, 2.0)],
        vec![float(-f64::MAX, f64::MAX)],
        vec![Dimension::Float { min: 1e-300, max: 1e300, log: true }],
        vec![float(0.0, f64::MIN_POSITIVE)],
    ];
    for dimensions in spaces {
        let space = Space::new(dimensions).unwrap();
        for (name, make) in ALL {
            let mut optimizer = make(&space, None, 2);
            lowest(&mut *optimizer, 100, 3, |it| {
                assert!(space.contains(it), "{name}: {it:?} of {space:?}");
                it[0].abs().min(1e100)
            });
        }
    }
}

#[test]
fn spaces_that_cannot_be_searched_are_refused() {
    assert_eq!(Space::new(Vec::new()), Err(SpaceError::Empty));
    for bad in [
        float(1.0, 0.0),
        float(f64::NAN, 0.0),
        float(0.0, f64::INFINITY),
        Dimension::Float { min: 0.0, max: 1.0, log: true },
        Dimension::Int { min: 1, max: 0 },
        Dimension::Int { min: i64::MIN, max: i64::MAX },
        Dimension::Choice { count: 0 },
    ] {
        let refused = Space::new(vec![float(0.0, 1.0), bad]).unwrap_err();
        assert!(refused.to_string().starts_with("param 2: "), "{refused}");
    }
}

#[test]
fn the_unit_cube_and_back() {
    let space = mixed();
    let mut rng = fastrand::Rng::with_seed(1);
    for _ in 0..1000 {
        let point = space.random(&mut rng);
        assert!(space.contains(&point), "{point:?}");
        let back = space.from_unit(&space.to_unit(&point));
        for (left, right) in point.iter().zip(&back) {
            assert!((left - right).abs() <= 1e-12 * left.abs().max(1.0), "{point:?} {back:?}");
        }
    }
    assert_eq!(space.from_unit(&[0.0; 6]), [-2.0, -4.0, 1e-3, 0.0, 7.0, 1.5]);
    assert_eq!(space.from_unit(&[1.0; 6]), [3.0, 9.0, 10.0, 2.0, 7.0, 1.5]);
    assert_eq!(space.cardinality(), None);
    let finite = vec![Dimension::Int { min: 0, max: 9 }, Dimension::Choice { count: 3 }];
    assert_eq!(Space::new(finite).unwrap().cardinality(), Some(30));
}
