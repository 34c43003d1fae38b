//! Values that share a place: merged, on top of each other, next to each other, or in one bin.

use std::collections::BTreeMap;

use super::{
    marks::Spot,
    plan::{Aggregate, quantile},
    scale::{Unit, as_float, nice_step},
};

/// One spot for each place across of each series.
pub(super) fn merged(sorted: &[Spot], aggregate: Aggregate) -> Vec<Spot> {
    let mut out: Vec<Spot> = Vec::new();
    for same in sorted.chunk_by(|a, b| a.series == b.series && a.x.total_cmp(&b.x).is_eq()) {
        let mut values: Vec<f64> = same.iter().map(|it| it.y).filter(|it| !it.is_nan()).collect();
        let y = if values.is_empty() { f64::NAN } else { aggregate.of(&mut values) };
        out.push(Spot { y, ..same[0] });
    }
    out
}

/// Areas on top of each other: for each series x, bottom and top of each place across.
pub(super) fn stacked(spots: &mut Vec<Spot>, series: usize) -> Vec<Vec<(f64, f64, f64)>> {
    spots.retain(|it| !it.y.is_nan());
    let mut places: Vec<f64> = spots.iter().map(|it| it.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    let mut bases = vec![0.0; places.len()];
    let mut all = vec![Vec::new(); series];
    for (at, area) in all.iter_mut().enumerate() {
        let mut own = spots.iter().filter(|it| it.series == at).peekable();
        for (place, base) in places.iter().zip(&mut bases) {
            let here = own.next_if(|it| it.x.total_cmp(place).is_eq()).map_or(0.0, |it| it.y);
            area.push((*place, *base, *base + here));
            *base += here;
        }
    }
    all
}

/// Areas that each start at zero, as means and extremes must not be added up: for each series x, bottom and top.
pub(super) fn from_zero(spots: &mut Vec<Spot>, series: usize) -> Vec<Vec<(f64, f64, f64)>> {
    spots.retain(|it| !it.y.is_nan());
    let mut all = vec![Vec::new(); series];
    for it in spots.iter() {
        all[it.series].push((it.x, 0.0, it.y));
    }
    all
}

/// A bar of a word and a series.
pub(super) struct Bar {
    pub word: usize,
    pub series: usize,
    pub from: f64,
    pub to: f64,
    pub value: f64,
}

/// The bars, and how far those of each word reach down and up. With one room a word, its series are on top of each
/// other: what is above zero upwards, the rest downwards.
pub(super) fn bars(
    groups: &BTreeMap<(usize, usize), f64>,
    words: usize,
    rooms: usize,
) -> (Vec<Bar>, Vec<(f64, f64)>) {
    let mut ends = vec![(0.0_f64, 0.0_f64); words];
    let mut bars = Vec::with_capacity(groups.len());
    for ((word, series), value) in groups {
        let end = &mut ends[*word];
        let side = if *value < 0.0 { &mut end.0 } else { &mut end.1 };
        let from = if rooms == 1 { *side } else { 0.0 };
        let to = from + value;
        bars.push(Bar { word: *word, series: *series, from, to, value: *value });
        *side = if to.abs() > side.abs() { to } else { *side };
    }
    (bars, ends)
}

/// The width of bins, after Freedman and Diaconis (1981), at least Sturges' number, at most 60.
pub(super) fn bin(sorted: &[f64], unit: Unit) -> f64 {
    let count = as_float(sorted.len());
    let (low, high) = (sorted[0], sorted[sorted.len() - 1]);
    let width = high - low;
    if width <= 0.0 {
        return if low == 0.0 { 1.0 } else { nice_step(low.abs() / 10.0) };
    }
    let middle = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    let rough = 2.0 * middle / count.cbrt();
    let most = width / (count.log2() + 1.0).max(1.0);
    let rough = if rough > 0.0 { rough.min(most) } else { most }.max(width / 60.0);
    if unit == Unit::Time {
        const STEPS: [f64; 14] = [
            1.0,
            60.0,
            300.0,
            900.0,
            3600.0,
            10_800.0,
            21_600.0,
            43_200.0,
            86_400.0,
            604_800.0,
            2_419_200.0,
            7_776_000.0,
            31_536_000.0,
            315_360_000.0,
        ];
        return STEPS.into_iter().find(|it| *it >= rough).unwrap_or(rough);
    }
    nice_step(rough)
}
