use std::convert::Infallible;

use super::*;

/// Numbers that follow a rule.
fn numbers(seed: u32) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1_u32 << 24)
    }
}

/// The matrix with these numbers.
fn rows(height: u32, width: u32, number: impl Fn(u32, u32) -> f32) -> Rows {
    let mut rows = Rows::new(width as usize);
    for row in 0..height {
        let of_row = (0..width).map(|column| (column, number(row, column)));
        rows.push(of_row.filter(|it| it.1 != 0.0));
    }
    rows
}

fn axes_of(rows: &Rows, count: usize) -> Axes {
    axes::<Infallible>(rows, count, &mut numbers(1), &mut || Ok(()))
        .unwrap_or_else(|it| match it {})
}

/// A matrix of 12 rows and 9 columns, some of them empty.
fn example(row: u32, column: u32) -> f32 {
    let it = (row * 7 + column * column * 3) % 11;
    f32::from(u8::try_from(it.saturating_sub(5)).unwrap())
}

/// `numpy.linalg.svd` of the example.
const NUMPY: [f64; 6] =
    [15.034_400_166, 12.682_170_125, 9.026_334_098, 5.592_627_638, 3.963_269_054, 3.416_091_309];

#[test]
fn singular_values_are_those_of_numpy() {
    let found = axes_of(&rows(12, 9, example), 9);
    for (found, wanted) in found.singular.iter().zip(NUMPY) {
        assert!((found - wanted).abs() < 1e-6, "{found} {wanted}");
    }
    assert_eq!(found.singular.len(), NUMPY.len());
}

#[test]
fn axes_are_orthonormal_and_keep_the_matrix() {
    let given = rows(12, 9, example);
    let Axes { singular, axes } = axes_of(&given, 20);
    let gram = axes.t().dot(&axes);
    for ((row, column), it) in gram.indexed_iter() {
        let wanted = if row == column { 1.0 } else { 0.0 };
        assert!((it - wanted).abs() < 1e-10, "{row} {column}: {it}");
    }
    // All axes together hold every row.
    let dense = Array2::from_shape_fn((12, 9), |(row, column)| {
        f64::from(example(u32::try_from(row).unwrap(), u32::try_from(column).unwrap()))
    });
    let held = dense.dot(&axes).dot(&axes.t());
    assert!((&held - &dense).iter().all(|it| it.abs() < 1e-9));
    let squares: f64 = singular.iter().map(|it| it * it).sum();
    assert!((squares - given.sum_of_squares()).abs() < 1e-6);
}

#[test]
fn a_matrix_of_low_rank_has_few_axes() {
    let one = rows(30, 20, |row, column| f32::from(u8::try_from(row % 3 * (column % 5)).unwrap()));
    assert_eq!(axes_of(&one, 16).singular.len(), 1);
    assert!(axes_of(&rows(5, 5, |_, _| 0.0), 3).singular.is_empty());
    assert_eq!(axes_of(&Rows::new(3), 3).axes.dim(), (3, 0));
    assert_eq!(axes_of(&Rows::new(0), 3).axes.dim(), (0, 0));
}

#[test]
fn more_rows_than_are_multiplied_at_once_are_the_same() {
    let mut next = numbers(5);
    let cells: Vec<f32> = (0..400 * 60)
        .map(|_| if next() < 0.1 { if next() < 0.5 { 1.0 } else { 3.0 } } else { 0.0 })
        .collect();
    let given = rows(400, 60, |row, column| cells[(row * 60 + column) as usize]);
    let (few, all) = (axes_of(&given, 5), axes_of(&given, 60));
    assert_eq!((few.singular.len(), all.singular.len()), (5, 60));
    for (few, all) in few.singular.iter().zip(&all.singular) {
        assert!((few - all).abs() < 1e-2 * all, "{few} {all}");
    }
}

#[test]
fn it_stops_when_it_is_to() {
    let mut left = 3;
    let mut check = || {
        left -= 1;
        if left == 0 { Err("stopped") } else { Ok(()) }
    };
    let stopped = axes(&rows(12, 9, example), 9, &mut numbers(1), &mut check);
    assert_eq!(stopped.err(), Some("stopped"));
}
