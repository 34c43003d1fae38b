//! Averages of the last rows against the exact mean of each window.

use proptest::prelude::*;

use super::{column, val::Val, values};
use crate::{Column, Window, groups, order, window};

/// Numbers of all sizes, and what is not one.
fn any_size() -> impl Strategy<Value = Val> {
    prop_oneof![
        4 => (-9_i8..9).prop_map(|it| Val::Float(f64::from(it) / 10.0)),
        4 => prop::sample::select(vec![1e300, -1e300, 3e16, -3e16, 1e-300, 5e-324, -7e-310, 0.0, -0.0])
            .prop_map(Val::Float),
        2 => any::<f64>().prop_map(|it| Val::Float(if it.abs() < 1e306 { it } else { 1e17 })),
        2 => Just(Val::Null),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).prop_map(Val::Float),
    ]
}

/// The exact sum as parts that do not overlap: Shewchuk, "Adaptive Precision Floating-Point Arithmetic" (1997).
fn exact(all: &[f64]) -> f64 {
    let mut parts: Vec<f64> = vec![];
    for it in all {
        let mut it = *it;
        let mut kept = vec![];
        for part in parts {
            let (large, small) = if part.abs() > it.abs() { (part, it) } else { (it, part) };
            let sum = large + small;
            let lost = small - (sum - large);
            kept.extend((lost != 0.0).then_some(lost));
            it = sum;
        }
        kept.push(it);
        parts = kept;
    }
    parts.iter().sum()
}

fn moving(of: &Column<Val>, part: &Column<Val>, rows: usize) -> Vec<Val> {
    let by = groups(&[part], of.len());
    let sorted = order::<Val>(&[], of.len());
    values(&window(Window::MovingAvg(rows), Some(of), &by, &sorted, &|_, _| false).unwrap())
}

/// The mean of a window; null without a value.
fn mean(all: &[f64]) -> Val {
    let sum: f64 = if all.iter().all(|it| it.is_finite()) { exact(all) } else { all.iter().sum() };
    if all.is_empty() { Val::Null } else { Val::Float(sum / all.len() as f64) }
}

fn is_near(a: &Val, b: &Val) -> bool {
    match (a, b) {
        (Val::Float(a), Val::Float(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-12 * b.abs()
        }
        (a, b) => a == b,
    }
}

proptest! {
    #[test]
    fn a_moving_average_is_the_exact_mean_of_its_window(
        all in prop::collection::vec((0_i64..2, any_size()), 1..60),
        rows in prop_oneof![1..8_usize, 1..80_usize, Just(usize::MAX)],
    ) {
        let of = column(&all.iter().map(|it| it.1.clone()).collect::<Vec<_>>());
        let part = column(&all.iter().map(|it| Val::Int(it.0)).collect::<Vec<_>>());
        let found = moving(&of, &part, rows);
        for (row, found) in found.iter().enumerate() {
            let before: Vec<&Val> = all[..=row].iter().filter(|it| it.0 == all[row].0).map(|it| &it.1).collect();
            let around: Vec<f64> = before[before.len().saturating_sub(rows)..]
                .iter()
                .filter_map(|it| if let Val::Float(it) = it { Some(*it) } else { None })
                .collect();
            let wanted = mean(&around);
            prop_assert!(is_near(found, &wanted), "row {row}: {found:?}, not {wanted:?}");
        }
    }

    #[test]
    fn a_moving_average_of_ints_is_that_of_their_exact_sum(
        all in prop::collection::vec(any::<Option<i64>>(), 1..40),
        rows in 1..50_usize,
    ) {
        let of = column(&all.iter().map(|it| it.map_or(Val::Null, Val::Int)).collect::<Vec<_>>());
        let part = column(&vec![Val::Int(0); all.len()]);
        for (row, found) in moving(&of, &part, rows).iter().enumerate() {
            let around = all[(row + 1).saturating_sub(rows)..=row].iter().flatten();
            let (sum, count) = around.fold((0_i128, 0), |(sum, n), it| (sum + i128::from(*it), n + 1));
            let wanted = if count == 0 { Val::Null } else { Val::Float(sum as f64 / f64::from(count)) };
            prop_assert_eq!(found, &wanted);
        }
    }
}

#[test]
fn a_moving_average_is_in_range_where_its_sum_is_not() {
    let of = column(&[1e308, 1e308, 1e308, -1e308, f64::MAX].map(Val::Float));
    let part = column(&vec![Val::Int(0); 5]);
    let found = moving(&of, &part, 3);
    let wanted = [1e308, 1e308, 1e308, 1e308 / 3.0, f64::MAX / 3.0];
    assert!(found.iter().zip(wanted).all(|(a, b)| is_near(a, &Val::Float(b))), "{found:?}");
}

#[test]
fn a_long_window_takes_no_more_time_than_a_short_one() {
    // A window of 100,000 rows for each of 200,000 rows would take minutes row by row.
    let all: Vec<Val> = (0..200_000).map(|it| Val::Float(f64::from(it) / 10.0)).collect();
    let (of, part) = (column(&all), column(&vec![Val::Int(0); all.len()]));
    let found = moving(&of, &part, 100_000);
    assert!(is_near(&found[199_999], &Val::Float(14_999.95)));
}
