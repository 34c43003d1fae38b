//! Tables with many columns.

use std::cell::Cell;

use super::val::Val;
use crate::csv::{self, CsvError, Options, Wanted};

fn read(text: &str, stop: &dyn Fn() -> bool) -> Result<usize, String> {
    let options = Options { sep: b',', most: 50, wanted: &|_| Wanted::Guess, stop };
    match csv::read::<Val>(text, &options) {
        Ok(table) => Ok(table.names.len()),
        Err(CsvError::Table(it)) => Err(it.message),
        Err(CsvError::TooLong) => Err("too long".into()),
        Err(CsvError::Stopped) => Err("stopped".into()),
    }
}

fn names(count: usize) -> String {
    (0..count).map(|it| format!("c{it}")).collect::<Vec<_>>().join(",")
}

#[test]
fn the_names_of_many_columns_are_compared_once() {
    // Name by name, this would take minutes.
    assert_eq!(read(&names(100_000), &|| false), Ok(100_000));
    let text = format!("{},c7", names(50_000));
    assert_eq!(read(&text, &|| false), Err("line 1: duplicate column `c7`".into()));
}

#[test]
fn a_long_header_is_stopped() {
    let asked = Cell::new(0);
    let stop = || asked.replace(asked.get() + 1) > 5;
    assert_eq!(read(&names(50_000), &stop), Err("stopped".into()));
    assert_eq!(asked.get(), 7);
}

#[test]
fn a_text_without_line_ends_has_too_many_columns() {
    let text = "1,".repeat(1_000_001);
    assert_eq!(read(&text, &|| false), Err("line 1: too many columns (limit 1000000)".into()));
}
