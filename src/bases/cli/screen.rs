//! Lines at the bottom of a terminal that are redrawn repeatedly.

use std::{
    io,
    sync::{Mutex, PoisonError},
};

use terminal_size::{Height, Width, terminal_size_of};
use unicode_width::UnicodeWidthStr as _;

use super::terminal;

/// The widths of the lines currently drawn. Standard error is shared by the whole process, so
/// everything that writes to it must take these lines into account.
static DRAWN: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// The last lines of standard error.
///
/// The cursor always stays on the line below them, so a `^C` echoed by the terminal does not move
/// them and is cleared with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    is_drawn_on: bool,
}

impl Screen {
    /// Without `is_drawn_on`, nothing is ever drawn.
    pub(super) fn new(is_drawn_on: bool) -> Self {
        Self { is_drawn_on }
    }

    pub(super) fn is_drawn_on(self) -> bool {
        self.is_drawn_on
    }

    /// Replaces the drawn lines by `lines`, none of which may be wider than the screen.
    pub(super) fn draw(self, lines: &[String]) {
        self.replace(lines, || {});
    }

    /// Clears the lines.
    pub(super) fn clear(self) {
        self.replace(&[], || {});
    }

    /// Clears the lines and writes something else in their place. The next frame is drawn below it.
    pub(super) fn give_way<T>(self, write: impl FnOnce() -> T) -> T {
        self.replace(&[], write)
    }

    fn replace<T>(self, lines: &[String], write: impl FnOnce() -> T) -> T {
        let mut there = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_drawn_on && !(there.is_empty() && lines.is_empty()) {
            let commands = drawing(rows(&there, whole().0), lines);
            // If progress cannot be written, neither can the error.
            terminal::command(&commands);
            *there = lines.iter().map(|it| it.width()).collect();
        }
        write()
    }
}

/// The columns and rows available for drawing. The last column stays empty, because terminals
/// handle a character there differently.
pub(super) fn size() -> (usize, usize) {
    let (columns, rows) = whole();
    (columns.saturating_sub(1), rows)
}

/// The columns and rows of the terminal; 80 by 24 if it does not report its size.
fn whole() -> (usize, usize) {
    match terminal_size_of(io::stderr()) {
        Some((Width(columns), Height(rows))) if columns > 0 => (columns.into(), rows.into()),
        _ => (80, 24),
    }
}

/// The number of rows that lines occupy, even if the terminal became narrower.
fn rows(widths: &[usize], columns: usize) -> usize {
    widths.iter().map(|it| it.div_ceil(columns.max(1)).max(1)).sum()
}

/// The escape sequences that replace `there` rows above the cursor by `lines`.
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
