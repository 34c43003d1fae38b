//! Whether a check is imperceptible, and its time proportional to the text.

use std::hint::black_box;

use super::{scripts, table::Table, timing::millis};

pub(crate) fn check(table: &mut Table) {
    const MEGABYTE: f64 = 1e6;
    let engine = svc::engine();
    let seconds = |lines: usize, runs: usize| {
        let text = scripts::lines(lines);
        engine.check(text.as_str()).expect("the script checks");
        let best = table.best(runs, || drop(black_box(engine.check(text.as_str()))));
        let bytes = u32::try_from(text.len()).expect("it is a few megabytes long");
        (best, f64::from(bytes) / best.as_secs_f64() / MEGABYTE)
    };
    let (short, _) = seconds(200, 100);
    let (_, some) = seconds(table.size(10_000, 400), 5);
    let (_, many) = seconds(table.size(100_000, 400), 3);
    table.at_most("a script of 200 lines", millis(short), 2.0, "ms");
    table.at_most("a megabyte of a script of 100,000 lines", 1e3 / many, 200.0, "ms");
    table.at_most("  times one of 10,000 lines", some / many, 1.25, "×");
}
