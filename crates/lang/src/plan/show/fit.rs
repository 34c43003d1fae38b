//! Text within the width of a terminal.

/// The indentation of a continued line, next to that of its beginning.
const HANGING: usize = 2;

/// The width of a line on a terminal: without the escape sequences of colours.
pub(super) fn width(line: &str) -> usize {
    let mut is_colour = false;
    let shown = line.chars().filter(|it| {
        let is_shown = !is_colour && *it != '\x1b';
        is_colour = (is_colour && *it != 'm') || *it == '\x1b';
        is_shown
    });
    shown.count()
}

/// Breaks lines at spaces. A word that is longer than a line keeps one for itself.
pub(super) fn wrapped(text: &str, room: usize) -> String {
    text.split_inclusive('\n').map(|line| broken(line, room)).collect()
}

fn broken(line: &str, room: usize) -> String {
    if width(line.trim_end()) <= room {
        return line.to_owned();
    }
    let indent = line.len() - line.trim_start().len();
    let hanging = " ".repeat(indent + HANGING);
    let (mut lines, mut used) = (String::new(), 0);
    for word in line.trim_end().split_inclusive(' ') {
        let wide = width(word.trim_end());
        if used > indent && used + wide > room {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            lines.push_str(&hanging);
            used = hanging.len();
        }
        lines.push_str(word);
        used += width(word);
    }
    lines + "\n"
}

#[cfg(test)]
mod tests {
    use super::{width, wrapped};

    #[test]
    fn lines_are_broken_at_spaces() {
        assert_eq!(wrapped("short\n", 20), "short\n");
        let text = "  one two three four five\nnext\n";
        assert_eq!(wrapped(text, 14), "  one two\n    three four\n    five\nnext\n");
        assert_eq!(wrapped("a/very/long/path and\n", 8), "a/very/long/path\n  and\n");
    }

    #[test]
    fn colours_have_no_width() {
        assert_eq!(width("\x1b[1;32mPROVEN\x1b[0m ok"), 9);
    }
}
