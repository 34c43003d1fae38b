//! Lines at the bottom of a terminal that are drawn again and again.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthStr as _;

use super::terminal;

/// How wide each line is that is drawn now. A process has one standard error, and whoever
/// writes to it while lines are drawn must know of them.
static DRAWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The last lines of standard error.
///
/// The cursor always waits on the line below them, so that a `^C` that the terminal echoes
/// moves nothing and is wiped away with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    is_drawn_on: bool,
}

impl Screen {
    /// Where `is_drawn_on` is not set, nothing is ever drawn.
    pub(super) fn new(is_drawn_on: bool) -> Self {
        Self { is_drawn_on }
    }

    pub(super) fn is_drawn_on(self) -> bool {
        self.is_drawn_on
    }

    /// Draws these lines in the place of those that are there. None may be wider than the
    /// screen.
    pub(super) fn draw(self, lines: &[String]) {
        self.replace(lines, || {});
    }

    /// Takes the lines away.
    pub(super) fn clear(self) {
        self.replace(&[], || {});
    }

    /// Writes something else in the place of the lines. The next drawing goes below it.
    pub(super) fn give_way<T>(self, write: impl FnOnce() -> T) -> T {
        self.replace(&[], write)
    }

    fn replace<T>(self, lines: &[String], write: impl FnOnce() -> T) -> T {
        let mut there = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_drawn_on && !(there.is_empty() && lines.is_empty()) {
            let commands = drawing(rows(&there, whole().0), lines);
            // Who cannot be told of progress cannot be told of that either.
            terminal::command(&commands);
            *there = lines.iter().map(|it| it.width()).collect();
        }
        write()
    }
}

/// How many columns and rows a drawing may have. The last column stays empty: what terminals
/// do with a character there differs.
pub(super) fn size() -> (usize, usize) {
    let (columns, rows) = whole();
    (columns.saturating_sub(1), rows)
}

/// The columns and rows of the terminal. One that does not tell has those of all terminals
/// once.
fn whole() -> (usize, usize) {
    match terminal_size_of(io::stderr()) {
        Some((Width(columns), Height(rows))) if columns > 0 => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

/// How many rows lines take, also when the terminal became narrower since.
fn rows(widths: &[usize], columns: usize) -> usize {
    widths.iter().map(|it| it.div_ceil(columns.max(1)).max(1)).sum()
}

/// The commands that replace so many rows above the cursor.
fn drawing(there: usize, lines: &[String]) -> String {
    let mut commands = String::from("\r");
    if there > 0 {
        commands += &["\u{1b}[", &there.to_string(), "A"].concat();
    }
    for line in lines {
        commands += line;
        commands += "\u{1b}[K\n";
    }
    commands + "\u{1b}[J"
}

#[cfg(test)]
mod tests {
    use super::{drawing, rows};

    #[test]
    fn lines_are_replaced_where_they_are() {
        let lines = ["abcd".to_owned(), "x".to_owned()];
        assert_eq!(drawing(0, &lines), "\rabcd\u{1b}[K\nx\u{1b}[K\n\u{1b}[J");
        assert_eq!(drawing(2, &[]), "\r\u{1b}[2A\u{1b}[J");
    }

    #[test]
    fn a_terminal_that_became_narrower_has_more_rows() {
        assert_eq!(rows(&[79, 20, 0], 80), 3);
        assert_eq!(rows(&[79, 20, 0], 40), 4);
    }
}
