use crate::{Halving, Rung};

#[test]
fn rounds_keep_a_part_and_give_it_more() {
    let race = Halving::new(9, 9, 3);
    let rungs = [(9, 1), (3, 3), (1, 9)];
    let rungs = rungs.map(|(candidates, samples)| Rung { candidates, samples });
    assert_eq!(race.rungs(), rungs);
    assert_eq!(race.total(), 9 + 3 * 2 + 6);
}

#[test]
fn races_grow_and_shrink_as_they_should() {
    for candidates in 0..30 {
        for samples in 0..30 {
            for factor in 0..5 {
                let race = Halving::new(candidates, samples, factor);
                assert_eq!(race.rungs().is_empty(), candidates == 0 || samples == 0);
                for pair in race.rungs().windows(2) {
                    assert!(pair[0].candidates > pair[1].candidates);
                    assert!(pair[0].samples < pair[1].samples);
                }
                if let (Some(first), Some(last)) = (race.rungs().first(), race.rungs().last()) {
                    assert_eq!(first.candidates, candidates);
                    assert_eq!(last.samples, samples.max(1));
                }
            }
        }
    }
}

#[test]
fn a_race_stays_within_its_budget() {
    for total in 0..200 {
        let race = Halving::within(12, total, 50, 2);
        assert!(race.total() <= total);
        assert_eq!(race.rungs().is_empty(), total < 12);
    }
    assert_eq!(Halving::within(4, usize::MAX, 10, 2), Halving::new(4, 10, 2));
}

#[test]
fn the_lowest_values_are_kept_in_order() {
    assert_eq!(Halving::keep(&[3.0, f64::NAN, 1.0, 1.0, 2.0], 3), [2, 3, 4]);
    assert_eq!(Halving::keep(&[1.0], 5), [0]);
}
