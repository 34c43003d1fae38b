use super::mixed;
use crate::{Dimension, Nsga2, Point, Space, pareto};

fn random_points(count: usize, objectives: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = fastrand::Rng::with_seed(seed);
    // Few values, so that there are equal ones.
    (0..count).map(|_| (0..objectives).map(|_| f64::from(rng.u8(..20)) / 20.0).collect()).collect()
}

#[test]
fn fronts_are_those_of_repeated_removal() {
    for seed in 0..20 {
        let points = random_points(40, 2 + (seed % 3) as usize, seed);
        let ranks = pareto::fronts(&points);
        let mut left: Vec<usize> = (0..points.len()).collect();
        for rank in 0.. {
            let free = |it: &usize| {
                !left.iter().any(|other| pareto::dominates(&points[*other], &points[*it]))
            };
            let front: Vec<usize> = left.iter().copied().filter(free).collect();
            for it in &front {
                assert_eq!(ranks[*it], rank);
            }
            left.retain(|it| !front.contains(it));
            if left.is_empty() {
                break;
            }
        }
        for (index, rank) in ranks.iter().enumerate() {
            assert_eq!(pareto::dominated_by(&points, index) == 0, *rank == 0);
        }
        for it in pareto::front(&points) {
            assert_eq!(ranks[it], 0);
        }
    }
}

#[test]
fn hypervolume_is_the_share_of_dominated_points() {
    let mut rng = fastrand::Rng::with_seed(4);
    for objectives in 1..=5 {
        let points = random_points(12, objectives, 9);
        let exact = pareto::hypervolume(&points, &vec![1.0; objectives]);
        let draws = 40_000_i32;
        let inside = (0..draws)
            .filter(|_| {
                let at: Vec<f64> = (0..objectives).map(|_| rng.f64()).collect();
                points.iter().any(|it| it.iter().zip(&at).all(|(it, at)| it <= at))
            })
            .count();
        let share = crate::float(inside) / f64::from(draws);
        assert!((share - exact).abs() < 0.012, "{objectives}: {share} {exact}");
    }
}

#[test]
fn hypervolume_has_no_part_beyond_the_reference() {
    assert_eq!(pareto::hypervolume(&[], &[1.0, 1.0]), 0.0);
    assert_eq!(pareto::hypervolume(&[vec![2.0, 0.0]], &[1.0, 1.0]), 0.0);
    let three = [vec![0.5, 0.5, 0.5], vec![0.5, 0.5, 0.5], vec![0.6, 0.6, 0.6]];
    assert_eq!(pareto::hypervolume(&three, &[1.0, 1.0, 1.0]), 0.125);
    assert_eq!(pareto::hypervolume(&[vec![0.5], vec![0.2]], &[1.0]), 0.8);
}

#[test]
fn the_outermost_points_are_the_least_crowded() {
    let points = [vec![0.0, 1.0], vec![0.1, 0.9], vec![0.2, 0.8], vec![1.0, 0.0]];
    let distances = pareto::crowding(&points);
    assert_eq!(distances[0], f64::INFINITY);
    assert_eq!(distances[3], f64::INFINITY);
    assert!(distances[2] > distances[1]);
}

/// The points of a search, with their values.
fn search(space: &Space, seed: u64, evaluations: usize, batch: usize) -> Vec<(Point, Vec<f64>)> {
    let mut search = Nsga2::new(space, None, seed).popsize(40);
    let mut seen = Vec::new();
    for _ in 0..evaluations / batch {
        let told: Vec<(Point, Vec<f64>)> = search
            .ask(batch)
            .into_iter()
            .map(|it| {
                // Schaffer's problem, and a choice that makes all worse.
                let values = vec![it[0].powi(2) + it[3], (it[0] - 2.0).powi(2) + it[3]];
                (it, values)
            })
            .collect();
        search.tell(&told);
        seen.extend(told);
    }
    assert!(!search.front().is_empty());
    seen
}

#[test]
fn a_front_is_found_in_any_batches() {
    let space = mixed();
    for batch in [1, 8, 40] {
        let seen = search(&space, 1, 1200, batch);
        assert!(seen.iter().all(|it| space.contains(&it.0)));
        let values: Vec<Vec<f64>> = seen.iter().map(|it| it.1.clone()).collect();
        let volume = pareto::hypervolume(&values, &[4.0, 4.0]);
        // The whole front has 16 - 8/3.
        assert!(volume > 13.0, "{batch}: {volume}");
        assert_eq!(seen, search(&space, 1, 1200, batch));
    }
}

#[test]
fn odd_values_of_several_objectives_are_taken() {
    let space = Space::new(vec![Dimension::Int { min: 0, max: 2 }]).unwrap();
    let mut search = Nsga2::new(&space, Some(&vec![1.0]), 1).popsize(4);
    assert_eq!(search.ask(1), [vec![1.0]]);
    search.tell(&[(vec![1.0], vec![f64::NAN, 1.0])]);
    search.tell(&[(vec![1.0], vec![]), (vec![1.0], vec![1.0]), (vec![], vec![1.0, 1.0])]);
    search.tell(&[(vec![2.0], vec![0.0, 0.0]), (vec![2.0], vec![0.0, 0.0])]);
    for _ in 0..30 {
        let told: Vec<_> = search.ask(3).into_iter().map(|it| (it, vec![f64::NAN, 1.0])).collect();
        assert!(told.iter().all(|it| space.contains(&it.0)));
        search.tell(&told);
    }
    assert_eq!(search.front(), [(vec![2.0], vec![0.0, 0.0])]);
}
