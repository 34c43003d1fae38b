//! Lines at the bottom of a terminal that are drawn again and again.

use std::{
    io::{self, Write},
    sync::{Mutex, PoisonError},
};

use comfy_table::Table;

/// The last lines of standard error.
///
/// The cursor always waits on the line below them, so that a `^C` that the terminal echoes
/// moves nothing and is wiped away with them.
#[derive(Debug)]
pub(super) struct Screen {
    is_drawn_on: bool,
    /// How many lines are there now.
    lines: Mutex<usize>,
}

impl Screen {
    /// Where `is_drawn_on` is not set, nothing is ever drawn.
    pub(super) fn new(is_drawn_on: bool) -> Self {
        Self { is_drawn_on, lines: Mutex::new(0) }
    }

    pub(super) fn is_drawn_on(&self) -> bool {
        self.is_drawn_on
    }

    /// Draws these lines in the place of those that are there.
    pub(super) fn draw(&self, lines: &[String]) {
        let width = Table::new().use_stderr().width().unwrap_or(80).into();
        self.replace(lines, width, || {});
    }

    /// Takes the lines away.
    pub(super) fn clear(&self) {
        self.replace(&[], 0, || {});
    }

    /// Writes something else in the place of the lines. The next drawing goes below it.
    pub(super) fn give_way(&self, write: impl FnOnce()) {
        self.replace(&[], 0, write);
    }

    fn replace(&self, lines: &[String], width: usize, write: impl FnOnce()) {
        let mut there = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_drawn_on && (*there > 0 || !lines.is_empty()) {
            // Who cannot be told of progress cannot be told of that either.
            let _ = io::stderr().lock().write_all(drawing(*there, lines, width).as_bytes());
            *there = lines.len();
        }
        write();
    }
}

/// The commands that replace so many lines above the cursor.
fn drawing(there: usize, lines: &[String], width: usize) -> String {
    let mut commands = String::from("\r");
    if there > 0 {
        commands += &["\u{1b}[", &there.to_string(), "A"].concat();
    }
    for line in lines {
        commands.extend(line.chars().take(width));
        commands += "\u{1b}[K\n";
    }
    commands + "\u{1b}[J"
}

#[cfg(test)]
mod tests {
    use super::drawing;

    #[test]
    fn lines_are_replaced_where_they_are() {
        let lines = ["abcdef".to_owned(), "x".to_owned()];
        assert_eq!(drawing(0, &lines, 4), "\rabcd\u{1b}[K\nx\u{1b}[K\n\u{1b}[J");
        assert_eq!(drawing(2, &[], 4), "\r\u{1b}[2A\u{1b}[J");
    }
}
